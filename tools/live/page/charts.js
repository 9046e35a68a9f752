// Two kinds of small pictures: curves over the last seconds, and the ground under the robot from above.
import { hull } from "./transforms.js";
import { COLOURS } from "./scene.js";

const SPAN_S = 10;
export const CURVES = ["#5cd6c7", "#ffb84d", "#9e8fff", "#6aa9ff", "#ff5c6b", "#4cd08a"];

const css = ([r, g, b], alpha = 1) => `rgba(${255 * r}, ${255 * g}, ${255 * b}, ${alpha})`;

// A canvas' context in CSS pixels, cleared.
function begin(canvas) {
  const ratio = Math.min(window.devicePixelRatio, 2), width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "10px system-ui, sans-serif";
  return { context, width, height };
}

// A round number not below `least`, for the ends of an axis.
function round(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-6)));
  return [1, 2, 5, 10].map((step) => step * power).find((end) => end >= least);
}

export class Curves {
  constructor(canvas, names, { least = 0.1, positive = false } = {}) {
    Object.assign(this, { canvas, names, least, positive, rows: [] });
  }

  // Values at a time in s; missing ones leave a gap.
  add(t, values) {
    if (this.rows.length > 0 && t <= this.rows.at(-1)[0]) {
      if (t < this.rows.at(-1)[0] - 1) this.rows = []; // another daemon, or a recording from its beginning
      return;
    }
    this.rows.push([t, ...values]);
    while (this.rows[0][0] < t - SPAN_S) this.rows.shift();
  }

  draw() {
    const { context: c, width, height } = begin(this.canvas), { rows } = this;
    if (rows.length < 2 || width === 0) return;
    const end = rows.at(-1)[0], left = 34;
    const most = rows.reduce((a, row) => row.reduce((b, v, i) => (i > 0 && Math.abs(v) > b ? Math.abs(v) : b), a), 0);
    const top = round(Math.max(most, this.least)), bottom = this.positive ? 0 : -top;
    const x = (t) => left + ((width - left - 4) * (t - end + SPAN_S)) / SPAN_S;
    const y = (v) => 6 + ((height - 12) * (top - v)) / (top - bottom);
    c.fillStyle = "#7f8c9a";
    c.strokeStyle = "rgba(255, 255, 255, 0.08)";
    c.textAlign = "right";
    for (const value of this.positive ? [0, top / 2, top] : [-top, 0, top]) {
      c.fillText(String(value), left - 6, y(value) + 3);
      c.beginPath();
      c.moveTo(left, y(value));
      c.lineTo(width - 4, y(value));
      c.stroke();
    }
    this.names.forEach((name, k) => this.curve(c, k, x, y));
    c.textAlign = "left";
    this.names.forEach((name, k) => {
      c.fillStyle = CURVES[k % CURVES.length];
      c.fillText(name, left + 6 + 64 * k, 13);
    });
  }

  curve(c, k, x, y) {
    c.strokeStyle = CURVES[k % CURVES.length];
    c.lineWidth = 1.4;
    c.lineJoin = "round";
    c.beginPath();
    let pen = false;
    for (const row of this.rows) {
      const value = row[k + 1];
      if (!Number.isFinite(value)) {
        pen = false;
        continue;
      }
      if (pen) c.lineTo(x(row[0]), y(value));
      else c.moveTo(x(row[0]), y(value));
      pen = true;
    }
    c.stroke();
  }
}

// The ground from above, forwards upwards: soles, support, centre of mass and of pressure.
export class Ground {
  constructor(canvas, robot) {
    Object.assign(this, { canvas, robot, trail: [], middle: null });
  }

  draw(message, seconds) {
    const { context: c, width, height } = begin(this.canvas), { robot } = this;
    const com = message?.com_position, cop = message?.cop_position;
    if (!com || width === 0) return;
    const feet = robot.feet.map((_, i) => robot.footprint(i));
    this.middle = this.middle === null || Math.hypot(com[0] - this.middle[0], com[1] - this.middle[1]) > 1
      ? [com[0], com[1]] : [0, 1].map((k) => this.middle[k] + (1 - Math.exp(-2 * seconds)) * (com[k] - this.middle[k]));
    const scale = Math.min(width, height) / (robot.feet.length > 0 ? 0.75 : 0.5);
    // the robot's own forwards, so that left is left
    const base = robot.pose[0], yaw = Math.atan2(base[3], base[0]), cos = Math.cos(yaw), sin = Math.sin(yaw);
    const at = ([x, y]) => {
      const [dx, dy] = [x - this.middle[0], y - this.middle[1]];
      return [width / 2 - scale * (cos * dy - sin * dx), height / 2 - scale * (cos * dx + sin * dy)];
    };
    this.grid(c, width, height, scale);
    this.soles(c, at, feet, message);
    this.marks(c, at, scale, message, com, cop);
  }

  grid(c, width, height, scale) {
    c.strokeStyle = "rgba(255, 255, 255, 0.06)";
    c.fillStyle = "#7f8c9a";
    c.beginPath();
    for (let k = -10; k <= 10; k++) {
      const [x, y] = [width / 2 + k * 0.1 * scale, height / 2 + k * 0.1 * scale];
      c.moveTo(x, 0), c.lineTo(x, height), c.moveTo(0, y), c.lineTo(width, y);
    }
    c.stroke();
    c.fillText("10 cm grid", 4, height - 5);
  }

  outline(c, points) {
    c.beginPath();
    points.forEach((p, i) => (i === 0 ? c.moveTo(...p) : c.lineTo(...p)));
    c.closePath();
  }

  soles(c, at, feet, message) {
    const standing = feet.filter((_, i) => message.support_share?.[i] > 0.05);
    const edge = hull(standing.flat().map((p) => [p[0], p[1]])).map(at);
    if (edge.length > 2) {
      this.outline(c, edge);
      c.fillStyle = css(COLOURS.support, 0.13);
      c.fill();
    }
    feet.forEach((foot, i) => {
      const share = message.support_share?.[i] ?? 0;
      this.outline(c, foot.map(at));
      c.strokeStyle = `rgba(223, 231, 239, ${0.25 + 0.65 * Math.min(share, 1)})`;
      c.lineWidth = 1.3;
      c.stroke();
    });
  }

  marks(c, at, scale, message, com, cop) {
    if (this.trail.length > 0 && Math.hypot(com[0] - this.trail.at(-1)[0], com[1] - this.trail.at(-1)[1]) > 0.4) {
      this.trail = []; // somewhere else at once
    }
    this.trail.push([...com.slice(0, 2), ...(cop ?? [NaN, NaN]).slice(0, 2)]);
    if (this.trail.length > 90) this.trail.shift();
    [[0, COLOURS.com], [2, COLOURS.cop]].forEach(([k, colour]) => {
      c.strokeStyle = css(colour, 0.5);
      c.lineWidth = 1.2;
      c.beginPath();
      this.trail.forEach((row, i) => c[i === 0 ? "moveTo" : "lineTo"](...at([row[k], row[k + 1]])));
      c.stroke();
    });
    const dot = (p, radius, colour, line) => {
      c.beginPath();
      c.arc(...at(p), radius, 0, 2 * Math.PI);
      c[line ? "strokeStyle" : "fillStyle"] = colour;
      if (line) c.stroke();
      else c.fill();
    };
    if (message.capture_point) dot(message.capture_point, 5, css(COLOURS.capture), true);
    if (cop) {
      dot(cop, 3 * scale * Math.max(message.cop_sd?.[0] ?? 0, message.cop_sd?.[1] ?? 0), css(COLOURS.cop, 0.18));
      dot(cop, 3.5, css(COLOURS.cop));
    }
    dot(com, 4.5, css(COLOURS.com));
  }
}
