// What mesh files hold, as triangles: a list of {corners, colour}, corners nine numbers a triangle in the file's unit
// brought to m where it tells one, colour [r, g, b] or null. STL, OBJ and COLLADA.
import { compose, place, turn } from "./transforms.js";

const STL_HEAD = 84, STL_TRIANGLE = 50; // bytes

const words = (text) => text.trim().split(/\s+/);
const numbers = (text) => words(text).map(Number);

export function readMesh(name, bytes) {
  const text = () => new TextDecoder().decode(bytes);
  switch (name.toLowerCase().split(".").at(-1)) {
    case "stl":
      return [{ corners: binaryStl(bytes) ?? textStl(text()), colour: null }];
    case "obj":
      return [{ corners: obj(text()), colour: null }];
    default:
      return collada(new DOMParser().parseFromString(text(), "text/xml"));
  }
}

// Null: its size is not that of a binary file. A text may begin with "solid", and so may a binary file.
function binaryStl(bytes) {
  const view = new DataView(bytes);
  const count = bytes.byteLength >= STL_HEAD ? view.getUint32(80, true) : 0;
  if (bytes.byteLength < STL_HEAD || bytes.byteLength !== STL_HEAD + STL_TRIANGLE * count) return null;
  const corners = new Float32Array(9 * count);
  for (let i = 0; i < count; i++) {
    const first = STL_HEAD + STL_TRIANGLE * i + 12; // behind the normal
    for (let k = 0; k < 9; k++) corners[9 * i + k] = view.getFloat32(first + 4 * k, true);
  }
  return corners;
}

function textStl(text) {
  const corners = [];
  for (const [, x, y, z] of text.matchAll(/vertex\s+(\S+)\s+(\S+)\s+(\S+)/g)) corners.push(Number(x), Number(y), Number(z));
  return corners;
}

// Polygons as fans. An index counts from 1, or from the end when it is negative.
function obj(text) {
  const at = [], corners = [];
  for (const line of text.split("\n")) {
    const [kind, ...rest] = words(line);
    if (kind === "v") at.push(rest.slice(0, 3).map(Number));
    if (kind !== "f") continue;
    const polygon = rest.map((word) => parseInt(word, 10)).map((i) => at[i < 0 ? at.length + i : i - 1]);
    for (let i = 1; i + 1 < polygon.length; i++) corners.push(...polygon[0], ...polygon[i], ...polygon[i + 1]);
  }
  return corners;
}

// -- COLLADA --------------------------------------------------------------------------------------

const below = (element, name) => [...element.children].filter((child) => child.tagName === name);

// The element that an address within the file, "#id", means.
const meant = (file, address) => file.querySelector(`[id="${CSS.escape((address ?? "").slice(1))}"]`);

// Every mesh where the scene's nodes have it. `up_axis` is passed over, as ROS's own viewer does.
function collada(file) {
  const unit = Number(file.querySelector("asset > unit")?.getAttribute("meter") ?? 1), parts = [];
  const visit = (node, above) => {
    const pose = [...node.children].reduce((p, child) => compose(p, moved(child)), above);
    for (const instance of below(node, "instance_geometry")) {
      parts.push(...geometry(file, instance).map(({ corners, colour }) => ({ corners: placed(corners, pose), colour })));
    }
    below(node, "node").forEach((child) => visit(child, pose));
    below(node, "instance_node").map((each) => meant(file, each.getAttribute("url"))).forEach((child) => child && visit(child, pose));
  };
  const scene = meant(file, file.querySelector("instance_visual_scene")?.getAttribute("url")) ??
                file.querySelector("visual_scene");
  if (scene) visit(scene, stretch([unit, unit, unit]));
  return parts;
}

const stretch = ([x, y, z]) => [x, 0, 0, 0, y, 0, 0, 0, z, 0, 0, 0];

// What an element of a node does to what follows.
function moved(element) {
  const n = ["matrix", "translate", "rotate", "scale"].includes(element.tagName) ? numbers(element.textContent) : [];
  switch (element.tagName) {
    case "matrix":
      return [...n.slice(0, 3), ...n.slice(4, 7), ...n.slice(8, 11), n[3], n[7], n[11]];
    case "translate":
      return [1, 0, 0, 0, 1, 0, 0, 0, 1, ...n];
    case "rotate":
      return turn(n.slice(0, 3), (n[3] * Math.PI) / 180);
    case "scale":
      return stretch(n);
    default:
      return stretch([1, 1, 1]);
  }
}

function placed(corners, pose) {
  const out = new Float32Array(corners.length);
  for (let i = 0; i < corners.length; i += 3) out.set(place(pose, [corners[i], corners[i + 1], corners[i + 2]]), i);
  return out;
}

// The groups of triangles of a geometry, each with its material's colour.
function geometry(file, instance) {
  const mesh = meant(file, instance.getAttribute("url"))?.querySelector("mesh");
  return [...(mesh?.children ?? [])].filter((child) => ["triangles", "polylist", "polygons"].includes(child.tagName))
    .map((group) => ({ corners: trianglesOf(file, group), colour: colourOf(file, instance, group.getAttribute("material")) }));
}

function trianglesOf(file, group) {
  const inputs = below(group, "input"), vertex = inputs.find((input) => input.getAttribute("semantic") === "VERTEX");
  const positions = meant(file, vertex.getAttribute("source")).querySelector("[semantic=POSITION]");
  const source = meant(file, positions.getAttribute("source"));
  const at = numbers(source.querySelector("float_array").textContent);
  const stride = Number(source.querySelector("accessor")?.getAttribute("stride") ?? 3);
  const width = 1 + Math.max(...inputs.map((input) => Number(input.getAttribute("offset"))));
  const offset = Number(vertex.getAttribute("offset")), corners = [];
  const fan = (index, from, count) => {
    const corner = (i) => stride * index[(from + i) * width + offset];
    for (let i = 1; i + 1 < count; i++) {
      for (const k of [corner(0), corner(i), corner(i + 1)]) corners.push(at[k], at[k + 1], at[k + 2]);
    }
  };
  for (const p of below(group, "p")) {
    const index = numbers(p.textContent), all = index.length / width;
    const counts = group.tagName === "polylist" ? numbers(below(group, "vcount")[0].textContent)
      : group.tagName === "polygons" ? [all] : new Array(all / 3).fill(3);
    let from = 0;
    for (const count of counts) {
      fan(index, from, count);
      from += count;
    }
  }
  return corners;
}

function colourOf(file, instance, symbol) {
  const bound = [...instance.querySelectorAll("instance_material")].find((each) => each.getAttribute("symbol") === symbol);
  const material = bound && meant(file, bound.getAttribute("target"));
  const effect = material && meant(file, material.querySelector("instance_effect")?.getAttribute("url"));
  const colour = effect?.querySelector("diffuse > color");
  return colour ? numbers(colour.textContent).slice(0, 3) : null;
}
