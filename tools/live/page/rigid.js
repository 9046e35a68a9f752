// What moves with the robot's links, as triangles that are made once: a picture is then one call for all shapes. A call
// for many instances of a mesh is as slow as many calls where software draws.
import { place, rotate } from "./transforms.js";

const PER_VERTEX = 11; // numbers: where and normal in the link's frame, link, colour with alpha

export class Rigid {
  // Of shapes {kind, link, at, half, round, colour, alpha} (robot.js), whose kinds are among `meshes`; a shape may
  // bring a mesh of its own.
  constructor(shapes, meshes) {
    this.meshes = meshes;
    this.first = []; // vertex of each shape
    let vertices = 0, corners = 0;
    for (const shape of shapes) {
      this.first.push(vertices);
      const mesh = this.meshOf(shape);
      vertices += mesh.vertices.length / 6;
      corners += mesh.triangles.length;
    }
    this.vertices = new Float32Array(PER_VERTEX * vertices);
    this.triangles = new Uint32Array(corners);
    let at = 0;
    shapes.forEach((shape, i) => {
      for (const corner of this.meshOf(shape).triangles) this.triangles[at++] = this.first[i] + corner;
      this.put(i, shape);
    });
  }

  meshOf(shape) {
    return shape.mesh ?? this.meshes[shape.kind];
  }

  // Another form of the same mesh in a shape's place.
  put(i, shape) {
    const { link, at, half, round, colour, alpha = 1 } = shape, { vertices } = this.meshOf(shape);
    let k = PER_VERTEX * this.first[i];
    for (let v = 0; v < vertices.length; v += 6) {
      const normal = [vertices[v + 3], vertices[v + 4], vertices[v + 5]];
      const corner = half.map((h, axis) => vertices[v + axis] * (h - round) + normal[axis] * round);
      const values = [...place(at, corner), ...rotate(at, normal), link, ...colour, alpha];
      this.vertices.set(values, k);
      k += PER_VERTEX;
    }
    this.changed = true;
  }
}
