// Meshes whose edges are round, whatever their size: a vertex is core * (half - round) + normal * round,
// so that one mesh serves boxes of every proportion without bending their edges.

class Mesh {
  constructor() {
    this.vertices = []; // core, normal
    this.triangles = [];
  }

  vertex(core, normal) {
    this.vertices.push(...core, ...normal);
    return this.vertices.length / 6 - 1;
  }

  // Quads between rows of equally many vertices, each row closed.
  skin(rows) {
    for (let r = 0; r + 1 < rows.length; r++) {
      const a = rows[r], b = rows[r + 1], n = a.length;
      for (let i = 0; i < n; i++) {
        const j = (i + 1) % n;
        this.triangles.push(a[i], a[j], b[j], a[i], b[j], b[i]);
      }
    }
    return this;
  }

  // A flat end with a normal along z.
  end(corners, side) {
    const middle = this.vertex([0, 0, side], [0, 0, side]);
    corners.forEach((corner, i) => {
      const next = corners[(i + 1) % corners.length];
      this.triangles.push(...(side > 0 ? [middle, corner, next] : [middle, next, corner]));
    });
    return this;
  }
}

// From the lower end to the upper: [side, sine, cosine] of an edge's roundness.
function latitudes(steps) {
  const list = [];
  for (const side of [-1, 1]) {
    for (let i = 0; i <= steps; i++) {
      const angle = (Math.PI / 2 / steps) * (side < 0 ? i - steps : i);
      list.push([side, Math.sin(angle), Math.cos(angle)]);
    }
  }
  return list;
}

function box(edge) {
  const mesh = new Mesh();
  const around = [];
  for (let quarter = 0; quarter < 4; quarter++) {
    const x = quarter === 0 || quarter === 3 ? 1 : -1, y = quarter < 2 ? 1 : -1;
    for (let i = 0; i <= edge; i++) {
      const angle = (Math.PI / 2) * (quarter + i / edge);
      around.push([x, y, Math.cos(angle), Math.sin(angle)]);
    }
  }
  const rows = latitudes(edge).map(([side, s, c]) =>
    around.map(([x, y, cos, sin]) => mesh.vertex([x, y, side], [c * cos, c * sin, s])));
  return mesh.skin(rows).end(rows[0], -1).end(rows.at(-1), 1);
}

function cylinder(steps, edge) {
  const mesh = new Mesh();
  const around = Array.from({ length: steps }, (_, i) => (2 * Math.PI * i) / steps);
  const rows = latitudes(edge).map(([side, s, c]) => around.map((angle) => {
    const x = Math.cos(angle), y = Math.sin(angle);
    return mesh.vertex([x, y, side], [c * x, c * y, s]);
  }));
  return mesh.skin(rows).end(rows[0], -1).end(rows.at(-1), 1);
}

// With its tip upwards.
function cone(steps) {
  const mesh = new Mesh();
  const around = Array.from({ length: steps }, (_, i) => (2 * Math.PI * i) / steps);
  const ring = (radius, z) => around.map((angle) => {
    const x = Math.cos(angle), y = Math.sin(angle);
    return mesh.vertex([radius * x, radius * y, z], [0.9 * x, 0.9 * y, 0.43]);
  });
  const rows = [ring(1, -1), ring(0.001, 1)];
  return mesh.skin(rows).end(rows[0], -1);
}

// A hexagon, a little higher in its middle. There are many of it.
function plate() {
  const mesh = new Mesh();
  const around = Array.from({ length: 6 }, (_, i) => (Math.PI / 3) * i);
  const ring = around.map((angle) => {
    const x = Math.cos(angle), y = Math.sin(angle);
    return mesh.vertex([x, y, 0.7], [0.3 * x, 0.3 * y, 0.95]);
  });
  return mesh.end(ring, 1);
}

// A prism without roundness or normals, for shadows.
function prism(corners, radius) {
  const mesh = new Mesh();
  const ring = (side) => Array.from({ length: corners }, (_, i) => {
    const angle = (2 * Math.PI * (i + 0.5)) / corners;
    return mesh.vertex([radius * Math.cos(angle), radius * Math.sin(angle), side], [0, 0, side]);
  });
  const rows = [ring(-1), ring(1)];
  return mesh.skin(rows).end(rows[0], -1).end(rows[1], 1);
}

// What a shadow is cast by, for each kind.
export const shadows = { box: prism(4, Math.SQRT2), cylinder: prism(8, 1.04), sphere: cylinder(8, 2) };

// A place and its normal: for what is drawn as a dot.
const point = { vertices: [0, 0, 1, 0, 0, 1], triangles: [0] };

// One of each kind. Coarse ones, for software that draws, have a quarter of the triangles, and plates are dots.
export const meshes = (coarse) => (coarse
  ? { box: box(1), cylinder: cylinder(12, 1), sphere: cylinder(12, 3), plate: point, cone: cone(8) }
  : { box: box(3), cylinder: cylinder(24, 3), sphere: cylinder(24, 6), plate: plate(), cone: cone(16) });
