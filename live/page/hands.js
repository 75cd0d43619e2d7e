// Hands: what the pointer does in the picture. A press on a body grabs it, one on a collider drags that, one beside
// them turns the view; a knife cuts.

/** Pixels within which a vertex of a rope is hit. */
const NEAR = 14;
/** Speed of a thrown ball in sizes of the scene a second, and its size. */
const THROW = { speed: 2.2, radius: 0.06 };
/** Wind that is blown, m/s for a drag over the height of the picture. */
const BLOW = 30;
/** How long a knife is, in distances of the camera. */
const KNIFE = 100;

/** A ray from a place of the picture, from 0 at its left and lower edge to 1. */
function rayAt(camera, x, y) {
  const [right, up, back] = camera.axes();
  const slope = Math.tan(FIELD / 2);
  const across = (2 * x - 1) * slope * camera.aspect, along = (2 * y - 1) * slope;
  const eye = camera.eye();
  if (camera.flat) {
    const d = camera.distance;
    return { from: eye.map((c, k) => c + d * (across * right[k] + along * up[k]) + 60 * camera.radius * back[k]), way: back.map((c) => -c) };
  }
  return { from: eye, way: normalize(back.map((c, k) => -c + across * right[k] + along * up[k])) };
}

/** Where a ray meets a triangle, as a length along it: Möller and Trumbore 1997. In numbers of its own: there may be 100,000. */
function meets({ from, way }, p, a, b, c) {
  const [wx, wy, wz] = way;
  const ax = p[3 * a], ay = p[3 * a + 1], az = p[3 * a + 2];
  const ex = p[3 * b] - ax, ey = p[3 * b + 1] - ay, ez = p[3 * b + 2] - az;
  const fx = p[3 * c] - ax, fy = p[3 * c + 1] - ay, fz = p[3 * c + 2] - az;
  const hx = wy * fz - wz * fy, hy = wz * fx - wx * fz, hz = wx * fy - wy * fx;
  const d = ex * hx + ey * hy + ez * hz;
  if (Math.abs(d) < 1e-20) return Infinity;
  const sx = from[0] - ax, sy = from[1] - ay, sz = from[2] - az;
  const i = (sx * hx + sy * hy + sz * hz) / d;
  if (i < 0 || i > 1) return Infinity;
  const qx = sy * ez - sz * ey, qy = sz * ex - sx * ez, qz = sx * ey - sy * ex;
  const j = (wx * qx + wy * qy + wz * qz) / d;
  if (j < 0 || i + j > 1) return Infinity;
  const t = (fx * qx + fy * qy + fz * qz) / d;
  return t > 0 ? t : Infinity;
}

/** Where a ray meets a capsule's balls and middle, roughly: spheres along it. */
function meetsBall({ from, way }, middle, radius) {
  const s = from.map((x, k) => x - middle[k]);
  const b = dot(s, way), c = dot(s, s) - radius * radius;
  const root = b * b - c;
  return root < 0 || -b - Math.sqrt(root) < 0 ? Infinity : -b - Math.sqrt(root);
}

/** What lies under a ray: { body, vertex near it } or { collider }, with the length along it. A rigid body hides what is behind it. */
function pick(pane, ray, pixel) {
  const { geometry, run } = pane;
  const p = geometry.positions;
  let best = { t: Infinity };
  const { triangles } = run;
  for (let t = 0; t < triangles.length; t += 3) {
    const at = meets(ray, p, triangles[t], triangles[t + 1], triangles[t + 2]);
    if (at < best.t) best = { t: at, vertex: triangles[t] };
  }
  for (const v of [...new Set(geometry.tubes.flatMap((e) => [run.edges[2 * e], run.edges[2 * e + 1]])), ...geometry.grains]) {
    const at = meetsBall(ray, [p[3 * v], p[3 * v + 1], p[3 * v + 2]], Math.max(geometry.radius[v], NEAR * pixel));
    if (at < best.t) best = { t: at, vertex: v };
  }
  geometry.balls.forEach(({ k, radius, half }) => {
    const { origin, turn } = run.pose(0, k);
    const axis = turned(turn, [0, 1, 0]);
    for (let i = -8; i <= 8; i++) {
      const at = meetsBall(ray, [...origin].map((x, c) => x + (i / 8) * half * axis[c]), radius);
      if (at < best.t) best = { t: at, collider: k };
      if (half === 0) break;
    }
  });
  const { positions, parts, run: { triangles: corners } } = geometry.solids;
  for (let t = 0; t < corners.length; t += 3) {
    const at = meets(ray, positions, corners[t], corners[t + 1], corners[t + 2]);
    if (at < best.t) best = { t: at, collider: parts.findLast((part) => part.first <= corners[t]).k };
  }
  if (best.t === Infinity || Number.isInteger(run.meta.colliders[best.collider]?.rigid)) return null;
  if (best.vertex !== undefined) best.body = run.meta.bodies.findIndex((b) => best.vertex >= b.first && best.vertex < b.first + b.count);
  best.point = ray.from.map((x, k) => x + best.t * ray.way[k]);
  return best;
}

/** Where a ray meets the plane through a point that faces the camera. */
function onPlane(camera, ray, point) {
  const back = camera.axes()[2];
  const t = dot(point.map((x, k) => x - ray.from[k]), back) / dot(ray.way, back);
  return ray.from.map((x, k) => x + t * ray.way[k]);
}

class Hands {
  /**
   * `ask` sends a request to the pane's engine; `changed` is called when something is held or let go; `pin` gets a pane, body and vertex,
   * `throwBall` the request for engines.
   */
  constructor({ camera, ask, changed, pin, throwBall }) {
    Object.assign(this, { camera, ask, changed, pin, throwBall, tool: "hand", held: new Map(), wind: null, cuts: [] });
  }

  /** Lets all go. */
  drop() {
    this.held.clear();
    this.wind = null;
    this.cuts = [];
  }

  /** The cuts since the last time that they were asked for: each is for one step. */
  takeCuts() {
    const { cuts } = this;
    this.cuts = [];
    return cuts;
  }

  /** What to hold in the next steps of a pane: of bodies that are not alike only what was taken in it. */
  hold(at, cuts) {
    const pulls = [], colliders = [];
    for (const { pane, body, vertex, collider, target } of this.held.values()) {
      if (collider !== undefined) colliders.push({ collider, position: target });
      else if (vertex !== undefined && isLike(pane, at, body)) pulls.push({ body, vertex, target });
    }
    return { do: "hold", pulls, colliders, wind: this.wind, cuts };
  }

  /** A finger comes down. What is then not held turns the view. */
  async down(pane, id, x, y, pixel) {
    const ray = rayAt(this.camera, x, y);
    if (this.tool === "view") return;
    if (this.tool === "throw") return this.#throw(pane, ray);
    if (this.tool === "wind") {
      this.held.set(id, { blows: true, from: [x, y] });
      return;
    }
    if (this.tool === "knife") {
      this.held.set(id, { knife: this.#knife(ray) });
      return;
    }
    const found = pick(pane, ray, pixel);
    if (!found) return;
    const { body, point, collider } = found;
    if (collider !== undefined) {
      if (this.tool !== "hand") return;
      const { origin } = pane.run.pose(0, collider);
      const offset = [...origin].map((c, k) => c - point[k]);
      this.held.set(id, { pane, collider, point, offset, target: [...origin] });
      this.changed();
      return;
    }
    const held = { pane, body, point, offset: [0, 0, 0], target: point };
    const isPin = this.tool === "pin";
    if (!isPin) this.held.set(id, held);
    const { vertex } = await this.ask(pane, { do: "nearest", body, point });
    if (isPin) return this.pin(pane, body, vertex);
    held.vertex = vertex;
    this.changed();
  }

  move(id, x, y) {
    const held = this.held.get(id);
    if (!held) return;
    if (held.knife) {
      const from = held.knife, to = this.#knife(rayAt(this.camera, x, y));
      if (from[1].every((c, k) => c === to[1][k])) return;
      held.knife = to;
      this.cuts.push({ from, to });
    } else if (held.blows) {
      const [right, up] = this.camera.axes();
      const dx = (x - held.from[0]) * BLOW, dy = (y - held.from[1]) * BLOW;
      this.wind = right.map((c, k) => c * dx + up[k] * dy);
    } else {
      const at = onPlane(this.camera, rayAt(this.camera, x, y), held.point);
      held.target = at.map((c, k) => c + held.offset[k]);
    }
    this.changed();
  }

  up(id) {
    const held = this.held.get(id);
    if (!held) return;
    if (held.blows) this.wind = null;
    this.held.delete(id);
    this.changed();
  }

  /** A segment along a ray, from its start. */
  #knife({ from, way }) {
    return [from, from.map((c, k) => c + KNIFE * this.camera.distance * way[k])];
  }

  async #throw(pane, { from, way }) {
    const size = Math.hypot(...pane.box.low.map((c, k) => pane.box.high[k] - c)) || 1;
    // Not from far behind the scene.
    const start = Math.max(0, dot(pane.box.low.map((c, k) => 0.5 * (c + pane.box.high[k]) - from[k]), way) - 0.7 * size);
    const place = from.map((c, k) => c + start * way[k]);
    await this.throwBall({ do: "throw", from: place, velocity: way.map((c) => c * THROW.speed * size), radius: THROW.radius * size });
  }
}
