// Every named scene, at a small size, has the state hash of the program in Node with the page's engine, and some in the page in a browser.
// Then the page as a user meets it: settings, errors, hands, files. Run by .ci/page: node page.mjs FOLDER, which has page.html.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { inflateSync } from "node:zlib";

const folder = resolve(process.argv[2]);
const { chromium } = createRequire(join(folder, "package.json"))("playwright-core");
const SEIDEL = process.env.SEIDEL;
const FRAMES = 6;
const LARGEST = 2_450_000; // bytes of the engine, compressed
const page = readFileSync(join(folder, "page.html"), "utf8");
const program = (...args) => execFileSync(SEIDEL, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

/** Scenes with changes that make them small, and their hashes. */
const names = program("scenes").trim().split("\n").map((line) => line.split(/\s+/)[0]);
const scenes = names.map((name) => {
  const text = program("scenes", name);
  const small = [[/^resolution/m, "cloth.resolution=16"], [/^\[\[balloon\]\]/m, "balloon.detail=2"], [/^\[\[fluid\]\]/m, "fluid.spacing=0.05"], [/^\[\[grains\]\]/m, "grains.radius=0.02"]];
  const set = small.filter(([has]) => has.test(text)).map(([, change]) => change);
  return { name, set };
});
for (const scene of scenes) {
  const args = ["run", scene.name, "--frames", String(FRAMES), "--stats", "-", ...scene.set.flatMap((change) => ["--set", change])];
  scene.hash = JSON.parse(program(...args)).state_hash;
}

// In Node.
const packed = Buffer.from(page.match(/<script type="application\/octet-stream" id="engine">([^<]*)/)[1], "base64");
assert.ok(packed.length < LARGEST, `the engine has ${packed.length} bytes compressed, and ${LARGEST} at most`);
const { exports: engine } = (await WebAssembly.instantiate(inflateSync(packed))).instance;
engine.seidel_begin();
function ask(request) {
  const text = new TextEncoder().encode(JSON.stringify(request));
  const at = engine.seidel_request(text.length); // may move the memory
  new Uint8Array(engine.memory.buffer).set(text, at);
  engine.seidel_answer(text.length);
  const answer = new DataView(engine.memory.buffer, engine.seidel_reply());
  return JSON.parse(new TextDecoder().decode(new Uint8Array(engine.memory.buffer, engine.seidel_reply() + 4, answer.getUint32(0, true))));
}
for (const { name, set, hash } of scenes) {
  assert.equal(ask({ do: "open", scene: name, set }).error, undefined, name);
  assert.equal(ask({ do: "step", count: FRAMES }).hash, hash, `${name} in Node`);
}
console.log(`${scenes.length} scenes have the program's hashes in Node`);

// In a browser.
const browser = await chromium.launch({
  executablePath: ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync),
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});
const said = [];
async function open(hash, options = {}) {
  const tab = await browser.newPage({ viewport: { width: 1200, height: 800 }, acceptDownloads: true, ...options });
  tab.on("console", (message) => said.push(`console: ${message.text()}`));
  tab.on("pageerror", (error) => said.push(`error: ${error.message}`));
  tab.on("request", (request) => /^(file|blob|data):/.test(request.url()) || said.push(`request: ${request.url()}`));
  await tab.goto(`file://${join(folder, "page.html")}#${hash}`);
  await tab.waitForFunction(() => document.body.dataset.ready === "1" || document.documentElement.dataset.error, null, { timeout: 60_000 });
  return tab;
}
const address = ({ name, set }) => [`scene=${name}`, ...set.map((change) => `set=${encodeURIComponent(change)}`), `frames=${FRAMES}`, "run=1"].join("&");
const root = (tab) => tab.evaluate(() => ({ ...document.documentElement.dataset }));
const done = (tab) => tab.waitForFunction(() => document.documentElement.dataset.stateHash || document.documentElement.dataset.error, null, { timeout: 120_000 });
/** Waits until it is true in the page; beside another part everything takes twice as long. */
const until = (tab, condition, argument) => tab.waitForFunction(condition, argument, { timeout: 60_000 });

{
  const tab = await open("bare=0");
  // The engine is the one that has run in Node: here a scene of each sort of body and contact.
  const sorts = ["cloth-sphere", "layers", "drape-bunny", "jelly-drop", "balloons", "rope-bridge", "hammock", "dam-break"];
  const some = scenes.filter(({ name }) => sorts.includes(name));
  assert.equal(some.length, sorts.length);
  for (const scene of some) {
    // The address is read when the page is loaded.
    await tab.goto("about:blank");
    await tab.goto(`file://${join(folder, "page.html")}#${address(scene)}`);
    await done(tab);
    assert.deepEqual(await root(tab), { frames: String(FRAMES), stateHash: scene.hash }, `${scene.name} in the browser`);
  }
  await tab.close();
  console.log(`${some.length} scenes have the program's hashes in the browser`);
}

// Settings act, and say how; what is refused is said at its key.
{
  const tab = await open("scene=cloth-sphere&set=cloth.resolution=12&frames=5");
  const key = (path) => tab.locator(`#key-${path.replaceAll(".", "-")}`);
  const set = async (path, text) => {
    await key(path).fill(text);
    await key(path).press("Enter");
  };
  const spec = () => tab.evaluate(() => window.seidel.main.opened.spec);
  await tab.locator("#on").click();
  await until(tab, () => window.seidel.main.recording.last === 1);
  for (const [path, text, read] of [
    ["cloth.0.stretch_compliance", "0.001", (s) => s.cloth[0].stretch_compliance === 0.001],
    ["cloth.0.friction", "0.9", (s) => s.cloth[0].friction === 0.9],
    ["cloth.0.density", "0.7", (s) => s.cloth[0].density === 0.7],
    ["solver.substeps", "33", (s) => s.solver.substeps === 33],
    ["solver.substeps", "auto", (s) => s.solver.substeps === "auto"],
    ["solver.iterations", "2", (s) => s.solver.iterations === 2],
  ]) {
    await set(path, text);
    await until(tab, ([path, text]) => [...window.seidel.set].some(([at, value]) => at === path && value.replaceAll('"', "") === text) && !window.seidel.planning && !window.seidel.busy, [path, text]);
    assert.ok(read(await spec()), `${path} = ${text}`);
    assert.equal(await tab.evaluate(() => window.seidel.main.recording.last), 1, `${path}: the run goes on`);
  }
  await tab.locator("#key-solver-method").selectOption("jacobi");
  await until(tab, () => window.seidel.main.opened.spec.solver.method === "jacobi");
  await set("cloth.0.friction", "-1");
  await until(tab, () => [...document.querySelectorAll("#controls .refused")].some((at) => at.textContent.includes("friction")));
  assert.equal((await spec()).cloth[0].friction, 0.9, "what is refused changes nothing");
  await set("cloth.0.resolution", "16");
  await until(tab, () => window.seidel.main.opened.particles === 256);
  assert.match(await tab.evaluate(() => location.hash), /cloth.0.resolution%3D16/);
  // A text with an error is refused at its line; the last run stays. A good one runs.
  await tab.locator("[data-tab=text]").click();
  await tab.locator("textarea").fill("[[cloth]]\nresolution = 8\ndensty = 1\n");
  await tab.locator("[data-run]").click();
  await until(tab, () => document.querySelector("#text .refused").textContent.startsWith("line 3: unknown key"));
  assert.equal(await tab.locator(".gutter .wrong").textContent(), "3");
  await tab.locator("textarea").fill('[[cloth]]\nresolution = 8\npin = ["corners"]\n[[cloth]]\nmesh = "missing.obj"\n');
  await tab.locator("[data-run]").click();
  await until(tab, () => document.querySelector("#text .refused").textContent.includes("missing.obj is not here"));
  await tab.locator("textarea").fill('[[cloth]]\nresolution = 8\npin = ["corners"]\n');
  await tab.locator("[data-run]").click();
  await until(tab, () => window.seidel.main.opened.particles === 64);
  // Two runs side by side.
  await tab.locator("[data-tab=compare]").click();
  await tab.locator(".preset", { hasText: "Jacobi" }).click();
  await until(tab, () => window.seidel.panes.length === 2 && window.seidel.panes[1].opened?.spec.solver.method === "jacobi");
  await tab.locator("#on").click();
  await until(tab, () => window.seidel.panes.every((pane) => pane.recording.last === 1));
  await tab.locator("#alone").click();
  await until(tab, () => window.seidel.panes.length === 1);
  // A state that is kept comes back, and goes on with the same bits.
  await tab.locator("[data-tab=keep]").click();
  await tab.locator("#snapshot").click();
  await until(tab, () => document.querySelector("#snapshots button") && !window.seidel.busy);
  const hashes = [];
  for (let i = 0; i < 2; i++) {
    await tab.locator("#on").click();
    await until(tab, () => window.seidel.main.recording.last === 2 && !window.seidel.stepping);
    hashes.push((await root(tab)).stateHash);
    await tab.locator("#snapshots button").first().click();
    await until(tab, () => window.seidel.main.recording.last === 1 && !window.seidel.busy);
  }
  assert.equal(hashes[0], hashes[1]);
  for (const kind of ["toml", "png", "npz", "glb"]) {
    const [file] = await Promise.all([tab.waitForEvent("download"), tab.locator(`[data-save=${kind}]`).click()]);
    const path = join(folder, `saved.${kind}`);
    await file.saveAs(path);
    const bytes = readFileSync(path);
    const begins = { toml: "[[cloth]]", png: "\x89PNG", npz: "PK", glb: "glTF" }[kind];
    assert.equal(bytes.subarray(0, begins.length).toString("latin1"), begins, kind);
  }
  // After a trap the page says so, and the next run works.
  await tab.evaluate(() => window.seidel.main.engine.fail("The engine has stopped: a test"));
  await tab.locator("#on").click();
  await until(tab, () => document.querySelector("#notice p").textContent.includes("The engine has stopped"));
  assert.match((await root(tab)).error, /has stopped/);
  await tab.locator("#notice-button").click();
  await until(tab, () => window.seidel.main.opened && !window.seidel.main.engine.dead && !document.documentElement.dataset.error && !window.seidel.busy);
  await tab.locator("#on").click();
  await until(tab, () => window.seidel.main.recording.last === 1);
  await tab.close();
}

// Hands: cloth is grabbed, a vertex pinned, a ball thrown.
{
  const tab = await open("scene=curtain&set=cloth.resolution=16&frames=5&view=front");
  const box = await tab.locator(".pane canvas").boundingBox();
  const middle = [box.x + box.width / 2, box.y + box.height / 2];
  const pins = () => tab.evaluate(() => window.seidel.main.shown.pinned.length);
  const before = await pins();
  await tab.keyboard.press("p");
  await tab.mouse.click(...middle);
  await until(tab, (before) => window.seidel.main.shown.pinned.length === before + 1, before);
  await tab.mouse.click(...middle);
  await until(tab, (before) => window.seidel.main.shown.pinned.length === before, before);
  await tab.keyboard.press("g");
  await tab.mouse.move(...middle);
  await tab.mouse.down();
  await until(tab, () => [...window.seidel.hands.held.values()].some((held) => held.vertex !== undefined));
  await tab.mouse.move(middle[0] + 60, middle[1] - 60, { steps: 3 });
  await tab.locator("#play").dispatchEvent("click");
  await until(tab, () => {
    const [held] = window.seidel.hands.held.values();
    const { positions } = window.seidel.main.geometry;
    return Math.hypot(...held.target.map((x, axis) => x - positions[3 * held.vertex + axis])) < 0.1;
  });
  await tab.mouse.up();
  await tab.locator("#play").dispatchEvent("click");
  await tab.keyboard.press("b");
  await tab.mouse.click(...middle);
  await until(tab, () => window.seidel.main.opened.colliders.some((c) => c.name === "ball-0"));
  await tab.close();
}

// A knife: what is cut off a curtain falls.
{
  const tab = await open(`scene=curtain&set=cloth.resolution=16&set=${encodeURIComponent("cloth.tear={}")}&frames=80&view=front`);
  const box = await tab.locator(".pane canvas").boundingBox();
  const lowest = () => tab.evaluate(() => Math.min(...window.seidel.main.geometry.positions.filter((_, k) => k % 3 === 1)));
  await tab.evaluate(() => window.seidel.forward(1));
  const before = await lowest();
  await tab.keyboard.press("n");
  await tab.mouse.move(box.x + 2, box.y + box.height / 2);
  await tab.mouse.down();
  await tab.mouse.move(box.x + box.width - 2, box.y + box.height / 2, { steps: 4 });
  await tab.mouse.up();
  await tab.evaluate(() => window.seidel.forward(40));
  // Onto the ground, which is not far below; a picture may come later than its step.
  await until(tab, (before) => Math.min(...window.seidel.main.geometry.positions.filter((_, k) => k % 3 === 1)) < before - 0.1, before);
  assert.equal((await root(tab)).error, undefined);
  await tab.close();
}

// One thing after another: what comes while something is under way neither breaks it nor is lost.
{
  const tab = await open("scene=flag&set=cloth.resolution=12&set=solver.substeps=4&view=front&theme=dark");
  const idle = () => until(tab, () => !window.seidel.busy && !window.seidel.planning && !window.seidel.task);
  const get = (what) => tab.evaluate(what);
  const works = async (when) => assert.equal((await root(tab)).error, undefined, when);
  const click = (selector) => tab.locator(selector).dispatchEvent("click");
  // A comparison that ends while it runs.
  await until(tab, () => window.seidel.playing && window.seidel.main.recording.last > 2);
  await get(() => window.seidel.contrast(["solver.method=jacobi"]));
  await until(tab, () => window.seidel.panes.length === 2 && window.seidel.panes[1].recording.last > 2);
  await click("#alone");
  await until(tab, () => window.seidel.panes.length === 1);
  await idle();
  await works("a comparison ends while it runs");
  assert.match(await get(() => location.hash), /theme=dark/, "the scheme stays in the address");
  // A frame that is looked at stays while a step is under way.
  await get(() => {
    window.seidel.play(false);
    window.seidel.step();
    window.seidel.seek(1);
  });
  await until(tab, () => !window.seidel.stepping);
  assert.equal(await get(() => window.seidel.behind), 1);
  // A refused text leaves both runs; of two keys, one of which is refused, none is left behind.
  await get(() => window.seidel.contrast(["solver.method=jacobi"]));
  await get(() => window.seidel.openText("[[cloth]]\ndensty = 1\n"));
  assert.deepEqual(await get(() => [window.seidel.panes.length, window.seidel.compare.size]), [2, 1]);
  const before = await get(() => [...window.seidel.set]);
  await get(() => {
    window.seidel.change("cloth.0.friction", "0.7", false);
    window.seidel.change("cloth.0.density", "-1", false);
  });
  await idle();
  assert.deepEqual(await get(() => [...window.seidel.set]), before);
  await get(() => window.seidel.change("cloth.0.friction", "0.8", false));
  await idle();
  assert.deepEqual(await get(() => window.seidel.panes.map((pane) => pane.opened.spec.cloth[0].friction)), [0.8, 0.8]);
  // Runs of which one has other vertices start over together, and a hand in one does not reach the other.
  await get(() => window.seidel.forward(2));
  await get(() => {
    window.seidel.setSide(1);
    window.seidel.change("cloth.0.resolution", "8", false);
  });
  await idle();
  assert.deepEqual(await get(() => window.seidel.panes.map((pane) => [pane.opened.vertices, pane.recording.last])), [[144, 0], [64, 0]]);
  await get(() => window.seidel.hands.down(window.seidel.main, 1, 0.75, 0.5, 0.01));
  await get(() => window.seidel.forward(1));
  await get(() => window.seidel.hands.up(1));
  await works("a hand in one of two runs");
  // Balls in both runs; frames from before have them, too, so that they can be shown and saved.
  await click("#snapshot");
  await idle();
  await tab.keyboard.press("b");
  const box = await tab.locator(".pane canvas").first().boundingBox();
  for (const balls of [1, 2]) {
    await tab.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await until(tab, (balls) => window.seidel.panes.every((pane) => pane.opened.colliders.length === 1 + balls), balls);
    await idle();
    await get(() => window.seidel.forward(2));
  }
  await get(() => window.seidel.seek(0));
  await until(tab, () => window.seidel.main.shown.frame === 0 && window.seidel.main.shown.poses.length === 7 * 3);
  await Promise.all([tab.waitForEvent("download"), click("[data-save=npz]")]);
  await idle();
  await works("frames of before a ball are saved");
  // Back at the state before them, frames have none.
  await click("#snapshots button");
  await until(tab, () => window.seidel.main.opened.colliders.length === 1);
  await idle();
  await Promise.all([tab.waitForEvent("download"), click("[data-save=npz]")]);
  await works("frames of before a ball are saved without it");
  // A state of another scene brings no frames of this one.
  await get(() => window.seidel.openScene("chain"));
  await get(() => window.seidel.forward(9));
  await click("#snapshots button");
  await until(tab, () => window.seidel.main.opened.scene === "flag");
  await idle();
  assert.equal(await get(() => window.seidel.main.recording.frames.length), 1);
  // The keyboard stays at a key that it has changed, and at one that is being written.
  await click("[data-tab=keys]");
  await tab.locator("#key-cloth-0-friction").fill("0.5");
  await tab.keyboard.press("Enter");
  await tab.locator("#key-cloth-0-damping").fill("0.0");
  await until(tab, () => window.seidel.main.opened.spec.cloth[0].friction === 0.5);
  assert.deepEqual(await get(() => [document.activeElement.id, document.activeElement.value]), ["key-cloth-0-damping", "0.0"]);
  await tab.keyboard.type("3");
  await tab.keyboard.press("Enter");
  await until(tab, () => window.seidel.main.opened.spec.cloth[0].damping === 0.03);
  // A scene and the mesh that it names, at once, the scene first.
  await get(() => {
    const data = new DataTransfer();
    data.items.add(new File(['[[cloth]]\nmesh = "square.obj"\n'], "square.toml"));
    data.items.add(new File(["v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n"], "square.obj"));
    dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
  });
  await until(tab, () => window.seidel.main.opened.particles === 4);
  // Another address in the same tab opens what it says.
  await get(() => (location.hash = "scene=chain&frames=2&run=1"));
  await until(tab, () => document.documentElement.dataset.frames === "2" && window.seidel.main.opened.scene === "chain");
  await tab.close();
}

// An engine that does not answer is ended; one that answers late is let be.
{
  const tab = await open("scene=flag&set=cloth.resolution=8&frames=1&run=1");
  await done(tab);
  await tab.clock.install();
  await tab.evaluate(() => {
    window.seidel.main.engine.transport.send = () => {};
    window.seidel.forward(1);
  });
  await tab.clock.fastForward(11_000);
  await until(tab, () => document.querySelector("#notice p").textContent.includes("has not answered"));
  await tab.locator("#notice-button").dispatchEvent("click");
  await tab.clock.resume();
  await until(tab, () => window.seidel.main.opened && !window.seidel.busy && !window.seidel.stepping);
  await tab.evaluate(() => window.seidel.forward(1));
  await until(tab, () => window.seidel.main.recording.last === 1);
  assert.deepEqual([(await root(tab)).error, await tab.locator("#notice").isVisible()], [undefined, false]);
  await tab.close();
}

// What is wrong with an address is said in a sentence, and the page works.
for (const [hash, says] of [
  ["scene=flog", "there is no scene `flog`"],
  ["scene=flag&set=cloth.densty=1", "unknown key `densty`"],
  ["scene=flag&set=cloth.density=-1", "density is -1"],
  ["scene=flag&set=nonsense", "is no change"],
  ["scene=flag&frames=-5&run=1", "frames in the address"],
  ["toml=%%%", "damaged"],
  ["flavour=3", "the address has `flavour`"],
]) {
  const tab = await open(hash);
  await until(tab, () => document.body.dataset.ready === "1");
  const { error } = await root(tab);
  assert.ok(error?.includes(says), `${hash}: ${error}`);
  assert.ok((await tab.locator("#notice p").textContent()).includes(says), hash);
  assert.ok(await tab.evaluate(() => window.seidel.main.opened !== null), `${hash}: something is open`);
  await tab.close();
}

// A browser that lacks something is told what to do.
for (const [lack, says] of [
  ["delete window.Worker", "no workers"],
  ["WebAssembly.validate = () => false", "no SIMD"],
  ["HTMLCanvasElement.prototype.getContext = () => null", "WebGL 2"],
]) {
  const context = await browser.newContext();
  await context.addInitScript(lack);
  const tab = await context.newPage();
  await tab.goto(`file://${join(folder, "page.html")}`);
  await until(tab, (says) => document.querySelector("#notice p").textContent.includes(says), says);
  await context.close();
}

// From a phone to a large screen nothing is wider than the screen.
for (const [width, height, colorScheme] of [[390, 844, "light"], [760, 600, "dark"], [3840, 2160, "dark"]]) {
  const tab = await open("scene=cloth-sphere&set=cloth.resolution=12&frames=3&run=1&mode=stretch", { viewport: { width, height }, colorScheme });
  await done(tab);
  assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} pixels`);
  await tab.close();
}

// The page of a run: nothing is wider than a phone, and the camera goes with what falls, not with the middle between that and what is held.
{
  const sheets = "[[cloth]]\nresolution = 10\nsize = [0.5, 0.5]\n[[cloth]]\nresolution = 6\nsize = [0.3, 0.3]\npin = [\"first-row-corners\"]\n";
  writeFileSync(join(folder, "fall.toml"), `frames = 180\n${sheets}`);
  program("run", join(folder, "fall.toml"), "--out", join(folder, "fall.html"));
  const tab = await browser.newPage({ viewport: { width: 390, height: 844 }, colorScheme: "light" });
  for (const frame of [0, 20, 60, 175]) {
    await tab.goto("about:blank");
    await tab.goto(`file://${join(folder, "fall.html")}#frame=${frame}&paused=1`);
    await until(tab, () => document.body.dataset.ready === "1");
    assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "390 pixels");
    const picture = (await tab.locator("#stage canvas").screenshot()).toString("base64");
    // Pixels as red as the first body's tint, in light and in shade, and as yellow as the marks of pins.
    const { red, yellow } = await tab.evaluate(async (picture) => {
      const bytes = Uint8Array.from(atob(picture), (c) => c.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      let red = 0, yellow = 0;
      for (let at = 0; at < data.length; at += 4) {
        const [r, g, b] = data.subarray(at, at + 3);
        if (r > 1.4 * g && r > 1.4 * b) red++;
        else if (g > 1.6 * b && r > 1.1 * g) yellow++;
      }
      return { red, yellow };
    }, picture);
    assert.ok(red > 300, `frame ${frame}: ${red} pixels of the sheet that falls`);
    // They are as large as their body says, however far something falls.
    assert.ok(frame > 0 || yellow < 300, `${yellow} pixels of marks`);
  }
  // On a short screen the legend of colors is above the buttons.
  await tab.setViewportSize({ width: 390, height: 500 });
  await tab.click("button[data-mode=stretch]");
  const [legend, buttons] = await tab.evaluate(() =>
    ["#scale", "nav"].map((of) => document.querySelector(of).getBoundingClientRect().toJSON()));
  assert.ok(legend.height > 0 && legend.bottom <= buttons.top, `${legend.bottom} and ${buttons.top}`);
  await tab.close();
}

// A page of rigid bodies alone tells how many they are, as the program does.
{
  const stats = JSON.parse(program("run", "cards", "--frames", "2", "--stats", "-", "--out", join(folder, "cards.html")));
  assert.ok(stats.bodies > 1 && stats.particles === 0, `${stats.bodies} bodies, ${stats.particles} particles`);
  const tab = await browser.newPage();
  await tab.goto(`file://${join(folder, "cards.html")}#paused=1`);
  await until(tab, () => document.body.dataset.ready === "1");
  const told = await tab.evaluate(() => document.querySelector("#facts").textContent);
  assert.ok(told.startsWith(`${stats.bodies} bodies · 3 frames`), told);
  await tab.goto(`file://${join(folder, "page.html")}#scene=cards&frames=2&run=1`);
  await done(tab);
  await until(tab, () => document.querySelector("#figures").textContent.includes("contacts"));
  const figures = await tab.evaluate(() => document.querySelector("#figures").textContent);
  assert.ok(figures.includes(` · ${stats.bodies} bodies · `) && !figures.includes("particles"), figures);
  await tab.close();
}

// Solids have a stretch, no label of a plot is cut on a phone, and the sum of energies says what it leaves out.
{
  program("run", "jelly-drop", "--frames", "25", "--out", join(folder, "solid.html"));
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  await context.addInitScript(() => {
    const labels = { drawn: 0, cut: [], percent: new Set() }, draw = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
      const { width } = this.measureText(text), from = x - width * ({ right: 1, center: 0.5 }[this.textAlign] ?? 0);
      labels.drawn++;
      if (text.endsWith("%")) labels.percent.add(text);
      if (from < 0 || from + width > this.canvas.clientWidth) labels.cut.push(text);
      draw.call(this, text, x, y);
    };
    window.labels = labels;
  });
  const tab = await context.newPage();
  await tab.goto(`file://${join(folder, "solid.html")}#frame=24&paused=1`);
  await until(tab, () => document.body.dataset.ready === "1" && window.labels.drawn > 4);
  const [strain, energy] = await tab.evaluate(() => ["#strain", "#energy"].map((plot) => document.querySelector(plot).textContent));
  assert.match(strain, /[1-9][^%]*%/, `the stretch of solids: ${strain}`);
  assert.ok(energy.includes("without elastic"), energy);
  assert.deepEqual(await tab.evaluate(() => window.labels.cut), []);
  assert.ok(await tab.evaluate(() => window.labels.percent.size > 1), "one label alone tells no scale");
  await context.close();
}
await browser.close();
assert.deepEqual(said, [], "the console says nothing, and nothing is requested");
writeFileSync(join(folder, "ok"), "");
console.log("page: 1 passed, 0 failed");
