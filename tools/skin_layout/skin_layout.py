#!/usr/bin/python3
"""Lays artificial-skin cells over a robot's collision shapes.

usage: skin_layout.py [--sensors] ROBOT.urdf PLAN.csv [PART.urdf] > cells.csv

PLAN.csv has the header `link,cells,bare`: how many cells a link gets, and the directions in link
coordinates that stay without skin (`-z`, or several: `-z +x`), soles for example.

Each link's shapes get a hexagonal mesh, boxes on their faces, cylinders on their mantle, spheres
all round. Cells that would lie inside the link, its parent or its children (at zero joint angles)
are left out. The mesh is made finer until there are enough cells; the most crowded then go. A link
`left_X` is the mirror image of `right_X` when the plan asks the same of both.

A cell's frame has its origin on the surface, z along the outward normal and x along the link's z
axis as far as the surface allows (along its x axis where the surface is level).

With PART.urdf, the description of a part of the robot, only the cells on links that the part has.

Output: `cell,link,x,y,z,qx,qy,qz,qw`, position (m) and rotation in link coordinates; with
--sensors URDF `<sensor type="accelerometer">` elements instead.
"""
import csv
import math
import sys
import xml.etree.ElementTree as xml

ROW_HEIGHT = math.sqrt(3) / 2  # of a hexagonal mesh, in pitches
EDGE = 0.35                    # smallest distance of a cell from the edge of a face, in pitches
CROWDED = 0.7                  # two cells closer than this (in pitches) are one too many
BURIED = 0.002                 # m: a cell this close to another shape's inside is buried in it
BARE = math.cos(math.radians(45))
FINER = 0.995                  # step of the pitch
PITCH = (0.20, 0.005)          # m: coarsest and finest mesh tried


# --- three-vectors and rotations (rows) ---
def add(a, b): return tuple(x + y for x, y in zip(a, b))
def sub(a, b): return tuple(x - y for x, y in zip(a, b))
def scale(s, a): return tuple(s * x for x in a)
def dot(a, b): return sum(x * y for x, y in zip(a, b))
def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
def unit(a): return scale(1 / math.sqrt(dot(a, a)), a)
def rotate(R, a): return tuple(dot(row, a) for row in R)
def unrotate(R, a): return tuple(sum(R[i][j] * a[i] for i in range(3)) for j in range(3))


def rotation_from_rpy(roll, pitch, yaw):
    """URDF's fixed-axis angles: Rz(yaw) Ry(pitch) Rx(roll)."""
    cr, sr, cp, sp = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    return ((cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
            (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
            (-sp, cp * sr, cp * cr))


def quaternion(R):
    """x, y, z, w of a rotation; the largest component is positive."""
    t = R[0][0] + R[1][1] + R[2][2]
    candidates = [
        (1 + 2 * R[0][0] - t, R[0][1] + R[1][0], R[0][2] + R[2][0], R[2][1] - R[1][2]),
        (R[0][1] + R[1][0], 1 + 2 * R[1][1] - t, R[1][2] + R[2][1], R[0][2] - R[2][0]),
        (R[0][2] + R[2][0], R[1][2] + R[2][1], 1 + 2 * R[2][2] - t, R[1][0] - R[0][1]),
        (R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1], 1 + t)]
    largest = max(range(4), key=lambda i: candidates[i][i])
    return unit(candidates[largest])


def rpy_from_rotation(R):
    if math.hypot(R[0][0], R[1][0]) < 1e-6:  # x is vertical: roll and yaw are one, call it yaw
        return 0.0, math.copysign(math.pi / 2, -R[2][0]), math.atan2(-R[0][1], R[1][1])
    return (math.atan2(R[2][1], R[2][2]), math.atan2(-R[2][0], math.hypot(R[0][0], R[1][0])),
            math.atan2(R[1][0], R[0][0]))


# --- shapes, in coordinates of their own ---

def rows(extent, spacing, offset=0.0):
    """Positions spaced evenly and symmetrically about 0 (or about half a space) inside extent."""
    n = int((extent / 2 + spacing) / spacing)
    inside = [(i + offset) * spacing for i in range(-n, n + 1)]
    return [x for x in inside if abs(x) <= extent / 2 + 1e-9]


def enumerate_symmetric(values):
    """Numbers the values from the middle one outwards: ..., (-1, v), (0, v), (1, v), ..."""
    return [(i - len(values) // 2, v) for i, v in enumerate(values)]


def face(width, height, pitch):
    """A hexagonal mesh on a rectangle, centred."""
    for k, v in enumerate_symmetric(rows(max(height - 2 * EDGE * pitch, 0), pitch * ROW_HEIGHT)):
        for u in rows(max(width - 2 * EDGE * pitch, 0), pitch, 0.5 * (k % 2)):
            yield u, v


class Box:
    def __init__(self, element):
        self.size = tuple(float(x) for x in element.get("size").split())

    def contains(self, p, margin):
        return all(abs(x) < s / 2 - margin for x, s in zip(p, self.size))

    def mesh(self, pitch):
        for axis in range(3):
            u_axis, v_axis = [a for a in range(3) if a != axis]
            for side in (1, -1):
                normal = tuple(side * (a == axis) for a in range(3))
                for u, v in face(self.size[u_axis], self.size[v_axis], pitch):
                    p = [0.0] * 3
                    p[axis], p[u_axis], p[v_axis] = side * self.size[axis] / 2, u, v
                    yield tuple(p), normal


class Cylinder:
    def __init__(self, element):
        self.radius, self.length = float(element.get("radius")), float(element.get("length"))

    def contains(self, p, margin):
        return (math.hypot(p[0], p[1]) < self.radius - margin
                and abs(p[2]) < self.length / 2 - margin)

    def mesh(self, pitch):
        around = max(3, round(2 * math.pi * self.radius / pitch))
        heights = rows(max(self.length - 2 * EDGE * pitch, 0), pitch * ROW_HEIGHT)
        for k, z in enumerate_symmetric(heights):
            for i in range(around):
                angle = 2 * math.pi * (i + 0.5 * (k % 2)) / around
                normal = (math.cos(angle), math.sin(angle), 0.0)
                yield (self.radius * normal[0], self.radius * normal[1], z), normal


class Sphere:
    def __init__(self, element):
        self.radius = float(element.get("radius"))

    def contains(self, p, margin):
        return math.sqrt(dot(p, p)) < self.radius - margin

    def mesh(self, pitch):
        latitudes = rows(math.pi - pitch / self.radius, pitch * ROW_HEIGHT / self.radius)
        for k, latitude in enumerate_symmetric(latitudes):
            around = max(1, round(2 * math.pi * self.radius * math.cos(latitude) / pitch))
            for i in range(around):
                angle = 2 * math.pi * (i + 0.5 * (k % 2)) / around
                normal = (math.cos(latitude) * math.cos(angle),
                          math.cos(latitude) * math.sin(angle), math.sin(latitude))
                yield scale(self.radius, normal), normal


SHAPES = {"box": Box, "cylinder": Cylinder, "sphere": Sphere}


class Placed:
    """A shape with its place in a link."""

    def __init__(self, shape, R, p):
        self.shape, self.R, self.p = shape, R, p

    def moved(self, R, p):
        return Placed(self.shape, tuple(tuple(dot(R[i], column) for column in zip(*self.R))
                                        for i in range(3)), add(rotate(R, self.p), p))

    def moved_back(self, R, p):
        transposed = tuple(zip(*R))
        return self.moved(transposed, scale(-1, rotate(transposed, p)))

    def contains(self, point):
        return self.shape.contains(unrotate(self.R, sub(point, self.p)), BURIED)

    def mesh(self, pitch):
        for point, normal in self.shape.mesh(pitch):
            yield add(rotate(self.R, point), self.p), rotate(self.R, normal)


# --- the robot ---

def origin(element):
    node = element.find("origin")
    values = {"xyz": "0 0 0", "rpy": "0 0 0"}
    if node is not None:
        values.update(node.attrib)
    numbers = {key: tuple(float(x) for x in values[key].split()) for key in ("xyz", "rpy")}
    return rotation_from_rpy(*numbers["rpy"]), numbers["xyz"]


def read_shapes(robot):
    """Per link its own shapes, and those of its neighbours in the same link's coordinates."""
    own = {}
    for link in robot.iter("link"):
        own[link.get("name")] = [
            Placed(SHAPES[geometry.tag](geometry), *origin(collision))
            for collision in link.findall("collision") for geometry in collision.find("geometry")]
    near = {name: [] for name in own}
    for joint in robot.findall("joint"):
        parent, child = joint.find("parent").get("link"), joint.find("child").get("link")
        placement = origin(joint)
        near[parent] += [shape.moved(*placement) for shape in own[child]]
        near[child] += [shape.moved_back(*placement) for shape in own[parent]]
    return own, near


# --- the layout ---

def is_bare(normal, bare):
    return any((1 if d[0] == "+" else -1) * normal["xyz".index(d[1])] > BARE for d in bare)


def cells_at(pitch, shapes, others, bare):
    """The cells (point, normal) of a link at one pitch of the mesh."""
    kept = []
    for shape in shapes:
        obstacles = [o for o in shapes if o is not shape] + others
        for point, normal in shape.mesh(pitch):
            if (not is_bare(normal, bare)
                    and all(math.dist(point, p) >= CROWDED * pitch for p, _ in kept)
                    and not any(o.contains(point) for o in obstacles)):
                kept.append((point, normal))
    return kept


def thin_out(cells, count):
    """Drops the cell with the nearest neighbour until `count` are left."""
    cells = list(cells)
    while len(cells) > count:
        nearest = [min(math.dist(p, o) for j, (o, _) in enumerate(cells) if j != i)
                   for i, (p, _) in enumerate(cells)]
        crowded = min(range(len(cells)), key=lambda i: (round(nearest[i], 9), -i))
        del cells[crowded]
    return cells


def lay_out(shapes, others, count, bare):
    pitch = PITCH[0]
    while pitch > PITCH[1]:
        cells = cells_at(pitch, shapes, others, bare)
        if len(cells) >= count:
            return thin_out(cells, count)
        pitch *= FINER
    raise ValueError(f"no room for {count} cells")


def mirrored(cells):
    return [tuple((a[0], -a[1], a[2]) for a in cell) for cell in cells]


def frame(normal):
    """The rotation of a cell's frame: columns x, y, z."""
    along = (0.0, 0.0, 1.0) if abs(normal[2]) < 0.9 else (1.0, 0.0, 0.0)
    x = unit(sub(along, scale(dot(along, normal), normal)))
    return tuple(zip(x, cross(normal, x), normal))


def read_plan(path):
    with open(path, newline="") as file:
        return {row["link"]: (int(row["cells"]), tuple(row["bare"].split()))
                for row in csv.DictReader(file)}


def layout(robot, plan, part):
    """Yields (cell name, link name, point, rotation) in the plan's order, of the links in `part`,
    or of all when that is None."""
    own, near = read_shapes(robot)
    laid_out = {}
    for link, wanted in plan.items():
        if link not in own:
            raise ValueError(f"the robot has no link {link}")
        if part is not None and link not in part:
            continue
        partner = link.replace("left_", "right_", 1)
        is_mirror = partner != link and plan.get(partner) == wanted
        source = partner if is_mirror else link
        try:
            if source not in laid_out:
                laid_out[source] = lay_out(own[source], near[source], *wanted)
        except ValueError as error:
            raise ValueError(f"{link}: {error}") from None
        cells = laid_out[source]
        short = link[:-len("_link")] if link.endswith("_link") else link
        for i, (point, normal) in enumerate(mirrored(cells) if is_mirror else cells, 1):
            yield f"{short}_{i:03d}", link, point, frame(normal)


def number(value, digits):
    text = f"{value:.{digits}f}"
    return text[1:] if float(text) == 0 and text[0] == "-" else text


def print_csv(cells):
    print("cell,link,x,y,z,qx,qy,qz,qw")
    for name, link, point, R in cells:
        numbers = [number(v, 5) for v in point] + [number(v, 7) for v in quaternion(R)]
        print(",".join([name, link] + numbers))


def print_sensors(cells):
    for name, link, point, R in cells:
        xyz = " ".join(number(v, 5) for v in point)
        rpy = " ".join(number(v, 7) for v in rpy_from_rotation(R))
        print(f'  <sensor name="{name}" type="accelerometer">\n    <parent link="{link}"/>\n'
              f'    <origin xyz="{xyz}" rpy="{rpy}"/>\n  </sensor>')


def main(arguments):
    as_sensors = arguments[:1] == ["--sensors"]
    arguments = arguments[as_sensors:]
    if len(arguments) not in (2, 3):
        sys.exit(__doc__)
    try:
        part = None
        if len(arguments) == 3:
            part = {link.get("name") for link in xml.parse(arguments[2]).iter("link")}
        cells = list(layout(xml.parse(arguments[0]).getroot(), read_plan(arguments[1]), part))
    except (OSError, ValueError, KeyError, xml.ParseError) as error:
        sys.exit(f"skin_layout.py: {error}")
    (print_sensors if as_sensors else print_csv)(cells)


if __name__ == "__main__":
    main(sys.argv[1:])
