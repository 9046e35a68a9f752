// The live page: gets the robot once and then what propriod publishes, and draws.
import { listen } from "./messages.js";
import { Panels } from "./panels.js";
import { Robot } from "./robot.js";
import { Scene } from "./scene.js";
import { View } from "./view.js";

const SILENT_MS = 1000; // without diag, which comes ten times a second
const READ_MS = 100;    // between two changes of what is read; twice as long where software draws
const CHART_MS = 60;    // between two pictures of the curves; likewise

// how it goes, for who watches the page: counts; s of the page's own work; s from its beginning until the
// robot is seen; pixels drawn for one of the screen's, a side; meshes that are drawn
const live = { pictures: 0, messages: 0, busy: 0 };
window.propriodLive = live;

const texts = async (...paths) =>
  Promise.all(paths.map(async (path) => (await fetch(path)).text()));

// Names beside what is drawn, moved rather than made anew.
class Labels {
  constructor(root) {
    this.root = root;
  }

  put(list) {
    while (this.root.children.length > list.length) this.root.lastChild.remove();
    while (this.root.children.length < list.length) this.root.append(document.createElement("span"));
    list.forEach(({ at, text }, i) => {
      const label = this.root.children[i];
      label.hidden = at === null;
      if (label.textContent !== text) label.textContent = text;
      if (at !== null) label.style.transform = `translate(${at[0] + 14}px, ${at[1] - 9}px)`;
    });
  }
}

function labelsOf(scene, { centroidal: c }) {
  const list = [];
  if (c?.com_position) {
    const push = c.push_active && c.push_force ? `, pushed with ${Math.hypot(...c.push_force).toFixed(0)} N` : "";
    list.push({ at: scene.seen(c.com_position), text: `centre of mass${push}` });
  }
  if (c?.cop_position) list.push({ at: scene.seen(c.cop_position), text: "pressure" });
  for (const load of scene.loaded ?? []) list.push({ at: scene.seen(load.at), text: load.text });
  return list;
}

function buttons(scene, changed) {
  for (const button of document.querySelectorAll("[data-show]")) {
    button.onclick = () => {
      const what = button.dataset.show;
      scene.show[what] = !scene.show[what];
      button.classList.toggle("on", scene.show[what]);
      changed();
    };
  }
  document.getElementById("whole").onclick = () => {
    scene.lookAt();
    changed();
  };
}

async function main() {
  const [description, urdf] = await texts("robot.json", "robot.urdf");
  const robot = new Robot(JSON.parse(description), urdf);
  const view = new View(document.getElementById("space"), [0.043, 0.059, 0.078]);
  const scene = new Scene(robot, view), panels = new Panels(robot);
  const labels = new Labels(document.getElementById("labels"));
  const messages = {}, patience = view.stage.software ? 2 : 1;
  let fresh = true, ask = null, heard = -Infinity, placed = false;
  let before = 0, drew = 0, charted = 0; // ms: the last picture; the same until the next turn; the last curves
  buttons(scene, () => { fresh = true; });
  robot.fetchMeshes(view.stage.software).then((count) => {
    live.meshes = count;
    if (count > 0) scene.dress();
    fresh = true;
  });

  listen((topic, map) => {
    live.messages++;
    fresh = true;
    if (topic === "event") panels.event(map);
    else messages[topic] = map;
    if (topic === "diag") heard = performance.now();
    if (topic === "state" || topic === "centroidal") panels.curves(messages);
  }, (now) => { ask = now; });

  const read = () => panels.tell(messages, ask !== null, performance.now() - heard > SILENT_MS);
  setInterval(read, patience * READ_MS);

  const picture = (now) => {
    requestAnimationFrame(picture);
    if (drew > 0) view.stage.pace((now - drew) / 1000);
    drew = 0;
    if (!fresh && !view.camera.moved && !view.stage.moved) return;
    const begun = performance.now(), seconds = Math.min((now - before) / 1000, 1);
    before = drew = now;
    fresh = view.camera.moved = view.stage.moved = false;
    ask?.(); // comes while this is drawn
    scene.update(messages, seconds);
    if (!placed && messages.state) {
      placed = true; // where it is now, not where it would be with all joints at zero
      scene.lookAt();
      fresh = true;
    }
    if (now - charted > patience * CHART_MS) {
      panels.draw(messages, Math.min((now - charted) / 1000, 1));
      charted = now;
    }
    labels.put(labelsOf(scene, messages));
    live.pictures++;
    live.busy += (performance.now() - begun) / 1000;
    live.resolution = view.stage.resolution;
    if (messages.state) live.first ??= now / 1000;
  };
  requestAnimationFrame(picture);
}

main().catch((error) => {
  live.error = String(error);
  document.getElementById("status").textContent = live.error;
});
