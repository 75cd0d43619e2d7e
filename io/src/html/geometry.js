// What one frame looks like: positions, normals and stretch of the vertices; tubes for ropes; fluids; poses of the colliders.

/** Floats of one capsule: center 3, half length, quaternion 4 (its +y is the axis), radius, color 3, stretch. */
const CAPSULE = 13;
/** In place of a stretch: what is never colored by it. */
const NO_STRETCH = 9;
const TINTS = [[0.85, 0.40, 0.29], [0.16, 0.55, 0.55], [0.87, 0.66, 0.22], [0.50, 0.42, 0.74], [0.42, 0.62, 0.33], [0.77, 0.34, 0.50]];
const PIN_TINT = [0.98, 0.80, 0.20];
const BALL_TINT = [0.60, 0.63, 0.68];
/** Rigid bodies take turns. */
const RIGID_TINTS = [[0.80, 0.56, 0.33], [0.47, 0.62, 0.72], [0.72, 0.67, 0.48], [0.58, 0.51, 0.62], [0.50, 0.64, 0.50]];
const solidTint = (c) => (Number.isInteger(c.rigid) ? RIGID_TINTS[c.rigid % RIGID_TINTS.length] : BALL_TINT);
/** How many rigid bodies have these shapes. */
const countBodies = (shapes) => new Set(shapes.map((c) => c.rigid).filter(Number.isInteger)).size;

class Geometry {
  /**
   * `run`: { meta, triangles, edges, rests, pinned, surfaces, read, flow, pose }. `read(frame, positions)` gives the positions of a frame,
   * `flow(frame, flow)` speeds and densities of fluids' particles, `pose(frame, collider)` a collider's { origin, turn }.
   * `last`, if there is one, is what showed the same bodies before: sizes, and so widths, are its own.
   */
  constructor(run, last) {
    const { meta, triangles, edges } = run;
    const n = meta.vertices;
    this.run = run;
    this.near = fluidBox(run);
    this.positions = new Float32Array(3 * n);
    this.normals = new Float32Array(3 * n);
    this.stretches = new Float32Array(n);
    this.tints = new Float32Array(3 * n);
    meta.bodies.forEach((body, b) => {
      for (let v = body.first; v < body.first + body.count; v++) this.tints.set(TINTS[b % TINTS.length], 3 * v);
    });
    run.read(0, this.positions);
    this.sizes = last?.sizes ?? meta.bodies.map((body) => this.#sizeOf(body));
    // A body of one vertex, or all in one place, has no size.
    this.usual = last?.usual ?? (Math.max(0, ...this.sizes) || this.#diagonal());
    this.#sortParts(triangles, edges);
    this.pinRadii = this.#pinRadii();
    const round = (c) => c.shape === "sphere" || c.shape === "capsule";
    this.balls = meta.colliders.flatMap((c, k) => (round(c) ? [{ k, radius: c.lengths[0], half: c.lengths[1] ?? 0 }] : []));
    this.solids = new Solids(run);
    this.fluids = new Fluids(run);
    this.planes = meta.colliders.flatMap((c, k) => (c.shape === "plane" ? [k] : []));
    this.capsules = new Float32Array(CAPSULE * (this.tubes.length + this.grains.length + run.pinned.length));
    this.ballCapsules = new Float32Array(CAPSULE * this.balls.length);
  }

  /** A body without triangles is drawn by its edges, one without edges as grains. */
  #sortParts(triangles, edges) {
    const { meta, rests } = this.run;
    const covered = new Uint8Array(meta.vertices);
    for (const v of triangles) covered[v] = 1;
    const bare = meta.bodies.map((body, b) => ({ ...body, size: this.sizes[b] || this.usual })).filter((b) => {
      if (b.fluid) return false;
      for (let v = b.first; v < b.first + b.count; v++) if (covered[v]) return false;
      return true;
    });
    const radius = new Float32Array(meta.vertices);
    const joined = new Uint8Array(meta.vertices);
    for (const body of bare) {
      for (let e = 0; e < rests.length; e++) {
        const v = edges[2 * e];
        if (v < body.first || v >= body.first + body.count) continue;
        joined[v] = joined[edges[2 * e + 1]] = 1;
      }
      radius.fill(Math.max(body.thickness, 0.002 * body.size), body.first, body.first + body.count);
    }
    this.radius = radius;
    this.tubes = [];
    for (let e = 0; e < rests.length; e++) if (radius[edges[2 * e]] > 0) this.tubes.push(e);
    this.grains = [];
    for (const b of bare) for (let v = b.first; v < b.first + b.count; v++) if (!joined[v]) this.grains.push(v);
  }

  /** Diagonal of a body's box in the frame that is read, so that nothing grows with the way that something goes in a run. */
  #sizeOf({ first, count }) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (let at = 3 * first; at < 3 * (first + count); at++) {
      low[at % 3] = Math.min(low[at % 3], this.positions[at]);
      high[at % 3] = Math.max(high[at % 3], this.positions[at]);
    }
    return count > 0 ? Math.hypot(...low.map((x, axis) => high[axis] - x)) : 0;
  }

  /** The radius of the ball that marks each pinned vertex: by the size of its own body. */
  #pinRadii() {
    const { meta, pinned } = this.run;
    return Array.from(pinned, (v) => {
      const b = meta.bodies.findIndex(({ first, count }) => v >= first && v < first + count);
      return Math.max(0.0045 * (this.sizes[b] || this.usual), 1.35 * this.radius[v]);
    });
  }

  #diagonal() {
    const { low, high } = this.near ?? this.run.meta;
    return Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]) || 1;
  }

  /** Box of all frames, colliders included unless they stray far. */
  box() {
    const { meta } = this.run;
    const nothing = meta.vertices === 0;
    const box = nothing ? { low: Array(3).fill(Infinity), high: Array(3).fill(-Infinity) } : { low: [...(this.near ?? meta).low], high: [...(this.near ?? meta).high] };
    for (let f = 0; f < meta.frames; f++) this.addColliders(f, box);
    return box;
  }

  /** Makes a box hold the rigid bodies of a frame, and its colliders unless they stray far. */
  addColliders(f, { low, high }) {
    this.#addWalls({ low, high });
    const { meta } = this.run;
    const round = this.balls.map(({ k, radius, half }) => ({ k, reach: radius + half }));
    const all = [...round, ...this.solids.parts];
    const isRigid = ({ k }) => Number.isInteger(meta.colliders[k].rigid);
    const add = ({ k, reach }, least, most) => {
      const { origin } = this.run.pose(f, k);
      for (let axis = 0; axis < 3; axis++) {
        low[axis] = Math.min(low[axis], Math.max(origin[axis] - reach, least[axis]));
        high[axis] = Math.max(high[axis], Math.min(origin[axis] + reach, most[axis]));
      }
    };
    for (const solid of all.filter(isRigid)) add(solid, Array(3).fill(-Infinity), Array(3).fill(Infinity));
    // Where nothing else is, colliders are the picture.
    const near = meta.vertices > 0 || !(low[0] <= high[0]) ? meta : { low: [...low], high: [...high] };
    const stray = 0.5 * Math.hypot(...near.low.map((x, axis) => near.high[axis] - x));
    const others = all.filter((solid) => !isRigid(solid));
    for (const solid of others) add(solid, near.low.map((x) => x - stray), near.high.map((x) => x + stray));
  }

  /** Makes a box hold the walls that stand about fluids, unless they are far. */
  #addWalls({ low, high }) {
    if (this.fluids.parts.length === 0) return;
    const far = 3 * Math.hypot(...low.map((x, axis) => high[axis] - x));
    for (const k of this.planes) {
      const { origin, turn } = this.run.pose(0, k), normal = turned(turn, [0, 1, 0]);
      for (const axis of [0, 2]) {
        if (Math.abs(normal[axis]) < 0.99 || origin[axis] < low[axis] - far || origin[axis] > high[axis] + far) continue;
        low[axis] = Math.min(low[axis], origin[axis]);
        high[axis] = Math.max(high[axis], origin[axis]);
      }
    }
  }

  /** Calls `take` with each vertex that moves: all without those that are pinned, or not born yet. */
  #movers(take) {
    const { meta, pinned } = this.run;
    const held = new Set(pinned.length < meta.vertices ? pinned : []);
    for (const { first, count, at } of this.fluids.parts) {
      for (let i = 0; i < count; i++) if (this.fluids.flow[FLOW * (at + i) + 1] === 0) held.add(first + i);
    }
    for (let v = 0; v < meta.vertices; v++) if (!held.has(v)) take(v);
  }

  /** Box of what moves, in this frame: of the bodies without their pinned vertices. */
  moving() {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    this.#movers((v) => {
      for (let axis = 0; axis < 3; axis++) {
        low[axis] = Math.min(low[axis], this.positions[3 * v + axis]);
        high[axis] = Math.max(high[axis], this.positions[3 * v + axis]);
      }
    });
    return low[0] <= high[0] ? { low, high } : this.box();
  }

  /** Where most of what moves is, in this frame: a piece that is torn off and falls does not take the camera along. */
  middle() {
    const along = [[], [], []];
    this.#movers((v) => along.forEach((all, axis) => all.push(this.positions[3 * v + axis])));
    if (along[0].length === 0) return this.box();
    const low = [0, 0, 0], high = [0, 0, 0];
    along.forEach((all, axis) => {
      const sorted = Float64Array.from(all).sort(), at = (share) => sorted[Math.floor(share * (sorted.length - 1))];
      const [least, middle, most] = [0.05, 0.5, 0.95].map(at);
      const half = Math.max(middle - least, most - middle) / 0.9;
      [low[axis], high[axis]] = [middle - half, middle + half];
    });
    return { low, high };
  }

  /** Whether what moves goes so far that it would be small in a picture of the whole run. */
  strays() {
    const size = ({ low, high }) => Math.hypot(...low.map((x, axis) => high[axis] - x));
    return this.#diagonal() > 6 * size(this.moving());
  }

  /** Takes frame `f`. */
  update(f) {
    this.run.read(f, this.positions);
    this.fluids.update(f);
    this.#smoothNormals();
    this.#stretch();
    this.#capsules(f);
  }

  /** Sums of the triangles' normals, each as long as twice its area. */
  #smoothNormals() {
    const { positions: p, normals: out } = this;
    const { triangles } = this.run;
    out.fill(0);
    for (let t = 0; t < triangles.length; t += 3) {
      const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
      const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
      const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
      const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
      out[a] += x; out[a + 1] += y; out[a + 2] += z;
      out[b] += x; out[b + 1] += y; out[b + 2] += z;
      out[c] += x; out[c + 1] += y; out[c + 2] += z;
    }
    for (let i = 0; i < out.length; i += 3) {
      const length = Math.hypot(out[i], out[i + 1], out[i + 2]) || 1;
      out[i] /= length; out[i + 1] /= length; out[i + 2] /= length;
    }
  }

  /** Of each vertex's edges the stretch that is largest in size, with its sign: a mean would hide warp against weft. */
  #stretch() {
    const { positions: p, stretches } = this;
    const { edges, rests } = this.run;
    stretches.fill(0);
    for (let e = 0; e < rests.length; e++) {
      const i = edges[2 * e], j = edges[2 * e + 1];
      const x = p[3 * i] - p[3 * j], y = p[3 * i + 1] - p[3 * j + 1], z = p[3 * i + 2] - p[3 * j + 2];
      const s = rests[e] > 0 ? Math.sqrt(x * x + y * y + z * z) / rests[e] - 1 : 0;
      if (Math.abs(s) > Math.abs(stretches[i])) stretches[i] = s;
      if (Math.abs(s) > Math.abs(stretches[j])) stretches[j] = s;
    }
  }

  #capsules(f) {
    const { edges, rests, pinned } = this.run;
    const { positions: p, radius } = this;
    let at = 0;
    const grain = (v, r, tint) => {
      this.capsules.set([p[3 * v], p[3 * v + 1], p[3 * v + 2], 0, 0, 0, 0, 1, r, ...tint, NO_STRETCH], at);
      at += CAPSULE;
    };
    for (const e of this.tubes) {
      const i = edges[2 * e], j = edges[2 * e + 1];
      const d = [p[3 * j] - p[3 * i], p[3 * j + 1] - p[3 * i + 1], p[3 * j + 2] - p[3 * i + 2]];
      const length = Math.hypot(...d);
      const middle = [0, 1, 2].map((axis) => 0.5 * (p[3 * i + axis] + p[3 * j + axis]));
      const stretch = rests[e] > 0 ? length / rests[e] - 1 : 0;
      this.capsules.set([...middle, 0.5 * length, ...turnFromUp(d, length), radius[i], ...this.#tint(i), stretch], at);
      at += CAPSULE;
    }
    for (const v of this.grains) grain(v, radius[v], this.#tint(v));
    pinned.forEach((v, i) => grain(v, this.pinRadii[i], PIN_TINT));
    this.balls.forEach(({ k, radius: r, half }, b) => {
      const { origin, turn } = this.run.pose(f, k);
      this.ballCapsules.set([...origin, half, ...turn, r, ...solidTint(this.run.meta.colliders[k]), NO_STRETCH], CAPSULE * b);
    });
    this.solids.update((k) => this.run.pose(f, k));
  }

  #tint(v) {
    return this.tints.subarray(3 * v, 3 * v + 3);
  }

  /** Each side of a triangle once. */
  wires() {
    const { triangles, meta } = this.run;
    const keys = new Float64Array(triangles.length); // pairs reach past 32 bits
    for (let t = 0; t < triangles.length; t++) {
      const a = triangles[t], b = triangles[t % 3 === 2 ? t - 2 : t + 1];
      keys[t] = Math.min(a, b) * meta.vertices + Math.max(a, b);
    }
    keys.sort();
    const pairs = [];
    keys.forEach((key, i) => {
      if (i === 0 || key !== keys[i - 1]) pairs.push(Math.floor(key / meta.vertices), key % meta.vertices);
    });
    return Uint32Array.from(pairs);
  }
}

/** The shortest turn from +y to `d`: the half-way vector, as a quaternion x, y, z, w. */
function turnFromUp([x, y, z], length) {
  if (!(length > 0)) return [0, 0, 0, 1];
  const w = 1 + y / length;
  if (w < 1e-6) return [1, 0, 0, 0];
  const scale = 1 / Math.sqrt(2 * w);
  return [z / length * scale, 0, -x / length * scale, w * scale];
}
