// The surface of fluids, in the picture's own pixels: the nearest spheres, smoothed; how thick the fluid is behind them; light on it.
// van der Laan, Green, Sainz 2009, "Screen Space Fluid Rendering with Curvature Flow". Their flow is here a Gaussian that does not reach over
// edges of depth: fewer passes, and it costs the same at every size.

/** Spacings: spheres that reach far into each other are a surface. */
const SURFACE_RADIUS = 0.9;
/** Of the Gaussian, in spacings; and pixels that it has at most to each side. */
const SMOOTH = 0.8, SMOOTH_PIXELS = 20;

/** Nearest spheres: distance before the eye, foam, number of the fluid. */
const NEAREST_FRAGMENT = `${HEAD}${SPHERE}
uniform vec3 eyeAt, backward;
uniform float number, fast;
out vec4 result;
void main() {
  vec3 at = middle + size * sphere();
  float foam = max(0.8 * smoothstep(0.45, 1.2, state.x / fast), smoothstep(0.68, 0.50, state.y));
  result = vec4(dot(eyeAt - at, backward), foam, number, 0.0);
}`;

/** What each sphere adds to the thickness, metres. */
const THICKNESS_FRAGMENT = `${HEAD}${SPHERE}
out vec4 result;
void main() {
  float squared = dot(corner, corner);
  if (squared > 1.0) discard;
  result = vec4(2.0 * size * sqrt(1.0 - squared));
}`;

const SCREEN_VERTEX = `${HEAD}
void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); }`;

/** One direction of the Gaussian. Result: distance, foam, number, thickness. */
const SMOOTH_FRAGMENT = `${HEAD}
uniform sampler2D nearest, thick; // of the first pass thickness comes from its own texture
uniform int along, first;
uniform float wide, pixels, flatView; // metres; pixels of a metre at the distance 1
out vec4 result;
void main() {
  ivec2 here = ivec2(gl_FragCoord.xy), end = textureSize(nearest, 0) - 1;
  vec4 own = texelFetch(nearest, here, 0);
  float reach = wide * pixels / (flatView > 0.5 ? 1.0 : max(own.x, 1e-6));
  int most = own.x > 0.0 ? int(clamp(2.0 * reach, 1.0, ${SMOOTH_PIXELS}.0)) : 0;
  vec3 sum = vec3(0.0);
  float weights = 0.0;
  for (int i = -most; i <= most; i++) {
    ivec2 there = clamp(here + (along == 0 ? ivec2(i, 0) : ivec2(0, i)), ivec2(0), end);
    vec4 other = texelFetch(nearest, there, 0);
    if (first == 1) other.w = texelFetch(thick, there, 0).x;
    float step = float(i) / max(reach, 0.5), gap = (other.x - own.x) / wide;
    float weight = other.x > 0.0 ? exp(-0.5 * (step * step + gap * gap)) : 0.0;
    sum += weight * vec3(other.xy, other.w);
    weights += weight;
  }
  result = weights > 0.0 ? vec4(sum.x / weights, sum.y / weights, own.z, sum.z / weights) : vec4(0.0);
}`;

const SURFACE_FRAGMENT = `${HEAD}${LIGHT}
uniform sampler2D nearest;
uniform mat4 matrix;
uniform vec3 eyeAt, rightward, upward, backward;
uniform vec2 slope;
uniform float flatView, clear; // metres in which 1/e of the light is left
uniform vec3 tint0, tint1, tint2, tint3, tint4, tint5;
out vec4 result;
vec3 place(ivec2 pixel, float distance) {
  vec2 at = (vec2(pixel) + 0.5) / vec2(textureSize(nearest, 0)) * 2.0 - 1.0;
  at *= slope * (flatView > 0.5 ? 1.0 : distance);
  return eyeAt + at.x * rightward + at.y * upward - distance * backward;
}
/** The way to the next pixel on the side where depth changes less: over an edge it would be none of the surface. */
vec3 along(ivec2 here, ivec2 step, float own) {
  ivec2 end = textureSize(nearest, 0) - 1;
  float before = texelFetch(nearest, clamp(here - step, ivec2(0), end), 0).x, after = texelFetch(nearest, clamp(here + step, ivec2(0), end), 0).x;
  bool back = after <= 0.0 || (before > 0.0 && abs(before - own) < abs(after - own));
  if (back && before <= 0.0) return place(here + step, own) - place(here, own);
  return back ? place(here, own) - place(here - step, before) : place(here + step, after) - place(here, own);
}
vec3 sky(vec3 way) {
  vec3 above = mix(vec3(0.80, 0.84, 0.88), vec3(0.34, 0.52, 0.78), smoothstep(0.0, 0.9, way.y));
  return linear(mix(vec3(0.42, 0.42, 0.42), above, smoothstep(-0.25, 0.1, way.y)));
}
void main() {
  ivec2 here = ivec2(gl_FragCoord.xy);
  vec4 own = texelFetch(nearest, here, 0);
  if (own.x <= 0.0) discard;
  vec3 at = place(here, own.x);
  vec4 clip = matrix * vec4(at, 1.0);
  gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
  vec3 view = normalize(eye.xyz - at * eye.w);
  vec3 normal = normalize(cross(along(here, ivec2(1, 0), own.x), along(here, ivec2(0, 1), own.x)) + 1e-12 * view);
  if (dot(normal, view) < 0.0) normal = -normal;
  int number = int(own.z + 0.5);
  vec3 tint = number == 0 ? tint0 : number == 1 ? tint1 : number == 2 ? tint2 : number == 3 ? tint3 : number == 4 ? tint4 : tint5;
  float facing = max(dot(normal, view), 0.0), key = max(dot(normal, sun), 0.0);
  vec3 back = reflect(-view, normal);
  float mirror = 0.02 + 0.6 * pow(1.0 - facing, 5.0); // at edges normals are not exact
  // What is thin lets through what lies behind it; depth takes the light, and leaves the tint.
  float deep = 1.0 - exp(-own.w / clear);
  vec3 base = linear(mix(mix(tint, vec3(0.75, 0.92, 0.96), 0.5), tint, deep));
  float cover = mix(0.35, 0.97, deep);
  vec3 body = base * (0.42 + 0.26 * normal.y + 0.50 * key);
  float foam = own.y * 0.85;
  body = mix(body, vec3(0.92, 0.95, 0.97) * (0.62 + 0.38 * key), foam);
  cover = max(cover, 0.85 * foam);
  float glint = pow(max(dot(back, sun), 0.0), 180.0) * (1.0 - 0.7 * foam);
  float alpha = 1.0 - (1.0 - cover) * (1.0 - mirror);
  vec3 sum = body * cover * (1.0 - mirror) + sky(back) * mirror * (1.0 - 0.6 * foam) + 1.1 * glint;
  // Light is summed in linear: the picture behind is mixed as it is, which is near enough.
  vec3 shown = pow(sum / max(alpha, 1e-3), vec3(1.0 / 2.2));
  result = vec4(min(shown, 1.0) * alpha, alpha);
}`;

class FluidSurface {
  /** None where a browser cannot draw into textures of floats: fluids are spheres then. */
  static of(gl) {
    return gl.getExtension("EXT_color_buffer_float") ? new FluidSurface(gl) : null;
  }

  constructor(gl) {
    this.gl = gl;
    this.nearest = link(gl, FLUID_VERTEX, NEAREST_FRAGMENT);
    this.thickness = link(gl, FLUID_VERTEX, THICKNESS_FRAGMENT);
    this.smooth = link(gl, SCREEN_VERTEX, SMOOTH_FRAGMENT);
    this.surface = link(gl, SCREEN_VERTEX, SURFACE_FRAGMENT);
    this.empty = gl.createVertexArray();
    this.size = [0, 0];
    this.targets = [];
  }

  /** Textures of the picture's size: nearest spheres, thickness, and two between which smoothing goes. */
  #fit(width, height) {
    const { gl } = this;
    if (this.size[0] === width && this.size[1] === height) return;
    this.size = [width, height];
    for (const { texture, frame, depth } of this.targets) {
      gl.deleteTexture(texture);
      gl.deleteFramebuffer(frame);
      if (depth) gl.deleteRenderbuffer(depth);
    }
    this.targets = [gl.RGBA32F, gl.R16F, gl.RGBA32F, gl.RGBA32F].map((format, i) => {
      const texture = gl.createTexture();
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.texStorage2D(gl.TEXTURE_2D, 1, format, width, height);
      for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
      const frame = gl.createFramebuffer();
      gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
      let depth = null;
      if (i === 0) {
        depth = gl.createRenderbuffer();
        gl.bindRenderbuffer(gl.RENDERBUFFER, depth);
        gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT24, width, height);
        gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, depth);
      }
      return { texture, frame, depth };
    });
  }

  #into({ frame }) {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.viewport(0, 0, ...this.size);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  }

  #read(unit, { texture }) {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, texture);
  }

  /** Makes the surface, without showing it. `light` is what other shaders get. */
  prepare(camera, light, fluids, fast, canvas) {
    const { gl } = this;
    this.#fit(canvas.width, canvas.height);
    const [nearest, thick, one, other] = this.targets;
    const [rightward, upward, backward] = camera.axes();
    const slope = Math.tan(FIELD / 2), out = camera.flat ? camera.distance : 1;
    this.view = {
      eyeAt: camera.eye(), rightward, upward, backward,
      slope: [slope * out * camera.aspect, slope * out],
      flatView: camera.flat ? 1 : 0,
    };
    const pixels = canvas.height / (2 * slope * out);
    const { eyeAt, flatView } = this.view;
    gl.disable(gl.BLEND);
    this.#into(nearest);
    fluids.forEach((fluid, i) => {
      this.nearest.use({ matrix: light.matrix, eye: light.eye, eyeAt, backward, radius: SURFACE_RADIUS * fluid.spacing, spray: SPRAY, number: i % FLUID_TINTS.length, fast });
      drawFluid(gl, fluid);
    });
    this.#into(thick);
    gl.disable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE);
    for (const fluid of fluids) {
      this.thickness.use({ matrix: light.matrix, eye: light.eye, radius: fluid.radius, spray: 1 });
      drawFluid(gl, fluid);
    }
    gl.disable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const wide = SMOOTH * fluids[0].spacing;
    gl.bindVertexArray(this.empty);
    this.#read(2, thick);
    [[nearest, one], [one, other], [other, one], [one, other], [other, one], [one, other]].forEach(([from, to], pass) => {
      this.#into(to);
      this.#read(1, from);
      this.smooth.use({ nearest: 1, thick: 2, along: pass % 2, first: pass === 0 ? 1 : 0, wide, pixels, flatView });
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 3);
    });
    gl.enable(gl.DEPTH_TEST);
    gl.activeTexture(gl.TEXTURE0);
  }

  /** Shows it over what has been drawn; blending is on. */
  draw(light, fluids) {
    const { gl } = this;
    this.#read(1, this.targets[3]);
    const tints = Object.fromEntries(FLUID_TINTS.map((tint, i) => [`tint${i}`, tint]));
    this.surface.use({ ...light, ...this.view, ...tints, nearest: 1, clear: 9 * fluids[0].spacing });
    gl.bindVertexArray(this.empty);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 3);
    gl.activeTexture(gl.TEXTURE0);
  }
}
