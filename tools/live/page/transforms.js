// Poses and projections. A pose is twelve numbers, rows of the rotation and then the origin, as in
// robot.json; a projection is sixteen, columns first, as WebGL takes it. Vectors are arrays of three.

export const identity = () => [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];

// x_A = R_AB x_B + p
export function compose(a, b) {
  const c = new Array(12);
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) {
      c[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
    }
    c[9 + i] = a[3 * i] * b[9] + a[3 * i + 1] * b[10] + a[3 * i + 2] * b[11] + a[9 + i];
  }
  return c;
}

export function inverse(a) {
  const c = [a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8], 0, 0, 0];
  const p = rotate(c, [a[9], a[10], a[11]]);
  return [...c.slice(0, 9), -p[0], -p[1], -p[2]];
}

export function rotate(a, v) {
  return [0, 3, 6].map((i) => a[i] * v[0] + a[i + 1] * v[1] + a[i + 2] * v[2]);
}

export function place(a, v) {
  const r = rotate(a, v);
  return [r[0] + a[9], r[1] + a[10], r[2] + a[11]];
}

export const origin = (a) => [a[9], a[10], a[11]];
export const translation = (v) => [1, 0, 0, 0, 1, 0, 0, 0, 1, v[0], v[1], v[2]];

// About a unit axis.
export function turn(axis, angle) {
  const [x, y, z] = axis;
  const s = Math.sin(angle), c = Math.cos(angle), t = 1 - c;
  return [t * x * x + c, t * x * y - s * z, t * x * z + s * y,
          t * x * y + s * z, t * y * y + c, t * y * z - s * x,
          t * x * z - s * y, t * y * z + s * x, t * z * z + c, 0, 0, 0];
}

export function fromQuaternion([x, y, z, w], p) {
  return [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
          2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
          2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), p[0], p[1], p[2]];
}

// URDF's roll, pitch and yaw about fixed axes.
export function fromRollPitchYaw([roll, pitch, yaw], p) {
  const r = compose(turn([0, 0, 1], yaw), compose(turn([0, 1, 0], pitch), turn([1, 0, 0], roll)));
  return [...r.slice(0, 9), p[0], p[1], p[2]];
}

// A pose at p whose z points along v.
export function along(v, p) {
  const z = unit(v);
  const x = unit(cross(Math.abs(z[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], z));
  const y = cross(z, x);
  return [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2], p[0], p[1], p[2]];
}

export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (s, a) => [s * a[0], s * a[1], s * a[2]];
export const norm = (a) => Math.hypot(a[0], a[1], a[2]);
export const cross = (a, b) =>
  [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

export function unit(a) {
  const n = norm(a);
  return n > 1e-12 ? scale(1 / n, a) : [0, 0, 1];
}

// From world coordinates to the screen's, for an eye that looks at a target, z upwards; the target is seen
// beside the middle, by shares of half the screen to the right and upwards.
export function projection(eye, target, aspect, field, beside) {
  const back = unit(sub(eye, target)), right = unit(cross([0, 0, 1], back)), up = cross(back, right);
  const near = 0.02, far = 200, f = 1 / Math.tan(field / 2);
  const a = (far + near) / (near - far), b = (2 * far * near) / (near - far);
  const row = (v) => [v[0], v[1], v[2], -(v[0] * eye[0] + v[1] * eye[1] + v[2] * eye[2])];
  const w = row(back);
  const x = row(right).map((e, k) => (e * f) / aspect - beside[0] * w[k]);
  const y = row(up).map((e, k) => e * f - beside[1] * w[k]);
  const matrix = new Float32Array(16);
  for (let i = 0; i < 4; i++) {
    matrix[4 * i] = x[i];
    matrix[4 * i + 1] = y[i];
    matrix[4 * i + 2] = a * w[i] + (i === 3 ? b : 0);
    matrix[4 * i + 3] = -w[i];
  }
  return matrix;
}

// Where a point of the world is on the screen, 0 .. 1 from the left and from the top; null: behind.
export function onScreen(matrix, v) {
  const at = (k) => matrix[k] * v[0] + matrix[4 + k] * v[1] + matrix[8 + k] * v[2] + matrix[12 + k];
  const w = at(3);
  return w > 0.01 ? [0.5 + (0.5 * at(0)) / w, 0.5 - (0.5 * at(1)) / w] : null;
}

// The convex hull of points in the plane, counterclockwise (Andrew's monotone chain).
export function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (list) => {
    const chain = [];
    for (const p of list) {
      while (chain.length > 1 && area(chain.at(-2), chain.at(-1), p) <= 0) chain.pop();
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  const area = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  return sorted.length < 3 ? sorted : [...half(sorted), ...half(sorted.reverse())];
}
