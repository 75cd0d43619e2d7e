// Fluids: how fast and how dense their particles are in a frame, their colors, and the legends of colors.

/** Numbers of a particle: speed, m/s, and density over that at rest; a density of 0 is a particle that is not there. */
const FLOW = 2;
/** Fluids take turns; the first looks like water. */
const FLUID_TINTS = [[0.07, 0.36, 0.62], [0.86, 0.55, 0.16], [0.24, 0.58, 0.38], [0.56, 0.32, 0.62], [0.74, 0.25, 0.24], [0.48, 0.52, 0.56]];
/** Spacings: neighbours overlap a little, so that nothing is seen through a surface. */
const FLUID_RADIUS = 0.62;
/** Grains take turns, too. */
const GRAIN_TINTS = [[0.76, 0.6, 0.36], [0.5, 0.36, 0.25], [0.62, 0.6, 0.56], [0.72, 0.4, 0.26]];
/** Factor on the radius of a drop of one particle, in a surface. */
const SPRAY = 0.4;
/** Frames of a run, and particles of a frame, from which the fastest are taken. */
const FAST_FRAMES = 60, FAST_PARTICLES = 2000;

class Fluids {
  /** `run.flow(frame, flow)` gives the numbers of all particles, if there are fluids. */
  constructor(run) {
    this.run = run;
    this.parts = [];
    let at = 0;
    for (const { first, count, fluid } of run.meta.bodies) {
      if (!fluid) continue;
      const { spacing, grains = false } = fluid, tints = grains ? GRAIN_TINTS : FLUID_TINTS;
      const tint = tints[this.parts.filter((part) => part.grains === grains).length % tints.length];
      this.parts.push({ first, count, at, spacing, grains, radius: (grains ? 0.5 : FLUID_RADIUS) * spacing, tint });
      at += count;
    }
    this.flow = new Float32Array(FLOW * at);
    this.fast = 0.01;
    const { frames } = run.meta;
    if (at > 0) for (let i = 0; i < Math.min(frames, FAST_FRAMES); i++) this.#take(Math.floor(i * frames / Math.min(frames, FAST_FRAMES)));
  }

  /** Takes frame `f`. */
  update(f) {
    if (this.parts.length) this.#take(f);
  }

  /** The end of the scale of speeds is a round number that at least 99 of 100 particles do not exceed in any frame so far. */
  #take(f) {
    const { flow } = this;
    this.run.flow(f, flow);
    const stride = FLOW * Math.ceil(flow.length / FLOW / FAST_PARTICLES);
    const speeds = [];
    for (let i = 0; i < flow.length; i += stride) if (flow[i + 1] > 0) speeds.push(flow[i]);
    const most = speeds.sort((a, b) => a - b)[Math.floor(0.99 * (speeds.length - 1))] ?? 0;
    if (most <= this.fast) return;
    const power = 10 ** Math.floor(Math.log10(most));
    this.fast = power * ([1, 2, 3, 5].find((m) => m * power >= most) ?? 10);
  }
}

/** The box of a run with fluids, without the few of their particles that splash farthest; none of other runs. */
function fluidBox({ meta, read, densities }) {
  const fluids = meta.bodies.filter((body) => body.fluid);
  if (fluids.length === 0 || meta.frames < 2) return null;
  const count = densities.length / meta.frames, stride = Math.ceil(count / FAST_PARTICLES);
  const positions = new Float32Array(3 * meta.vertices), places = [[], [], []];
  const low = Array(3).fill(Infinity), high = Array(3).fill(-Infinity);
  const frames = Math.min(meta.frames, FAST_FRAMES);
  for (let i = 0; i < frames; i++) {
    const f = Math.floor(i * meta.frames / frames);
    read(f, positions);
    let at = f * count;
    for (const { first, count: own, fluid } of meta.bodies) {
      for (let v = first; v < first + own; v += fluid ? stride : 1) {
        if (fluid && densities[at + v - first] === 0) continue;
        for (let axis = 0; axis < 3; axis++) {
          const x = positions[3 * v + axis];
          if (fluid) places[axis].push(x);
          else [low[axis], high[axis]] = [Math.min(low[axis], x), Math.max(high[axis], x)];
        }
      }
      if (fluid) at += own;
    }
  }
  places.forEach((along, axis) => {
    if (along.length === 0) return;
    along.sort((a, b) => a - b);
    const { spacing } = fluids[0].fluid, at = (part) => along[Math.floor(part * (along.length - 1))];
    low[axis] = Math.min(low[axis], at(0.02) - spacing);
    high[axis] = Math.max(high[axis], at(0.98) + spacing);
  });
  return low[0] <= high[0] ? { low, high } : null;
}

/** By how much particles are denser than at rest: of each frame the mean, what is less dense counting as nothing, and the most. */
function denser({ meta, densities }) {
  const count = densities.length / meta.frames;
  const mean = new Float32Array(meta.frames), most = new Float32Array(meta.frames);
  for (let f = 0; f < meta.frames; f++) {
    let there = 0, sum = 0, largest = 0;
    for (let i = f * count; i < (f + 1) * count; i++) {
      if (densities[i] === 0) continue;
      const over = Math.max(0, meta.density[densities[i]] - 1);
      there += 1;
      sum += over;
      largest = Math.max(largest, over);
    }
    mean[f] = there > 0 ? sum / there : 0;
    most[f] = largest;
  }
  return { mean, most };
}

/** The legend of a coloring, if it has one. */
function showScale(mode, fluids) {
  const percents = ["−5 %", "−2.5", "0", "+2.5", "+5 %"];
  const speed = (part) => `${+(part * (fluids?.fast ?? 1)).toPrecision(3)}`;
  const [title, ends] = {
    stretch: ["Stretch of the most strained edge", percents],
    density: ["Density over that at rest", percents],
    speed: ["Speed", ["0", speed(0.25), speed(0.5), speed(0.75), `${speed(1)} m/s`]],
  }[mode] ?? [null, []];
  const scale = document.querySelector("#scale");
  scale.hidden = !title;
  scale.dataset.of = mode;
  scale.querySelector("figcaption").textContent = title ?? "";
  scale.querySelectorAll(".ends span").forEach((span, i) => (span.textContent = ends[i] ?? ""));
}
