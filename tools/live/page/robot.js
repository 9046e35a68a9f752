// The robot: its links and where they are, from robot.json; what they look like, from the URDF and its meshes.
import { readMesh } from "./mesh_formats.js";
import { surface } from "./surfaces.js";
import { add, along, compose, fromQuaternion, fromRollPitchYaw, identity, inverse, norm, origin, place,
         scale, sub, translation, turn } from "./transforms.js";

const COLOURS = { shell: [0.84, 0.87, 0.9], bone: [0.62, 0.68, 0.76], joint: [0.3, 0.36, 0.44] };
const BONE = { share: 0.16, least: 0.012, most: 0.045 }; // radius of a limb's length; m, m

const numbers = (element, name, otherwise) =>
  (element?.getAttribute(name) ?? otherwise).trim().split(/\s+/).map(Number);

// The elements of that name directly below.
const below = (element, name) => [...element.children].filter((child) => child.tagName === name);

// Shapes {kind, link, at, half, round, colour}: at in the link's frame, half its extents in m, round
// the radius of its edges; a mesh brings its own `mesh`. `colour` is null where the URDF tells none. None: a kind that
// is not drawn, or a mesh that is not there (yet).
function shapesOf(element, link, frame, colour, meshes) {
  const geometry = below(element, "geometry")[0]?.firstElementChild;
  const at = below(element, "origin")[0];
  const pose = compose(frame, fromRollPitchYaw(numbers(at, "rpy", "0 0 0"), numbers(at, "xyz", "0 0 0")));
  const shape = (kind, half, round) => [{ kind, link, at: pose, half, round, colour: colour ?? COLOURS.shell }];
  switch (geometry?.tagName) {
    case "box": {
      const half = numbers(geometry, "size", "0 0 0").map((size) => size / 2);
      return shape("box", half, Math.min(0.25 * Math.min(...half), 0.015));
    }
    case "cylinder":
    case "capsule": {
      const [r] = numbers(geometry, "radius", "0"), [length] = numbers(geometry, "length", "0");
      const capsule = geometry.tagName === "capsule";
      const half = [r, r, length / 2 + (capsule ? r : 0)];
      return shape("cylinder", half, capsule ? r : Math.min(0.25 * Math.min(r, length / 2), 0.012));
    }
    case "sphere": {
      const [r] = numbers(geometry, "radius", "0");
      return shape("sphere", [r, r, r], r);
    }
    case "mesh":
      return (meshes.get(meshKey(geometry)) ?? []).map((part) => ({
        kind: "mesh", link, at: compose(pose, translation(part.middle)), half: part.half, round: 0, mesh: part.mesh,
        colour: colour ?? part.colour ?? COLOURS.shell }));
    default:
      return [];
  }
}

// The same file in another size is another mesh.
const meshKey = (geometry) => `${geometry.getAttribute("filename")} ${numbers(geometry, "scale", "1 1 1").join()}`;

// A rod from a to b, m, in the link's frame.
function rod(link, a, b, radius, colour) {
  const v = sub(b, a);
  const at = along(v, scale(0.5, add(a, b)));
  return { kind: "cylinder", link, at, half: [radius, radius, norm(v) / 2 + radius], round: radius, colour };
}

export class Robot {
  constructor(description, urdf) {
    Object.assign(this, description);
    this.frame = new Map(this.frames.map((frame) => [frame.name, frame]));
    this.pose = this.links.map(identity);
    this.root = new DOMParser().parseFromString(urdf, "text/xml").documentElement;
    this.dress(new Map());
    this.cellSize = this.nearestCells() / 2;
    this.stand(this.links.slice(1).map(() => 0));
  }

  // Fetches the meshes that are there and draws with them; how many. `coarse`: for software.
  async fetchMeshes(coarse) {
    const wanted = new Map([...this.root.querySelectorAll("link > visual > geometry > mesh, link > collision > geometry > mesh")]
      .filter((element) => this.meshes[element.getAttribute("filename")] && this.isSeen(element))
      .map((element) => [meshKey(element), element]));
    const parts = new Map();
    for (const [key, element] of wanted) {
      const name = element.getAttribute("filename"), answer = await fetch(this.meshes[name]);
      if (!answer.ok) continue;
      try {
        const stretch = numbers(element, "scale", "1 1 1");
        const found = readMesh(name, await answer.arrayBuffer())
          .map(({ corners, colour }) => ({ ...surface(corners, stretch, coarse), colour })).filter((part) => part.mesh);
        if (found.length > 0) parts.set(key, found);
      } catch (error) {
        console.warn(`${name} cannot be read: ${error}`);
      }
    }
    this.dress(parts);
    return parts.size;
  }

  // A collision's mesh is, where nothing visual is told.
  isSeen(mesh) {
    const element = mesh.closest("visual, collision");
    return element.tagName === "visual" || below(element.parentElement, "visual").length === 0;
  }

  dress(meshes) {
    this.shapes = this.drawn(this.root, meshes);
    this.soles = this.feet.map((foot) => this.soleOf(foot));
  }

  // Of each link what is to be seen, or touched, or else the bones between its joints.
  drawn(root, meshes) {
    const material = (element) => {
      const named = below(element, "material")[0];
      const color = named && (below(named, "color")[0] ?? this.materials.get(named.getAttribute("name")));
      return color ? numbers(color, "rgba", "0.8 0.8 0.8 1").slice(0, 3) : null;
    };
    this.materials = new Map(below(root, "material").map(
      (element) => [element.getAttribute("name"), below(element, "color")[0]]));
    const shapes = [];
    for (const element of below(root, "link")) {
      const frame = this.frame.get(element.getAttribute("name"));
      if (frame === undefined) continue;
      for (const kind of ["visual", "collision"]) {
        const found = below(element, kind).flatMap((each) => shapesOf(each, frame.link, frame.at, material(each), meshes));
        shapes.push(...found);
        if (found.length > 0) break;
      }
    }
    const has = new Set(shapes.map((shape) => shape.link));
    this.links.forEach((link, i) => has.has(i) || shapes.push(...this.bones(i)));
    return shapes;
  }

  // From a link's joint to those of its children, or to where its mass is.
  bones(i) {
    const link = this.links[i], shapes = [];
    const ends = this.links.filter((child) => child.parent === i).map((child) => origin(child.at));
    if (ends.length === 0) ends.push(scale(1.6, link.com));
    let thick = BONE.least;
    for (const end of ends) {
      const radius = Math.min(Math.max(BONE.share * norm(end), BONE.least), BONE.most);
      thick = Math.max(thick, radius);
      if (norm(end) > radius) shapes.push(rod(i, [0, 0, 0], end, radius, COLOURS.bone));
    }
    if (i > 0 && link.type !== "prismatic") {
      const half = scale(1.3 * thick, link.axis);
      shapes.push(rod(i, scale(-1, half), half, 1.15 * thick, COLOURS.joint));
    }
    return shapes;
  }

  // Corners of a sole in its frame: as configured, or as far as the foot's shape lies on the ground.
  soleOf(foot) {
    let low = this.sole.map((size) => -size / 2), high = this.sole.map((size) => size / 2);
    if (high[0] === 0) {
      const corners = this.shapes.filter((shape) => shape.link === foot.link)
        .flatMap((shape) => cornersOf(shape).map((corner) => place(inverse(foot.at), corner)))
        .filter((corner) => Math.abs(corner[2]) < 0.03);
      if (corners.length > 0) {
        low = [0, 1].map((k) => Math.min(...corners.map((corner) => corner[k])));
        high = [0, 1].map((k) => Math.max(...corners.map((corner) => corner[k])));
      }
    }
    return [[low[0], low[1], 0], [high[0], low[1], 0], [high[0], high[1], 0], [low[0], high[1], 0]];
  }

  // The shortest distance from a cell to its neighbour on the same link, m: of most of them.
  nearestCells() {
    const { link, at } = this.cells, found = [];
    for (let i = 0; i < Math.min(link.length, 60); i++) {
      let nearest = Infinity;
      for (let j = 0; j < link.length; j++) {
        if (j === i || link[j] !== link[i]) continue;
        nearest = Math.min(nearest, Math.hypot(...[0, 1, 2].map((k) => at[6 * i + k] - at[6 * j + k])));
      }
      if (nearest < Infinity) found.push(nearest);
    }
    found.sort((a, b) => a - b);
    return found.length > 0 ? Math.min(found[found.length >> 1], 0.05) : 0.02;
  }

  // Puts the joints at q, on the base where it is estimated to be.
  stand(q, state) {
    this.pose[0] = fromQuaternion(state?.quat_xyzw ?? [0, 0, 0, 1], state?.base_position ?? [0, 0, 0]);
    for (let i = 1; i < this.links.length; i++) {
      const link = this.links[i], value = q[i - 1] ?? 0;
      const moved = link.type === "prismatic" ? translation(scale(value, link.axis)) : turn(link.axis, value);
      this.pose[i] = compose(this.pose[link.parent], compose(link.at, moved));
    }
    // without a known height it stands on the ground
    if (state?.base_position === undefined && !this.fixed_base) {
      const lowest = this.lowest();
      this.pose.forEach((pose) => { pose[11] -= lowest; });
    }
  }

  lowest() {
    return Math.min(...this.shapes.flatMap(
      (shape) => cornersOf(shape).map((corner) => place(this.pose[shape.link], corner)[2])));
  }

  // The box around it in the world, [low, high].
  extent() {
    const corners = this.shapes.flatMap(
      (shape) => cornersOf(shape).map((corner) => place(this.pose[shape.link], corner)));
    const most = (pick) => [0, 1, 2].map((k) => pick(...corners.map((corner) => corner[k])));
    return [most(Math.min), most(Math.max)];
  }

  // Where a sole's corners are in the world.
  footprint(i) {
    const at = compose(this.pose[this.feet[i].link], this.feet[i].at);
    return this.soles[i].map((corner) => place(at, corner));
  }
}

function cornersOf({ at, half }) {
  const corners = [];
  for (let k = 0; k < 8; k++) {
    corners.push(place(at, half.map((h, axis) => (k & (1 << axis) ? h : -h))));
  }
  return corners;
}
