// One picture with its engine, its scene and what it has recorded. Two of them stand side by side in a comparison.

/** Colors of lines. */
const LINE_COLORS = { normals: [0.25, 0.55, 0.85], contacts: [0.85, 0.2, 0.25] };

class Pane {
  constructor(canvas, engine, camera, limit) {
    Object.assign(this, { canvas, engine, camera });
    this.recording = new Recording(limit);
    this.opened = this.shown = this.geometry = this.renderer = this.box = null;
    this.blind = false; // without WebGL nothing is drawn, and all else works
    canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.renderer = null;
    });
    canvas.addEventListener("webglcontextrestored", () => this.#build());
  }

  /** Takes an answer that describes a scene. */
  open(answer) {
    // States that are kept may be of another scene.
    if (answer.carried && JSON.stringify(answer.bodies) !== JSON.stringify(this.opened?.bodies)) answer.carried = false;
    this.opened = answer;
    if (answer.carried) this.recording.refit(answer.poses);
    else this.recording.clear();
    const box = boxOf(answer.positions);
    const meta = { vertices: answer.vertices, bodies: answer.bodies, colliders: answer.colliders, frames: 1, low: box.low, high: box.high };
    const surfaces = { points: answer["surface-points"] ?? new Float32Array(0), triangles: answer["surface-triangles"] ?? new Uint32Array(0) };
    this.run = {
      meta, surfaces, triangles: answer.triangles, edges: answer.edges, rests: answer.rests, pinned: answer.pinned,
      read: (_, positions) => positions.set(this.shown.positions),
      flow: (_, flow) => flowOf(this.run.meta.bodies, this.shown, flow),
      pose: (_, k) => ({ origin: this.shown.poses.subarray(7 * k, 7 * k + 3), turn: this.shown.poses.subarray(7 * k + 3, 7 * k + 7) }),
    };
    this.shown = answer;
    this.add(answer);
    this.geometry = new Geometry(this.run);
    this.geometry.addColliders(0, box);
    const grown = this.box && answer.carried ? join(this.box, box) : box;
    this.box = grown;
    this.#build();
  }

  #build() {
    if (this.renderer) this.renderer.load(this.geometry, this.box);
    else if (!this.blind) {
      try {
        this.renderer = new Renderer(this.canvas, this.geometry, this.box);
      } catch {
        this.blind = true;
      }
    }
    this.show(this.shown);
  }

  /** Records a frame; `took` is what its step took, milliseconds, if there was one. */
  add(shown, took = NaN) {
    const { frame, time, energy, stretch, contacts, hash, touched, trouble, positions, velocities, poses, rigid, pinned, densities, ids, touching } = shown;
    const kept = { frame, time, energy, stretch, contacts, took, hash, touched, trouble, positions, velocities, poses, rigid, pinned, densities, ids, touching };
    this.recording.push(kept);
    return kept;
  }

  /** Shows a frame. */
  show(shown) {
    const pins = this.run.pinned;
    this.shown = shown;
    if (shown.pinned.length !== pins.length || shown.pinned.some((v, i) => v !== pins[i])) {
      this.run.pinned = shown.pinned;
      this.geometry = new Geometry(this.run, this.geometry);
      this.renderer?.load(this.geometry, this.box);
    }
    this.geometry.update(0);
    const now = boxOf(this.geometry.positions);
    if (!holds(this.box, now)) {
      this.box = join(this.box, now, 0.25);
      this.run.meta.low = this.box.low;
      this.run.meta.high = this.box.high;
      this.renderer?.aimSun(this.box);
    }
    this.renderer?.upload();
  }

  /** Lines over the picture: constraints in the order of solving, normals or contacts. */
  overlay(mode) {
    const { geometry, renderer, opened, shown } = this;
    if (!renderer) return;
    const p = geometry.positions;
    const reach = 0.02 * Math.hypot(...this.box.low.map((x, axis) => this.box.high[axis] - x));
    const lines = new Lines();
    if (mode === "batches" || mode === "patches") {
      const which = mode === "patches" ? 0 : 1, { order, edges } = opened;
      lines.room(order.length / 2);
      for (let e = 0; e < order.length / 2; e++) {
        const color = colorOf(order[2 * e + which]), i = 3 * edges[2 * e], j = 3 * edges[2 * e + 1];
        lines.add(color, p[i], p[i + 1], p[i + 2], p[j], p[j + 1], p[j + 2]);
      }
    } else if (mode === "normals") {
      const n = geometry.normals;
      lines.room(n.length / 3);
      for (let v = 0; v < n.length; v += 3) lines.along(LINE_COLORS.normals, p, v, n, v, reach);
    } else if (mode === "contacts" && shown.touching) {
      const at = shown.touching;
      lines.room(at.length / 6);
      for (let c = 0; c < at.length; c += 6) lines.along(LINE_COLORS.contacts, at, c, at, c + 3, reach);
    }
    renderer.lines(lines.ends);
  }

  draw(look) {
    this.renderer?.draw(this.camera, 0, look);
  }
}

/** Speed and density of each particle of fluids. */
function flowOf(bodies, { velocities: u, densities }, flow) {
  let at = 0;
  for (const { first, count, fluid } of bodies) {
    if (!fluid) continue;
    for (let v = 3 * first; v < 3 * (first + count); v += 3, at++) {
      flow[2 * at] = Math.hypot(u[v], u[v + 1], u[v + 2]);
      flow[2 * at + 1] = densities[at];
    }
  }
}

/** Lines as a renderer takes them: six numbers an end, x, y, z and a color. */
class Lines {
  #at = 0;

  /** Has room for so many lines, and none yet. */
  room(count) {
    this.ends = new Float32Array(12 * count);
  }

  add([r, g, b], x, y, z, u, v, w) {
    const { ends } = this, at = this.#at;
    ends[at] = x, ends[at + 1] = y, ends[at + 2] = z, ends[at + 6] = u, ends[at + 7] = v, ends[at + 8] = w;
    ends[at + 3] = ends[at + 9] = r, ends[at + 4] = ends[at + 10] = g, ends[at + 5] = ends[at + 11] = b;
    this.#at += 12;
  }

  /** From a point along a direction; both are in arrays, from these places on. */
  along(color, points, at, ways, to, reach) {
    const x = points[at], y = points[at + 1], z = points[at + 2];
    this.add(color, x, y, z, x + reach * ways[to], y + reach * ways[to + 1], z + reach * ways[to + 2]);
  }
}

/** Colors by number. */
const HUES = new Map();

/** A hue for each number: neighbours differ much. */
function colorOf(number) {
  if (!HUES.has(number)) {
    const hue = (number * 0.61803398875) % 1;
    HUES.set(number, [0, 1 / 3, 2 / 3].map((shift) => clamp(Math.abs(((hue + shift) % 1) * 6 - 3) - 1, 0, 1) * 0.75 + 0.12));
  }
  return HUES.get(number);
}

function boxOf(positions) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; i++) {
    const axis = i % 3, x = positions[i];
    if (x < low[axis]) low[axis] = x;
    if (x > high[axis]) high[axis] = x;
  }
  return low[0] <= high[0] ? { low, high } : { low: [0, 0, 0], high: [0, 0, 0] };
}

const holds = (box, other) => box.low.every((x, axis) => x <= other.low[axis] && box.high[axis] >= other.high[axis]);

/** A box about both, larger by a share of its size where the second reaches out. */
function join(a, b, more = 0) {
  const low = [], high = [];
  for (let axis = 0; axis < 3; axis++) {
    const size = Math.max(a.high[axis], b.high[axis]) - Math.min(a.low[axis], b.low[axis]);
    low.push(b.low[axis] < a.low[axis] ? b.low[axis] - more * size : a.low[axis]);
    high.push(b.high[axis] > a.high[axis] ? b.high[axis] + more * size : a.high[axis]);
  }
  return { low, high };
}
