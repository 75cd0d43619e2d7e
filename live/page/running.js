// How runs go on: one step after another, to a time, from the start; and hands that change them.

/** What an `App` has beside what is open. */
class Running {
  play(on) {
    this.playing = on;
    press(find("#play"), on);
    find("#play").setAttribute("aria-label", on ? "Pause" : "Run");
    if (on) this.clock = 0;
    this.mark();
  }

  /** Takes a step in all runs, unless one is under way or what is open is being changed. */
  async step() {
    if (this.stepping || this.busy || this.panes.some((pane) => !pane.opened)) return;
    this.stepping = true;
    try {
      if (this.held) {
        this.held = false;
        const cuts = this.hands.takeCuts();
        await Promise.all(this.panes.map((pane) => pane.engine.ask(this.hands.hold(pane, cuts))));
      }
      const shown = await Promise.all(this.panes.map((pane) => pane.engine.ask({ do: "step" })));
      this.panes.forEach((pane, i) => pane.add(shown[i], shown[i].took));
      // An older frame that is looked at stays, until it is dropped.
      if (this.behind !== null) this.behind = Math.max(this.behind, this.main.recording.first);
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
    // As fast as it goes is faster than pictures are drawn.
    if (this.speed === FASTEST && this.playing && this.behind === null && !this.task && !document.hidden) this.step();
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
    this.behind = null;
    if (!this.panes.some((pane) => pane.engine.dead)) delete root.dataset.error;
    const task = (this.task = { stop: false });
    this.mark();
    const start = this.main.recording.last;
    find("#run-to").textContent = "Stop";
    find("#progress").hidden = false;
    while (!task.stop && !root.dataset.error && this.main.recording.last < frame) {
      await this.idle();
      const before = this.main.recording.last;
      await this.step();
      if (this.main.recording.last === before && !this.stepping && !this.busy) break;
      find("#progress div").style.width = `${(100 * (this.main.recording.last - start)) / Math.max(frame - start, 1)}%`;
    }
    this.task = null;
    find("#run-to").textContent = "Run";
    find("#progress").hidden = true;
    this.mark();
    this.dirty = true;
  }

  /** Waits until no step is under way, and nothing is being opened. */
  async idle() {
    while (this.stepping || this.busy) await moment();
  }

  /** All runs from the start. */
  async restart() {
    if (this.task) this.task.stop = true;
    await this.try(async () => {
      const shown = await Promise.all(this.panes.map((pane) => pane.engine.ask({ do: "reset" })));
      this.hands.drop();
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

  /** Pins a vertex, or lets it go: in all runs that have the body with as many vertices. */
  pin(pane, body, vertex) {
    const { first } = pane.run.meta.bodies[body];
    return this.turn(async () => {
      const on = !pane.shown.pinned.includes(first + vertex);
      const panes = this.panes.filter((other) => isLike(pane, other, body));
      const shown = await Promise.all(panes.map((other) => other.engine.ask({ do: "pin", body, vertex, on })));
      panes.forEach((other, i) => other.show(other.add(shown[i])));
      this.mark();
      this.dirty = this.planted = true;
    });
  }

  /** Throws a ball in all runs: each scene has one collider more, and the left one is a text of its own. */
  throwBall(request) {
    return this.turn(async () => {
      const answers = await Promise.all(this.panes.map((pane) => pane.engine.ask(request)));
      this.panes.forEach((pane, i) => pane.open(answers[i]));
      Object.assign(this, { text: answers[0].text, set: new Map() });
      this.opened(answers[0], true);
    });
  }

  async forward(count) {
    this.play(false);
    if (this.behind !== null) return this.seek(this.behind + count);
    const { error } = root.dataset;
    for (let i = 0; i < count && !this.playing && root.dataset.error === error; i++) {
      await this.idle();
      await this.step();
    }
  }

  backward(count) {
    this.play(false);
    this.seek((this.behind ?? this.main.recording.last) - count);
  }

  runToTime() {
    if (this.task) {
      this.task.stop = true;
      return;
    }
    if (!this.main?.opened) return;
    const seconds = Number(find("#until").value.replace(",", "."));
    if (!(seconds > 0 && seconds <= 3600)) return note("A time to run to is within 0 .. 3600 s");
    const frame = Math.round(seconds * this.main.opened.fps);
    if (frame <= this.main.recording.last) note(`The run is past ${seconds} s already: start it over, or name a later time`);
    else this.runTo(frame);
  }
}
