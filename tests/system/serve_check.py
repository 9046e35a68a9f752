"""The live page's server and the page, of a robot that stands.

serve_check.py server URL            what is served, and to whom
serve_check.py page URL PICTURES PID what a browser shows, and what it asks for; pictures into a folder; then the daemon
                                     of that process is ended, which the page must say
"""
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import msgpack

from browser import Browser
import results
from results import result

WIDTH, HEIGHT = 1280, 800
ECHO = [os.path.join(os.environ["BUILD"], "proprioctl"), "echo", "--json", "-n", "1"]

# -- the server ---------------------------------------------------------------------------------------


def get(url, **headers):
    """Status, type and bytes of an answer."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=20) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, b""


def upgrade(url, origin):
    """A WebSocket's connection, as a page from `origin` (None: a program) asks for it; None: refused."""
    host, port = url.removeprefix("http://").split(":")
    link = socket.create_connection((host, int(port)), timeout=20)
    from_there = f"Origin: {origin}\r\n" if origin else ""
    link.sendall((f"GET /live HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n{from_there}"
                  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: propriod-live\r\n"
                  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").encode())
    stream = link.makefile("rb")
    if b"101" not in stream.readline():
        return None
    while stream.readline().strip():
        pass
    return link, stream


def frame(stream):
    """The pairs of one message, its frames put together."""
    whole, last = b"", False
    while not last:
        first, second = stream.read(2)
        size = second & 0x7F
        if size > 125:
            size = int.from_bytes(stream.read(2 if size == 126 else 8), "big")
        whole, last = whole + stream.read(size), first & 0x80
    unpacker = msgpack.Unpacker(strict_map_key=False, max_buffer_size=1 << 24)
    unpacker.feed(whole)
    values = list(unpacker)
    return list(zip(values[::2], values[1::2]))


def ask(link):
    link.sendall(bytes([0x81, 0x80 | 4, 0, 0, 0, 0]) + b"next")


def until(link, stream, wanted):
    """The newest map of each topic, once all that are wanted have come, and the joints are estimated."""
    newest = {}
    while not (wanted <= newest.keys() and "q" in newest["state"]):
        newest.update(frame(stream))
        ask(link)
    return newest


def check_files(url):
    status, headers, page = get(url + "/")
    result("the_page_is_there", status == 200 and b"<title>propriod</title>" in page and "html" in headers["Content-Type"])
    result("and_may_ask_nobody_else", "default-src 'none'" in headers.get("Content-Security-Policy", ""))
    robot = json.loads(get(url + "/robot.json")[2])
    result("the_robot_is_whole", len(robot["links"]) == 31 and len(robot["cells"]["link"]) == 1260 and
           len(robot["cells"]["at"]) == 6 * 1260 and [foot["name"] for foot in robot["feet"]] == ["left_sole", "right_sole"])
    with open("config/robots/humanoid30.urdf", "rb") as urdf:
        result("so_is_its_description", get(url + "/robot.urdf")[2] == urdf.read())
    codes = [get(url + path)[0] for path in ("/nothing", "/../Makefile", "/%2e%2e/Makefile", "/robot.urdf/")]
    result("there_is_nothing_else", all(code in (403, 404) for code in codes), codes)


def check_guests(url):
    port = url.rsplit(":", 1)[1]
    elsewhere = "http://elsewhere.example"
    result("another_name_for_this_machine_is_refused", get(url + "/robot.json", Host=f"elsewhere.example:{port}")[0] == 403)
    result("a_page_from_elsewhere_is_refused", get(url + "/robot.json", Origin=elsewhere)[0] == 403)
    result("nor_does_it_get_a_socket", upgrade(url, elsewhere) is None and upgrade(url, f"{url}.elsewhere.example") is None)
    link, stream = upgrade(url, url)
    newest = until(link, stream, {"meta", "state", "centroidal", "skin", "diag"})
    result("our_own_page_hears_every_topic", len(newest["state"]["q"]) == 30 and newest["meta"]["robot"] == "humanoid30")
    ask(link)
    later = until(link, stream, {"state"})
    result("and_goes_on", later["state"]["seq"] > newest["state"]["seq"])
    published = {topic: json.loads(subprocess.run([*ECHO, topic], capture_output=True, check=True, text=True).stdout)
                 for topic in ("state", "centroidal")}
    known = lambda message: set(message) | set(message.get("not_estimated", []))
    same = all(known(published[topic]) == known(newest[topic]) for topic in published)
    late = abs(published["state"]["timestamp"] - newest["state"]["timestamp"])
    result("with_the_keys_and_stamps_that_are_published", same and late < 30, late)
    waits_for_us(link, stream)


def waits_for_us(link, stream):
    """Who does not ask gets nothing, and then what is newest."""
    link.settimeout(1)
    heard = 0
    try:
        while heard < 3:
            frame(stream)
            heard += 1
    except TimeoutError:
        pass
    result("who_does_not_ask_gets_nothing", heard <= 1, f"{heard} messages")


# -- the page -----------------------------------------------------------------------------------------


def brightness(browser, left, top, right, bottom):
    """Shares of light pixels in a part of the picture, and a sum of them all to compare pictures with."""
    data = browser.call("Page.captureScreenshot", {"format": "png"})["data"]
    return browser.value("""new Promise((done) => {
      const image = new Image();
      image.onload = () => {
        const canvas = document.createElement("canvas");
        canvas.width = image.width, canvas.height = image.height;
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const [l, t, r, b] = %s;
        const bytes = context.getImageData(l, t, r - l, b - t).data;
        let light = 0, sum = 0;
        for (let i = 0; i < bytes.length; i += 4) {
          light += bytes[i] + bytes[i + 1] + bytes[i + 2] > 300;
          sum += bytes[i] + 3 * bytes[i + 1] + 7 * bytes[i + 2];
        }
        done([light / (bytes.length / 4), sum]);
      };
      image.src = "data:image/png;base64,%s";
    })""" % (json.dumps([left, top, right, bottom]), data))


def seconds_of_pictures(browser):
    """Number and instant, ms, of a picture and of one two seconds or more later."""
    now = lambda: browser.value("[propriodLive.pictures, performance.now()]")
    after(browser, 10)  # what is made only once has been made
    begun = now()
    browser.until(f"propriodLive.pictures > {begun[0]} && performance.now() > {begun[1] + 2000}")
    return begun, now()


def after(browser, n):
    """Until so many more pictures have been drawn."""
    browser.until(f"propriodLive.pictures >= {browser.value('propriodLive.pictures')} + {n}")


def check_page(url, pictures, daemon):
    browser = Browser(WIDTH, HEIGHT)
    try:
        browser.open(url)
        browser.until("window.propriodLive && (propriodLive.first || propriodLive.error)")
        browser.until(r"/^-?\d/.test(document.getElementById('joints').rows[0].cells[2].textContent)")
        live = browser.value("propriodLive")
        result("the_page_shows_the_robot", "error" not in live, live)
        begun, ended = seconds_of_pictures(browser)
        rate = 1000 * (ended[0] - begun[0]) / (ended[1] - begun[1])
        print(f"# seen after {live.get('first', 0):.2f} s, {rate:.0f} pictures a second, drawn without a graphics processor")
        result("and_goes_on_doing_so", ended[0] > begun[0], (begun, ended))
        check_numbers(browser)
        check_pictures(browser, pictures)
        check_requests(browser, url)
        check_silence(browser, daemon)
    finally:
        browser.close()


def check_numbers(browser):
    rows = "[...document.getElementById('joints').rows].map((row) => [row.title, Number(row.cells[2].textContent)])"
    published = lambda topic: json.loads(subprocess.run([*ECHO, topic], capture_output=True, check=True, text=True).stdout)
    names = [name for name, _ in browser.value(rows)]
    result("all_joints_stand_in_their_order", names == published("meta")["joints"], names)
    # it stands, but a busy machine may have the estimate jump now and then, or the page lag
    for _ in range(20):
        q = published("state").get("q", [])
        worst = max((abs(shown - q_) for (_, shown), q_ in zip(browser.value(rows), q)), default=1.0)
        if worst < 0.005:
            break
        time.sleep(0.3)
    result("with_the_positions_that_are_published", worst < 0.005, f"{worst} rad off")
    result("the_name_is_the_robots", browser.value("document.getElementById('robot').textContent") == "humanoid30")
    facts = browser.value("document.getElementById('facts').textContent")
    result("and_its_joints_cells_and_weight", "30 joints · 1260 cells · 67.0 kg" in facts, facts)
    streams = "[...document.getElementById('streams').rows].map((row) => row.cells[0].textContent + ' ' + row.className).join()"
    browser.until(f"{streams} === 'joints ok,imu ok,skin ok,wrench never'")
    result("every_stream_has_its_line_and_its_state", True)


def check_pictures(browser, folder):
    middle = (300, 80, WIDTH - 420, HEIGHT - 200)
    light, solid = brightness(browser, *middle)
    browser.picture(os.path.join(folder, "standing.png"))
    result("the_robot_is_where_one_looks", 0.05 < light < 0.6, f"{light:.3f} of the middle is light")
    browser.value("document.querySelector('[data-show=transparent]').click()")
    after(browser, 3)
    browser.picture(os.path.join(folder, "transparent.png"))
    through, clear = brightness(browser, *middle)
    result("one_can_look_through_it", through < 0.8 * light and clear != solid, f"{light:.3f} light, then {through:.3f}")


def check_requests(browser, url):
    own = (url + "/", url.replace("http:", "ws:") + "/", "data:")
    strange = [request for request in browser.requests if not request.startswith(own)]
    result("nothing_is_asked_of_anybody_else", len(browser.requests) > 10 and not strange, strange)
    result("the_page_has_no_complaint", not browser.complaints, browser.complaints)


def check_silence(browser, daemon):
    os.kill(daemon, signal.SIGTERM)
    browser.until("document.getElementById('status').textContent === 'silent'")
    result("a_daemon_that_is_gone_is_silent", True)


if sys.argv[1] == "server":
    check_files(sys.argv[2])
    check_guests(sys.argv[2])
else:
    check_page(sys.argv[2], sys.argv[3], int(sys.argv[4]))
sys.exit(results.failed)
