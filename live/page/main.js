// The beginning: the engine, the address, the loop.

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
  app.kept = { theme, bare: said.bare ? "1" : null, panel: said.panel };
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
    const isDead = app.panes.some((pane) => pane.engine.dead);
    if (isDead) say(wrong.message, "Start anew", () => app.revive());
    else say(wrong.message, "Close", () => delete root.dataset.error);
    root.dataset.error = wrong.message;
  }
  find("#loading").hidden = true;
  if (said.view in VIEWS) app.look(said.view);
  if (MODES.includes(said.mode)) await app.setMode(said.mode);
  let before = performance.now();
  const turn = (now) => {
    tick(app, (now - before) / 1000);
    before = now;
    requestAnimationFrame(turn);
  };
  draw(app);
  requestAnimationFrame(turn);
  document.body.dataset.ready = "1";
  if (wrong) {
    app.pending = false;
    return;
  }
  if (said.frames) find("#until").value = seconds(said.frames, app.main.opened.fps);
  if (said.run) await app.runTo(said.frames ?? app.main.opened.frames);
  else if (!matchMedia("(prefers-reduced-motion: reduce)").matches && !said.frames) app.play(true);
  if (page.served) watchForChanges(app, page);
}

/** The time of a frame, with as few digits as lead back to it. */
function seconds(frame, fps) {
  const texts = [1, 2, 3, 4, 5, 6, 7].map((digits) => String(+(frame / fps).toPrecision(digits)));
  return texts.find((text) => Math.round(text * fps) === frame) ?? texts.at(-1);
}

main().catch((error) => {
  find("#loading").hidden = true;
  root.dataset.error = error.message;
  say(error instanceof Refusal ? error.message : `The page has a fault: ${error.message}`);
  if (!(error instanceof Refusal)) throw error;
});
