// What is to be seen of the robot in space: its body, skin, centre of mass and of pressure, support, forces.
import { Rigid } from "./rigid.js";
import { shadows } from "./shapes.js";
import { add, along, compose, hull, norm, onScreen, origin, place, scale } from "./transforms.js";

export const COLOURS = {
  com: [0.36, 0.84, 0.78], cop: [1.0, 0.72, 0.3], support: [0.36, 0.84, 0.78], capture: [0.62, 0.56, 1.0],
  force: [1.0, 0.72, 0.3], push: [1.0, 0.36, 0.42], load: [0.62, 0.56, 1.0],
};
// a cell's health, in the order of `cell_states` in meta
export const CELLS = [[0.22, 0.66, 0.62], [1.0, 0.72, 0.3], [1.0, 0.3, 0.36], [0.42, 0.66, 1.0], [0.62, 0.56, 1.0],
                      [0.42, 0.46, 0.52]];
const TRAIL = 180;       // places kept of a path on the floor
const JUMP = 0.4;        // m: between two of them there is no path
const STANDS = 0.05;     // share of the weight from which a foot supports
const PER_WEIGHT = 0.45; // m: length of an arrow as strong as the robot's weight, of a robot 1 m high
const GRAVITY = 9.81;
const FAR = 1.75; // the camera's distance in heights of the robot, where nothing covers the picture
const FOLLOW_S = [0.35, 0.35, 1.5]; // in which the camera catches up with the base

export class Scene {
  constructor(robot, view) {
    this.robot = robot;
    this.view = view;
    this.show = { skin: true, forces: true, trails: true, transparent: false };
    this.trail = { com: [], cop: [] };
    this.height = 1;
    this.seenCells = robot.cells.link.map(() => 2 * 5 + 1); // unused, chosen: nothing is known
    this.skin = new Rigid(robot.cells.link.map((_, i) => this.plate(i, 5, 1)), view.meshes);
    this.dress();
    view.keep("skin", this.skin, 0.8 * robot.cellSize);
    this.lookAt();
  }

  // Draws the robot's shapes, which may have become others.
  dress() {
    const { robot, view } = this, boxes = view.stage.software; // a mesh costs too much to be drawn twice
    view.keep("body", new Rigid(robot.shapes, view.meshes));
    view.keep("shadow", new Rigid(robot.shapes.map((shape) => (
      shape.kind === "sphere" ? shape : shape.mesh && boxes ? { ...shape, kind: "box", mesh: undefined } : { ...shape, round: 0 })), shadows));
  }

  // The whole robot, from in front and a little from above.
  lookAt() {
    const [low, high] = this.robot.extent();
    const size = norm([high[0] - low[0], high[1] - low[1], high[2] - low[2]]);
    this.height = Math.max(size, 0.2);
    const distance = (FAR * this.height) / this.view.stage.room;
    Object.assign(this.view.camera, { yaw: -0.75, pitch: 0.2, distance, panned: [0, 0, 0] });
    this.middle = [0, 1, 2].map((k) => (low[k] + high[k]) / 2);
    this.view.camera.target = [...this.middle];
    this.offset = this.middle.map((m, k) => m - origin(this.robot.pose[0])[k]);
  }

  // Follows the base without its bobbing; `seconds` since the last picture.
  follow(seconds) {
    const base = origin(this.robot.pose[0]);
    if (norm(add(base, scale(-1, add(this.middle, scale(-1, this.offset))))) > 2 * this.height) {
      this.middle = add(base, this.offset);
    }
    this.middle = this.middle.map((m, k) =>
      m + (1 - Math.exp(-seconds / FOLLOW_S[k])) * (base[k] + this.offset[k] - m));
    this.view.camera.target = add(this.middle, this.view.camera.panned);
  }

  update(messages, seconds) {
    const { robot, view, show } = this;
    robot.stand(messages.state?.q ?? [], messages.state);
    this.follow(seconds);
    view.begin();
    view.place(robot.pose);
    if (show.skin) this.paintSkin(messages.skin);
    this.balance(messages.centroidal ?? {});
    if (show.forces) this.forces(messages);
    this.loads(messages.inertia);
    view.draw(show);
  }

  // A cell's plate, towards where it feels.
  plate(i, state, chosen) {
    const { link, at } = this.robot.cells, k = 6 * i, half = 0.46 * this.robot.cellSize;
    const size = state === 0 ? half : 1.35 * half;
    return { kind: "plate", link: link[i], at: along([at[k + 3], at[k + 4], at[k + 5]], [at[k], at[k + 1], at[k + 2]]),
             half: [size, size, 0.006], round: 0, colour: CELLS[state] ?? CELLS[5], alpha: chosen ? 1 : 0.45 };
  }

  // What has become of the cells since it was painted.
  paintSkin(message) {
    if (message === this.painted) return;
    this.painted = message;
    for (let i = 0; i < this.seenCells.length; i++) {
      const state = message.cell_state?.[i] ?? 5, chosen = message.cell_chosen?.[i] ?? 1, seen = 2 * state + chosen;
      if (seen === this.seenCells[i]) continue;
      this.seenCells[i] = seen;
      this.skin.put(i, this.plate(i, state, chosen));
    }
  }

  balance(c) {
    const { view, robot } = this, floor = (p, height = 0.003) => [p[0], p[1], height];
    // what stands carries: the hull of the soles
    const standing = robot.feet.flatMap((_, i) => (c.support_share?.[i] > STANDS ? robot.footprint(i) : []));
    const edge = hull(standing.map((corner) => floor(corner)));
    view.polygon(edge, COLOURS.support, 0.16);
    if (edge.length > 2) view.ribbon([...edge, edge[0]], 0.005, COLOURS.support, 0.9, 0.9);
    this.path("com", c.com_position && floor(c.com_position, 0.004), COLOURS.com);
    this.path("cop", c.cop_position && floor(c.cop_position, 0.005), COLOURS.cop);
    if (c.capture_point) this.ring(floor(c.capture_point, 0.006), 0.022, 0.004, COLOURS.capture);
    if (c.cop_position) {
      const size = c.cop_sd?.map((sd) => 3 * sd) ?? [0.02, 0.02];
      this.disc(floor(c.cop_position, 0.007), size, COLOURS.cop, 0.2);
      this.disc(floor(c.cop_position, 0.008), [0.012, 0.012], COLOURS.cop, 1);
    }
    if (c.com_position) {
      this.disc(floor(c.com_position, 0.0075), [0.009, 0.009], COLOURS.com, 0.95);
      this.rod(c.com_position, floor(c.com_position), 0.0025, COLOURS.com, 0.5);
      view.add("above", "sphere", along([0, 0, 1], c.com_position), [0.024, 0.024, 0.024], 0.024, COLOURS.com, 0.95);
    }
  }

  path(name, place_, colour) {
    const trail = this.trail[name];
    // somewhere else at once: a recording from its beginning, a robot that was put down
    if (place_ && trail.length > 0 && Math.hypot(place_[0] - trail.at(-1)[0], place_[1] - trail.at(-1)[1]) > JUMP) {
      trail.length = 0;
    }
    if (place_ && (trail.length === 0 || Math.hypot(place_[0] - trail.at(-1)[0], place_[1] - trail.at(-1)[1]) > 0.004)) {
      trail.push(place_);
      if (trail.length > TRAIL) trail.shift();
    }
    if (this.show.trails) this.view.ribbon(trail, 0.006, colour, 0.0, 0.8);
  }

  disc(middle, [a, b], colour, alpha) {
    this.view.polygon(circle(middle, a, b), colour, alpha);
  }

  ring(middle, radius, width, colour) {
    const edge = circle(middle, radius, radius);
    this.view.ribbon([...edge, edge[0]], width, colour, 0.95, 0.95);
  }

  rod(a, b, radius, colour, alpha) {
    const v = add(b, scale(-1, a));
    this.view.add("above", "cylinder", along(v, scale(0.5, add(a, b))), [radius, radius, norm(v) / 2], 0, colour, alpha);
  }

  // As long as the force is strong, measured by the robot's weight.
  forces({ centroidal: c, meta }) {
    const weight = (c?.mass ?? meta?.model_mass ?? 0) * GRAVITY;
    if (!c || !(weight > 0)) return;
    const length = (PER_WEIGHT * this.height) / weight;
    if (c.contact_force && c.cop_position && c.contact_force[2] > 0.02 * weight) {
      this.arrow("above", c.cop_position, scale(length, c.contact_force), COLOURS.force, 0.85);
    }
    c.foot_force?.forEach((force, i) => {
      const foot = this.robot.feet[i];
      if (foot && force > 0.02 * weight) {
        const at = origin(compose(this.robot.pose[foot.link], foot.at));
        this.arrow("mark", at, [0, 0, length * force], COLOURS.force, 0.35, 0.6);
      }
    });
    if (c.push_active && c.com_position && c.push_force) {
      const push = scale(3 * length, c.push_force);
      this.arrow("above", add(c.com_position, scale(-1, push)), push, COLOURS.push, 1);
    }
  }

  arrow(group, from, v, colour, alpha, thick = 1) {
    const length = norm(v), radius = 0.007 * thick, tip = Math.min(0.055, 0.5 * length);
    if (length < 0.005) return;
    const shaft = length - tip, middle = add(from, scale(shaft / 2 / length, v));
    this.view.add(group, "cylinder", along(v, middle), [radius, radius, shaft / 2], 0, colour, alpha);
    this.view.add(group, "cone", along(v, add(from, scale((shaft + tip / 2) / length, v))),
                  [2.4 * radius, 2.4 * radius, tip / 2], 0, colour, alpha);
  }

  // What the estimated links weigh, where their mass is.
  loads(inertia) {
    this.loaded = [];
    inertia?.mass?.forEach((mass, k) => {
      const frame = this.robot.frame.get(inertia.links[k]), com = inertia.com?.[k];
      if (!frame || !com || !(inertia.mass_sd[k] < 0.2 * mass)) return;
      const at = place(compose(this.robot.pose[frame.link], frame.at), com);
      const radius = 0.03 * Math.cbrt(mass);
      this.view.add("above", "sphere", along([0, 0, 1], at), [radius, radius, radius], radius, COLOURS.load, 0.5);
      this.loaded.push({ at, text: `${mass.toFixed(2)} ± ${inertia.mass_sd[k].toFixed(2)} kg` });
    });
  }

  // Where a point of the world is seen, in pixels of the page; null: behind the eye.
  seen(point) {
    const at = onScreen(this.view.matrix, point);
    return at && this.view.stage.onPage(at);
  }
}

function circle(middle, a, b) {
  return Array.from({ length: 40 }, (_, i) => {
    const angle = (2 * Math.PI * i) / 40;
    return [middle[0] + a * Math.cos(angle), middle[1] + b * Math.sin(angle), middle[2]];
  });
}
