// Fingers and the mouse in the picture.

/** Lets fingers and the mouse act in a pane: hands, or the view. */
function touch(app, pane) {
  const { canvas } = pane;
  const fingers = new Map();
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, 1 - (event.clientY - box.top) / box.height];
  };
  canvas.addEventListener("pointerdown", async (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, event);
    // A second finger takes the view: the first lets go.
    if (fingers.size > 1) for (const id of fingers.keys()) app.hands.up(id);
    const turns = event.button !== 0 || event.shiftKey || event.altKey || fingers.size > 1 || app.busy || !pane.opened || app.behind !== null;
    if (turns) return;
    const pixel = (2 * Math.tan(FIELD / 2) * app.camera.distance) / canvas.clientHeight;
    const asked = app.hands.down(pane, event.pointerId, ...place(event), pixel);
    if (app.hands.held.has(event.pointerId)) {
      canvas.classList.add("holds");
      if (!app.playing && app.hands.tool !== "view") note("It moves when the scene runs: space, or → for one step");
    }
    await asked.catch((error) => app.refused(error));
    if (!fingers.has(event.pointerId)) app.hands.up(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    fingers.set(event.pointerId, event);
    if (app.hands.held.has(event.pointerId)) return app.hands.move(event.pointerId, ...place(event));
    if (["pin", "throw"].includes(app.hands.tool) && event.buttons & 1 && !event.shiftKey && !event.altKey && fingers.size === 1) return;
    const dx = event.clientX - before.clientX, dy = event.clientY - before.clientY;
    const tall = canvas.clientHeight;
    if (fingers.size === 2) {
      const other = [...fingers.values()].find((f) => f.pointerId !== event.pointerId);
      const apart = (f) => Math.hypot(f.clientX - other.clientX, f.clientY - other.clientY) || 1;
      app.camera.zoom(apart(before) / apart(event));
      app.camera.pan((0.5 * dx) / tall, (0.5 * dy) / tall);
    } else if (event.buttons & 6 || event.shiftKey) app.camera.pan(dx / tall, dy / tall);
    else app.camera.rotate((5 * dx) / tall, (5 * dy) / tall);
    app.dirty = true;
  });
  for (const end of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(end, (event) => {
      fingers.delete(event.pointerId);
      canvas.classList.remove("holds");
      app.hands.up(event.pointerId);
    });
  }
  // The card may be taken away from a page, and given back.
  canvas.addEventListener("webglcontextrestored", () => (app.dirty = app.planted = true));
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    app.camera.zoom(Math.exp(clamp(event.deltaY * [1, 16, 400][event.deltaMode], -200, 200) * 0.0012));
    app.dirty = true;
  }, { passive: false });
}
