"""Reads MCAP by its specification and nothing else: every record, every checksum, the index against what it points to.

It shares no code with the writer, and refuses what the specification does not allow."""

import struct
import zlib

import zstandard

MAGIC = b"\x89MCAP0\r\n"


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        assert self.at + size <= len(self.data), "a record ends within a member"
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, kind):
        return struct.unpack("<" + kind, self.take(struct.calcsize("<" + kind)))[0]

    def text(self):
        return self.take(self.number("I")).decode()

    def pairs(self, key, value):
        end = self.number("I") + self.at
        found = {}
        while self.at < end:
            name = self.number(key)
            found[name] = self.number(value)
        assert self.at == end
        return found


def records(data, begin, end):
    """Yields opcode, content and offset."""
    at = begin
    while at < end:
        opcode, length = data[at], struct.unpack_from("<Q", data, at + 1)[0]
        assert at + 9 + length <= end, "a record reaches beyond its part of the file"
        yield opcode, data[at + 9 : at + 9 + length], at
        at += 9 + length


class Mcap:
    def __init__(self, path):
        self.data = data = open(path, "rb").read()
        assert data[:8] == MAGIC and data[-8:] == MAGIC, "magic"
        self.schemas, self.channels, self.messages, self.chunks = {}, {}, [], {}
        self.indexes = {}
        footer_at = len(data) - 8 - 9 - 20
        assert data[footer_at] == 2
        self.summary_at, offsets_at, crc = struct.unpack_from("<QQI", data, footer_at + 9)
        assert zlib.crc32(data[self.summary_at : footer_at + 9 + 16]) == crc, "checksum of the summary"
        self._read_data()
        self._read_summary(offsets_at, footer_at)

    def _read_data(self):
        ended = None
        for opcode, content, at in records(self.data, 8, self.summary_at):
            assert ended is None, "a record behind the data's end"
            if opcode == 6:
                self._read_chunk(content, at)
            elif opcode == 7:
                self._read_index(content, at)
            elif opcode == 0x0F:
                ended = struct.unpack("<I", content)[0]
                assert zlib.crc32(self.data[:at]) == ended, "checksum of the data"
            else:
                assert opcode == 1, f"opcode {opcode}"
        assert ended is not None, "no end of data"

    def _read_chunk(self, content, at):
        c = Cursor(content)
        start, end, size, crc, coding = c.number("Q"), c.number("Q"), c.number("Q"), c.number("I"), c.text()
        packed = c.take(c.number("Q"))
        assert coding == "zstd" and c.at == len(content)
        plain = zstandard.decompress(packed, max_output_size=size)
        assert len(plain) == size and zlib.crc32(plain) == crc, "checksum of a chunk"
        times = []
        for opcode, inner, offset in records(plain, 0, size):
            i = Cursor(inner)
            if opcode == 3:
                self._define(self.schemas, i.number("H"), (i.text(), i.text(), i.text()))
            elif opcode == 4:
                number, schema = i.number("H"), i.number("H")
                assert schema in self.schemas, "a channel before its schema"
                self._define(self.channels, number, (schema, i.text(), i.text()))
            else:
                assert opcode == 5
                channel, sequence, time, _ = i.number("H"), i.number("I"), i.number("Q"), i.number("Q")
                assert channel in self.channels, "a message before its channel"
                self.messages.append((channel, sequence, time, inner[i.at :]))
                times.append((channel, time, offset))
        assert (start, end) == (min(t for _, t, _ in times), max(t for _, t, _ in times)), "times of a chunk"
        self.chunks[at] = {"start": start, "end": end, "length": len(content) + 9, "messages": times, "sizes": (len(packed), size), "indexes": {}}
        self.last = at

    def _read_index(self, content, at):
        c = Cursor(content)
        channel, chunk = c.number("H"), self.chunks[self.last]
        end = c.number("I") + c.at
        while c.at < end:
            assert (channel, *(pair := (c.number("Q"), c.number("Q")))) in chunk["messages"], f"index points to nothing: {pair}"
            self.indexes[self.last] = self.indexes.get(self.last, 0) + 1
        chunk["indexes"][channel] = at

    @staticmethod
    def _define(known, number, value):
        assert known.setdefault(number, value) == value, "two definitions of one number"

    def _read_summary(self, offsets_at, footer_at):
        groups, indexed, counted = {}, 0, None
        for opcode, content, at in records(self.data, self.summary_at, offsets_at):
            groups.setdefault(opcode, [at, 0])[1] += len(content) + 9
            c = Cursor(content)
            if opcode == 8:
                start, end, offset, length = (c.number("Q") for _ in range(4))
                chunk = self.chunks[offset]
                assert (start, end, length) == (chunk["start"], chunk["end"], chunk["length"]), "index of a chunk"
                assert c.pairs("H", "Q") == chunk["indexes"], "index of a chunk's indexes"
                c.number("Q")
                assert c.text() == "zstd" and (c.number("Q"), c.number("Q")) == chunk["sizes"]
                indexed += 1
            elif opcode == 0x0B:
                messages, schemas, channels, attachments, metadata, chunks, first, last = struct.unpack_from("<QHIIIIQQ", content)
                c.at = struct.calcsize("<QHIIIIQQ")
                counted = c.pairs("H", "Q")
                assert (messages, schemas, channels, chunks) == (len(self.messages), len(self.schemas), len(self.channels), len(self.chunks))
                assert (attachments, metadata) == (0, 0)
                assert (first, last) == (min(m[2] for m in self.messages), max(m[2] for m in self.messages))
        assert indexed == len(self.chunks) and all(self.indexes[at] == len(chunk["messages"]) for at, chunk in self.chunks.items())
        assert {k: v for k, v in counted.items() if v} == {k: sum(m[0] == k for m in self.messages) for k in {m[0] for m in self.messages}}
        for opcode, content, _ in records(self.data, offsets_at, footer_at):
            assert opcode == 0x0E and list(struct.unpack("<QQ", content[1:])) == groups.pop(content[0]), "offsets of the summary"
        assert not groups, "a group of the summary has no offset"

    def topic(self, name):
        """Times and contents of a topic's messages."""
        number = next(n for n, (_, topic, _) in self.channels.items() if topic == name)
        return [(time, data) for channel, _, time, data in self.messages if channel == number]
