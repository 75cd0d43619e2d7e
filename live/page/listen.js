// Buttons and keys.

/** Gives all buttons and keys what they do. */
function listen(app) {
  const plot = (id, title, text, curves) => new Plot(find(id), {
    title, text, time: [], seek: (i) => app.seek(app.main.recording.first + i), curves: curves.map(([name, token, key]) => ({ name, token, key, values: [] })),
  });
  app.plots = [
    plot("#energy", "Energy", (e) => withPrefix(e, "J"), [["kinetic", "--kinetic", "kinetic"], ["gravitational", "--potential", "potential"], ["both, without elastic", "--total", "total"]]),
    plot("#strain", "Stretch", percent, [["largest", "--largest", "stretch"]]),
    plot("#touch", "Contacts", (n) => (Number.isInteger(n) ? whole(n) : Number.isFinite(n) ? "" : "–"), [["with colliders and bodies", "--kinetic", "contacts"]]),
    plot("#cost", "Time a step", (ms) => (Number.isFinite(ms) ? `${+ms.toPrecision(3)} ms` : "–"), [["engine", "--potential", "took"]]),
  ];
  find("#play").onclick = () => app.play(!app.playing);
  find("#on").onclick = () => app.forward(1);
  find("#back").onclick = () => app.backward(1);
  find("#restart").onclick = () => app.restart();
  find("#scrub").oninput = (event) => {
    app.play(false);
    app.seek(+event.target.value);
  };
  find("#speed").onchange = (event) => (app.speed = +event.target.value);
  // After a choice with the mouse keys are the page's again; who chooses by keys goes on choosing.
  for (const box of findAll("#mode, #speed")) {
    let byMouse = false;
    box.addEventListener("pointerdown", () => (byMouse = true));
    box.addEventListener("keydown", () => (byMouse = false));
    box.addEventListener("change", () => byMouse && box.blur());
  }
  find("#run-to").onclick = () => app.runToTime();
  find("#until").onkeydown = (event) => event.key === "Enter" && app.runToTime();
  find("#charts").onclick = () => press(find("#charts"), !document.body.classList.toggle("plain"));
  for (const button of findAll("[data-view]")) button.onclick = () => app.look(button.dataset.view);
  for (const button of findAll("[data-tool]")) button.onclick = () => app.setTool(button.dataset.tool);
  for (const button of findAll("[data-tab]")) button.onclick = () => app.tab(button.dataset.tab);
  find("#tabs").onkeydown = (event) => {
    const all = findAll("[data-tab]"), at = all.indexOf(document.activeElement);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    const next = all[(to + all.length) % all.length];
    app.tab(next.dataset.tab);
    next.focus();
    event.stopPropagation();
  };
  for (const button of findAll("[data-side]")) button.onclick = () => app.setSide(+button.dataset.side);
  for (const button of findAll("[data-save]")) button.onclick = () => saveFile(app, button.dataset.save);
  find("#mode").onchange = (event) => app.setMode(event.target.value);
  find("#panel-button").onclick = () => app.panel(document.body.classList.contains("no-panel"));
  find("#help-button").onclick = () => find("#help").showModal();
  find("#filter").oninput = (event) => app.controls.filter(event.target.value);
  find("#forget").onclick = () => {
    app.halt();
    app.edited.clear();
    app.try(() => app.open());
  };
  find("#alone").onclick = () => app.alone();
  find("#snapshot").onclick = () => keepState(app);
  find("#link").onclick = async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      note("The link is copied");
    } catch {
      say(`Copy this address: ${location.href}`, "Close");
    }
  };
  find("#files").onchange = (event) => {
    const files = [...event.target.files];
    event.target.value = ""; // the same file may be added again
    addFiles(app, files);
  };
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    addFiles(app, [...event.dataTransfer.files]);
  });
  // A press on a button is over when it is let go: space pauses then.
  for (const button of findAll("footer button, nav button, #scrub")) button.addEventListener("pointerup", () => button.blur());
  addEventListener("keydown", (event) => key(app, event));
  // Another address in the same tab: the page writes its own without this event.
  addEventListener("hashchange", () => location.reload());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => resize(app));
  new ResizeObserver(() => resize(app)).observe(find("#plots"));
  presets(app);
  cards(app);
}

function key(app, event) {
  if (event.ctrlKey || event.metaKey || event.altKey || find("#help").open) return;
  // Sliders and boxes have keys of their own, letters are the page's.
  if (event.target.matches("select, textarea, input:not([type=range], [type=checkbox])")) return;
  if (event.target.matches("input") && (event.key.length > 1 || (event.key === " " && event.target.type === "checkbox"))) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const stride = event.shiftKey ? 10 : 1;
  const onButton = event.target.matches("button, summary, a");
  if (key === " " && !onButton) app.play(!app.playing);
  else if (key === "ArrowRight") app.forward(stride);
  else if (key === "ArrowLeft") app.backward(stride);
  else if (key === "Home") app.seek(-Infinity);
  else if (key === "End") app.seek(app.main.recording.last);
  else if (key === "r") app.restart();
  else if (key === "t") app.runToTime();
  else if (key === "f") app.look("perspective");
  else if (key === "k") keepState(app);
  else if (key === "c") app.panel(document.body.classList.contains("no-panel"));
  else if (key === "?") find("#help").showModal();
  else if (key === "Escape" && find("#notice-button").textContent === "Close") find("#notice-button").click();
  else if (key in TOOLS) app.setTool(TOOLS[key]);
  else if (key in KEYS) app.look(KEYS[key]);
  else if (key in MODE_KEYS) app.setMode(MODE_KEYS[key]);
  else return;
  event.preventDefault();
}

/** The pairs of settings to compare. */
function presets(app) {
  find("#presets").replaceChildren(...PRESETS.map(([title, text, changes]) => {
    const button = element("button", { className: "preset" });
    button.append(element("b", { textContent: title }), element("span", { textContent: text }));
    button.onclick = () => {
      const list = changes(app.main.opened.spec, app.main.opened);
      if (list.length === 0) return note("This scene has nothing that could differ so");
      return app.contrast(list);
    };
    return button;
  }));
}

/** The list of scenes. */
function cards(app) {
  const own = app.page.text ? [{ name: app.page.name, about: "the scene of this page", own: true }] : [];
  find("#scenes").replaceChildren(...[...own, ...app.page.scenes].map(({ name, about, picture, own }) => {
    const card = element("button", { className: "card" });
    card.dataset.scene = own ? "" : name;
    if (picture) card.append(element("img", { src: picture, alt: "", width: 120, height: 75 }));
    const text = element("span");
    text.append(element("b", { textContent: name }), element("span", { textContent: about }));
    card.append(text);
    card.onclick = async () => {
      app.play(false);
      const error = own ? await app.openText(app.page.text) : null;
      if (error) return app.tab("text");
      if (!own) await app.openScene(name, name === FIRST.scene ? FIRST.set : []);
      if (!root.dataset.error) app.play(true);
    };
    return card;
  }));
}
