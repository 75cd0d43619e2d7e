// Draws a frame: a shadow map, what is solid, the ground, and over it the wires.

const SHADOW_SIZE = 2048;
const SUN = normalize([0.45, 1.0, 0.52]);

class Renderer {
  constructor(canvas, geometry, box) {
    const gl = canvas.getContext("webgl2", { alpha: true, antialias: true, premultipliedAlpha: true });
    if (!gl) throw new Error("This browser gives no WebGL 2; the plots below work without it.");
    this.gl = gl;
    this.canvas = canvas;
    this.programs = {
      cloth: link(gl, CLOTH_VERTEX, CLOTH_FRAGMENT),
      wire: link(gl, CLOTH_VERTEX, WIRE_FRAGMENT),
      clothShadow: link(gl, CLOTH_VERTEX, NOTHING_FRAGMENT),
      capsule: link(gl, CAPSULE_VERTEX, CAPSULE_FRAGMENT),
      capsuleShadow: link(gl, CAPSULE_VERTEX, NOTHING_FRAGMENT),
      fluid: link(gl, FLUID_VERTEX, FLUID_FRAGMENT),
      fluidShadow: link(gl, FLUID_VERTEX, FLUID_SHADOW_FRAGMENT),
      ground: link(gl, GROUND_VERTEX, GROUND_FRAGMENT),
      lines: link(gl, LINE_VERTEX, LINE_FRAGMENT),
    };
    this.empty = gl.createVertexArray();
    this.shadow = makeShadow(gl);
    this.load(geometry, box);
    gl.enable(gl.DEPTH_TEST);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** Draws another geometry from now on. */
  load(geometry, box) {
    const { gl } = this;
    for (const mesh of [this.cloth, this.solids, this.capsules, this.balls, this.overlay, ...(this.fluids ?? [])]) if (mesh) drop(gl, mesh);
    if (this.wires) gl.deleteBuffer(this.wires.buffer);
    if (this.flow) gl.deleteBuffer(this.flow);
    this.geometry = geometry;
    this.cloth = makeCloth(gl, geometry);
    this.solids = makeCloth(gl, geometry.solids);
    this.flow = fill(gl, gl.ARRAY_BUFFER, geometry.fluids.flow, gl.DYNAMIC_DRAW);
    this.fluids = geometry.fluids.parts.map((part) => makeFluid(gl, part, this.cloth.positions, this.flow));
    this.liquids = this.fluids.filter((fluid) => !fluid.grains);
    if (this.liquids.length > 0) this.surface ??= FluidSurface.of(gl);
    this.capsules = makeCapsules(gl, geometry.capsules, 12, 3);
    this.balls = makeCapsules(gl, geometry.ballCapsules, 64, 24);
    this.wires = this.overlay = null;
    this.aimSun(box);
  }

  /** Lines over the picture: six numbers an end, x, y, z and a color; none without numbers. */
  lines(ends) {
    const { gl } = this;
    if (this.overlay) drop(gl, this.overlay);
    this.overlay = null;
    if (ends?.length) {
      const array = gl.createVertexArray();
      gl.bindVertexArray(array);
      const buffer = fill(gl, gl.ARRAY_BUFFER, ends, gl.DYNAMIC_DRAW);
      attribute(gl, 0, 3, 6, 0);
      attribute(gl, 1, 3, 6, 3);
      this.overlay = { array, buffers: [buffer], count: ends.length / 6 };
    }
  }

  /** The sun's view holds the whole run, so that shadows do not swim. */
  aimSun({ low, high }) {
    this.center = low.map((x, axis) => 0.5 * (x + high[axis]));
    this.radius = 0.5 * Math.hypot(...low.map((x, axis) => high[axis] - x)) || 0.5;
    const right = normalize(cross([0, 1, 0], SUN));
    const eye = this.center.map((x, axis) => x + 2 * this.radius * SUN[axis]);
    const side = 1.02 * this.radius;
    this.sunMatrix = multiply(flatten(side, side, 0, 4 * this.radius), lookFrom([right, cross(SUN, right), SUN], eye));
    this.texel = 2 * side / SHADOW_SIZE;
  }

  /** Sends the geometry's present frame to the card. */
  upload() {
    const { gl, geometry, cloth } = this;
    refill(gl, cloth.positions, geometry.positions);
    refill(gl, cloth.normals, geometry.normals);
    refill(gl, cloth.stretches, geometry.stretches);
    refill(gl, this.flow, geometry.fluids.flow);
    refill(gl, this.solids.positions, geometry.solids.positions);
    refill(gl, this.solids.normals, geometry.solids.normals);
    refill(gl, this.capsules.instances, geometry.capsules);
    refill(gl, this.balls.instances, geometry.ballCapsules);
  }

  /** `look` has the colors floor, line, paper, ink, and the mode. */
  draw(camera, frame, look) {
    const { gl, canvas, geometry } = this;
    this.#drawShadow();
    gl.clearColor(0, 0, 0, 0);
    const light = {
      matrix: camera.matrix(),
      sunMatrix: this.sunMatrix,
      sun: SUN,
      eye: camera.flat ? [...camera.axes()[2], 0] : [...camera.eye(), 1],
      texel: this.texel,
      shadowMap: 0,
      mode: look.mode,
    };
    const smooth = look.mode === 0 && this.liquids.length > 0 ? this.surface : null;
    smooth?.prepare(camera, light, this.liquids, geometry.fluids.fast, canvas);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.shadow.texture);
    // What the wires lie on goes back a little, and balls and ground further, or cloth would sink into them.
    gl.polygonOffset(1, 1);
    if (look.mode === 1) gl.enable(gl.POLYGON_OFFSET_FILL);
    this.programs.cloth.use({ ...light, paper: look.paper });
    this.#drawMesh(this.cloth);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    this.programs.capsule.use({ ...light, seams: 0 });
    drawCapsules(gl, this.capsules);
    for (const fluid of this.fluids) {
      if (smooth && !fluid.grains) continue;
      this.programs.fluid.use({ ...light, radius: fluid.radius, spray: 1, tint: fluid.tint, fast: geometry.fluids.fast });
      drawFluid(gl, fluid);
    }
    gl.polygonOffset(2, 4);
    if (look.mode === 1) gl.enable(gl.POLYGON_OFFSET_FILL);
    this.programs.capsule.use({ ...light, seams: 1 });
    drawCapsules(gl, this.balls);
    this.programs.cloth.use({ ...light, mode: 0, paper: look.paper });
    // Solids have no inside to be seen; of a container that leaves the far wall.
    gl.enable(gl.CULL_FACE);
    this.#drawMesh(this.solids);
    gl.disable(gl.CULL_FACE);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.enable(gl.BLEND);
    if (look.mode === 1) this.#drawWires(light, look);
    if (this.overlay) this.#drawLines(light);
    for (const k of geometry.planes) this.#drawGround(light, camera, geometry.run.pose(frame, k), look);
    // Last: one sees through it.
    smooth?.draw(light, this.liquids);
    gl.disable(gl.BLEND);
  }

  #drawShadow() {
    const { gl, shadow, programs } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, shadow.frame);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(2, 4);
    programs.clothShadow.use({ matrix: this.sunMatrix });
    this.#drawMesh(this.cloth);
    this.#drawMesh(this.solids);
    programs.capsuleShadow.use({ matrix: this.sunMatrix });
    drawCapsules(gl, this.capsules);
    drawCapsules(gl, this.balls);
    for (const fluid of this.fluids) {
      programs.fluidShadow.use({ matrix: this.sunMatrix, eye: [...SUN, 0], radius: fluid.radius, spray: fluid.grains ? 1 : SPRAY });
      drawFluid(gl, fluid);
    }
    gl.disable(gl.POLYGON_OFFSET_FILL);
  }

  #drawMesh({ array, triangles, count }) {
    const { gl } = this;
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, triangles);
    gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 0);
  }

  #drawWires(light, look) {
    const { gl, cloth } = this;
    gl.bindVertexArray(cloth.array);
    if (!this.wires) {
      const pairs = this.geometry.wires();
      this.wires = { buffer: fill(gl, gl.ELEMENT_ARRAY_BUFFER, pairs, gl.STATIC_DRAW), count: pairs.length };
    }
    this.programs.wire.use({ matrix: light.matrix, ink: look.ink });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.wires.buffer);
    gl.depthMask(false);
    gl.drawElements(gl.LINES, this.wires.count, gl.UNSIGNED_INT, 0);
    gl.depthMask(true);
  }

  #drawLines(light) {
    const { gl, overlay } = this;
    gl.bindVertexArray(overlay.array);
    this.programs.lines.use({ matrix: light.matrix });
    gl.drawArrays(gl.LINES, 0, overlay.count);
  }

  #drawGround(light, camera, { origin, turn }, look) {
    const { gl } = this;
    const [alongX, normal, alongZ] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((v) => turned(turn, v));
    const height = dot(this.center.map((x, axis) => x - origin[axis]), normal);
    // A hair lower than it is: cloth that lies on it would flicker.
    const middle = this.center.map((x, axis) => x - (height + 0.002 * this.radius) * normal[axis]);
    // A wall that stands is shown by its grid, near what is inside: opaque walls of a tank would hide it.
    const stands = Math.abs(normal[1]) < 0.3;
    const seen = camera.flat ? dot(camera.axes()[2], normal) : dot(camera.eye().map((x, axis) => x - middle[axis]), normal);
    this.programs.ground.use({
      ...light, middle, origin, alongX, alongZ,
      reach: (stands ? 1.6 : 6) * this.radius,
      spacing: gridSpacing(this.radius),
      behind: stands ? 0.85 : seen < 0 ? 1 : 0,
      floorColor: look.floor,
      lineColor: look.line,
    });
    gl.bindVertexArray(this.empty);
    if (seen >= 0) gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.depthMask(!stands);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.depthMask(true);
    gl.disable(gl.POLYGON_OFFSET_FILL);
  }
}

/** Metres between thin lines, a power of ten; every tenth is thick. */
const gridSpacing = (radius) => 10 ** Math.floor(Math.log10(radius / 4));

function link(gl, ...sources) {
  const program = gl.createProgram();
  for (const [i, source] of sources.entries()) {
    const shader = gl.createShader(i === 0 ? gl.VERTEX_SHADER : gl.FRAGMENT_SHADER);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) throw new Error(gl.getShaderInfoLog(shader));
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(program));
  const setters = {
    [gl.FLOAT]: (at, x) => gl.uniform1f(at, x),
    [gl.INT]: (at, x) => gl.uniform1i(at, x),
    [gl.SAMPLER_2D_SHADOW]: (at, x) => gl.uniform1i(at, x),
    [gl.SAMPLER_2D]: (at, x) => gl.uniform1i(at, x),
    [gl.FLOAT_VEC2]: (at, x) => gl.uniform2fv(at, x),
    [gl.FLOAT_VEC3]: (at, x) => gl.uniform3fv(at, x),
    [gl.FLOAT_VEC4]: (at, x) => gl.uniform4fv(at, x),
    [gl.FLOAT_MAT4]: (at, x) => gl.uniformMatrix4fv(at, false, x),
  };
  const uniforms = Array.from({ length: gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) ?? 0 }, (_, i) => {
    const { name, type } = gl.getActiveUniform(program, i);
    return { name, set: setters[type], at: gl.getUniformLocation(program, name) };
  });
  return {
    use(values) {
      gl.useProgram(program);
      for (const { name, set, at } of uniforms) set(at, values[name]);
    },
  };
}

function fill(gl, target, data, usage) {
  const buffer = gl.createBuffer();
  gl.bindBuffer(target, buffer);
  gl.bufferData(target, data, usage);
  return buffer;
}

function refill(gl, buffer, data) {
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferSubData(gl.ARRAY_BUFFER, 0, data);
}

function attribute(gl, location, size, stride = 0, offset = 0) {
  gl.enableVertexAttribArray(location);
  gl.vertexAttribPointer(location, size, gl.FLOAT, false, 4 * stride, 4 * offset);
}

/** Frees what a mesh holds on the card. */
function drop(gl, { array, buffers }) {
  gl.deleteVertexArray(array);
  for (const buffer of buffers) gl.deleteBuffer(buffer);
}

function makeCloth(gl, geometry) {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  const buffers = [];
  const kept = (buffer) => (buffers.push(buffer), buffer);
  const moving = (location, data, size) => {
    const buffer = kept(fill(gl, gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW));
    attribute(gl, location, size);
    return buffer;
  };
  const cloth = {
    array,
    buffers,
    positions: moving(0, geometry.positions, 3),
    normals: moving(1, geometry.normals, 3),
    tints: moving(2, geometry.tints, 3),
    stretches: moving(3, geometry.stretches, 1),
    triangles: kept(fill(gl, gl.ELEMENT_ARRAY_BUFFER, geometry.run.triangles, gl.STATIC_DRAW)),
    count: geometry.run.triangles.length,
  };
  return cloth;
}

/** A unit sphere cut at its equator; the shader pulls the halves apart. */
function makeCapsules(gl, instances, segments, rings) {
  const points = [], corners = [];
  for (let ring = 0; ring <= 2 * rings + 1; ring++) {
    const end = ring <= rings ? -1 : 1;
    const angle = (ring <= rings ? ring - rings : ring - rings - 1) / rings * Math.PI / 2;
    for (let s = 0; s <= segments; s++) {
      const around = s / segments * 2 * Math.PI;
      points.push(Math.cos(angle) * Math.cos(around), Math.sin(angle), -Math.cos(angle) * Math.sin(around), end);
      if (ring > 0 && s > 0) {
        const d = ring * (segments + 1) + s, c = d - 1, b = d - segments - 1, a = b - 1;
        corners.push(a, b, d, a, d, c);
      }
    }
  }
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  const shape = fill(gl, gl.ARRAY_BUFFER, new Float32Array(points), gl.STATIC_DRAW);
  attribute(gl, 0, 4);
  const buffer = fill(gl, gl.ARRAY_BUFFER, instances, gl.DYNAMIC_DRAW);
  for (const [location, size, offset] of [[1, 4, 0], [2, 4, 4], [3, 4, 8], [4, 1, 12]]) {
    attribute(gl, location, size, CAPSULE, offset);
    gl.vertexAttribDivisor(location, 1);
  }
  const triangles = fill(gl, gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(corners), gl.STATIC_DRAW);
  return { array, buffers: [shape, buffer, triangles], instances: buffer, count: corners.length, copies: instances.length / CAPSULE };
}

function drawCapsules(gl, { array, count, copies }) {
  if (copies === 0) return;
  gl.bindVertexArray(array);
  gl.drawElementsInstanced(gl.TRIANGLES, count, gl.UNSIGNED_INT, 0, copies);
}

/** The particles of a fluid, four corners each; their places are those of all vertices. */
function makeFluid(gl, { first, count, at, spacing, radius, tint, grains }, positions, flow) {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  for (const [location, buffer, size, from] of [[0, positions, 3, first], [1, flow, FLOW, at]]) {
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    attribute(gl, location, size, size, size * from);
    gl.vertexAttribDivisor(location, 1);
  }
  return { array, buffers: [], count, spacing, radius, tint, grains };
}

function drawFluid(gl, { array, count }) {
  gl.bindVertexArray(array);
  gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
}

function makeShadow(gl) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
  for (const [name, value] of [
    [gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE], [gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL],
    [gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR],
    [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
  ]) gl.texParameteri(gl.TEXTURE_2D, name, value);
  const frame = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
  gl.drawBuffers([gl.NONE]);
  return { texture, frame };
}
