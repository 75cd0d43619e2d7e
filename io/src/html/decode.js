// Blocks: base64 of zlib streams, kept in script elements that no browser runs. README.md has the format.

async function inflate(id) {
  const node = document.getElementById(id);
  const text = node.textContent.trim();
  node.remove(); // the text is as large as the data: let it go
  const bytes = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Four byte planes of folded differences from the word `stride` before. */
async function inflateWords(id, stride) {
  const bytes = await inflate(id);
  const n = bytes.length / 4;
  const words = new Uint32Array(n);
  for (let i = 0; i < n; i++) {
    const folded = bytes[i] | (bytes[n + i] << 8) | (bytes[2 * n + i] << 16) | (bytes[3 * n + i] << 24);
    words[i] = (i >= stride ? words[i - stride] : 0) + ((folded >>> 1) ^ -(folded & 1)); // wraps
  }
  return words;
}

const inflateFloats = async (id, stride) => new Float32Array((await inflateWords(id, stride)).buffer);

/** Grid places of all frames: for each frame all x, all y, all z. Sums wrap at 16 bits, as in the writer. */
async function inflateMotion(meta, progress) {
  const n = meta.vertices;
  const size = 3 * n;
  const places = new Uint16Array(meta.frames * size);
  let frame = 0;
  for (const [block, frames] of meta.blocks.entries()) {
    const bytes = await inflate(`motion-${block}`);
    let low = 0;
    for (const end = frame + frames; frame < end; frame++) {
      for (let axis = 0; axis < 3; axis++, low += 2 * n) {
        const base = frame * size + axis * n;
        for (let v = 0; v < n; v++) {
          const folded = bytes[low + v] | (bytes[low + n + v] << 8);
          const at = base + v;
          const guess = frame > 1 ? 2 * places[at - size] - places[at - 2 * size]
            : frame === 1 ? places[at - size]
            : v > 0 ? places[at - 1] : 0;
          places[at] = guess + ((folded >>> 1) ^ -(folded & 1));
        }
      }
    }
    progress(frame / meta.frames);
  }
  return places;
}

/** Of all particles of fluids in all frames density over that at rest; 0 is not there. */
async function inflateDensities(meta) {
  const n = meta.bodies.reduce((sum, body) => sum + (body.fluid ? body.count : 0), 0);
  const densities = new Uint8Array(meta.frames * n);
  let frame = 0;
  for (const [block, frames] of n > 0 ? meta.blocks.entries() : []) {
    const bytes = await inflate(`density-${block}`);
    for (let i = 0; i < frames * n; i++) {
      const at = frame * n + i;
      densities[at] = bytes[i] + (at >= n ? densities[at - n] : at > 0 ? densities[at - 1] : 0); // wraps
    }
    frame += frames;
  }
  return densities;
}

async function loadRun(progress) {
  const meta = JSON.parse(document.getElementById("meta").textContent);
  const [triangles, edges, rests, pinned, surfacePoints, surfaceTriangles, poses, series] = await Promise.all([
    inflateWords("triangles", 3),
    inflateWords("edges", 2),
    inflateFloats("rest-lengths", 1),
    inflateWords("pinned", 1),
    inflateFloats("surface-points", 3),
    inflateWords("surface-triangles", 3),
    inflateFloats("poses", 7 * meta.colliders.length),
    inflateFloats("series", 4),
  ]);
  const places = await inflateMotion(meta, progress);
  const densities = await inflateDensities(meta);
  const column = (c) => Float32Array.from({ length: meta.frames }, (_, f) => series[4 * f + c]);
  const [time, kinetic, potential, stretch] = [0, 1, 2, 3].map(column);
  const total = kinetic.map((e, f) => e + potential[f]);
  const surfaces = { points: surfacePoints, triangles: surfaceTriangles };
  /** Positions of a frame, x, y, z of each vertex. */
  const read = (f, positions) => {
    const n = meta.vertices;
    for (let axis = 0; axis < 3; axis++) {
      const base = (3 * f + axis) * n, zero = meta.origin[axis];
      for (let v = 0; v < n; v++) positions[3 * v + axis] = zero + meta.step * places[base + v];
    }
  };
  /** Speed and density of each particle of fluids: the way since the frame before over its time, in the first frame until the next. */
  const flow = (f, out) => {
    const n = meta.vertices, other = f > 0 ? f - 1 : Math.min(1, meta.frames - 1);
    const rate = meta.step / Math.abs(time[f] - time[other]);
    const count = densities.length / meta.frames;
    let at = 0;
    for (const { first, count: own, fluid } of meta.bodies) {
      if (!fluid) continue;
      for (let v = first; v < first + own; v++, at++) {
        const byte = densities[f * count + at];
        const way = (axis) => places[(3 * f + axis) * n + v] - places[(3 * other + axis) * n + v];
        // What has come since has no way yet.
        const moves = byte > 0 && densities[other * count + at] > 0 && other !== f;
        out[2 * at] = moves ? rate * Math.hypot(way(0), way(1), way(2)) : 0;
        out[2 * at + 1] = meta.density[byte];
      }
    }
  };
  /** The pose of a collider in a frame. */
  const pose = (f, k) => {
    const at = 7 * (f * meta.colliders.length + k);
    return { origin: poses.subarray(at, at + 3), turn: poses.subarray(at + 3, at + 7) };
  };
  return { meta, triangles, edges, rests, pinned, surfaces, read, flow, pose, densities, time, kinetic, potential, total, stretch };
}
