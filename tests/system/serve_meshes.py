"""The meshes of a robot on the live page.

serve_meshes.py make FOLDER CONFIG        a robot whose body is meshes of every format, and its configuration beside CONFIG's
serve_meshes.py served URL                which files are served
serve_meshes.py page URL PICTURES         what a browser shows of it; a picture into a folder
"""
import json
import math
import os
import struct
import sys
import urllib.error
import urllib.request

import results
from results import result

# -- a robot of meshes --------------------------------------------------------------------------------


def ball(radius, steps=24):
    """Triangles of a sphere, outwards."""
    def at(i, j):
        up, around = math.pi * i / steps - math.pi / 2, 2 * math.pi * j / steps
        return [radius * math.cos(up) * math.cos(around), radius * math.cos(up) * math.sin(around), radius * math.sin(up)]
    quads = [(at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)) for i in range(steps) for j in range(steps)]
    return [triangle for a, b, c, d in quads for triangle in ((a, b, c), (a, c, d))]


def binary_stl(triangles):
    facets = b"".join(struct.pack("<12fH", 0, 0, 0, *sum(triangle, []), 0) for triangle in triangles)
    return b"solid but binary".ljust(80) + struct.pack("<I", len(triangles)) + facets


def text_stl(triangles):
    corner = lambda p: "vertex %g %g %g\n" % tuple(p)
    return "solid\n" + "".join("facet normal 0 0 0\nouter loop\n" + "".join(map(corner, triangle)) + "endloop\nendfacet\n"
                               for triangle in triangles) + "endsolid\n"


def obj(triangles):
    corners = [p for triangle in triangles for p in triangle]
    return "".join("v %g %g %g\n" % tuple(p) for p in corners) + "".join(
        f"f {i + 1}/1/1 {i + 2}//2 {i + 3}\n" for i in range(0, len(corners), 3))


def collada(triangles):
    """In cm, at a node that is moved, with a colour of its own."""
    numbers = " ".join("%g" % (100 * x) for triangle in triangles for p in triangle for x in p)
    count = 3 * len(triangles)
    return f"""<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="cm" meter="0.01"/></asset>
<library_effects><effect id="e"><profile_COMMON><technique sid="t"><lambert><diffuse><color>1 0 1 1</color></diffuse></lambert>
</technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh><source id="s"><float_array id="f" count="{3 * count}">{numbers}</float_array>
<technique_common><accessor source="#f" count="{count}" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles material="of" count="{len(triangles)}"><input semantic="VERTEX" source="#v" offset="0"/>
<p>{" ".join(map(str, range(count)))}</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node><translate>0 0 -5</translate><instance_geometry url="#g"><bind_material>
<technique_common><instance_material symbol="of" target="#m"/></technique_common></bind_material></instance_geometry></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#w"/></scene></COLLADA>"""


PAINTED = {"red": (1, 0, 0), "green": (0, 1, 0), "blue": (0, 0.1, 1)}
MESHES = {  # link: address, scale, colour; the forearm's is in its file
    "torso_pitch_link": ("package://body/meshes/torso.stl", "0.5 0.8 1", "red"),
    "head_pitch_link": ("meshes/head.STL", "0.001 0.001 0.001", "green"),
    "base_link": ("../body/meshes/base.obj", "1 -1 1", "blue"),
    "left_elbow_link": ("package://body/meshes/forearm.dae", "1 1 1", None),
    "right_elbow_link": ("package://body/meshes/lost.stl", "1 1 1", None),
    "left_knee_link": ("../../../../../../../../../../etc/passwd.stl", "1 1 1", None),
}


def make(folder, config):
    for package in ("body/meshes", "robots/meshes"):
        os.makedirs(os.path.join(folder, package), exist_ok=True)
    files = {"body/meshes/torso.stl": binary_stl(ball(0.25)), "robots/meshes/head.STL": text_stl(ball(150)).encode(),
             "body/meshes/base.obj": obj(ball(0.2)).encode(), "body/meshes/forearm.dae": collada(ball(0.12)).encode()}
    for name, data in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
    with open(os.path.join(folder, "robots/humanoid30.urdf"), encoding="utf8") as file:
        lines = file.read().split("\n")
    out, link = [], None
    for line in lines:
        link = line.split('"')[1] if "<link name=" in line else link
        if "<visual>" in line and link in MESHES:
            continue
        if "<collision>" in line and link in MESHES and "<mesh" not in out[-1]:
            address, size, colour = MESHES[link]
            paint = f'<material name="{colour}"><color rgba="{" ".join(map(str, PAINTED[colour]))} 1"/></material>' if colour else ""
            out.append(f'<visual><geometry><mesh filename="{address}" scale="{size}"/></geometry>{paint}</visual>')
        out.append(line)
    with open(os.path.join(folder, "robots/meshes.urdf"), "w", encoding="utf8") as file:
        file.write("\n".join(out))
    with open(config, encoding="utf8") as file:
        text = file.read()
    with open(os.path.join(folder, "meshes.yaml"), "w", encoding="utf8") as file:
        file.write(text.replace("humanoid30.urdf", "meshes.urdf"))


# -- the page -----------------------------------------------------------------------------------------


def shares(browser):
    """Of each colour the share of the middle's pixels, by which of red, green and blue stand out."""
    data = browser.call("Page.captureScreenshot", {"format": "png"})["data"]
    return browser.value("""new Promise((done) => {
      const image = new Image();
      image.onload = () => {
        const canvas = document.createElement("canvas");
        canvas.width = image.width, canvas.height = image.height;
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const bytes = context.getImageData(300, 70, 580, 550).data;
        const count = { red: 0, green: 0, blue: 0, magenta: 0 };
        for (let i = 0; i < bytes.length; i += 4) {
          const strong = [0, 1, 2].map((k) => bytes[i + k] > 90 && bytes[i + k] > 2.5 * Math.min(...bytes.slice(i, i + 3)));
          const name = { "true,false,false": "red", "false,true,false": "green", "false,false,true": "blue",
                         "true,false,true": "magenta" }[strong.join()];
          if (name) count[name]++;
        }
        done(Object.fromEntries(Object.entries(count).map(([name, n]) => [name, n / (bytes.length / 4)])));
      };
      image.src = "data:image/png;base64,%s";
    })""" % data)


def status_of(url):
    try:
        with urllib.request.urlopen(url, timeout=20) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def check_served(url):
    with urllib.request.urlopen(url + "/robot.json", timeout=20) as answer:
        meshes = json.load(answer)["meshes"]
    result("meshes_are_told_that_are_there", len(meshes) == 4 and "package://body/meshes/torso.stl" in meshes, meshes)
    with urllib.request.urlopen(f"{url}/{meshes['package://body/meshes/torso.stl']}", timeout=20) as answer:
        result("and_served_as_they_are", answer.read() == binary_stl(ball(0.25)))
    codes = [status_of(url + path) for path in ("/mesh/999", "/mesh/", "/mesh/-1", "/mesh/0/", "/mesh/0x", "/mesh/torso.stl")]
    codes += [status_of(f"{url}/mesh/{i}") for i in range(6) if f"mesh/{i}" not in meshes.values()]
    result("and_no_other_file_is", len(codes) == 8 and all(code in (403, 404) for code in codes), codes)


def check_page(url, pictures):
    from browser import Browser
    browser = Browser(1280, 800)
    try:
        browser.open(url)
        browser.until("window.propriodLive && (propriodLive.error || (propriodLive.first && propriodLive.meshes !== undefined))")
        live = browser.value("propriodLive")
        result("the_page_draws_meshes_of_all_formats", live.get("meshes") == 4, live)
        browser.value("document.querySelector('[data-show=skin]').click()")
        drawn = browser.value("propriodLive.pictures")
        browser.until(f"propriodLive.pictures >= {drawn} + 3")
        seen = shares(browser)
        browser.picture(os.path.join(pictures, "meshes.png"))
        least = {"red": 0.012, "green": 0.009, "blue": 0.009, "magenta": 0.002}
        result("each_is_seen_in_its_colour_and_size", all(0.3 > seen[name] > share for name, share in least.items()), seen)
        complaints = [text for text in browser.complaints if "404" not in text]
        result("without_a_complaint", not complaints, complaints)
    finally:
        browser.close()


if sys.argv[1] == "make":
    make(sys.argv[2], sys.argv[3])
elif sys.argv[1] == "served":
    check_served(sys.argv[2])
else:
    check_page(sys.argv[2], sys.argv[3])
sys.exit(results.failed)
