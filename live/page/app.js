// The page itself: what is open, controls, the loop.

const MODES = ["shaded", "wire", "stretch", "contacts", "batches", "patches", "normals"];
const TOOLS = { g: "hand", p: "pin", b: "throw", v: "wind", o: "view" };
const KEYS = { 1: "front", 2: "side", 3: "top", 4: "perspective" };
const MODE_KEYS = { s: "shaded", w: "wire", x: "stretch" };
/** Bytes of recorded frames, of all panes together. */
const RECORDED = 384 * 2 ** 20;
/** Milliseconds after a change before it is planned: a slider is drawn. */
const PAUSE = 120;
/** The scene that opens: about real time in a browser. */
const FIRST = { scene: "cloth-sphere", set: ["cloth.resolution=48", "solver.substeps=40"] };
const PRESETS = [
  ["PBD against XPBD", "Stiffness 0.9 instead of a compliance: in PBD it depends on substeps and iterations.", (spec) => [...of(spec, "cloth", (c) => (c.fabric ? [] : ["stretch_compliance=none", "stretch_stiffness=0.9", "shear_compliance=none", "shear_stiffness=0.3", ...(c.bend_compliance !== undefined ? ["bend_compliance=none", "bend_stiffness=0.1"] : [])])), ...of(spec, "rope", (r) => (r.stretch_compliance !== undefined ? ["stretch_compliance=none", "stretch_stiffness=0.9"] : ["stretch_stiffness=0.9"]))]],
  ["Jacobi against Gauss-Seidel", "All constraints at once, corrections averaged: it takes more sweeps for the same stiffness.", () => ["solver.method=jacobi"]],
  ["Iterations against substeps", "As many sweeps, in few long substeps: substeps win.", (_, opened) => [`solver.substeps=${Math.max(1, Math.round(opened.substeps / 10))}`, "solver.iterations=10"]],
  ["Second order against first", "Velocities from two substeps: what swings keeps its energy.", () => ["solver.velocity_update=second-order"]],
  ["Coarse against fine", "Half the vertices a side.", (spec) => of(spec, "cloth", (c) => (c.mesh ? [] : [`resolution=[${c.resolution.map((n) => Math.max(4, Math.round(n / 2))).join(", ")}]`]))],
];

const find = (selector) => document.querySelector(selector);
const findAll = (selector) => [...document.querySelectorAll(selector)];
const whole = (n) => Math.round(n).toLocaleString("en").replaceAll(",", "\u202f");
const root = document.documentElement;
const of = (spec, table, changes) => (spec[table] ?? []).flatMap((entry, i) => changes(entry).map((change) => `${table}.${i}.${change}`));

/** A token of the style sheet as the browser resolves it in the present scheme. */
function color(token) {
  const probe = find("#probe");
  probe.style.color = `var(${token})`;
  return getComputedStyle(probe).color;
}
const rgb = (token) => color(token).match(/[\d.]+/g).slice(0, 3).map((c) => c / 255);
const press = (button, on) => button.setAttribute("aria-pressed", String(on));

/** Says something that stays until it is answered, with a button for it. */
function say(text, button = null, act = null) {
  find("#notice p").textContent = text ?? "";
  find("#notice").hidden = !text;
  const at = find("#notice-button");
  at.hidden = !button;
  at.textContent = button ?? "";
  at.onclick = () => {
    say(null);
    act?.();
  };
}

let noteTimer = 0;
/** Says something in passing. */
function note(text) {
  find("#note").textContent = text;
  clearTimeout(noteTimer);
  noteTimer = setTimeout(() => (find("#note").textContent = ""), 4000);
}

/** What this browser lacks, in a sentence that says what to do. */
function lacking(served) {
  const then = "Please open the page with a Firefox, Chrome, Edge or Safari of 2023 or later.";
  if (!("DecompressionStream" in window)) return `This browser cannot unpack the engine. ${then}`;
  if (served) return null;
  if (!("Worker" in window)) return `This browser has no workers, in which the engine runs. ${then}`;
  if (typeof WebAssembly !== "object") return `WebAssembly is switched off in this browser, and the engine needs it. Switch it on, or take another browser.`;
  // A function that makes a v128: (func (result v128) i32.const 0 i8x16.splat)
  const simd = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11);
  if (!WebAssembly.validate(simd)) return `This browser has no SIMD in WebAssembly (simd128). ${then}`;
  return null;
}

class App {
  constructor(page, makeEngine) {
    Object.assign(this, { page, makeEngine });
    this.camera = new Camera({ low: [-1, -1, -1], high: [1, 1, 1] });
    this.panes = [];
    this.scene = FIRST.scene;
    this.text = null;
    this.set = new Map();
    this.compare = null;
    this.side = 0;
    this.playing = false;
    this.speed = 1;
    this.mode = "shaded";
    this.behind = null; // a recorded frame that is looked at; null: the newest
    this.clock = 0;
    this.stepping = false;
    this.planning = null;
    this.task = null; // a run to a time, or an export
    this.pending = false; // the address asks for a run that has not begun
    this.dirty = true;
    this.planted = true;
    this.snapshots = [];
    this.hands = new Hands({
      camera: this.camera,
      ask: (pane, request) => pane.engine.ask(request),
      changed: (pane, answer) => this.#handled(pane, answer),
    });
    this.held = false;
    this.controls = new Controls(find("#controls"), page, (path, value, starts) => this.change(path, value, starts));
    this.editor = new Editor(find("#text"), (text) => this.openText(text));
    this.#listen();
  }

  // Opening

  get main() {
    return this.panes[0];
  }

  /** Engines for as many runs as there are. */
  async #seats(count) {
    while (this.panes.length > count) {
      const pane = this.panes.pop();
      pane.engine.fail("closed");
      pane.canvas.closest(".pane").remove();
      pane.renderer?.gl.getExtension("WEBGL_lose_context")?.loseContext();
    }
    while (this.panes.length < count) {
      const frame = element("div", { className: "pane" });
      const canvas = element("canvas", { tabIndex: 0 });
      canvas.setAttribute("aria-label", "The scene: drag cloth to pull it, a collider to move it, the rest to turn the view");
      frame.append(canvas, element("p", { className: "badge" }));
      find("#panes").append(frame);
      const engine = this.makeEngine(this.panes.length, (engine) => this.#slow(engine));
      const pane = new Pane(canvas, engine, this.camera, RECORDED / count);
      this.panes.push(pane);
      this.#touch(pane);
      new ResizeObserver(() => this.resize()).observe(frame);
      for (const { name, bytes } of this.page.files) await engine.ask({ do: "file", name }, bytes.slice());
    }
    for (const pane of this.panes) pane.recording.limit = RECORDED / count;
    find("#side").hidden = count === 1;
    this.resize();
  }

  /** The changes of a run: those of both, and behind them those of the right one. */
  #changes(number) {
    const all = new Map(this.set);
    if (number > 0) for (const [path, value] of this.compare) all.set(path, value);
    return [...all].map(([path, value]) => `${path}=${value}`);
  }

  /** Waits for the step that is under way. */
  async #rest() {
    while (this.stepping) await new Promise((resolve) => setTimeout(resolve, 4));
  }

  /** Plans all runs. `keep`: go on from the present state where that can be. */
  async open({ keep = false } = {}) {
    await this.#rest();
    const base = this.text === null ? { scene: this.scene } : { text: this.text };
    await this.#seats(this.compare ? 2 : 1);
    const answers = await Promise.all(this.panes.map((pane, i) => pane.engine.ask({ do: "open", ...base, set: this.#changes(i), keep: keep && pane.opened !== null })));
    const { version } = answers[0];
    if (version !== this.page.version) throw new Refusal(`The page is of version ${this.page.version} and its engine of ${version}: make the page anew with \`seidel page\``);
    this.panes.forEach((pane, i) => pane.open(answers[i]));
    this.#opened(answers[0], keep);
    return answers;
  }

  #opened(answer, keep, told = null) {
    delete root.dataset.error;
    this.behind = null;
    if (!answer.carried) {
      this.clock = 0;
      this.camera.hold(this.main.box);
      this.camera.whole = this.main.box;
    }
    find("#title").textContent = answer.scene;
    find("#about").textContent = answer.about;
    document.title = `${answer.scene} · seidel`;
    const shown = this.side === 1 && this.panes[1] ? this.panes[1].opened : answer;
    this.controls.show(shown.spec, new Set(this.side === 1 ? this.compare.keys() : this.set.keys()));
    this.editor.show(answer.text);
    find("#forget").disabled = this.set.size === 0;
    const what = `planned anew in ${answer.took.toFixed(0)} ms`;
    if (this.main.blind && !this.told) {
      this.told = true;
      say("This browser gives no WebGL 2, so nothing is drawn; runs, plots and files work. Switch hardware acceleration on, or take another browser.", "Close");
    }
    if (told) note(told);
    else if (keep && answer.anew) note(`${what}; it starts over (${answer.anew})`);
    else if (keep && answer.carried) note(`${what}, and goes on`);
    else if (answer.warnings?.length) note(answer.warnings[0]);
    this.#describe();
    this.#save();
    this.planted = true;
    this.plots.forEach((plot) => plot.stale = true);
    for (const card of findAll(".card")) press(card, this.text === null && card.dataset.scene === answer.scene);
    if (this.mode === "contacts") this.panes.forEach((pane) => pane.engine.ask({ do: "contacts", on: true }));
    this.#mark();
    this.dirty = true;
  }

  /** Tells what differs in a comparison. */
  #describe() {
    const badges = findAll(".badge");
    const list = this.compare ? [...this.compare].map(([path, value]) => `${path} = ${value}`) : [];
    badges.forEach((badge, i) => (badge.textContent = this.compare ? (i === 0 ? "as it is" : list.join(" · ") || "the same") : ""));
    find("#differs").textContent = list.length ? `The right run has ${list.join(", ")}.` : "";
    find("#alone").hidden = !this.compare;
    for (const button of findAll("[data-side]")) press(button, +button.dataset.side === this.side);
  }

  /** The address says what is open. */
  #save() {
    writeAddress({
      scene: this.scene, text: this.text, set: [...this.set].map(([path, value]) => `${path}=${value}`),
      compare: this.compare ? [...this.compare].map(([path, value]) => `${path}=${value}`) : null,
      view: this.camera.view ?? null, mode: this.mode, frames: null,
    }).catch((error) => note(`The address could not be written: ${error.message}`));
  }

  /** Opens a named scene. */
  async openScene(scene, set = []) {
    Object.assign(this, { scene, text: null, compare: null, side: 0 });
    this.set = new Map(set.map(split));
    await this.try(() => this.open());
  }

  /** Opens a text, with the errors at its lines. */
  async openText(text) {
    const before = { text: this.text, set: this.set, compare: this.compare };
    Object.assign(this, { text, set: new Map(), compare: null, side: 0 });
    this.busy = true;
    try {
      await this.open();
      this.editor.show(text, true);
      note("It runs.");
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      Object.assign(this, before);
      this.editor.refuse(error);
    } finally {
      this.busy = false;
    }
  }

  /** A key is changed; value null: as the scene has it. */
  change(path, value, starts) {
    const map = this.side === 1 ? this.compare : this.set;
    const before = map.get(path);
    if (value === null) map.delete(path);
    else map.set(path, value);
    clearTimeout(this.planning?.timer);
    const anew = starts || this.planning?.anew;
    const undo = this.planning?.undo ?? (() => (before === undefined ? map.delete(path) : map.set(path, before)));
    const plan = async () => {
      if (this.stepping || this.busy) {
        this.planning.timer = setTimeout(plan, 20);
        return;
      }
      this.planning = null;
      this.busy = true;
      try {
        await this.open({ keep: !anew });
        this.controls.refuse(path, null);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        undo();
        if (!this.controls.refuse(path, error.message)) note(error.message);
      } finally {
        this.busy = false;
      }
    };
    this.planning = { timer: setTimeout(plan, PAUSE), anew, undo };
  }

  /** Does it, and shows what the engine refuses. */
  async try(act) {
    this.busy = true;
    try {
      await this.#rest();
      return await act();
    } catch (error) {
      this.#refused(error);
      return null;
    } finally {
      this.busy = false;
    }
  }

  #refused(error) {
    root.dataset.error = error.message;
    this.play(false);
    if (!(error instanceof Refusal)) {
      say(`The page has a fault: ${error.message}`);
      return;
    }
    const dead = this.panes.find((pane) => pane.engine.dead);
    if (dead) say(error.message, "Start anew", () => this.revive());
    else say(error.message, "Close", null);
  }

  /** Takes new engines, and opens what was open. */
  async revive() {
    for (const pane of this.panes) {
      pane.engine.restart();
      pane.opened = null;
      for (const { name, bytes } of this.page.files) await pane.engine.ask({ do: "file", name }, bytes.slice());
    }
    this.snapshots = [];
    this.#listSnapshots();
    this.stepping = false;
    await this.try(() => this.open());
  }

  #slow(engine) {
    say(`The engine has not answered for ${PATIENCE} seconds: the scene is large, or it hangs. You may wait.`, "Stop it and start anew", () => {
      engine.restart();
      this.revive();
    });
  }

  // Running

  play(on) {
    this.playing = on;
    press(find("#play"), on);
    find("#play").setAttribute("aria-label", on ? "Pause" : "Run");
    if (on) this.clock = 0;
    this.#mark();
  }

  /** Takes a step in all runs. */
  async step() {
    if (this.stepping || this.panes.some((pane) => !pane.opened)) return;
    this.stepping = true;
    try {
      if (this.held) {
        this.held = false;
        const hold = this.hands.hold();
        await Promise.all(this.panes.map((pane) => pane.engine.ask(hold)));
      }
      const shown = await Promise.all(this.panes.map((pane) => pane.engine.ask({ do: "step" })));
      this.panes.forEach((pane, i) => pane.add(shown[i]));
      this.behind = null;
      this.planted = true;
      this.dirty = true;
      for (const plot of this.plots) plot.stale = true;
      const bad = shown.find((s) => s.trouble);
      if (bad) note(bad.trouble);
      this.#mark();
    } catch (error) {
      this.#refused(error);
    } finally {
      this.stepping = false;
    }
  }

  /** What tests look for: the root element carries frame and hash while nothing runs. */
  #mark() {
    const head = this.main?.recording.get(this.main.recording.last);
    if (!head || this.playing || this.task || this.pending) {
      delete root.dataset.frames;
      delete root.dataset.stateHash;
      return;
    }
    root.dataset.frames = head.frame;
    root.dataset.stateHash = head.hash;
  }

  /** Runs to a frame as fast as it goes, with progress. */
  async runTo(frame) {
    if (this.task) {
      this.task.stop = true;
      return;
    }
    this.play(false);
    this.pending = false;
    const task = (this.task = { stop: false });
    this.#mark();
    const start = this.main.recording.last;
    find("#run-to").textContent = "Stop";
    find("#progress").hidden = false;
    while (!task.stop && !root.dataset.error && this.main.recording.last < frame) {
      const before = this.main.recording.last;
      await this.step();
      if (this.main.recording.last === before && !this.stepping) break;
      find("#progress div").style.width = `${(100 * (this.main.recording.last - start)) / Math.max(frame - start, 1)}%`;
    }
    this.task = null;
    find("#run-to").textContent = "Run";
    find("#progress").hidden = true;
    this.#mark();
    this.dirty = true;
  }

  async restart() {
    this.hands.held.clear();
    this.hands.wind = null;
    await this.try(async () => {
      const shown = await Promise.all(this.panes.map((pane) => pane.engine.ask({ do: "reset" })));
      this.panes.forEach((pane, i) => {
        pane.recording.clear();
        pane.show(pane.add(shown[i]));
      });
      this.behind = null;
      this.clock = 0;
      for (const plot of this.plots) plot.stale = true;
      this.#mark();
      this.dirty = this.planted = true;
    });
  }

  /** Looks at a recorded frame. */
  seek(frame) {
    const { recording } = this.main;
    const to = clamp(Math.round(frame) || 0, recording.first, recording.last);
    this.behind = to === recording.last ? null : to;
    this.dirty = this.planted = true;
  }

  #handled(pane, answer) {
    this.held = true;
    if (!answer) return;
    if (answer.triangles) {
      // A ball was thrown: the scene has one collider more, and is a text of its own.
      pane.open(answer);
      if (pane === this.main) {
        Object.assign(this, { text: answer.text, set: new Map(), compare: null });
        this.#opened(answer, true);
        if (this.panes.length > 1) this.#seats(1);
      }
    } else {
      pane.show(pane.add(answer));
      this.#mark();
    }
    this.dirty = this.planted = true;
  }

  // Keeping

  async snapshot() {
    await this.try(async () => {
      const { number } = await this.main.engine.ask({ do: "snapshot" });
      const frame = this.main.recording.last;
      this.snapshots.push({ number, frame, scene: { scene: this.scene, text: this.text, set: new Map(this.set) } });
      if (this.snapshots.length > 16) this.snapshots.shift();
      this.#listSnapshots();
      note(`State ${number} is kept`);
    });
  }

  #listSnapshots() {
    find("#snapshots").replaceChildren(...this.snapshots.map(({ number, frame, scene }) => {
      const button = element("button", { textContent: `State ${number}, frame ${frame}`, title: "Go back to it" });
      button.onclick = () => this.try(async () => {
        this.play(false);
        const answer = await this.main.engine.ask({ do: "restore", number });
        Object.assign(this, scene, { set: new Map(scene.set), compare: null, side: 0 });
        await this.#seats(1);
        this.main.open(answer);
        this.#opened(answer, true, `State ${number} goes on`);
      });
      return button;
    }));
  }

  /** Saves a file. */
  async save(kind) {
    const name = (this.main.opened.scene || "scene").replace(/[^\w.-]+/g, "_");
    if (kind === "toml") return download(`${name}.toml`, new Blob([this.main.opened.text], { type: "application/toml" }));
    if (kind === "png") {
      this.draw();
      return this.main.canvas.toBlob((blob) => download(`${name}.png`, blob), "image/png");
    }
    if (this.task) return note("Something else is being done; stop it first");
    this.play(false);
    const task = (this.task = { stop: false });
    find("#progress").hidden = false;
    await this.try(async () => {
      const { engine, recording } = this.main;
      await engine.ask({ do: "export", name: `${name}.${kind}` });
      for (const [i, f] of recording.frames.entries()) {
        if (task.stop) return;
        const bytes = new Uint8Array(f.positions.byteLength + f.velocities.byteLength + f.poses.byteLength);
        let at = 0;
        for (const part of [f.positions, f.velocities, f.poses]) {
          bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at);
          at += part.byteLength;
        }
        await engine.ask({ do: "export-frame", time: f.time, energy: f.energy, stretch: f.stretch }, bytes);
        find("#progress div").style.width = `${(100 * i) / recording.frames.length}%`;
      }
      const { file } = await engine.ask({ do: "export-end" });
      download(`${name}.${kind}`, new Blob([file]));
    });
    this.task = null;
    find("#progress").hidden = true;
  }

  async addFiles(list) {
    for (const file of list) {
      const bytes = new Uint8Array(await file.arrayBuffer());
      if (file.name.toLowerCase().endsWith(".toml")) {
        this.tab("text");
        this.editor.show(new TextDecoder().decode(bytes), true);
        await this.openText(new TextDecoder().decode(bytes));
        continue;
      }
      this.page.files = this.page.files.filter((f) => f.name !== file.name);
      this.page.files.push({ name: file.name, bytes });
      await this.try(() => Promise.all(this.panes.map((pane) => pane.engine.ask({ do: "file", name: file.name }, bytes.slice()))));
      note(`${file.name} is here: a scene may name it`);
    }
  }

  // Looking

  look(view) {
    this.camera.look(view);
    this.#save();
    this.dirty = true;
  }

  async setMode(mode) {
    const contacts = mode === "contacts";
    if (contacts !== (this.mode === "contacts")) {
      for (const pane of this.panes) if (pane.opened) pane.engine.ask({ do: "contacts", on: contacts }).catch((error) => this.#refused(error));
    }
    this.mode = mode;
    find("#mode").value = mode;
    find("#scale").hidden = mode !== "stretch";
    this.dirty = this.planted = true;
    if (this.main?.opened) this.#save();
  }

  setTool(tool) {
    this.hands.tool = tool;
    for (const button of findAll("[data-tool]")) press(button, button.dataset.tool === tool);
  }

  tab(name) {
    for (const button of findAll("[data-tab]")) {
      const on = button.dataset.tab === name;
      button.setAttribute("aria-selected", String(on));
      button.tabIndex = on ? 0 : -1;
      find(`#${button.dataset.tab}`).hidden = !on;
    }
  }

  panel(on) {
    document.body.classList.toggle("no-panel", !on);
    press(find("#panel-button"), on);
  }

  #touch(pane) {
    const { canvas } = pane;
    const fingers = new Map();
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return [(event.clientX - box.left) / box.width, 1 - (event.clientY - box.top) / box.height];
    };
    canvas.addEventListener("pointerdown", async (event) => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, event);
      const turns = event.button !== 0 || event.shiftKey || event.altKey || fingers.size > 1 || this.busy || !pane.opened || this.behind !== null;
      if (turns) return;
      const pixel = (2 * Math.tan(FIELD / 2) * this.camera.distance) / canvas.clientHeight;
      const asked = this.hands.down(pane, event.pointerId, ...place(event), pixel);
      if (this.hands.held.has(event.pointerId)) canvas.classList.add("holds");
      await asked.catch((error) => this.#refused(error));
      if (!fingers.has(event.pointerId)) this.hands.up(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      fingers.set(event.pointerId, event);
      if (this.hands.held.has(event.pointerId)) return this.hands.move(event.pointerId, ...place(event));
      if (["pin", "throw"].includes(this.hands.tool) && event.buttons & 1 && !event.shiftKey && !event.altKey && fingers.size === 1) return;
      const dx = event.clientX - before.clientX, dy = event.clientY - before.clientY;
      const tall = canvas.clientHeight;
      if (fingers.size === 2) {
        const other = [...fingers.values()].find((f) => f.pointerId !== event.pointerId);
        const apart = (f) => Math.hypot(f.clientX - other.clientX, f.clientY - other.clientY) || 1;
        this.camera.zoom(apart(before) / apart(event));
        this.camera.pan((0.5 * dx) / tall, (0.5 * dy) / tall);
      } else if (event.buttons & 6 || event.shiftKey) this.camera.pan(dx / tall, dy / tall);
      else this.camera.rotate((5 * dx) / tall, (5 * dy) / tall);
      this.dirty = true;
    });
    for (const end of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(end, (event) => {
        fingers.delete(event.pointerId);
        canvas.classList.remove("holds");
        this.hands.up(event.pointerId);
      });
    }
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.camera.zoom(Math.exp(clamp(event.deltaY * [1, 16, 400][event.deltaMode], -200, 200) * 0.0012));
      this.dirty = true;
    }, { passive: false });
  }

  #listen() {
    const plot = (id, title, text, curves) => new Plot(find(id), {
      title, text, time: [], seek: (i) => this.seek(this.main.recording.first + i), curves: curves.map(([name, token, key]) => ({ name, token, key, values: [] })),
    });
    this.plots = [
      plot("#energy", "Energy", (e) => withPrefix(e, "J"), [["kinetic", "--kinetic", "kinetic"], ["gravitational", "--potential", "potential"], ["both, without elastic", "--total", "total"]]),
      plot("#strain", "Stretch", percent, [["largest", "--largest", "stretch"]]),
      plot("#touch", "Contacts", (n) => (Number.isFinite(n) ? whole(n) : "–"), [["with colliders and bodies", "--kinetic", "contacts"]]),
      plot("#cost", "Time a step", (ms) => (Number.isFinite(ms) ? `${+ms.toPrecision(3)} ms` : "–"), [["engine", "--potential", "took"]]),
    ];
    find("#play").onclick = () => this.play(!this.playing);
    find("#on").onclick = () => this.#forward(1);
    find("#back").onclick = () => this.#backward(1);
    find("#restart").onclick = () => this.restart();
    find("#scrub").oninput = (event) => {
      this.play(false);
      this.seek(+event.target.value);
    };
    find("#speed").onchange = (event) => (this.speed = +event.target.value);
    find("#run-to").onclick = () => this.#runToTime();
    find("#until").onkeydown = (event) => event.key === "Enter" && this.#runToTime();
    find("#charts").onclick = () => press(find("#charts"), !document.body.classList.toggle("plain"));
    for (const button of findAll("[data-view]")) button.onclick = () => this.look(button.dataset.view);
    for (const button of findAll("[data-tool]")) button.onclick = () => this.setTool(button.dataset.tool);
    for (const button of findAll("[data-tab]")) button.onclick = () => this.tab(button.dataset.tab);
    find("#tabs").onkeydown = (event) => {
      const all = findAll("[data-tab]"), at = all.indexOf(document.activeElement);
      const to = { ArrowLeft: at - 1, ArrowRight: at + 1 }[event.key];
      if (to === undefined || at < 0) return;
      const next = all[(to + all.length) % all.length];
      this.tab(next.dataset.tab);
      next.focus();
      event.stopPropagation();
    };
    for (const button of findAll("[data-side]")) {
      button.onclick = () => {
        this.side = +button.dataset.side;
        this.#opened(this.main.opened, false);
      };
    }
    for (const button of findAll("[data-save]")) button.onclick = () => this.save(button.dataset.save);
    find("#mode").onchange = (event) => this.setMode(event.target.value);
    find("#panel-button").onclick = () => this.panel(document.body.classList.contains("no-panel"));
    find("#help-button").onclick = () => find("#help").showModal();
    find("#filter").oninput = (event) => this.controls.filter(event.target.value);
    find("#forget").onclick = () => {
      this.set.clear();
      this.compare?.clear();
      this.try(() => this.open());
    };
    find("#alone").onclick = () => this.#alone();
    find("#snapshot").onclick = () => this.snapshot();
    find("#link").onclick = async () => {
      try {
        await navigator.clipboard.writeText(location.href);
        note("The link is copied");
      } catch {
        say(`Copy this address: ${location.href}`, "Close");
      }
    };
    find("#files").onchange = (event) => this.addFiles(event.target.files);
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => {
      event.preventDefault();
      this.addFiles(event.dataTransfer.files);
    });
    // A press on a button is over when it is let go: space pauses then.
    for (const button of findAll("footer button, nav button")) button.addEventListener("pointerup", () => button.blur());
    addEventListener("keydown", (event) => this.#key(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.resize());
    new ResizeObserver(() => this.resize()).observe(find("#plots"));
    this.#presets();
    this.#cards();
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea") || find("#help").open) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const stride = event.shiftKey ? 10 : 1;
    const onButton = event.target.matches("button, summary, a");
    if (key === " " && !onButton) this.play(!this.playing);
    else if (key === "ArrowRight") this.#forward(stride);
    else if (key === "ArrowLeft") this.#backward(stride);
    else if (key === "Home") this.seek(-Infinity);
    else if (key === "End") this.seek(this.main.recording.last);
    else if (key === "r") this.restart();
    else if (key === "t") this.#runToTime();
    else if (key === "f") this.look("perspective");
    else if (key === "k") this.snapshot();
    else if (key === "c") this.panel(document.body.classList.contains("no-panel"));
    else if (key === "?") find("#help").showModal();
    else if (key in TOOLS) this.setTool(TOOLS[key]);
    else if (key in KEYS) this.look(KEYS[key]);
    else if (key in MODE_KEYS) this.setMode(MODE_KEYS[key]);
    else return;
    event.preventDefault();
  }

  async #forward(count) {
    this.play(false);
    if (this.behind !== null) return this.seek(this.behind + count);
    for (let i = 0; i < count; i++) await this.step();
  }

  #backward(count) {
    this.play(false);
    this.seek((this.behind ?? this.main.recording.last) - count);
  }

  #runToTime() {
    const seconds = Number(find("#until").value.replace(",", "."));
    if (!(seconds > 0 && seconds <= 3600)) return note("A time to run to is within 0 .. 3600 s");
    this.runTo(Math.round(seconds * this.main.opened.fps));
  }

  #presets() {
    find("#presets").replaceChildren(...PRESETS.map(([title, text, changes]) => {
      const button = element("button", { className: "preset" });
      button.append(element("b", { textContent: title }), element("span", { textContent: text }));
      button.onclick = () => {
        const list = changes(this.main.opened.spec, this.main.opened);
        if (list.length === 0) return note("This scene has nothing that could differ so");
        return this.contrast(list);
      };
      return button;
    }));
  }

  /** Two runs from the start; the right one has these changes. */
  async contrast(changes) {
    this.compare = new Map(changes.map(split));
    const back = () => this.#alone();
    await this.try(async () => {
      try {
        await this.open();
        for (const pane of this.panes) pane.recording.clear();
        await this.restart();
      } catch (error) {
        back();
        throw error;
      }
    });
  }

  async #alone() {
    Object.assign(this, { compare: null, side: 0 });
    await this.#seats(1);
    this.#opened(this.main.opened, false);
  }

  #cards() {
    const own = this.page.text ? [{ name: this.page.name, about: "the scene of this page", own: true }] : [];
    find("#scenes").replaceChildren(...[...own, ...this.page.scenes].map(({ name, about, picture, own }) => {
      const card = element("button", { className: "card" });
      card.dataset.scene = own ? "" : name;
      if (picture) card.append(element("img", { src: picture, alt: "", width: 120, height: 75 }));
      const text = element("span");
      text.append(element("b", { textContent: name }), element("span", { textContent: about }));
      card.append(text);
      card.onclick = async () => {
        this.play(false);
        if (own) await this.openText(this.page.text);
        else await this.openScene(name, name === FIRST.scene ? FIRST.set : []);
        this.play(true);
      };
      return card;
    }));
  }

  // Drawing

  resize() {
    const ratio = Math.min(devicePixelRatio, 2);
    for (const { canvas } of this.panes) {
      canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
      canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    }
    if (this.main) {
      this.camera.aspect = this.main.canvas.width / this.main.canvas.height;
      if (this.camera.fitted) this.camera.fit();
    }
    this.skin = { floor: rgb("--floor"), under: rgb("--under"), line: rgb("--grid"), paper: rgb("--paper"), ink: rgb("--ink") };
    for (const plot of this.plots) plot.stale = true;
    this.dirty = true;
  }

  /** One turn of the loop. */
  tick(passed) {
    if (this.playing && this.main?.opened && !this.busy && !this.task) {
      const { fps } = this.main.opened;
      this.clock += Math.min(passed, 0.1) * this.speed;
      if (this.behind !== null) {
        const frames = Math.floor(this.clock * fps);
        if (frames > 0) {
          this.clock -= frames / fps;
          this.seek(this.behind + frames);
        }
      } else if (this.clock >= 1 / fps && !this.stepping) {
        // What could not be kept up with is dropped: a slow scene runs slowly.
        this.clock = Math.min(this.clock - 1 / fps, 1 / fps);
        this.step();
      }
    }
    if (this.dirty) this.draw();
    this.#plot();
  }

  draw() {
    if (!this.main?.opened) return;
    this.dirty = false;
    const { recording } = this.main;
    const frame = this.behind ?? recording.last;
    for (const button of findAll("[data-view]")) press(button, button.dataset.view === this.camera.view);
    drawCross(this.camera);
    if (this.planted) {
      this.planted = false;
      for (const pane of this.panes) {
        const shown = pane.recording.get(frame) ?? pane.recording.get(pane.recording.last);
        if (shown) pane.show(shown);
        pane.overlay(this.mode);
      }
    }
    const drawn = { wire: 1, stretch: 2, batches: 1, patches: 1 }[this.mode] ?? 0;
    const floor = drawn === 2 ? this.skin.under : this.skin.floor;
    const paler = this.mode === "batches" || this.mode === "patches" ? { ink: this.skin.paper } : {};
    for (const pane of this.panes) pane.draw({ ...this.skin, ...paler, floor, mode: drawn });
    const scrub = find("#scrub");
    scrub.min = recording.first;
    scrub.max = recording.last;
    scrub.value = frame;
    scrub.style.setProperty("--part", `${recording.last > recording.first ? (100 * (frame - recording.first)) / (recording.last - recording.first) : 0}%`);
    find("#count").textContent = `${(recording.get(frame)?.time ?? 0).toFixed(2)} s · frame ${frame}`;
    this.#figures(frame);
  }

  #figures(frame) {
    const { recording, opened } = this.main;
    const shown = recording.get(frame);
    if (!shown) return;
    const recent = recording.took.slice(-20).filter((ms) => ms > 0).sort((a, b) => a - b);
    const ms = recent.length ? recent[recent.length >> 1] : 0;
    const facts = [
      ms ? `${ms.toPrecision(3)} ms a step` : "no step yet",
      ms ? `${(1000 / opened.fps / ms).toPrecision(2)} × real time` : "",
      `${whole(opened.particles)} particles`, `${whole(opened.constraints)} constraints`, `${opened.substeps} substeps`,
      `${opened.lanes} lanes, ${opened.threads} thread${opened.threads === 1 ? "" : "s"}`,
      `${whole(shown.contacts)} contacts`, `largest stretch ${percent(shown.stretch)}`,
      `state ${shown.hash}${shown.touched ? " (changed by hand)" : ""}`,
    ];
    find("#figures").textContent = facts.filter(Boolean).join(" · ");
    const mb = (bytes) => (bytes / 2 ** 20).toFixed(0);
    find("#kept").textContent = `${recording.frames.length} frames, from ${recording.first}; ${mb(recording.bytes)} of at most ${mb(recording.limit)} MB, then the oldest go`;
  }

  #plotted = 0;

  /** Plots are drawn a few times a second. */
  #plot() {
    const now = performance.now();
    if (!this.main?.opened || document.body.classList.contains("plain")) return;
    const { recording } = this.main;
    const at = (this.behind ?? recording.last) - recording.first;
    if (now - this.#plotted > 200) {
      this.#plotted = now;
      for (const plot of this.plots) {
        if (!plot.stale) continue;
        plot.stale = false;
        plot.time = recording.time;
        // In a comparison each plot has one curve more, of the right run.
        const left = plot.curves.findLast((curve) => !curve.isSecond);
        plot.second(this.panes[1] ? { name: "right run", token: "--accent", key: left.key, values: [] } : null);
        for (const curve of plot.curves) curve.values = (curve.isSecond ? this.panes[1] : this.main).recording[curve.key];
        plot.fit();
        plot.paint(color);
        plot.head.hidden = recording.time.length === 0;
      }
    }
    for (const plot of this.plots) if (plot.wide && plot.time.length > at) plot.show(at);
  }
}

/** `key=value` as a pair. */
function split(change) {
  const at = change.indexOf("=");
  if (at < 1) throw new Refusal(`\`${change}\` is no change: write KEY=VALUE, such as cloth.resolution=48`);
  return [change.slice(0, at).trim(), change.slice(at + 1).trim()];
}

function download(name, blob) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

async function main() {
  const page = JSON.parse(find("#page").textContent);
  const missing = lacking(page.served);
  if (missing) throw new Refusal(missing);
  page.files = await Promise.all((page.files ?? []).map(async (name, i) => ({ name, bytes: await inflate(`file-${i}`) })));
  let wasm = null;
  const source = find("#worker").textContent;
  if (!page.served) wasm = await WebAssembly.compile(await inflate("engine"));
  const makeEngine = (number, onSlow) => new Engine(page.served ? overHttp(page.served, number) : inWorker(wasm, source), { onSlow });
  const app = new App(page, makeEngine);
  window.seidel = app;
  app.setTool("hand");
  app.tab("keys");
  app.panel(innerWidth > 760);
  await app.setMode("shaded");
  // What is wrong with the address is said, and the page opens without it.
  let said = { set: [], compare: null }, wrong = null;
  try {
    said = await readAddress();
  } catch (error) {
    wrong = error;
  }
  const theme = said.theme;
  if (theme === "dark" || theme === "light") root.style.colorScheme = theme;
  document.body.classList.toggle("bare", said.bare === true);
  if (said.panel) app.panel(said.panel !== "0");
  if (said.panel && find(`[data-tab="${CSS.escape(said.panel)}"]`)) app.tab(said.panel);
  app.pending = said.run === true;
  const own = Boolean(page.text) && !said.scene && !said.text;
  const asOpened = !own && !said.text && !said.scene && !page.scene && said.set.length === 0;
  app.scene = said.scene ?? page.scene ?? FIRST.scene;
  app.text = said.text ?? (own ? page.text : null);
  const open = (set, compare) => app.try(async () => {
    app.set = new Map(set.map(split));
    app.compare = compare ? new Map(compare.map(split)) : null;
    return app.open();
  });
  let opened = await open(asOpened ? FIRST.set : said.set, said.compare);
  if (!opened) {
    wrong = new Refusal(root.dataset.error, null);
    if (app.text !== null) app.editor.show(app.text, true);
    Object.assign(app, { scene: page.scene ?? FIRST.scene, text: null });
    if (!app.panes.some((pane) => pane.engine.dead)) opened = await open(page.scene ? [] : FIRST.set, null);
  }
  if (wrong) {
    say(wrong.message, app.panes.some((pane) => pane.engine.dead) ? "Start anew" : "Close", () => app.panes.some((pane) => pane.engine.dead) && app.revive());
    root.dataset.error = wrong.message;
  }
  find("#loading").hidden = true;
  if (said.view in VIEWS) app.look(said.view);
  if (MODES.includes(said.mode)) await app.setMode(said.mode);
  let before = performance.now();
  const turn = (now) => {
    app.tick((now - before) / 1000);
    before = now;
    requestAnimationFrame(turn);
  };
  app.draw();
  requestAnimationFrame(turn);
  document.body.dataset.ready = "1";
  if (wrong) {
    app.pending = false;
    return;
  }
  if (said.frames) find("#until").value = String(+(said.frames / app.main.opened.fps).toPrecision(6));
  if (said.run) await app.runTo(said.frames ?? app.main.opened.frames);
  else if (!matchMedia("(prefers-reduced-motion: reduce)").matches && !said.frames) app.play(true);
  if (page.served) watchForChanges(app, page);
}

main().catch((error) => {
  find("#loading").hidden = true;
  root.dataset.error = error.message;
  say(error instanceof Refusal ? error.message : `The page has a fault: ${error.message}`);
  if (!(error instanceof Refusal)) throw error;
});
