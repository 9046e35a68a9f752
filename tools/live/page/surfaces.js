// Triangles as they are drawn: corners that coincide made one, normals smooth but for edges.
import { cross, norm, sub, unit } from "./transforms.js";

const EDGE = Math.cos(Math.PI / 5); // between faces that meet at an edge
const GRID = { finest: 4096, fine: 128, coarse: 28 }; // cells along the longest side in which corners become one
const MANY = 40000; // triangles

// A mesh {vertices, triangles} within [-1, 1] of its box, of corners in m, nine numbers a triangle, each stretched by
// `stretch`; and the box: its `middle` and `half` its extents. Null: there is nothing to be seen. Where software draws
// `coarse` leaves a few hundred triangles.
export function surface(corners, stretch, coarse) {
  const point = (i) => [0, 1, 2].map((k) => corners[i + k] * stretch[k]);
  const { middle, half } = boxOf(corners, stretch);
  const longest = Math.max(...half);
  if (!(longest > 0 && longest < Infinity)) return null;
  const cells = coarse ? GRID.coarse : corners.length / 9 > MANY ? GRID.fine : GRID.finest;
  const welded = new Welded((2 * longest) / cells, middle, half);
  const mirrored = stretch[0] * stretch[1] * stretch[2] < 0;
  for (let i = 0; i + 8 < corners.length; i += 9) {
    const a = point(i), b = point(i + 3), c = point(i + 6);
    welded.face(...(mirrored ? [a, c, b] : [a, b, c]));
  }
  return welded.triangles.length > 0 ? { mesh: welded.mesh(), middle, half } : null;
}

function boxOf(corners, stretch) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < corners.length; i++) {
    const k = i % 3, at = corners[i] * stretch[k];
    if (at < low[k]) low[k] = at;
    if (at > high[k]) high[k] = at;
  }
  return { middle: low.map((l, k) => (l + high[k]) / 2), half: low.map((l, k) => (high[k] - l) / 2) };
}

class Welded {
  constructor(cell, middle, half) {
    Object.assign(this, { cell, middle, half });
    this.at = [];        // of each vertex
    this.normal = [];    // likewise: sum over its faces by their area
    this.triangles = []; // of vertices
    this.places = new Map(); // cell: its vertices, one for each side of an edge
  }

  keyOf(p) {
    return p.map((x, k) => Math.round((x - this.middle[k]) / this.cell)).join();
  }

  face(a, b, c) {
    const keys = [a, b, c].map((p) => this.keyOf(p)), area = cross(sub(b, a), sub(c, a));
    if (keys[0] === keys[1] || keys[1] === keys[2] || keys[2] === keys[0] || !(norm(area) > 0)) return;
    this.triangles.push(...[a, b, c].map((p, i) => this.vertex(keys[i], p, area)));
  }

  // That of its place whose faces look the same way.
  vertex(key, p, area) {
    if (!this.places.has(key)) this.places.set(key, []);
    const here = this.places.get(key), towards = unit(area);
    for (const v of here) {
      const n = this.normal[v], along = n[0] * towards[0] + n[1] * towards[1] + n[2] * towards[2];
      if (along > EDGE * norm(n)) {
        for (let k = 0; k < 3; k++) n[k] += area[k];
        return v;
      }
    }
    here.push(this.at.length);
    this.at.push(here.length > 1 ? this.at[here[0]] : p);
    this.normal.push([...area]);
    return this.at.length - 1;
  }

  // As shapes.js has them: where in the box, and which way.
  mesh() {
    const vertices = new Float32Array(6 * this.at.length);
    this.at.forEach((p, v) => {
      const core = p.map((x, k) => (this.half[k] > 0 ? (x - this.middle[k]) / this.half[k] : 0));
      vertices.set([...core, ...unit(this.normal[v])], 6 * v);
    });
    return { vertices, triangles: this.triangles };
  }
}
