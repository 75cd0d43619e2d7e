// The page itself: what is open, how it runs, what is looked at.

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
      changed: (pane, answer) => this.handled(pane, answer),
    });
    this.held = false;
    this.controls = new Controls(find("#controls"), page, (path, value, starts) => this.change(path, value, starts));
    this.editor = new Editor(find("#text"), (text) => this.openText(text));
    listen(this);
  }

  // Opening

  get main() {
    return this.panes[0];
  }

  /** Engines for as many runs as there are. */
  async seats(count) {
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
      const engine = this.makeEngine(this.panes.length, (engine) => this.slow(engine));
      const pane = new Pane(canvas, engine, this.camera, RECORDED / count);
      this.panes.push(pane);
      touch(this, pane);
      new ResizeObserver(() => resize(this)).observe(frame);
      for (const { name, bytes } of this.page.files) await engine.ask({ do: "file", name }, bytes.slice());
    }
    for (const pane of this.panes) pane.recording.limit = RECORDED / count;
    find("#side").hidden = count === 1;
    resize(this);
  }

  /** The changes of a run: those of both, and behind them those of the right one. */
  changes(number) {
    const all = new Map(this.set);
    if (number > 0) for (const [path, value] of this.compare) all.set(path, value);
    return [...all].map(([path, value]) => `${path}=${value}`);
  }

  /** Waits for the step that is under way. */
  async rest() {
    while (this.stepping) await new Promise((resolve) => setTimeout(resolve, 4));
  }

  /** Plans all runs. `keep`: go on from the present state where that can be. */
  async open({ keep = false } = {}) {
    await this.rest();
    const base = this.text === null ? { scene: this.scene } : { text: this.text };
    await this.seats(this.compare ? 2 : 1);
    const answers = await Promise.all(this.panes.map((pane, i) => pane.engine.ask({ do: "open", ...base, set: this.changes(i), keep: keep && pane.opened !== null })));
    const { version } = answers[0];
    if (version !== this.page.version) throw new Refusal(`The page is of version ${this.page.version} and its engine of ${version}: make the page anew with \`seidel page\``);
    this.panes.forEach((pane, i) => pane.open(answers[i]));
    this.opened(answers[0], keep);
    return answers;
  }

  /** All that shows what is open; `told` is said in place of what a plan took. */
  opened(answer, keep, told = null) {
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
    this.describe();
    this.remember();
    this.planted = true;
    this.plots.forEach((plot) => plot.stale = true);
    for (const card of findAll(".card")) press(card, this.text === null && card.dataset.scene === answer.scene);
    if (this.mode === "contacts") this.panes.forEach((pane) => pane.engine.ask({ do: "contacts", on: true }));
    this.mark();
    this.dirty = true;
  }

  /** Tells what differs in a comparison. */
  describe() {
    const badges = findAll(".badge");
    const list = this.compare ? [...this.compare].map(([path, value]) => `${path} = ${value}`) : [];
    badges.forEach((badge, i) => (badge.textContent = this.compare ? (i === 0 ? "as it is" : list.join(" · ") || "the same") : ""));
    find("#differs").textContent = list.length ? `The right run has ${list.join(", ")}.` : "";
    find("#alone").hidden = !this.compare;
    for (const button of findAll("[data-side]")) press(button, +button.dataset.side === this.side);
  }

  /** The address says what is open. */
  remember() {
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
      await this.rest();
      return await act();
    } catch (error) {
      this.refused(error);
      return null;
    } finally {
      this.busy = false;
    }
  }

  /** Shows what was refused. */
  refused(error) {
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
    listStates(this);
    this.stepping = false;
    await this.try(() => this.open());
  }

  /** No answer comes. */
  slow(engine) {
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
    this.mark();
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
      this.mark();
    } catch (error) {
      this.refused(error);
    } finally {
      this.stepping = false;
    }
  }

  /** What tests look for: the root element carries frame and hash while nothing runs. */
  mark() {
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
    this.mark();
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
    this.mark();
    this.dirty = true;
  }

  /** All runs from the start. */
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
      this.mark();
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

  /** Hands have done something; what the engine answered is shown. */
  handled(pane, answer) {
    this.held = true;
    if (!answer) return;
    if (answer.triangles) {
      // A ball was thrown: the scene has one collider more, and is a text of its own.
      pane.open(answer);
      if (pane === this.main) {
        Object.assign(this, { text: answer.text, set: new Map(), compare: null });
        this.opened(answer, true);
        if (this.panes.length > 1) this.seats(1);
      }
    } else {
      pane.show(pane.add(answer));
      this.mark();
    }
    this.dirty = this.planted = true;
  }

  async forward(count) {
    this.play(false);
    if (this.behind !== null) return this.seek(this.behind + count);
    for (let i = 0; i < count; i++) await this.step();
  }

  backward(count) {
    this.play(false);
    this.seek((this.behind ?? this.main.recording.last) - count);
  }

  runToTime() {
    const seconds = Number(find("#until").value.replace(",", "."));
    if (!(seconds > 0 && seconds <= 3600)) return note("A time to run to is within 0 .. 3600 s");
    this.runTo(Math.round(seconds * this.main.opened.fps));
  }

  /** Two runs from the start; the right one has these changes. */
  async contrast(changes) {
    this.compare = new Map(changes.map(split));
    const back = () => this.alone();
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

  /** One run again: the left one. */
  async alone() {
    Object.assign(this, { compare: null, side: 0 });
    await this.seats(1);
    this.opened(this.main.opened, false);
  }

  // Looking

  look(view) {
    this.camera.look(view);
    this.remember();
    this.dirty = true;
  }

  async setMode(mode) {
    const contacts = mode === "contacts";
    if (contacts !== (this.mode === "contacts")) {
      for (const pane of this.panes) if (pane.opened) pane.engine.ask({ do: "contacts", on: contacts }).catch((error) => this.refused(error));
    }
    this.mode = mode;
    find("#mode").value = mode;
    find("#scale").hidden = mode !== "stretch";
    this.dirty = this.planted = true;
    if (this.main?.opened) this.remember();
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
}
