// The panels around the picture: status, streams, cycle, skin, loads, joints, events, curves.
import { CELLS } from "./scene.js";
import { Curves, Ground } from "./charts.js";

const byId = (id) => document.getElementById(id);
const css = ([r, g, b]) => `rgb(${255 * r}, ${255 * g}, ${255 * b})`;
const MOST_EVENTS = 7;
const STREAMS = ["joints", "imu", "skin", "wrench"];
const PHASES = ["in the air", "one foot", "both feet", "strike"];

function element(tag, { text, name } = {}, ...children) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (name !== undefined) made.className = name;
  made.append(...children);
  return made;
}

// Text is set only where it has changed: layout costs.
function say(where, text) {
  if (where.textContent !== text) where.textContent = text;
}

function terms(list, pairs) {
  while (list.children.length > 2 * pairs.length) list.lastChild.remove();
  while (list.children.length < 2 * pairs.length) list.append(element("dt"), element("dd"));
  pairs.forEach(([term, text], i) => {
    say(list.children[2 * i], term);
    say(list.children[2 * i + 1], text);
  });
}

// "0.00", never "-0.00".
const fixed = (value, digits) => (Number.isFinite(value) ? value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1") : "–");
const triple = (v, digits) => (v ? v.map((x) => fixed(x, digits)).join("  ") : "–");

function span(seconds) {
  if (seconds < 120) return `${Math.floor(seconds)} s`;
  return seconds < 7200 ? `${Math.floor(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

function age(seconds) {
  return seconds < 1 ? `${(1000 * seconds).toFixed(1)} ms` : span(seconds);
}

export class Panels {
  constructor(robot) {
    this.robot = robot;
    this.frames = new Map();
    this.joints = robot.links.slice(1).map((link) => this.jointRow(link));
    byId("joints").append(...this.joints.map((joint) => joint.row));
    say(byId("unit-q"), robot.links.some((link) => link.type === "prismatic") ? "rad, m" : "rad");
    byId("balance-card").hidden = robot.fixed_base;
    byId("skin-card").hidden = robot.cells.link.length === 0;
    this.ground = new Ground(byId("balance"), robot);
    this.charts = {
      feet: new Curves(byId("chart-feet"), robot.feet.map((foot) => short(foot.name)), { least: 10, positive: true }),
      com: new Curves(byId("chart-com"), ["x", "y", "z"]),
      rate: new Curves(byId("chart-rate"), ["x", "y", "z"]),
    };
    for (const name of Object.keys(this.charts)) {
      const idle = name === "feet" ? robot.feet.length === 0 : robot.fixed_base;
      byId(`chart-${name}`).parentElement.hidden = idle;
    }
  }

  jointRow(link) {
    const mark = element("i"), cells = [0, 1, 2].map(() => element("td"));
    const row = element("tr", {}, element("td", { text: short(link.joint) }),
                        element("td", { name: "bar" }, element("div", {}, mark)), ...cells);
    row.title = link.joint;
    return { link, row, mark, cells };
  }

  // -- what comes often ----------------------------------------------------------------------------

  curves({ state, centroidal }) {
    const t = (map) => 1e-9 * map.t_mono_ns;
    if (state?.base_angular_velocity) this.charts.rate.add(t(state), state.base_angular_velocity);
    if (centroidal?.com_velocity) this.charts.com.add(t(centroidal), centroidal.com_velocity);
    if (centroidal?.foot_force) this.charts.feet.add(t(centroidal), centroidal.foot_force);
  }

  draw(messages, seconds) {
    Object.values(this.charts).forEach((chart) => chart.canvas.parentElement.hidden || chart.draw());
    if (!this.robot.fixed_base) this.ground.draw(messages.centroidal, seconds);
  }

  // -- what is read, ten times a second ------------------------------------------------------------

  tell(messages, connected, silent) {
    this.headline(messages, connected, silent);
    this.streams(messages.diag);
    this.cycle(messages);
    this.motion(messages);
    this.skin(messages);
    this.loads(messages.inertia);
    this.jointTable(messages.state);
  }

  headline({ diag, meta, state, centroidal }, connected, silent) {
    const status = !connected ? "disconnected" : silent ? "silent" : diag?.status ?? "waiting";
    const pill = byId("status"), mismatch = meta && this.mismatch(meta);
    say(pill, mismatch ? "another robot" : status);
    pill.className = `pill ${mismatch ? "other" : status}`;
    if (!meta) return;
    say(byId("robot"), meta.robot);
    document.title = `${meta.robot} · propriod`;
    const cells = meta.n_cells > 0 ? ` · ${meta.n_cells} cells` : "";
    const parts = state?.status === status && centroidal?.status === status
      ? "" : ` · state ${state?.status ?? "silent"}, centroidal ${centroidal?.status ?? "silent"}`;
    say(byId("facts"), mismatch || `${meta.joints.length} joints${cells} · ${meta.model_mass.toFixed(1)} kg · up ${
      span(diag?.uptime ?? 0)}${parts}`);
  }

  // The page shows the configuration's robot; the daemon may run with another.
  mismatch(meta) {
    const joints = this.robot.links.slice(1).map((link) => link.joint);
    return joints.length === meta.joints.length && joints.every((name, j) => name === meta.joints[j])
      ? "" : `the daemon runs ${meta.robot}, the page shows ${this.robot.robot}`;
  }

  streams(diag) {
    const table = byId("streams");
    if (table.rows.length === 0) {
      STREAMS.forEach((name) => table.append(
        element("tr", {}, element("td", { text: name }), element("td"), element("td"))));
    }
    const t = 1e-9 * (diag?.t_mono_ns ?? 0), dt = t - (this.framesAt ?? t);
    STREAMS.forEach((name, i) => {
      const stream = diag?.streams?.[name], row = table.rows[i];
      const word = stream?.present ? "ok" : stream?.seen ? "silent" : "never";
      row.className = word;
      say(row.cells[1], word === "never" ? "never" : age(stream.age ?? 0));
      if (dt > 0.9 && stream) {
        say(row.cells[2], stream.seen ? `${Math.round((stream.frames - this.frames.get(name)) / dt)} Hz` : "");
      }
      if (dt > 0.9 || !this.frames.has(name)) this.frames.set(name, stream?.frames ?? 0);
    });
    if (dt > 0.9 || this.framesAt === undefined) this.framesAt = t || undefined;
  }

  cycle({ diag, meta }) {
    const cycle = diag?.cycle, period = meta?.period;
    if (!cycle || !period) return;
    const t = 1e-9 * diag.t_mono_ns;
    if (this.cycleAt === undefined || t - this.cycleAt[0] > 0.9 || t < this.cycleAt[0]) {
      const [before, cycles] = this.cycleAt ?? [t, cycle.cycles];
      if (t > before) say(byId("rate"), `p50 / p99, ${((cycle.cycles - cycles) / (t - before)).toFixed(0)} Hz`);
      this.cycleAt = [t, cycle.cycles];
    }
    const share = (seconds) => `${Math.min(100 * seconds / period, 100).toFixed(1)}%`;
    byId("busy").style.width = share(cycle.busy.p50);
    byId("busy99").style.left = share(cycle.busy.p99);
    const us = (h) => `${(1e6 * h.p50).toFixed(0)} / ${(1e6 * h.p99).toFixed(0)} µs`;
    terms(byId("cycle"), [[`busy of ${1e6 * period}`, us(cycle.busy)], ["woken late", us(cycle.wakeup)],
                          ["overruns, predicted", `${cycle.overruns}, ${cycle.predicted}`]]);
  }

  motion({ state, centroidal: c }) {
    if (this.robot.fixed_base) return;
    say(byId("phase"), c?.support_phase === undefined ? "" : PHASES[c.support_phase] ?? "");
    const q = state?.quat_xyzw, limit = (x) => Math.min(Math.max(x, -1), 1), degrees = 180 / Math.PI;
    const tilt = q && [
      degrees * Math.atan2(2 * (q[3] * q[0] + q[1] * q[2]), 1 - 2 * (q[0] ** 2 + q[1] ** 2)),
      degrees * Math.asin(limit(2 * (q[3] * q[1] - q[2] * q[0])))];
    terms(byId("motion"), [
      ["centre of mass, m", triple(c?.com_position ?? c?.com_in_base, 3)],
      ["of pressure, m", triple(c?.cop_position?.slice(0, 2), 3)],
      ["roll, pitch", tilt ? `${tilt.map((x) => fixed(x, 2)).join("  ")} ± ${fixed(degrees * state.tilt_sd, 2)}°` : "–"],
      ["margin", c?.support_margin === undefined ? "–" : `${fixed(1000 * c.support_margin, 0)} mm`]]);
  }

  skin({ skin, meta }) {
    if (!skin || !meta) return;
    const names = meta.cell_states, counts = names.map((name) => skin[`cells_${name}`] ?? 0), bar = byId("health");
    say(byId("cells"), `${counts[0]} of ${counts.reduce((a, b) => a + b, 0)} ok`);
    if (bar.children.length === 0) {
      bar.append(...names.map((_, i) => {
        const part = element("i");
        part.style.background = css(CELLS[i]);
        return part;
      }));
    }
    counts.forEach((count, i) => { bar.children[i].style.flex = String(count); });
    const key = byId("health-key"), text = counts.join();
    if (key.dataset.counts === text) return;
    key.dataset.counts = text;
    key.replaceChildren(...names.flatMap((name, i) => {
      if (counts[i] === 0) return [];
      const dot = element("i");
      dot.style.background = css(CELLS[i]);
      return [dot, `${counts[i]} ${name} `];
    }));
  }

  loads(inertia) {
    const links = inertia?.links ?? [];
    byId("loads-card").hidden = links.length === 0;
    if (links.length === 0) return;
    say(byId("inertia"), inertia.state ?? "");
    terms(byId("loads"), links.map(
      (name, k) => [short(name), `${fixed(inertia.mass[k], 2)} ± ${fixed(inertia.mass_sd[k], 2)} kg`]));
  }

  jointTable(state) {
    this.joints.forEach(({ link, row, mark, cells }, j) => {
      const q = state?.q?.[j];
      [[q, 3], [state?.dq?.[j], 2], [state?.ddq?.[j], 1]].forEach(([value, digits], k) => say(cells[k], fixed(value, digits)));
      const ill = state?.joint_health?.[j] > 0;
      if (row.classList.contains("ill") !== ill) row.classList.toggle("ill", ill);
      if (q === undefined) return;
      const low = link.limits[0] ?? -Math.PI, high = link.limits[1] ?? Math.PI;
      const share = Math.min(Math.max((q - low) / (high - low), 0), 1);
      mark.style.left = `${(100 * share).toFixed(1)}%`;
      mark.className = link.limits[0] !== null && (share < 0.03 || share > 0.97) ? "near" : "";
    });
  }

  event(event) {
    const time = new Date(1000 * event.timestamp).toTimeString().slice(0, 8);
    const line = element("li", { name: event.severity }, element("time", { text: time }), event.text);
    line.title = event.text;
    byId("events").prepend(line);
    while (byId("events").children.length > MOST_EVENTS) byId("events").lastChild.remove();
  }
}

// Without what all names end with.
function short(name) {
  return name.replace(/_(joint|link|sole|frame)$/, "").replaceAll("_", " ");
}
