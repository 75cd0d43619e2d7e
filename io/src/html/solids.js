// Colliders that are no balls: their surfaces as triangles, put where they are in each frame.

const AROUND = 64, TUBE = 24;

class Solids {
  constructor(run) {
    const surfaces = { cuboid: cuboidSurface, cylinder: cylinderSurface, torus: torusSurface };
    this.parts = [];
    const corners = [];
    const given = givenSurfaces(run);
    let count = 0;
    run.meta.colliders.forEach((c, k) => {
      if (!surfaces[c.shape] && !c.surface) return;
      const { points, normals, triangles } = c.surface ? given(c) : surfaces[c.shape](...c.lengths);
      for (const corner of triangles) corners.push(corner + count);
      const reach = points.reduce((most, p) => Math.max(most, Math.hypot(...p)), 0);
      this.parts.push({ k, first: count, points, normals, reach, tint: solidTint(c) });
      count += points.length;
    });
    this.positions = new Float32Array(3 * count);
    this.normals = new Float32Array(3 * count);
    this.tints = new Float32Array(3 * count);
    for (const { first, points, tint } of this.parts) points.forEach((_, v) => this.tints.set(tint, 3 * (first + v)));
    this.stretches = new Float32Array(count).fill(NO_STRETCH);
    this.run = { triangles: Uint32Array.from(corners) };
  }

  /** Takes the pose of each collider. */
  update(pose) {
    for (const { k, first, points, normals } of this.parts) {
      const { origin, turn } = pose(k);
      points.forEach((p, i) => {
        const x = turned(turn, p);
        this.positions.set([origin[0] + x[0], origin[1] + x[1], origin[2] + x[2]], 3 * (first + i));
        this.normals.set(turned(turn, normals[i]), 3 * (first + i));
      });
    }
  }
}

/** Takes the surfaces that colliders bring with them, one after another. A hull's faces are flat, others are smooth. */
function givenSurfaces(run) {
  let point = 0, corner = 0;
  return (c) => {
    const [count, faces] = c.surface, at = point;
    const read = (v) => [...run.surfaces.points.subarray(3 * (at + v), 3 * (at + v) + 3)];
    let triangles = run.surfaces.triangles.subarray(corner, corner + 3 * faces);
    point += count;
    corner += 3 * faces;
    let points = Array.from({ length: count }, (_, v) => read(v));
    if (c.shape === "hull") {
      points = Array.from(triangles, read);
      triangles = triangles.map((_, i) => i);
    }
    return { points, normals: pointNormals(points, triangles), triangles };
  };
}

/** Sums of the triangles' normals, scaled to 1. */
function pointNormals(points, triangles) {
  const normals = points.map(() => [0, 0, 0]);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => points[triangles[t + k]]);
    const e = b.map((x, k) => x - a[k]), f = c.map((x, k) => x - a[k]);
    const n = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
    for (let k = 0; k < 3; k++) n.forEach((x, axis) => (normals[triangles[t + k]][axis] += x));
  }
  return normals.map((n) => n.map((x) => x / (Math.hypot(...n) || 1)));
}

/** Squares of a grid of points, `across` in each of `rows`; counterclockwise where along x up is left of it. */
function squares(rows, across) {
  const triangles = [];
  for (let i = 1; i < rows; i++) {
    for (let j = 1; j < across; j++) {
      const d = i * across + j, c = d - 1, b = d - across, a = b - 1;
      triangles.push(a, b, d, a, d, c);
    }
  }
  return triangles;
}

function cuboidSurface(x, y, z) {
  const half = [x, y, z], points = [], normals = [], triangles = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-1, 1]) {
      const [u, v] = [(axis + 1) % 3, (axis + 2) % 3], first = points.length;
      for (const [s, t] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
        const point = [0, 0, 0], normal = [0, 0, 0];
        point[axis] = side * half[axis];
        // Seen from outside, the corners go round to the left.
        point[u] = side * s * half[u];
        point[v] = t * half[v];
        normal[axis] = side;
        points.push(point);
        normals.push(normal);
      }
      triangles.push(first, first + 1, first + 2, first, first + 2, first + 3);
    }
  }
  return { points, normals, triangles };
}

function cylinderSurface(radius, half) {
  const points = [], normals = [];
  // The lower end from its middle, the side, the upper end to its middle.
  for (const [r, y, out, up] of [[0, -half, 0, -1], [radius, -half, 0, -1], [radius, -half, 1, 0], [radius, half, 1, 0], [radius, half, 0, 1], [0, half, 0, 1]]) {
    for (let j = 0; j <= AROUND; j++) {
      const a = j / AROUND * 2 * Math.PI, [c, s] = [Math.cos(a), -Math.sin(a)];
      points.push([r * c, y, r * s]);
      normals.push([out * c, up, out * s]);
    }
  }
  return { points, normals, triangles: squares(6, AROUND + 1) };
}

function torusSurface(ring, tube) {
  const points = [], normals = [];
  for (let i = 0; i <= TUBE; i++) {
    const b = i / TUBE * 2 * Math.PI, [out, up] = [Math.cos(b), Math.sin(b)];
    for (let j = 0; j <= AROUND; j++) {
      const a = j / AROUND * 2 * Math.PI, [c, s] = [Math.cos(a), -Math.sin(a)];
      points.push([(ring + tube * out) * c, tube * up, (ring + tube * out) * s]);
      normals.push([out * c, up, out * s]);
    }
  }
  return { points, normals, triangles: squares(TUBE + 1, AROUND + 1) };
}
