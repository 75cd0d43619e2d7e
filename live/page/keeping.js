// What is kept: states, and files of scene, picture and frames.

/** Keeps the present state. */
async function keepState(app) {
  await app.try(async () => {
    const { number, kept } = await app.main.engine.ask({ do: "snapshot" });
    const frame = app.main.recording.last;
    app.snapshots.push({ number, frame, scene: { scene: app.scene, text: app.text, set: new Map(app.set) } });
    app.snapshots = app.snapshots.filter((state) => kept.includes(state.number));
    listStates(app);
    note(`State ${number} is kept`);
  });
}

/** Lists the states that are kept. */
function listStates(app) {
  find("#snapshots").replaceChildren(...app.snapshots.map(({ number, frame, scene }) => {
    const button = element("button", { textContent: `State ${number}, frame ${frame}`, title: "Go back to it" });
    button.onclick = () => app.try(async () => {
      app.halt();
      app.play(false);
      const answer = await app.main.engine.ask({ do: "restore", number });
      Object.assign(app, scene, { set: new Map(scene.set), compare: null, side: 0 });
      await app.seats(1);
      app.main.open(answer);
      app.opened(answer, true, `State ${number} goes on`);
    });
    return button;
  }));
}

/** Saves a file. */
async function saveFile(app, kind) {
  const name = (app.main.opened.scene || "scene").replace(/[^\w.-]+/g, "_");
  if (kind === "toml") return download(`${name}.toml`, new Blob([app.main.opened.text], { type: "application/toml" }));
  if (kind === "png") {
    draw(app);
    return app.main.canvas.toBlob((blob) => download(`${name}.png`, blob), "image/png");
  }
  if (app.task) return note("Something else is being done; stop it first");
  app.play(false);
  const task = (app.task = { stop: false });
  find("#run-to").textContent = "Stop";
  find("#progress").hidden = false;
  await app.try(async () => {
    const { engine, recording } = app.main;
    await engine.ask({ do: "export", name: `${name}.${kind}` });
    for (const [i, f] of recording.frames.entries()) {
      if (task.stop) return;
      const parts = [f.positions, f.velocities, f.poses, f.rigid, f.densities, f.ids];
      const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
      let at = 0;
      for (const part of parts) {
        bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at);
        at += part.byteLength;
      }
      await engine.ask({ do: "export-frame", time: f.time, energy: f.energy, stretch: f.stretch }, bytes);
      find("#progress div").style.width = `${(100 * i) / recording.frames.length}%`;
    }
    const { file } = await engine.ask({ do: "export-end" });
    download(`${name}.${kind}`, new Blob([file]));
  });
  app.task = null;
  find("#run-to").textContent = "Run";
  find("#progress").hidden = true;
  app.mark();
}

/** Takes meshes, and opens scenes: these last, as they may name the meshes. */
async function addFiles(app, files) {
  const isScene = (file) => file.name.toLowerCase().endsWith(".toml");
  for (const file of [...files.filter((file) => !isScene(file)), ...files.filter(isScene)]) {
    let bytes;
    try {
      bytes = new Uint8Array(await file.arrayBuffer());
    } catch (error) {
      note(`${file.name} cannot be read: ${error.message}`);
      continue;
    }
    if (isScene(file)) {
      const text = new TextDecoder().decode(bytes);
      app.tab("text");
      app.editor.show(text, true);
      await app.openText(text);
      continue;
    }
    const taken = await app.try(async () => {
      await Promise.all(app.panes.map((pane) => pane.engine.ask({ do: "file", name: file.name }, bytes.slice())));
      app.page.files = [...app.page.files.filter((f) => f.name !== file.name), { name: file.name, bytes }];
      return true;
    });
    if (taken) note(`${file.name} is here: a scene may name it`);
  }
}
