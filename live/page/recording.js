// What was simulated, frame by frame, within a bound of memory: the oldest frames go first.

class Recording {
  /** `limit`: bytes. */
  constructor(limit) {
    this.limit = limit;
    this.clear();
  }

  clear() {
    this.frames = [];
    this.bytes = 0;
    // What plots show, in arrays of their own.
    this.time = [];
    this.kinetic = [];
    this.potential = [];
    this.total = [];
    this.stretch = [];
    this.denser = []; // by how much the densest particle of fluids is denser than at rest
    this.contacts = [];
    this.took = [];
  }

  get first() {
    return this.frames.length ? this.frames[0].frame : 0;
  }

  get last() {
    return this.frames.length ? this.frames[this.frames.length - 1].frame : 0;
  }

  get(frame) {
    return this.frames[frame - this.first];
  }

  /** Adds a frame; one that was there before, and all behind it, go. */
  push(shown) {
    if (this.frames.length && (shown.frame <= this.last || shown.frame > this.last + 1)) this.#cut(shown.frame);
    this.frames.push(shown);
    this.bytes += size(shown);
    this.time.push(shown.time);
    this.kinetic.push(shown.energy[0]);
    this.potential.push(shown.energy[1]);
    this.total.push(shown.energy[0] + shown.energy[1]);
    this.stretch.push(shown.stretch);
    this.denser.push(shown.densities.reduce((most, density) => Math.max(most, density - 1), 0));
    this.contacts.push(shown.contacts);
    this.took.push(shown.took); // NaN where there was no step
    let drop = 0;
    while (this.bytes > this.limit && drop + 1 < this.frames.length) this.bytes -= size(this.frames[drop++]);
    if (drop > 0) for (const list of this.#lists()) list.splice(0, drop);
  }

  /** The last colliders have come, or are gone: in older frames new ones are where they begin. */
  refit(poses) {
    for (const shown of this.frames) {
      if (shown.poses.length === poses.length) continue;
      const fitted = poses.slice();
      fitted.set(shown.poses.subarray(0, poses.length));
      this.bytes += fitted.byteLength - shown.poses.byteLength;
      shown.poses = fitted;
    }
  }

  /** Keeps the frames before this one, if they lead up to it. */
  #cut(frame) {
    const keep = frame > this.last + 1 ? 0 : Math.max(0, frame - this.first);
    for (const shown of this.frames.slice(keep)) this.bytes -= size(shown);
    for (const list of this.#lists()) list.length = keep;
  }

  #lists() {
    return [this.frames, this.time, this.kinetic, this.potential, this.total, this.stretch, this.denser, this.contacts, this.took];
  }
}

const size = ({ positions, velocities, poses, rigid, pinned, densities, ids, touching }) => (
  [positions, velocities, poses, rigid, pinned, densities, ids, touching].reduce((sum, part) => sum + (part?.byteLength ?? 0), 200));
