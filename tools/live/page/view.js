// Draws meshes, ribbons and a floor with WebGL 2.
import { Camera, FIELD } from "./camera.js";
import { FLAT_FRAGMENT, FLAT_VERTEX, FLOOR_FRAGMENT, FLOOR_VERTEX, RIGID_VERTEX, SOLID_FRAGMENT,
         SOLID_VERTEX } from "./shaders.js";
import { meshes } from "./shapes.js";
import { Stage } from "./stage.js";
import { add, scale } from "./transforms.js";

const PER_INSTANCE = 20; // numbers: a pose's three rows, half and round, colour
const PER_POINT = 7;     // numbers: where, colour
const LIGHT = [0.35, -0.5, 1.0];
const MOST_LINKS = 256;  // as many rows of poses as every browser takes, and twice what propriod does

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
    this.camera = new Camera(canvas);
    this.stage = new Stage(canvas);
    const { software } = this.stage;
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

  // Takes a group, "body", "shadow" or "skin", of what moves with the links, in the place of the one before.
  // `size`, m, of its dots, where a place is all that it has of each.
  keep(name, rigid, size = 0) {
    const gl = this.gl, array = gl.createVertexArray(), buffer = gl.createBuffer(), corners = gl.createBuffer();
    const before = this.rigid[name];
    if (before) {
      gl.deleteVertexArray(before.array);
      gl.deleteBuffer(before.buffer);
      gl.deleteBuffer(before.corners);
    }
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    this.attributes([3, 3, 1, 4], 0, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, corners);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, rigid.triangles, gl.STATIC_DRAW);
    const dots = rigid.first.length > 0 && rigid.triangles.length === rigid.first.length;
    this.rigid[name] = { rigid, array, buffer, corners, size: dots ? size : 0 };
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
    this.stage.fit();
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    const eye = this.camera.eye();
    this.matrix = this.camera.matrix(this.canvas.width / this.canvas.height, this.stage.beside);
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
    if (this.camera.eye()[2] < 0) return;
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
}
