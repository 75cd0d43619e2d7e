// Fluids: how fast and how dense their particles are in a frame, their colors, and the legends of colors.

/** Numbers of a particle: speed, m/s, and density over that at rest; a density of 0 is a particle that is not there. */
const FLOW = 2;
/** Fluids take turns; the first looks like water. */
const FLUID_TINTS = [[0.07, 0.36, 0.62], [0.86, 0.55, 0.16], [0.24, 0.58, 0.38], [0.56, 0.32, 0.62], [0.74, 0.25, 0.24], [0.48, 0.52, 0.56]];
/** Spacings: neighbours overlap a little, so that nothing is seen through a surface. */
const FLUID_RADIUS = 0.62;
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
      const { spacing } = fluid;
      this.parts.push({ first, count, at, spacing, radius: FLUID_RADIUS * spacing, tint: FLUID_TINTS[this.parts.length % FLUID_TINTS.length] });
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

/** The box of a run of fluids alone, without the hundredth that splashes farthest; none of another run. */
function fluidBox({ meta, read, densities }) {
  const all = meta.bodies.every((body) => body.fluid) && meta.vertices > 0 && meta.frames > 1;
  if (!all) return null;
  const positions = new Float32Array(3 * meta.vertices), stride = Math.ceil(meta.vertices / FAST_PARTICLES);
  const places = [[], [], []];
  for (let i = 0; i < FAST_FRAMES; i++) {
    const f = Math.floor(i * meta.frames / FAST_FRAMES);
    read(f, positions);
    for (let v = 0; v < meta.vertices; v += stride) {
      // Of fluids alone vertices are particles.
      if (densities[f * meta.vertices + v] > 0) places.forEach((along, axis) => along.push(positions[3 * v + axis]));
    }
  }
  if (places[0].length === 0) return null;
  const spacing = meta.bodies[0].fluid.spacing;
  const at = (part) => places.map((along) => along[Math.floor(part * (along.length - 1))]);
  for (const along of places) along.sort((a, b) => a - b);
  return { low: at(0.001).map((x) => x - spacing), high: at(0.99).map((x) => x + spacing) };
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
