// What is seen: the panes, the line of figures, the plots.

/** Takes the size of the window and the colors of the scheme. */
function resize(app) {
  const ratio = Math.min(devicePixelRatio, 2);
  for (const { canvas } of app.panes) {
    canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  }
  if (app.main) {
    app.camera.aspect = app.main.canvas.width / app.main.canvas.height;
    if (app.camera.fitted) app.camera.fit();
  }
  app.skin = { floor: rgb("--floor"), under: rgb("--under"), line: rgb("--grid"), paper: rgb("--paper"), ink: rgb("--ink") };
  for (const plot of app.plots) plot.stale = true;
  app.dirty = true;
}

/** One turn of the loop. */
function tick(app, passed) {
  if (app.playing && app.main?.opened && !app.busy && !app.task) {
    const { fps } = app.main.opened;
    app.clock += Math.min(passed, 0.1) * app.speed;
    if (app.behind !== null) {
      const frames = Math.floor(app.clock * fps);
      if (frames > 0) {
        app.clock -= frames / fps;
        app.seek(app.behind + frames);
      }
    } else if (app.clock >= 1 / fps && !app.stepping) {
      // What could not be kept up with is dropped: a slow scene runs slowly.
      app.clock = Math.min(app.clock - 1 / fps, 1 / fps);
      app.step();
    }
  }
  if (app.dirty) draw(app);
  plotCurves(app);
}

/** Draws all panes, and says what they show. */
function draw(app) {
  if (!app.main?.opened) return;
  app.dirty = false;
  const { recording } = app.main;
  const frame = app.behind ?? recording.last;
  for (const button of findAll("[data-view]")) press(button, button.dataset.view === app.camera.view);
  drawCross(app.camera);
  if (app.planted) {
    app.planted = false;
    for (const pane of app.panes) {
      const shown = pane.recording.get(frame) ?? pane.recording.get(pane.recording.last);
      if (shown) pane.show(shown);
      pane.overlay(app.mode);
    }
  }
  const drawn = { wire: 1, stretch: 2, speed: 3, density: 4, batches: 1, patches: 1 }[app.mode] ?? 0;
  showScale(app.mode, app.main.geometry.fluids);
  const floor = drawn > 1 ? app.skin.under : app.skin.floor;
  const paler = app.mode === "batches" || app.mode === "patches" ? { ink: app.skin.paper } : {};
  for (const pane of app.panes) pane.draw({ ...app.skin, ...paler, floor, mode: drawn });
  const scrub = find("#scrub");
  scrub.min = recording.first;
  scrub.max = recording.last;
  scrub.value = frame;
  scrub.style.setProperty("--part", `${recording.last > recording.first ? (100 * (frame - recording.first)) / (recording.last - recording.first) : 0}%`);
  find("#count").textContent = `${(recording.get(frame)?.time ?? 0).toFixed(2)} s · frame ${frame}`;
  figures(app, frame);
}

/** The line of figures. */
function figures(app, frame) {
  const { recording, opened } = app.main;
  const shown = recording.get(frame);
  if (!shown) return;
  const recent = recording.took.slice(-20).filter((ms) => ms > 0).sort((a, b) => a - b);
  const ms = recent.length ? recent[recent.length >> 1] : 0;
  const bodies = countBodies(opened.colliders);
  const particles = opened.particles > 0 || bodies === 0;
  const facts = [
    ms ? `${ms.toPrecision(3)} ms a step` : "no step yet",
    ms ? `${(1000 / opened.fps / ms).toPrecision(2)} × real time` : "",
    particles ? `${whole(opened.particles)} particles` : "", particles ? `${whole(opened.constraints)} constraints` : "",
    bodies > 0 ? `${whole(bodies)} ${bodies === 1 ? "body" : "bodies"}` : "", `${opened.substeps} substeps`,
    `${opened.lanes} lanes, ${opened.threads} thread${opened.threads === 1 ? "" : "s"}`,
    `${whole(shown.contacts)} contacts`, opened.edges.length > 0 ? `largest stretch ${percent(shown.stretch)}` : "",
    `state ${shown.hash}${shown.touched ? " (changed by hand)" : ""}`,
  ];
  find("#figures").textContent = facts.filter(Boolean).join(" · ");
  const mb = (bytes) => (bytes / 2 ** 20).toFixed(0);
  find("#kept").textContent = `${recording.frames.length} frames, from ${recording.first}; ${mb(recording.bytes)} of at most ${mb(recording.limit)} MB, then the oldest go`;
}

/** The plot of stretch shows how dense fluids are, in a scene of them alone. */
function nameStrain(app) {
  const { edges, densities } = app.main.opened;
  const alone = edges.length === 0 && densities.length > 0;
  app.plots[1].curves[0].key = alone ? "denser" : "stretch";
  find("#strain h2").textContent = alone ? "Denser than at rest" : "Stretch";
  find("#strain .curve").firstChild.data = alone ? "most" : "largest";
}

let plotted = 0;

/** Plots are drawn a few times a second. */
function plotCurves(app) {
  const now = performance.now();
  if (!app.main?.opened || document.body.classList.contains("plain")) return;
  const { recording } = app.main;
  const at = (app.behind ?? recording.last) - recording.first;
  if (now - plotted > 200) {
    plotted = now;
    for (const plot of app.plots) {
      if (!plot.stale) continue;
      plot.stale = false;
      plot.time = recording.time;
      // In a comparison each plot has one curve more, of the right run.
      const left = plot.curves.findLast((curve) => !curve.isSecond);
      plot.second(app.panes[1] ? { name: "right run", token: "--accent", key: left.key, values: [] } : null);
      for (const curve of plot.curves) curve.values = (curve.isSecond ? app.panes[1] : app.main).recording[curve.key];
      plot.fit();
      plot.paint(color);
      plot.head.hidden = recording.time.length === 0;
    }
  }
  for (const plot of app.plots) if (plot.wide && plot.time.length > at) plot.show(at);
}
