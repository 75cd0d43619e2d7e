// The page itself: what is open and what is looked at. How it runs is in running.js.

class App extends Running {
  constructor(page, makeEngine) {
    super();
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
    this.planning = null; // changes of keys that are not planned yet
    this.turns = 0;
    this.tail = Promise.resolve(); // the last change of what is open
    this.task = null; // a run to a time, or an export
    this.pending = false; // the address asks for a run that has not begun
    this.dirty = true;
    this.planted = true;
    this.snapshots = [];
    this.kept = {}; // parts of the address that stay
    this.hands = new Hands({
      camera: this.camera,
      ask: (pane, request) => pane.engine.ask(request),
      changed: () => (this.held = true),
      pin: (pane, body, vertex) => this.pin(pane, body, vertex),
      throwBall: (request) => this.throwBall(request),
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
      pane.engine.fail("The run is closed.", true);
      pane.canvas.closest(".pane").remove();
      pane.renderer?.gl.getExtension("WEBGL_lose_context")?.loseContext();
    }
    while (this.panes.length < count) {
      const frame = element("div", { className: "pane" });
      const canvas = element("canvas", { tabIndex: 0 });
      canvas.setAttribute("aria-label", "The scene: drag cloth to pull it, a collider to move it, the rest to turn the view");
      frame.append(canvas, element("p", { className: "badge" }));
      find("#panes").append(frame);
      const engine = this.makeEngine(this.panes.length, (isSlow) => this.slow(isSlow));
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
    while (this.stepping) await moment();
  }

  /** Whether what is open is being changed: no step begins then. */
  get busy() {
    return this.turns > 0;
  }

  /** Does it when all that was asked before is done, and no step is under way. */
  turn(act) {
    this.turns += 1;
    const done = this.tail.then(async () => {
      try {
        await this.rest();
        return await act();
      } finally {
        this.turns -= 1;
      }
    });
    this.tail = done.catch(() => {});
    return done;
  }

  /** Ends a run to a time, and changes that are not planned yet: something else is opened. */
  halt() {
    clearTimeout(this.planning?.timer);
    this.planning = null;
    if (this.task) this.task.stop = true;
  }

  /** Plans all runs. `keep`: go on from the present state where that can be. */
  async open({ keep = false } = {}) {
    const base = this.text === null ? { scene: this.scene } : { text: this.text };
    const count = this.compare ? 2 : 1;
    if (this.panes.length < count) await this.seats(count);
    const panes = this.panes.slice(0, count);
    const answers = await Promise.all(panes.map((pane, i) => pane.engine.ask({ do: "open", ...base, set: this.changes(i), keep: keep && pane.opened !== null })));
    const { version } = answers[0];
    if (version !== this.page.version) throw new Refusal(`The page is of version ${this.page.version} and its engine of ${version}: make the page anew with \`seidel page\``);
    // Where one run of a comparison has to start over, both do.
    const over = answers.find((answer) => !answer.carried);
    for (const [i, answer] of answers.entries()) {
      if (!over || !answer.carried) continue;
      const { took } = answer;
      Object.assign(answer, await panes[i].engine.ask({ do: "reset" }), { took, carried: false, anew: over.anew });
    }
    // Only now: after an error what ran before goes on.
    if (this.panes.length > count) await this.seats(count);
    panes.forEach((pane, i) => pane.open(answers[i]));
    this.opened(answers[0], keep);
    return answers;
  }

  /** All that shows what is open; `told` is said in place of what a plan took. */
  opened(answer, keep, told = null) {
    // What was refused is past.
    if (root.dataset.error) say(null);
    delete root.dataset.error;
    this.behind = null;
    // The engine may have let go of what hands hold.
    this.held = true;
    if (!answer.carried) {
      this.clock = 0;
      this.hands.drop();
      this.camera.hold(this.main.box);
      this.camera.whole = this.main.box;
    }
    find("#title").textContent = answer.scene;
    find("#about").textContent = answer.about;
    document.title = `${answer.scene} · seidel`;
    this.editor.show(answer.text);
    const what = `planned anew in ${answer.took.toFixed(0)} ms`;
    if (this.main.blind && !this.told) {
      this.told = true;
      say("This browser gives no WebGL 2, so nothing is drawn; runs, plots and files work. Switch hardware acceleration on, or take another browser.", "Close");
    }
    if (told) note(told);
    else if (keep && answer.anew) note(`${what}; it starts over (${answer.anew})`);
    else if (keep && answer.carried) note(`${what}, and goes on`);
    else if (answer.warnings?.length) note(answer.warnings[0]);
    nameStrain(this);
    this.sided();
    for (const card of findAll(".card")) press(card, this.text === null && card.dataset.scene === answer.scene);
    if (this.mode === "contacts") this.record(true);
    this.mark();
  }

  /** All that shows which runs there are, and which of them is changed. */
  sided() {
    const side = this.panes[1] ? this.side : 0;
    this.controls.show(this.panes[side].opened.spec, new Set(this.edited.keys()));
    find("#forget").disabled = this.edited.size === 0;
    this.describe();
    this.remember();
    for (const plot of this.plots) plot.stale = true;
    this.planted = this.dirty = true;
  }

  /** Takes the right run, or both, as what settings change. */
  setSide(side) {
    this.side = side;
    this.sided();
  }

  /** The changes that settings are written into. */
  get edited() {
    return this.side === 1 && this.compare ? this.compare : this.set;
  }

  /** Tells what differs in a comparison. */
  describe() {
    const badges = findAll(".badge");
    const list = this.compare ? [...this.compare].map(([path, value]) => `${path} = ${value}`) : [];
    badges.forEach((badge, i) => {
      badge.textContent = this.compare ? (i === 0 ? "as it is" : list.join(" · ") || "the same") : "";
    });
    find("#differs").textContent = list.length ? `The right run has ${list.join(", ")}.` : "";
    find("#alone").hidden = !this.compare;
    for (const button of findAll("[data-side]")) press(button, +button.dataset.side === this.side);
  }

  /** The address says what is open. */
  remember() {
    writeAddress({
      scene: this.scene, text: this.text, set: [...this.set].map(([path, value]) => `${path}=${value}`),
      compare: this.compare ? [...this.compare].map(([path, value]) => `${path}=${value}`) : null,
      view: this.camera.view ?? null, mode: this.mode, kept: this.kept, own: this.page.served ? this.page.text : null,
    }).catch((error) => note(`The address could not be written: ${error.message}`));
  }

  /** Opens a named scene. */
  async openScene(scene, set = []) {
    this.halt();
    await this.try(() => this.#instead({ scene, text: null, set: new Map(set.map(split)) }));
  }

  /** Opens a text, with the errors at its lines; gives the error, or null. */
  async openText(text) {
    this.halt();
    return this.turn(async () => {
      try {
        await this.#instead({ text, set: new Map() });
        this.editor.show(text, true);
        note("It runs.");
        return null;
      } catch (error) {
        if (this.isFatal(error)) this.refused(error);
        else this.editor.refuse(error);
        return error;
      }
    });
  }

  /** Opens something else; on an error all stays as it was. */
  async #instead(what) {
    const { scene, text, set, compare, side } = this;
    Object.assign(this, { compare: null, side: 0 }, what);
    try {
      await this.open();
    } catch (error) {
      Object.assign(this, { scene, text, set, compare, side });
      throw error;
    }
  }

  /** Whether an error is more than a scene that is refused. */
  isFatal(error) {
    return !(error instanceof Refusal) || error.isQuiet || this.panes.some((pane) => pane.engine.dead);
  }

  /** A key is changed; value null: as the scene has it. */
  change(path, value, starts) {
    const map = this.edited;
    const planning = (this.planning ??= { edits: [], anew: false, timer: 0 });
    planning.edits.push({ map, path, before: map.get(path) ?? null });
    write(map, path, value);
    planning.anew ||= starts;
    clearTimeout(planning.timer);
    planning.timer = setTimeout(() => this.#plan(planning), PAUSE);
  }

  /** Plans with keys that were changed; what is refused is undone. */
  #plan(planning) {
    if (this.busy) {
      planning.timer = setTimeout(() => this.#plan(planning), 20);
      return;
    }
    this.planning = null;
    this.turn(async () => {
      try {
        await this.open({ keep: !planning.anew });
        for (const { path } of planning.edits) this.controls.refuse(path, null);
      } catch (error) {
        this.#undo(planning.edits);
        if (this.isFatal(error)) return this.refused(error);
        // Of two runs one may have taken it.
        if (this.panes.length > 1) await this.open({ keep: true });
        const paths = [...new Set(planning.edits.map(({ path }) => path))];
        const wrong = paths.findLast((path) => error.message.includes(path.split(".").at(-1))) ?? paths.at(-1);
        for (const path of paths) if (path !== wrong) this.controls.refuse(path, `not changed, because ${wrong} was refused`);
        if (!this.controls.refuse(wrong, error.message)) note(error.message);
      }
    }).catch((error) => this.refused(error));
  }

  /** Takes changes back, the last first; a later change of the same key stays. */
  #undo(edits) {
    for (const { map, path, before } of edits.toReversed()) {
      const later = this.planning?.edits.find((edit) => edit.map === map && edit.path === path);
      if (later) later.before = before;
      else write(map, path, before);
    }
  }

  /** Does it in its turn, and shows what the engine refuses. */
  async try(act) {
    try {
      return await this.turn(act);
    } catch (error) {
      this.refused(error);
      return null;
    }
  }

  /** Shows what was refused. */
  refused(error) {
    if (error.isQuiet) return;
    root.dataset.error = error.message;
    this.play(false);
    if (!(error instanceof Refusal)) {
      say(`The page has a fault: ${error.message}`, "Close");
      return;
    }
    const dead = this.panes.find((pane) => pane.engine.dead);
    if (dead) say(error.message, "Start anew", () => this.revive());
    else say(error.message, "Close", () => delete root.dataset.error);
  }

  /** Takes new engines, and opens what was open. */
  async revive() {
    this.halt();
    for (const pane of this.panes) {
      pane.engine.restart();
      pane.opened = null;
    }
    this.snapshots = [];
    listStates(this);
    await this.try(async () => {
      for (const pane of this.panes) {
        for (const { name, bytes } of this.page.files) await pane.engine.ask({ do: "file", name }, bytes.slice());
      }
      await this.open();
    });
  }

  /** No answer comes; or it has come. */
  slow(isSlow) {
    if (!isSlow) {
      if (find("#notice p").textContent === SLOW) say(null);
      return;
    }
    say(SLOW, "Stop it and start anew", () => {
      this.play(false);
      this.revive();
    });
  }

  // Comparing

  /** Two runs from the start; the right one has these changes. */
  async contrast(changes) {
    this.halt();
    await this.try(async () => {
      const { compare, side } = this;
      this.compare = new Map(changes.map(split));
      try {
        await this.open();
      } catch (error) {
        Object.assign(this, { compare, side: compare ? side : 0 });
        await this.seats(compare ? 2 : 1);
        // The left one may have started over.
        await this.open();
        throw error;
      }
    });
  }

  /** One run again: the left one. */
  async alone() {
    await this.try(async () => {
      Object.assign(this, { compare: null, side: 0 });
      await this.seats(1);
      this.sided();
    });
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
      this.record(contacts);
      if (contacts && this.main?.opened && !this.playing) note("Contacts are shown from the next step on");
    }
    this.mode = mode;
    find("#mode").value = mode;
    this.dirty = this.planted = true;
    if (this.main?.opened) this.remember();
  }

  /** Engines give contacts with their frames, or no longer. */
  record(on) {
    for (const pane of this.panes) if (pane.opened) pane.engine.ask({ do: "contacts", on }).catch((error) => this.refused(error));
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

/** Writes a change into a map; null takes it out. */
function write(map, path, value) {
  if (value === null) map.delete(path);
  else map.set(path, value);
}

/** Whether two panes have a body with as many vertices: a vertex of one is that of the other. */
const isLike = (pane, other, body) => pane.run.meta.bodies[body]?.count === other.run.meta.bodies[body]?.count;
