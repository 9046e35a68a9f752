// Draws meshes, ribbons and a floor with WebGL 2, and holds the camera.
import { meshes } from "./shapes.js";
import { add, projection, scale } from "./transforms.js";

const PER_INSTANCE = 20; // numbers: a pose's three rows, half and round, colour
const PER_POINT = 7;     // numbers: where, colour
const FIELD = 0.6;       // rad, of the camera
const LIGHT = [0.35, -0.5, 1.0];
const SLOW_S = 1 / 28;   // between two pictures: coarser beyond
const FAST_S = 1 / 50;   // finer again below
const PATIENCE = 300;    // pictures as fast as that
const MOST_LINKS = 256;  // as many rows of poses as every browser takes, and twice what propriod does
const COARSEST = 0.5;    // pixels drawn for one of the screen's, a side

// what moves with a link: its pose is three rows of all
const RIGID_VERTEX = `#version 300 es
layout(location = 0) in vec3 at;
layout(location = 1) in vec3 normal;
layout(location = 2) in float link;
layout(location = 3) in vec4 tint;
uniform mat4 projection;
layout(std140) uniform poses { vec4 row[ROWS]; };
uniform vec3 light, eye;
uniform bool shadow;
uniform float dot_; // of a dot, pixels at 1 m; 0: triangles are drawn
out vec3 world, across;
out vec4 colour;
void main() {
  vec4 row0 = row[3 * int(link)], row1 = row[3 * int(link) + 1], row2 = row[3 * int(link) + 2];
  vec4 local = vec4(at, 1.0);
  world = vec3(dot(row0, local), dot(row1, local), dot(row2, local));
  across = vec3(dot(row0.xyz, normal), dot(row1.xyz, normal), dot(row2.xyz, normal));
  colour = tint;
  if (shadow) world = vec3(world.xy - light.xy / light.z * world.z, 0.0015);
  gl_Position = projection * vec4(world, 1.0);
  if (dot_ > 0.0) {
    gl_PointSize = max(dot_ / gl_Position.w, 1.0);
    if (dot(across, eye - world) < 0.0) gl_Position = vec4(2.0, 2.0, 2.0, 1.0); // seen from behind: not at all
  }
}`;

// what is put anew into each picture: few
const SOLID_VERTEX = `#version 300 es
layout(location = 0) in vec3 core;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 row0;
layout(location = 3) in vec4 row1;
layout(location = 4) in vec4 row2;
layout(location = 5) in vec4 size;
layout(location = 6) in vec4 tint;
uniform mat4 projection;
uniform vec3 light;
uniform bool shadow;
out vec3 world, across;
out vec4 colour;
void main() {
  vec4 local = vec4(core * (size.xyz - size.w) + normal * size.w, 1.0);
  world = vec3(dot(row0, local), dot(row1, local), dot(row2, local));
  across = vec3(dot(row0.xyz, normal), dot(row1.xyz, normal), dot(row2.xyz, normal));
  colour = tint;
  if (shadow) world = vec3(world.xy - light.xy / light.z * world.z, 0.0015);
  gl_Position = projection * vec4(world, 1.0);
}`;

const SOLID_FRAGMENT = `#version 300 es
precision highp float;
in vec3 world, across;
in vec4 colour;
uniform vec3 light, eye;
uniform bool shadow;
uniform float glow, alpha;
out vec4 seen;
void main() {
  if (shadow) {
    seen = vec4(0.0, 0.0, 0.0, 0.42);
    return;
  }
  vec3 n = normalize(across), l = normalize(light), v = normalize(eye - world);
  vec3 base = colour.rgb * colour.rgb;
  vec3 sky = mix(vec3(0.07, 0.08, 0.10), vec3(0.30, 0.35, 0.42), 0.5 + 0.5 * n.z);
  float key = max(dot(n, l), 0.0), back = max(dot(n, normalize(vec3(-0.6, 0.7, 0.25))), 0.0);
  float shine = pow(max(dot(n, normalize(l + v)), 0.0), 48.0) * 0.35;
  float rim = pow(1.0 - max(dot(n, v), 0.0), 3.0);
  vec3 lit = base * (sky + vec3(0.80, 0.76, 0.70) * key + vec3(0.12, 0.17, 0.25) * back) + shine * key + rim * vec3(0.05, 0.09, 0.12);
  lit = mix(lit, base * (0.75 + 0.25 * key + 0.5 * rim), glow);
  seen = vec4(sqrt(lit), colour.a * alpha);
}`;

const FLOOR_VERTEX = `#version 300 es
uniform mat4 projection;
uniform vec3 middle;
out vec3 world;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  world = vec3(middle.xy + 9.0 * corner, 0.0);
  gl_Position = projection * vec4(world, 1.0);
}`;

const FLOOR_FRAGMENT = `#version 300 es
precision highp float;
in vec3 world;
uniform vec3 middle, dark;
out vec4 seen;
float lines(float step, float width) {
  vec2 at = world.xy / step, wide = fwidth(at);
  vec2 near = abs(fract(at - 0.5) - 0.5) / max(wide, 1e-5);
  return (1.0 - min(min(near.x, near.y) / width, 1.0)) * (1.0 - smoothstep(0.2, 0.6, max(wide.x, wide.y)));
}
void main() {
  float far = length(world.xy - middle.xy);
  float fade = exp(-far * far / 14.0);
  vec3 floor_ = dark + fade * vec3(0.028, 0.036, 0.046);
  floor_ += fade * 0.10 * lines(0.5, 1.2) * vec3(0.7, 0.9, 1.0);
  if (FINE) floor_ += fade * 0.045 * lines(0.1, 1.0) * vec3(0.7, 0.9, 1.0);
  seen = vec4(floor_, 1.0);
}`;

const FLAT_VERTEX = `#version 300 es
layout(location = 0) in vec3 at;
layout(location = 1) in vec4 tint;
uniform mat4 projection;
out vec4 colour;
void main() {
  colour = tint;
  gl_Position = projection * vec4(at, 1.0);
}`;

const FLAT_FRAGMENT = `#version 300 es
precision mediump float;
in vec4 colour;
out vec4 seen;
void main() { seen = colour; }`;

// Without a graphics processor each pixel costs.
function drawnBySoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const name = gl?.getExtension("WEBGL_debug_renderer_info");
  return name ? /swiftshader|llvmpipe|softpipe|software/i.test(gl.getParameter(name.UNMASKED_RENDERER_WEBGL)) : false;
}

// Numbers that grow, and are used again from the beginning for each picture.
class Numbers {
  constructor() {
    this.data = new Float32Array(1024);
    this.length = 0;
  }

  push(...values) {
    if (this.length + values.length > this.data.length) {
      const more = new Float32Array(2 * this.data.length + values.length);
      more.set(this.data);
      this.data = more;
    }
    for (const value of values) this.data[this.length++] = value;
  }

  get used() {
    return this.data.subarray(0, this.length);
  }
}

export class View {
  constructor(canvas, background) {
    this.canvas = canvas;
    this.background = background;
    this.camera = { yaw: -0.75, pitch: 0.22, distance: 4, target: [0, 0, 0.8] };
    const software = drawnBySoftware();
    this.resolution = software ? 0.75 : Math.min(window.devicePixelRatio, 2);
    this.finest = this.resolution;
    this.slow = FAST_S;
    this.steady = 0;
    const gl = canvas.getContext("webgl2", { antialias: !software, alpha: false, stencil: true });
    if (gl === null) throw new Error("this browser has no WebGL 2");
    this.gl = gl;
    this.solid = this.program(SOLID_VERTEX, SOLID_FRAGMENT);
    this.moving = this.program(RIGID_VERTEX.replace("ROWS", 3 * MOST_LINKS), SOLID_FRAGMENT);
    this.floor = this.program(FLOOR_VERTEX, FLOOR_FRAGMENT.replace("FINE", !software));
    this.flat = this.program(FLAT_VERTEX, FLAT_FRAGMENT);
    this.meshes = meshes(software);
    this.mesh = Object.fromEntries(Object.entries(this.meshes).map(([name, mesh]) => [name, this.upload(mesh)]));
    this.points = this.pointBuffer();
    this.rigid = {};
    this.poses = gl.createBuffer();
    gl.bindBufferBase(gl.UNIFORM_BUFFER, 0, this.poses);
    this.groups = new Map();
    this.ribbons = new Numbers();
    this.steer();
  }

  program(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const where = {};
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
      const { name } = gl.getActiveUniform(program, i);
      where[name] = gl.getUniformLocation(program, name);
    }
    return { program, where };
  }

  upload(mesh) {
    const gl = this.gl, array = gl.createVertexArray(), instances = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(mesh.vertices), gl.STATIC_DRAW);
    this.attributes([3, 3], 0, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint16Array(mesh.triangles), gl.STATIC_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, instances);
    this.attributes([4, 4, 4, 4, 4], 2, 1);
    return { array, instances, count: mesh.triangles.length };
  }

  // Takes a group, "body", "shadow" or "skin", of what moves with the links. `size`, m, of its dots, where a place
  // is all that it has of each.
  keep(name, rigid, size = 0) {
    const gl = this.gl, array = gl.createVertexArray(), buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    this.attributes([3, 3, 1, 4], 0, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, rigid.triangles, gl.STATIC_DRAW);
    const dots = rigid.first.length > 0 && rigid.triangles.length === rigid.first.length;
    this.rigid[name] = { rigid, array, buffer, size: dots ? size : 0 };
  }

  // Where the links are.
  place(poses) {
    const gl = this.gl, rows = new Float32Array(12 * MOST_LINKS);
    poses.forEach((p, i) => rows.set([p[0], p[1], p[2], p[9], p[3], p[4], p[5], p[10], p[6], p[7], p[8], p[11]], 12 * i));
    gl.bindBuffer(gl.UNIFORM_BUFFER, this.poses);
    gl.bufferData(gl.UNIFORM_BUFFER, rows, gl.STREAM_DRAW);
  }

  pointBuffer() {
    const gl = this.gl, array = gl.createVertexArray(), buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    this.attributes([3, 4], 0, 0);
    return { array, buffer };
  }

  // Attributes of so many numbers each, one behind the other in the bound buffer.
  attributes(sizes, first, divisor) {
    const gl = this.gl, stride = 4 * sizes.reduce((a, b) => a + b);
    let offset = 0;
    sizes.forEach((size, i) => {
      gl.enableVertexAttribArray(first + i);
      gl.vertexAttribPointer(first + i, size, gl.FLOAT, false, stride, offset);
      gl.vertexAttribDivisor(first + i, divisor);
      offset += 4 * size;
    });
  }

  // -- what is in the picture ----------------------------------------------------------------------

  begin() {
    for (const group of this.groups.values()) Object.values(group).forEach((list) => { list.length = 0; });
    this.ribbons.length = 0;
  }

  // Group "mark" (shines) or "above" (shines, and nothing hides it).
  add(group, mesh, p, half, round, colour, alpha = 1) {
    if (!this.groups.has(group)) this.groups.set(group, {});
    const lists = this.groups.get(group);
    lists[mesh] ??= new Numbers();
    lists[mesh].push(p[0], p[1], p[2], p[9], p[3], p[4], p[5], p[10], p[6], p[7], p[8], p[11],
                     half[0], half[1], half[2], round, colour[0], colour[1], colour[2], alpha);
  }

  // A triangle lying anywhere, of one colour, in which one shines through the other.
  triangle(a, b, c, colour, alpha) {
    for (const corner of [a, b, c]) this.ribbons.push(...corner, ...colour, alpha);
  }

  polygon(corners, colour, alpha) {
    for (let i = 1; i + 1 < corners.length; i++) this.triangle(corners[0], corners[i], corners[i + 1], colour, alpha);
  }

  // A line on the floor, so wide in m; alphas from its beginning to its end.
  ribbon(points, width, colour, from, to) {
    for (let i = 0; i + 1 < points.length; i++) {
      const [a, b] = [points[i], points[i + 1]], alpha = from + ((to - from) * i) / points.length;
      const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
      if (length < 1e-6) continue;
      const side = [(-(b[1] - a[1]) / length) * width / 2, ((b[0] - a[0]) / length) * width / 2, 0];
      const corners = [add(a, side), add(b, side), add(b, scale(-1, side)), add(a, scale(-1, side))];
      this.polygon(corners, colour, alpha);
    }
  }

  // -- the picture ---------------------------------------------------------------------------------

  draw({ transparent, skin }) {
    const gl = this.gl;
    this.fit();
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    const eye = this.eye();
    this.matrix = projection(eye, this.camera.target, this.canvas.width / this.canvas.height, FIELD, this.beside());
    gl.clearColor(...this.background, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    this.fill();
    this.drawFloor();
    gl.enable(gl.CULL_FACE);
    this.use(this.moving, eye);
    this.drawShadow();
    this.drawRibbons();
    this.use(this.moving, eye);
    this.drawBody(transparent);
    gl.enable(gl.BLEND);
    gl.disable(gl.CULL_FACE);
    if (skin) this.drawRigid("skin", { glow: 0.45 });
    this.use(this.solid, eye);
    this.drawGroup("mark", { glow: 1 });
    gl.disable(gl.DEPTH_TEST);
    this.drawGroup("above", { glow: 1 });
    gl.disable(gl.BLEND);
  }

  fill() {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.points.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, this.ribbons.used, gl.STREAM_DRAW);
  }

  use(program, eye) {
    const gl = this.gl;
    gl.useProgram(program.program);
    gl.uniformMatrix4fv(program.where.projection, false, this.matrix);
    if (eye !== undefined) {
      gl.uniform3fv(program.where.light, LIGHT);
      gl.uniform3fv(program.where.eye, eye);
    }
  }

  drawFloor() {
    const gl = this.gl;
    this.use(this.floor);
    gl.uniform3fv(this.floor.where.middle, this.camera.target);
    gl.uniform3fv(this.floor.where.dark, this.background);
    gl.bindVertexArray(null);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  // Each place on the floor is darkened once, however many shapes lie above it.
  drawShadow() {
    const gl = this.gl;
    if (this.eye()[2] < 0) return;
    gl.enable(gl.STENCIL_TEST);
    gl.enable(gl.BLEND);
    gl.stencilFunc(gl.EQUAL, 0, 1);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    gl.depthMask(false);
    this.drawRigid("shadow", { shadow: 1 });
    gl.depthMask(true);
    gl.disable(gl.STENCIL_TEST);
  }

  drawRibbons() {
    const gl = this.gl;
    this.use(this.flat);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    gl.disable(gl.CULL_FACE);
    gl.bindVertexArray(this.points.array);
    gl.drawArrays(gl.TRIANGLES, 0, this.ribbons.length / PER_POINT);
    gl.enable(gl.CULL_FACE);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  // Transparent: of what lies behind each other only the first is seen.
  drawBody(transparent) {
    const gl = this.gl;
    if (!transparent) {
      this.drawRigid("body", {});
      return;
    }
    gl.colorMask(false, false, false, false);
    this.drawRigid("body", {});
    gl.colorMask(true, true, true, true);
    gl.depthFunc(gl.LEQUAL);
    gl.enable(gl.BLEND);
    this.drawRigid("body", { alpha: 0.28 });
    gl.depthFunc(gl.LESS);
    gl.clear(gl.DEPTH_BUFFER_BIT);
  }

  drawRigid(name, looks) {
    const gl = this.gl, { rigid, array, buffer, size } = this.rigid[name];
    this.look(this.moving, looks);
    gl.uniform1f(this.moving.where.dot_, (size * this.canvas.height) / (2 * Math.tan(FIELD / 2)));
    gl.bindVertexArray(array);
    if (rigid.changed) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, rigid.vertices, gl.DYNAMIC_DRAW);
      rigid.changed = false;
    }
    gl.drawElements(size > 0 ? gl.POINTS : gl.TRIANGLES, rigid.triangles.length, gl.UNSIGNED_INT, 0);
  }

  look({ where }, { glow = 0, alpha = 1, shadow = 0 }) {
    const gl = this.gl;
    gl.uniform1f(where.glow, glow);
    gl.uniform1f(where.alpha, alpha);
    gl.uniform1i(where.shadow, shadow);
  }

  drawGroup(name, looks) {
    const gl = this.gl;
    this.look(this.solid, looks);
    for (const [kind, list] of Object.entries(this.groups.get(name) ?? {})) {
      if (list.length === 0) continue;
      const mesh = this.mesh[kind];
      gl.bindVertexArray(mesh.array);
      gl.bindBuffer(gl.ARRAY_BUFFER, mesh.instances);
      gl.bufferData(gl.ARRAY_BUFFER, list.used, gl.STREAM_DRAW);
      gl.drawElementsInstanced(gl.TRIANGLES, mesh.count, gl.UNSIGNED_SHORT, 0, list.length / PER_INSTANCE);
    }
  }

  // The middle of what the panels leave free, from that of the screen in halves of it.
  beside() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const wide = (name) => document.querySelector(name)?.offsetWidth ?? 0;
    const high = (name) => document.querySelector(name)?.offsetHeight ?? 0;
    return [(wide(".left") - wide(".right")) / width, (high("footer") - high("header")) / height];
  }

  fit() {
    const width = Math.round(this.canvas.clientWidth * this.resolution);
    const height = Math.round(this.canvas.clientHeight * this.resolution);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
  }

  // Told how long each of many pictures one behind the other took: on a slow machine the next are coarser, and finer
  // again when it has had time for a while.
  pace(seconds) {
    this.slow = 0.9 * this.slow + 0.1 * Math.min(seconds, 0.5);
    this.steady = this.slow < FAST_S ? this.steady + 1 : 0;
    if (this.slow > SLOW_S && this.resolution > COARSEST) this.become(Math.max(0.8 * this.resolution, COARSEST));
    if (this.steady > PATIENCE && this.resolution < this.finest) this.become(Math.min(1.25 * this.resolution, this.finest));
  }

  become(resolution) {
    this.resolution = resolution;
    this.slow = 0.5 * (SLOW_S + FAST_S);
    this.steady = 0;
  }

  // -- the camera ----------------------------------------------------------------------------------

  eye() {
    const { yaw, pitch, distance, target } = this.camera;
    const flat = distance * Math.cos(pitch);
    return add(target, [flat * Math.cos(yaw), flat * Math.sin(yaw), distance * Math.sin(pitch)]);
  }

  // Dragging turns, with shift or another button moves, the wheel comes nearer.
  steer() {
    const { canvas, camera } = this;
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons === 0) return;
      if (event.buttons > 1 || event.shiftKey) {
        const step = (1.3 * camera.distance * FIELD) / canvas.clientHeight;
        const right = [-Math.sin(camera.yaw), Math.cos(camera.yaw), 0];
        this.panned = add(this.panned ?? [0, 0, 0],
                          add(scale(-event.movementX * step, right), [0, 0, event.movementY * step]));
      } else {
        camera.yaw -= 0.006 * event.movementX;
        camera.pitch = Math.min(Math.max(camera.pitch + 0.006 * event.movementY, -0.1), 1.5);
      }
      this.moved = true;
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      camera.distance = Math.min(Math.max(camera.distance * Math.exp(0.001 * event.deltaY), 0.3), 40);
      this.moved = true;
    }, { passive: false });
    window.addEventListener("resize", () => { this.moved = true; });
  }
}
