// MessagePack, as far as propriod uses it: what the daemon publishes becomes plain objects.

const text = new TextDecoder();

class Reader {
  constructor(buffer) {
    this.view = new DataView(buffer);
    this.bytes = new Uint8Array(buffer);
    this.at = 0;
  }

  get done() {
    return this.at >= this.bytes.length;
  }

  number(size, name) {
    const value = this.view[name](this.at);
    this.at += size;
    return value;
  }

  string(length) {
    this.at += length;
    return text.decode(this.bytes.subarray(this.at - length, this.at));
  }

  array(length) {
    const values = new Array(length);
    for (let i = 0; i < length; i++) values[i] = this.value();
    return values;
  }

  map(length) {
    const pairs = {};
    for (let i = 0; i < length; i++) {
      const key = this.value();
      pairs[key] = this.value();
    }
    return pairs;
  }

  value() {
    const kind = this.number(1, "getUint8");
    // what fits into the kind itself
    if (kind < 0x80) return kind;
    if (kind < 0x90) return this.map(kind & 0x0f);
    if (kind < 0xa0) return this.array(kind & 0x0f);
    if (kind < 0xc0) return this.string(kind & 0x1f);
    if (kind >= 0xe0) return kind - 0x100;
    switch (kind) {
      case 0xc0: return null;
      case 0xc2: return false;
      case 0xc3: return true;
      case 0xca: return this.number(4, "getFloat32");
      case 0xcb: return this.number(8, "getFloat64");
      case 0xcc: return this.number(1, "getUint8");
      case 0xcd: return this.number(2, "getUint16");
      case 0xce: return this.number(4, "getUint32");
      case 0xcf: return Number(this.number(8, "getBigUint64"));
      case 0xd0: return this.number(1, "getInt8");
      case 0xd1: return this.number(2, "getInt16");
      case 0xd2: return this.number(4, "getInt32");
      case 0xd3: return Number(this.number(8, "getBigInt64"));
      case 0xd9: return this.string(this.number(1, "getUint8"));
      case 0xda: return this.string(this.number(2, "getUint16"));
      case 0xdb: return this.string(this.number(4, "getUint32"));
      case 0xdc: return this.array(this.number(2, "getUint16"));
      case 0xdd: return this.array(this.number(4, "getUint32"));
      case 0xde: return this.map(this.number(2, "getUint16"));
      case 0xdf: return this.map(this.number(4, "getUint32"));
      default: throw new Error(`MessagePack kind ${kind} at ${this.at - 1}`);
    }
  }
}

// The pairs [topic, map] of one message of the server.
export function decode(buffer) {
  const reader = new Reader(buffer);
  const pairs = [];
  while (!reader.done) pairs.push([reader.value(), reader.value()]);
  return pairs;
}

// Calls hear(topic, map) for all that comes, and state(ask) where ask() asks for what is new by now, null
// while nobody is there; connects again when it breaks. Nothing comes unasked, but the first.
export function listen(hear, state) {
  const socket = new WebSocket(`ws://${location.host}/live`, "propriod-live");
  socket.binaryType = "arraybuffer";
  socket.onopen = () => state(() => socket.readyState === WebSocket.OPEN && socket.send("next"));
  socket.onmessage = (message) => decode(message.data).forEach(([topic, map]) => hear(topic, map));
  socket.onclose = () => {
    state(null);
    setTimeout(() => listen(hear, state), 1000);
  };
}
