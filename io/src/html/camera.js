// An orbit about a target, in perspective or flat; matrices are by columns, as WebGL wants them.

const FIELD = 32 * Math.PI / 180;
const UPRIGHT = Math.PI / 2;
const VIEWS = {
  front: { yaw: 0, pitch: 0, flat: true },
  side: { yaw: UPRIGHT, pitch: 0, flat: true },
  top: { yaw: 0, pitch: UPRIGHT, flat: true },
  perspective: { yaw: 0.62, pitch: 0.36, flat: false },
};

class Camera {
  constructor({ low, high }) {
    this.low = low;
    this.high = high;
    this.center = low.map((x, axis) => 0.5 * (x + high[axis]));
    this.radius = 0.5 * Math.hypot(...low.map((x, axis) => high[axis] - x)) || 0.5;
    this.aspect = 1;
    this.look("perspective");
  }

  /** Right, up and back. */
  axes() {
    const [sy, cy, sp, cp] = [Math.sin(this.yaw), Math.cos(this.yaw), Math.sin(this.pitch), Math.cos(this.pitch)];
    return [[cy, 0, -sy], [-sy * sp, cp, -cy * sp], [sy * cp, sp, cy * cp]];
  }

  /** Fits a box from now on, in place of the whole scene, and goes with its middle; the whole scene again without a box. */
  hold(box) {
    this.whole ??= { low: this.low, high: this.high };
    Object.assign(this, box ?? this.whole);
    this.center = this.low.map((x, axis) => 0.5 * (x + this.high[axis]));
    this.radius = 0.5 * Math.hypot(...this.low.map((x, axis) => this.high[axis] - x)) || 0.5;
    this.fit();
  }

  /** Moves as the middle of the box that it holds has moved; gives the way. */
  go({ low, high }) {
    const center = low.map((x, axis) => 0.5 * (x + high[axis]));
    const way = center.map((x, axis) => x - this.center[axis]);
    const along = (at) => at.map((x, axis) => x + way[axis]);
    Object.assign(this, { center, low: along(this.low), high: along(this.high), target: along(this.target) });
    return way;
  }

  /** Takes a named view of the whole scene. */
  look(view) {
    Object.assign(this, VIEWS[view], { view });
    this.fit();
  }

  /** Moves so far away that the box fills the picture; `fitted` until someone moves it otherwise. */
  fit() {
    this.fitted = true;
    const [right, up, back] = this.axes();
    const slope = Math.tan(FIELD / 2);
    let distance = 1e-6;
    for (let corner = 0; corner < 8; corner++) {
      const offset = this.center.map((x, axis) => (corner >> axis & 1 ? this.high : this.low)[axis] - x);
      const wide = Math.max(Math.abs(dot(offset, right)) / this.aspect, Math.abs(dot(offset, up))) / slope;
      distance = Math.max(distance, wide + (this.flat ? 0 : dot(offset, back)));
    }
    // Flat views fill the box to its edges; the title lies over the top of the picture.
    this.distance = (this.flat ? 1.24 : 1.1) * distance;
    const lift = (this.flat ? 0.07 : 0) * slope * this.distance;
    this.target = this.center.map((x, axis) => x + lift * up[axis]);
  }

  rotate(dx, dy) {
    this.view = null;
    this.fitted = false;
    this.yaw -= dx;
    this.pitch = clamp(this.pitch + dy, -UPRIGHT, UPRIGHT);
  }

  /** Moves the target by parts of the picture's height. */
  pan(dx, dy) {
    this.fitted = false;
    const [right, up] = this.axes();
    const height = 2 * Math.tan(FIELD / 2) * this.distance;
    this.target = this.target.map((x, axis) => x - height * (dx * right[axis] - dy * up[axis]));
  }

  zoom(factor) {
    this.fitted = false;
    this.distance = clamp(this.distance * factor, 0.02 * this.radius, 40 * this.radius);
  }

  eye() {
    const back = this.axes()[2];
    return this.target.map((x, axis) => x + this.distance * back[axis]);
  }

  /** World to clip space. */
  matrix() {
    const slope = Math.tan(FIELD / 2);
    const far = this.distance + 60 * this.radius;
    const projection = this.flat
      ? flatten(slope * this.distance * this.aspect, slope * this.distance, -far, far)
      : project(slope, this.aspect, Math.max(0.02 * this.distance, 0.5 * (this.distance - 6 * this.radius)), far);
    return multiply(projection, lookFrom(this.axes(), this.eye()));
  }

  /** Moves toward another camera's place, `t` from 0 to 1. */
  blend(from, to, t) {
    const mix = (a, b) => a + (b - a) * t;
    const turn = Math.atan2(Math.sin(to.yaw - from.yaw), Math.cos(to.yaw - from.yaw));
    this.yaw = from.yaw + turn * t;
    this.pitch = mix(from.pitch, to.pitch);
    this.distance = from.distance * (to.distance / from.distance) ** t;
    this.target = from.target.map((x, axis) => mix(x, to.target[axis]));
  }

  place() {
    return { yaw: this.yaw, pitch: this.pitch, distance: this.distance, target: [...this.target] };
  }
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const normalize = (a) => a.map((x) => x / Math.hypot(...a));
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

function multiply(a, b) {
  const out = new Float32Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      for (let i = 0; i < 4; i++) out[4 * column + row] += a[4 * i + row] * b[4 * column + i];
    }
  }
  return out;
}

function lookFrom([r, u, b], eye) {
  return [r[0], u[0], b[0], 0, r[1], u[1], b[1], 0, r[2], u[2], b[2], 0, -dot(r, eye), -dot(u, eye), -dot(b, eye), 1];
}

function project(slope, aspect, near, far) {
  const depth = near - far;
  return [1 / (slope * aspect), 0, 0, 0, 0, 1 / slope, 0, 0, 0, 0, (near + far) / depth, -1, 0, 0, 2 * near * far / depth, 0];
}

function flatten(wide, high, near, far) {
  const depth = near - far;
  return [1 / wide, 0, 0, 0, 0, 1 / high, 0, 0, 0, 0, 2 / depth, 0, 0, 0, (near + far) / depth, 1];
}

/** Turns a vector by a unit quaternion x, y, z, w. */
function turned([x, y, z, w], v) {
  const t = cross([x, y, z], v).map((c) => 2 * c);
  const u = cross([x, y, z], t);
  return v.map((c, axis) => c + w * t[axis] + u[axis]);
}
