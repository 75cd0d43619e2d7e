// The page's settings in its address, so that a link leads to the same run.

/** What an address may say, beside `set`, which may stand several times. */
const KNOWN = ["scene", "toml", "set", "compare", "frames", "run", "view", "mode", "theme", "bare", "panel"];

/** Reads the part of the address behind #. */
async function readAddress() {
  const hash = new URLSearchParams(location.hash.slice(1));
  for (const name of hash.keys()) if (!KNOWN.includes(name)) throw new Refusal(`the address has \`${name}\`; known are ${KNOWN.join(", ")}`);
  const said = { scene: hash.get("scene"), set: hash.getAll("set"), compare: hash.has("compare") ? hash.getAll("compare").filter(Boolean) : null };
  for (const name of ["view", "mode", "theme", "panel"]) said[name] = hash.get(name);
  said.text = hash.has("toml") ? await unpack(hash.get("toml")) : null;
  said.frames = null;
  if (hash.has("frames")) {
    said.frames = Number(hash.get("frames"));
    if (!Number.isInteger(said.frames) || said.frames < 1 || said.frames > 1e6) throw new Refusal("frames in the address is no whole number from 1 to 1000000");
  }
  for (const name of ["run", "bare"]) said[name] = hash.get(name) === "1";
  return said;
}

let written = 0;

/** Writes what differs from the page as it opens; no entry in the history. `kept` stays as it was read, the text `own` needs no mention. */
async function writeAddress({ scene, text, set, compare, view, mode, kept, own }) {
  const turn = ++written;
  const hash = new URLSearchParams();
  if (text === null) hash.set("scene", scene);
  else if (text !== own) hash.set("toml", await pack(text));
  for (const change of set) hash.append("set", change);
  if (compare) for (const change of compare.length ? compare : [""]) hash.append("compare", change);
  if (view && view !== "perspective") hash.set("view", view);
  if (mode && mode !== "shaded") hash.set("mode", mode);
  for (const [name, value] of Object.entries(kept)) if (value) hash.set(name, value);
  // Another address may have been packed meanwhile.
  if (turn === written) history.replaceState(null, "", `#${hash}`);
}

/** Text as deflated base64 that an address may have. */
async function pack(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (const b of bytes) binary += String.fromCharCode(b);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpack(packed) {
  try {
    const bytes = Uint8Array.from(atob(packed.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    return await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
  } catch {
    throw new Refusal("the scene in the address is damaged: it was cut short or changed; copy the link once more");
  }
}
