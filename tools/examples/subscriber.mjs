// Prints what propriod estimates, from Node.js: node subscriber.mjs [ENDPOINT]
//
//   npm install zeromq@6 @msgpack/msgpack@3      once, beside this file
//
// Each message is two frames, the topic and one MessagePack map. What is not estimated has no key. Names and order of
// joints are in the topic `meta`, which comes with the subscription and then once a second.
import { decode } from "@msgpack/msgpack";
import { Subscriber } from "zeromq";

const SHOW_MS = 200; // between two lines

const numbers = (values, digits = 4) => values?.map((value) => value.toFixed(digits).padStart(digits + 5)).join(" ");

const link = new Subscriber({ linger: 0, receiveTimeout: 5000 });
link.connect(process.argv[2] ?? process.env.PROPRIOD_ENDPOINT ?? "ipc:///run/propriod/pub.sock");
for (const topic of ["meta", "state", "centroidal"]) link.subscribe(topic);

const newest = {};
const missing = { state: 0, centroidal: 0 }; // messages, by the gaps between their numbers
let shown = 0;

try {
  for (;;) {
    const [topic, bytes] = await link.receive();
    const name = topic.toString(), message = decode(bytes);
    if (name in missing && newest[name]) missing[name] += message.seq - newest[name].seq - 1;
    newest[name] = message;
    const { meta, state, centroidal } = newest;
    if (!meta || !state || !centroidal || Date.now() - shown < SHOW_MS) continue;
    shown = Date.now();
    const knee = meta.joints.findIndex((joint) => joint.includes("knee")), joint = Math.max(knee, 0);
    console.log(`${meta.robot} ${state.status}, number ${state.seq}, ${missing.state} missing; ` +
                `${meta.joints[joint]} ${numbers([state.q?.[joint] ?? NaN])} ${meta.joint_units[joint]}; ` +
                `centre of mass ${numbers(centroidal.com_position ?? centroidal.com_in_base) ?? "not estimated"}`);
  }
} catch (error) {
  console.error(`subscriber.mjs: ${error.code === "EAGAIN" ? "silence; is propriod running?" : error.message}`);
  process.exit(1);
}
