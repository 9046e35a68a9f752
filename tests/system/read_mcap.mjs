// Reads an MCAP file with the packages of the format's own authors: read_mcap.mjs FILE FOLDER_OF_PACKAGES
// Prints a line of JSON for each message, its content decoded by the schema that the file carries.
import { open } from "node:fs/promises";
import { createRequire } from "node:module";

const require = createRequire(process.argv[3] + "/");
const { McapIndexedReader } = require("@mcap/core");
const { decompress } = require("fzstd");
const { parse } = require("@foxglove/rosmsg");
const { MessageReader } = require("@foxglove/rosmsg2-serialization");

const file = await open(process.argv[2]);
const readable = {
  size: async () => BigInt((await file.stat()).size),
  read: async (offset, length) => {
    const buffer = new Uint8Array(Number(length));
    await file.read(buffer, 0, Number(length), Number(offset));
    return buffer;
  },
};
const zstd = (data, size) => decompress(data, new Uint8Array(Number(size)));
const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers: { zstd } });
const text = new TextDecoder();
const decoders = new Map();
for (const channel of reader.channelsById.values()) {
  const schema = reader.schemasById.get(channel.schemaId);
  const ros = schema.encoding === "ros2msg" ? new MessageReader(parse(text.decode(schema.data), { ros2: true })) : undefined;
  decoders.set(channel.id, (data) => (ros ? ros.readMessage(data) : JSON.parse(text.decode(data))));
}
const plain = (key, value) => (ArrayBuffer.isView(value) ? Array.from(value) : typeof value === "bigint" ? Number(value) : Number.isNaN(value) ? null : value);
for await (const message of reader.readMessages()) {
  const { topic } = reader.channelsById.get(message.channelId);
  const content = decoders.get(message.channelId)(message.data);
  console.log(JSON.stringify({ topic, time: message.logTime.toString(), content }, plain));
}
