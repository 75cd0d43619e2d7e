// Shaders. Colors come in as sRGB, light is summed in linear, and what goes out is sRGB again.

const STRETCH_STOPS = ["#1f4e9e", "#82abd8", "#edebe7", "#ec9c7f", "#b01f2e"]; // -5 % to +5 %
const STRETCH_END = 0.05;
const SPEED_STOPS = ["#0a2a66", "#1668a8", "#35a7b8", "#9bdcc0", "#fbf7d0"]; // from rest to the scale's end

const HEAD = `#version 300 es
precision highp float;
precision highp sampler2DShadow;
`;

const vec3Of = (hex) => `vec3(${[1, 3, 5].map((i) => (parseInt(hex.slice(i, i + 2), 16) / 255).toFixed(4)).join(", ")})`;

/** Key light with a soft shadow, sky and bounce, a fill from the other side, sheen. */
const LIGHT = `
uniform mat4 sunMatrix;
uniform vec3 sun;
uniform vec4 eye; // w = 0: a direction, for flat views
uniform float texel; // metres that one texel of the shadow map covers
uniform sampler2DShadow shadowMap;

float sunlit(vec3 at, vec3 normal) {
  vec3 p = (sunMatrix * vec4(at + normal * 3.5 * texel, 1.0)).xyz * 0.5 + 0.5;
  if (any(greaterThan(abs(p - 0.5), vec3(0.5)))) return 1.0;
  vec2 one = 1.0 / vec2(textureSize(shadowMap, 0));
  float sum = 0.0;
  for (float y = -3.0; y < 4.0; y += 2.0)
    for (float x = -3.0; x < 4.0; x += 2.0) sum += texture(shadowMap, vec3(p.xy + one * vec2(x, y), p.z));
  return sum / 16.0;
}

vec3 linear(vec3 color) { return pow(color, vec3(2.2)); }

vec3 studio(vec3 color, vec3 normal, vec3 at, float gloss) {
  vec3 view = normalize(eye.xyz - at * eye.w);
  vec3 between = normalize(view + sun);
  float shade = dot(normal, sun) > 0.0 ? sunlit(at, normal) : 0.0;
  float key = max(dot(normal, sun), 0.0) * shade;
  float fill = max(dot(normal, normalize(vec3(-sun.x, 0.35, -sun.z))), 0.0);
  vec3 sky = mix(vec3(0.20, 0.185, 0.17), vec3(0.36, 0.39, 0.44), 0.5 + 0.5 * normal.y);
  float rim = pow(1.0 - max(dot(normal, view), 0.0), 3.0);
  vec3 base = linear(color);
  vec3 sum = base * (sky + 0.95 * key * vec3(1.0, 0.97, 0.92) + 0.16 * fill * vec3(0.85, 0.92, 1.0));
  sum += (0.10 * rim + gloss * pow(max(dot(normal, between), 0.0), 48.0) * shade) * mix(base, vec3(1.0), 0.5);
  return pow(sum / (1.0 + 0.18 * sum), vec3(1.0 / 2.2));
}

vec3 stretchColor(float stretch) {
  float t = clamp(stretch / ${STRETCH_END} * 2.0, -2.0, 2.0);
  vec3 cold = mix(${vec3Of(STRETCH_STOPS[1])}, ${vec3Of(STRETCH_STOPS[0])}, clamp(-t - 1.0, 0.0, 1.0));
  vec3 warm = mix(${vec3Of(STRETCH_STOPS[3])}, ${vec3Of(STRETCH_STOPS[4])}, clamp(t - 1.0, 0.0, 1.0));
  return mix(${vec3Of(STRETCH_STOPS[2])}, t < 0.0 ? cold : warm, clamp(abs(t), 0.0, 1.0));
}
`;

/** A particle as a square that faces the eye, of which the sphere is cut out. */
const FLUID_VERTEX = `${HEAD}
uniform mat4 matrix;
uniform vec4 eye;
uniform float radius, spray; // factor on the radius of a particle that is alone
layout(location = 0) in vec3 center;
layout(location = 1) in vec2 flow; // speed, density
out vec2 corner;
flat out vec3 middle, right, up, back;
flat out vec2 state;
flat out float size;
void main() {
  // A particle's own share of the density is 0.48, and at a plane surface it has some 0.75.
  size = radius * mix(spray, 1.0, smoothstep(0.48, 0.72, flow.y));
  corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  middle = center;
  state = flow;
  back = normalize(eye.xyz - center * eye.w);
  right = normalize(cross(abs(back.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0), back));
  up = cross(back, right);
  vec3 at = center + size * (corner.x * right + corner.y * up);
  gl_Position = flow.y > 0.0 ? matrix * vec4(at, 1.0) : vec4(2.0, 2.0, 2.0, 1.0); // what is not there lies outside
}`;

const SPHERE = `
uniform mat4 matrix;
in vec2 corner;
flat in vec3 middle, right, up, back;
flat in vec2 state;
flat in float size;
/** The normal of the sphere at this pixel, whose depth it writes. */
vec3 sphere() {
  float squared = dot(corner, corner);
  if (squared > 1.0) discard;
  vec3 normal = corner.x * right + corner.y * up + sqrt(1.0 - squared) * back;
  vec4 place = matrix * vec4(middle + size * normal, 1.0);
  gl_FragDepth = 0.5 * place.z / place.w + 0.5;
  return normal;
}
`;

const FLUID_FRAGMENT = `${HEAD}${LIGHT}${SPHERE}
uniform int mode; // 3 speed, 4 density
uniform vec3 tint;
uniform float fast;
out vec4 result;
vec3 speedColor(float t) {
  vec3 slow = mix(${vec3Of(SPEED_STOPS[0])}, ${vec3Of(SPEED_STOPS[1])}, clamp(t, 0.0, 1.0));
  slow = mix(slow, ${vec3Of(SPEED_STOPS[2])}, clamp(t - 1.0, 0.0, 1.0));
  return mix(mix(slow, ${vec3Of(SPEED_STOPS[3])}, clamp(t - 2.0, 0.0, 1.0)), ${vec3Of(SPEED_STOPS[4])}, clamp(t - 3.0, 0.0, 1.0));
}
void main() {
  vec3 normal = sphere();
  float part = state.x / fast;
  // Foam where it is fast.
  vec3 color = mix(tint, vec3(0.80, 0.90, 0.95), 0.75 * smoothstep(0.35, 1.1, part));
  if (mode == 3) color = speedColor(4.0 * clamp(part, 0.0, 1.0));
  if (mode == 4) color = stretchColor(state.y - 1.0);
  vec3 lit = studio(color, normal, middle + size * normal, mode < 3 ? 0.30 : 0.0);
  result = vec4(mode < 3 ? lit : mix(color, lit, 0.55), 1.0);
}`;

const FLUID_SHADOW_FRAGMENT = `${HEAD}${SPHERE}void main() { sphere(); }`;

const CLOTH_VERTEX = `${HEAD}
uniform mat4 matrix;
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 tint;
layout(location = 3) in float stretch;
out vec3 at, facing, color;
out float strain;
void main() {
  gl_Position = matrix * vec4(position, 1.0);
  at = position;
  facing = normal;
  color = tint;
  strain = stretch;
}`;

const CLOTH_FRAGMENT = `${HEAD}${LIGHT}
uniform int mode; // 0 shaded, 1 wire, 2 stretch
uniform vec3 paper;
in vec3 at, facing, color;
in float strain;
out vec4 result;
void main() {
  vec3 view = normalize(eye.xyz - at * eye.w);
  // Folded quite flat, the triangles' normals may cancel: the tiny term keeps the length from being zero.
  vec3 normal = normalize(facing + 1e-6 * cross(dFdx(at), dFdy(at)) + 1e-9 * view);
  if (!gl_FrontFacing) normal = -normal;
  // A smooth normal may lean away from the eye where the cloth turns; bring it back to the edge.
  float lean = dot(normal, view);
  if (lean < 0.0) normal = normalize(normal - 1.02 * lean * view);
  vec3 tinted = gl_FrontFacing ? color : mix(color, vec3(0.35, 0.42, 0.54), 0.78);
  if (mode == 1) tinted = mix(paper, tinted, 0.16);
  if (mode == 2) tinted = stretchColor(strain);
  vec3 lit = studio(tinted, normal, at, mode == 0 ? 0.10 : 0.0);
  // Less light on what is read as a number.
  result = vec4(mode == 2 ? mix(tinted, lit, 0.55) : lit, 1.0);
}`;

const WIRE_FRAGMENT = `${HEAD}
uniform vec3 ink;
in vec3 at, facing, color;
in float strain;
out vec4 result;
void main() { result = vec4(mix(ink, color, 0.55), 1.0) * 0.6; }`;

const LINE_VERTEX = `${HEAD}
uniform mat4 matrix;
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 tint;
out vec3 color;
void main() {
  gl_Position = matrix * vec4(position, 1.0);
  gl_Position.z -= 1e-4 * gl_Position.w; // over what it lies on
  color = tint;
}`;

const LINE_FRAGMENT = `${HEAD}
in vec3 color;
out vec4 result;
void main() { result = vec4(color, 1.0); }`;

const CAPSULE_VERTEX = `${HEAD}
uniform mat4 matrix;
layout(location = 0) in vec4 outward; // w: which end, -1 or 1
layout(location = 1) in vec4 middle; // w: half length
layout(location = 2) in vec4 turn;
layout(location = 3) in vec4 tint; // radius, then color
layout(location = 4) in float stretch;
out vec3 at, facing, color, local;
out float strain;
vec3 turned(vec3 v) { return v + 2.0 * cross(turn.xyz, cross(turn.xyz, v) + turn.w * v); }
void main() {
  at = middle.xyz + turned(outward.xyz * tint.x + vec3(0.0, outward.w * middle.w, 0.0));
  gl_Position = matrix * vec4(at, 1.0);
  facing = turned(outward.xyz);
  local = outward.xyz;
  color = tint.yzw;
  strain = stretch;
}`;

const CAPSULE_FRAGMENT = `${HEAD}${LIGHT}
uniform int mode;
uniform float seams; // 1: two great circles show how a ball turns
in vec3 at, facing, color, local;
in float strain;
out vec4 result;
void main() {
  vec3 tinted = mode == 2 && strain < 8.0 ? stretchColor(strain) : color;
  vec2 wide = fwidth(local.xz);
  vec2 seam = smoothstep(vec2(0.008), vec2(0.008) + 1.5 * wide, abs(local.xz));
  tinted *= mix(1.0, 0.80 + 0.20 * min(seam.x, seam.y), seams);
  result = vec4(studio(tinted, normalize(facing), at, 0.18), 1.0);
}`;

const GROUND_VERTEX = `${HEAD}
uniform mat4 matrix;
uniform vec3 middle, alongX, alongZ;
uniform float reach;
out vec3 at;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  at = middle + reach * (corner.x * alongX + corner.y * alongZ);
  gl_Position = matrix * vec4(at, 1.0);
}`;

const GROUND_FRAGMENT = `${HEAD}${LIGHT}
uniform vec3 middle, origin, alongX, alongZ, floorColor, lineColor;
uniform float reach, spacing, behind;
in vec3 at;
out vec4 result;
float lines(vec2 place) {
  vec2 wide = fwidth(place);
  vec2 near = abs(fract(place - 0.5) - 0.5) / max(wide, 1e-6);
  vec2 line = (1.0 - min(near, 1.0)) * clamp(1.2 - 4.0 * wide, 0.0, 1.0);
  return max(line.x, line.y);
}
void main() {
  vec2 place = vec2(dot(at - origin, alongX), dot(at - origin, alongZ)) / spacing;
  float grid = max(0.45 * lines(place), lines(place / 10.0));
  float away = length(at - middle) / reach;
  float fade = pow(clamp(1.0 - away, 0.0, 1.0), 1.6);
  vec3 normal = cross(alongZ, alongX);
  vec3 color = mix(floorColor, lineColor, grid * smoothstep(1.0, 0.25, away));
  color *= mix(0.68, 1.0, sunlit(at, normal));
  float alpha = mix(fade, 0.5 * grid * fade, behind);
  result = vec4(color * alpha, alpha);
}`;

const NOTHING_FRAGMENT = `${HEAD}void main() {}`;
