// What all parts of the page use: elements, colors, messages to the user, what a browser lacks.

const MODES = ["shaded", "wire", "stretch", "speed", "density", "contacts", "batches", "patches", "normals"];
const TOOLS = { g: "hand", p: "pin", b: "throw", v: "wind", n: "knife", o: "view" };
const KEYS = { 1: "front", 2: "side", 3: "top", 4: "perspective" };
const MODE_KEYS = { s: "shaded", w: "wire", x: "stretch", u: "speed", d: "density" };
/** Bytes of recorded frames, of all panes together. */
const RECORDED = 384 * 2 ** 20;
/** The speed that is as fast as it goes. */
const FASTEST = 1000;
/** Milliseconds after a change before it is planned: a slider is drawn. */
const PAUSE = 120;

const find = (selector) => document.querySelector(selector);
const findAll = (selector) => [...document.querySelectorAll(selector)];
const whole = (n) => Math.round(n).toLocaleString("en").replaceAll(",", "\u202f");
const root = document.documentElement;

/** A token of the style sheet as the browser resolves it in the present scheme. */
function color(token) {
  const probe = find("#probe");
  probe.style.color = `var(${token})`;
  return getComputedStyle(probe).color;
}
const rgb = (token) => color(token).match(/[\d.]+/g).slice(0, 3).map((c) => c / 255);
const moment = () => new Promise((resolve) => setTimeout(resolve, 4));
const press = (button, on) => button.setAttribute("aria-pressed", String(on));

/** Says something that stays until it is answered, with a button for it. */
function say(text, button = null, act = null) {
  find("#notice p").textContent = text ?? "";
  find("#notice").hidden = !text;
  const at = find("#notice-button");
  at.hidden = !button;
  at.textContent = button ?? "";
  at.onclick = () => {
    say(null);
    act?.();
  };
}

let noteTimer = 0;
/** Says something in passing. */
function note(text) {
  find("#note").textContent = text;
  clearTimeout(noteTimer);
  noteTimer = setTimeout(() => (find("#note").textContent = ""), 4000);
}

/** What this browser lacks, in a sentence that says what to do. */
function lacking(served) {
  const then = "Please open the page with a Firefox, Chrome, Edge or Safari of 2023 or later.";
  if (!("DecompressionStream" in window)) return `This browser cannot unpack the engine. ${then}`;
  if (served) return null;
  if (!("Worker" in window)) return `This browser has no workers, in which the engine runs. ${then}`;
  if (typeof WebAssembly !== "object") return `WebAssembly is switched off in this browser, and the engine needs it. Switch it on, or take another browser.`;
  // A function that makes a v128: (func (result v128) i32.const 0 i8x16.splat)
  const simd = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11);
  if (!WebAssembly.validate(simd)) return `This browser has no SIMD in WebAssembly (simd128). ${then}`;
  return null;
}

/** `key=value` as a pair. */
function split(change) {
  const at = change.indexOf("=");
  if (at < 1) throw new Refusal(`\`${change}\` is no change: write KEY=VALUE, such as cloth.resolution=48`);
  return [change.slice(0, at).trim(), change.slice(at + 1).trim()];
}

function download(name, blob) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
