// The page itself: state, controls, the loop.

const MODES = ["shaded", "wire", "stretch", "speed", "density"];
const KEYS = { 1: "front", 2: "side", 3: "top", 4: "perspective", s: "shaded", w: "wire", t: "stretch", u: "speed", d: "density" };
const find = (selector) => document.querySelector(selector);
const findAll = (selector) => [...document.querySelectorAll(selector)];
const whole = (n) => n.toLocaleString("en").replaceAll(",", "\u202f");
const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
const state = { frame: 0, clock: 0, playing: !calm, loop: true, speed: 1, mode: "shaded", follow: false, dirty: true };

/** A token of the style sheet as the browser resolves it in the present scheme. */
function color(token) {
  const probe = find("#probe");
  probe.style.color = `var(${token})`;
  return getComputedStyle(probe).color;
}
const rgb = (token) => color(token).match(/[\d.]+/g).slice(0, 3).map((c) => c / 255);

function say(text) {
  find("#notice").textContent = text;
  find("#notice").hidden = !text;
}

async function main() {
  if (!("DecompressionStream" in window)) throw new Error("This browser is too old to unpack the data; one from 2023 or later can.");
  const run = await loadRun((part) => (find("#bar").style.width = `${100 * part}%`));
  const { meta } = run;
  const last = meta.frames - 1;
  const rate = meta.fps > 0 ? meta.fps : 60;
  describe(run);

  const geometry = new Geometry(run);
  const box = geometry.box();
  const camera = new Camera(box);
  const stage = find("#stage"), canvas = find("#stage canvas");
  let renderer = null, drift = null, shown = -1;
  const build = () => {
    try {
      renderer = new Renderer(canvas, geometry, box);
    } catch (error) {
      say(error.message);
    }
  };
  build();
  if (meta.frames === 0) say("This run has no frames.");

  // A scene of fluids alone has nothing that stretches, one without them no densities.
  const fluid = geometry.fluids.parts.length > 0, edged = run.rests.length > 0 || !fluid;
  const liquid = geometry.fluids.parts.some((part) => !part.grains);
  const { mean, most } = liquid ? denser(run) : {};
  // Grains alone have neither stretch nor density.
  find("#strain").hidden = !edged && !liquid;
  const plots = [
    new Plot(find("#energy"), {
      title: "Energy", time: run.time, seek, text: (e) => withPrefix(e, "J"),
      // Elastic energy is not measured, so the sum of these two is no total that has to fall.
      curves: [["kinetic", "kinetic"], ["gravitational", "potential"], ["both, without elastic", "total"]].map(([name, key]) => (
        { name, token: `--${key}`, values: run[key] })),
    }),
    !find("#strain").hidden && new Plot(find("#strain"), {
      title: edged ? "Stretch" : "Denser than at rest", time: run.time, seek, text: percent,
      curves: edged
        ? [{ name: "largest", token: "--largest", values: run.stretch }]
        : [{ name: "mean", token: "--kinetic", values: mean }, { name: "most", token: "--largest", values: most }],
    }),
  ].filter(Boolean);

  // State

  function seek(frame) {
    state.frame = clamp(Math.round(frame) || 0, 0, Math.max(last, 0));
    state.clock = state.frame / rate;
    state.dirty = true;
  }
  function play(on) {
    state.playing = on && last > 0;
    if (state.playing && state.frame === last) seek(0);
    press("#play", state.playing);
    find("#play").setAttribute("aria-label", state.playing ? "Pause" : "Play");
  }
  function look(view, slowly) {
    const from = camera.place();
    camera.look(view);
    drift = slowly && !calm ? { from, to: camera.place(), start: performance.now() } : null;
    state.dirty = true;
  }
  function setMode(mode) {
    if (find(`[data-mode="${mode}"]`).hidden) return;
    state.mode = mode;
    showScale(mode, geometry.fluids);
    for (const button of findAll("[data-mode]")) press(button, button.dataset.mode === mode);
    state.dirty = true;
  }
  /** The camera goes with the middle of what moves; from afar when that is switched on for something small. */
  function follow(on) {
    drift = null;
    state.follow = on && meta.frames > 0;
    press("#follow", state.follow);
    if (state.follow) {
      geometry.update(state.frame);
      shown = -1;
      camera.hold(geometry.middle());
    } else camera.hold(null);
    state.dirty = true;
  }
  function setLoop(on) {
    state.loop = on;
    press("#loop", on);
  }
  function setSpeed(speed) {
    state.speed = speed;
    find("#speed").value = String(speed);
  }
  function press(button, on) {
    (typeof button === "string" ? find(button) : button).setAttribute("aria-pressed", String(on));
  }

  /** #frame=120&view=front&mode=wire&paused=1, and speed, loop, yaw, pitch (degrees), zoom, theme, bare. */
  function obeyHash() {
    const hash = new URLSearchParams(location.hash.slice(1));
    const number = (name, use) => hash.has(name) && Number.isFinite(+hash.get(name)) && use(+hash.get(name));
    const theme = hash.get("theme");
    if (theme === "dark" || theme === "light") document.documentElement.style.colorScheme = theme;
    document.body.classList.toggle("bare", hash.get("bare") === "1");
    resize();
    number("follow", (on) => follow(on !== 0));
    if (hash.get("view") in VIEWS) look(hash.get("view"), false);
    number("yaw", (degrees) => camera.rotate(camera.yaw - degrees * Math.PI / 180, 0));
    number("pitch", (degrees) => camera.rotate(0, degrees * Math.PI / 180 - camera.pitch));
    if (!camera.fitted) camera.fit();
    number("zoom", (factor) => factor > 0 && camera.zoom(1 / factor));
    if (MODES.includes(hash.get("mode"))) setMode(hash.get("mode"));
    number("speed", (speed) => speed > 0 && setSpeed(speed));
    number("loop", (on) => setLoop(on !== 0));
    number("paused", (on) => play(on === 0));
    number("frame", seek);
    state.dirty = true;
  }

  // Controls

  find("#play").onclick = () => play(!state.playing);
  find("#back").onclick = () => step(-1);
  find("#on").onclick = () => step(1);
  find("#loop").onclick = () => setLoop(!state.loop);
  find("#follow").onclick = () => follow(!state.follow);
  find("#reset").onclick = () => look("perspective", true);
  find("#speed").onchange = (event) => setSpeed(+event.target.value);
  find("#charts").onclick = () => {
    press("#charts", !document.body.classList.toggle("plain"));
  };
  for (const button of findAll("[data-view]")) button.onclick = () => look(button.dataset.view, true);
  for (const button of findAll("[data-mode]")) button.onclick = () => setMode(button.dataset.mode);
  // Space after a click shall pause, not press the button again; Tab keeps its focus.
  for (const button of findAll("button")) button.addEventListener("pointerup", () => button.blur());
  const scrub = find("#scrub");
  scrub.max = Math.max(last, 0);
  scrub.oninput = () => seek(+scrub.value);

  function step(frames) {
    play(false);
    seek(state.frame + frames);
  }
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const stride = event.shiftKey ? 10 : 1;
    if (key === " " && !event.target.matches("button")) play(!state.playing);
    else if (key === "ArrowLeft") step(-stride);
    else if (key === "ArrowRight") step(stride);
    else if (key === "Home") step(-Infinity);
    else if (key === "End") step(Infinity);
    else if (key === "l") setLoop(!state.loop);
    else if (key === "f") follow(!state.follow);
    else if (key === "r") look("perspective", true);
    else if (KEYS[key] in VIEWS) look(KEYS[key], true);
    else if (key in KEYS) setMode(KEYS[key]);
    else return;
    event.preventDefault();
  });

  const fingers = new Map();
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, event);
    drift = null;
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const dx = event.clientX - before.clientX, dy = event.clientY - before.clientY;
    const tall = canvas.clientHeight;
    if (fingers.size === 2) {
      const other = [...fingers.values()].find((f) => f.pointerId !== event.pointerId);
      const apart = (f) => Math.hypot(f.clientX - other.clientX, f.clientY - other.clientY) || 1;
      camera.zoom(apart(before) / apart(event));
      camera.pan(0.5 * dx / tall, 0.5 * dy / tall);
    } else if (event.buttons & 6 || event.shiftKey) camera.pan(dx / tall, dy / tall);
    else camera.rotate(5 * dx / tall, 5 * dy / tall);
    fingers.set(event.pointerId, event);
    state.dirty = true;
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => fingers.delete(event.pointerId));
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    drift = null;
    camera.zoom(Math.exp(clamp(event.deltaY * [1, 16, 400][event.deltaMode], -200, 200) * 0.0012));
    state.dirty = true;
  }, { passive: false });
  canvas.addEventListener("webglcontextlost", (event) => {
    event.preventDefault();
    renderer = null;
  });
  canvas.addEventListener("webglcontextrestored", () => {
    build();
    shown = -1;
    state.dirty = true;
  });

  // Size and scheme

  let skin = null;
  function resize() {
    const ratio = Math.min(devicePixelRatio, 2);
    canvas.width = Math.max(1, Math.round(stage.clientWidth * ratio));
    canvas.height = Math.max(1, Math.round(stage.clientHeight * ratio));
    camera.aspect = canvas.width / canvas.height;
    if (camera.fitted && !drift) camera.fit();
    skin = { floor: rgb("--floor"), under: rgb("--under"), line: rgb("--grid"), paper: rgb("--paper"), ink: rgb("--ink") };
    plots.forEach((plot) => plot.paint(color));
    state.dirty = true;
  }
  new ResizeObserver(resize).observe(stage);
  new ResizeObserver(resize).observe(find("#plots"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", resize);
  addEventListener("hashchange", obeyHash);

  // The loop

  let before = performance.now();
  function tick(now) {
    const passed = Math.min((now - before) / 1000, 0.25);
    before = now;
    if (state.playing) advance(passed);
    if (drift) {
      const t = Math.min((now - drift.start) / 280, 1);
      camera.blend(drift.from, drift.to, t * t * (3 - 2 * t));
      if (t === 1) drift = null;
      state.dirty = true;
    }
    if (state.dirty) draw();
    requestAnimationFrame(tick);
  }
  function advance(passed) {
    state.clock += passed * state.speed;
    let frame = Math.floor(state.clock * rate + 1e-6);
    if (frame > last) {
      if (!state.loop) play(false);
      state.clock = frame = state.loop ? 0 : last;
    }
    if (frame !== state.frame) Object.assign(state, { frame, dirty: true });
  }
  function draw() {
    state.dirty = false;
    for (const button of findAll("[data-view]")) press(button, button.dataset.view === camera.view);
    drawCross(camera);
    if (meta.frames === 0) return;
    if (state.frame !== shown) {
      geometry.update(state.frame);
      if (state.follow) {
        const way = camera.go(geometry.middle());
        const along = (at) => at.target.forEach((x, axis) => (at.target[axis] = x + way[axis]));
        if (drift) [drift.from, drift.to].forEach(along);
      }
      renderer?.upload();
      shown = state.frame;
    }
    const floor = MODES.indexOf(state.mode) > 1 ? skin.under : skin.floor;
    renderer?.draw(camera, state.frame, { ...skin, floor, mode: MODES.indexOf(state.mode) });
    scrub.value = state.frame;
    scrub.style.setProperty("--part", `${last > 0 ? 100 * state.frame / last : 0}%`);
    find("#count").textContent = `${state.frame} / ${last}`;
    find("#seconds").textContent = `${run.time[state.frame].toFixed(3)} s`;
    plots.forEach((plot) => plot.show(state.frame));
  }

  if (!edged) Object.assign(find('[data-mode="wire"]'), { textContent: "Spheres", title: "Each particle (w)" });
  for (const [mode, shown] of [["stretch", edged], ["speed", fluid], ["density", liquid]]) find(`[data-mode="${mode}"]`).hidden = !shown;
  setMode("shaded");
  setLoop(true);
  if (meta.frames > 0) {
    geometry.update(0);
    follow(geometry.strays());
  }
  play(state.playing);
  obeyHash();
  find("#loading").hidden = true;
  draw();
  requestAnimationFrame((now) => {
    before = now;
    tick(now);
    document.body.dataset.ready = "1";
  });
}

/** What the page holds, and how exact it is. */
function describe({ meta, triangles }) {
  const count = (n, noun, nouns = `${noun}s`) => `${whole(n)} ${n === 1 ? noun : nouns}`;
  const bodies = countBodies(meta.colliders);
  const facts = [];
  if (meta.vertices || !bodies) facts.push(count(meta.vertices, "particle"));
  if (bodies) facts.push(count(bodies, "body", "bodies"));
  if (triangles.length) facts.push(count(triangles.length / 3, "triangle"));
  facts.push(count(meta.frames, "frame"));
  if (meta.fps > 0) facts.push(`${+meta.fps.toPrecision(4)} frames a second`);
  find("#facts").textContent = facts.join(" · ");
  if (meta.frames && meta.vertices) find("#error").textContent = `positions to ±${+(1000 * meta.error).toPrecision(2)} mm an axis`;
}

main().catch((error) => {
  find("#loading").hidden = true;
  say(error.message);
  throw error;
});
