"""Hearing propriod: what it publishes, message by message or the newest.

    with propriod.Subscriber() as robot:
        print(robot.joints)                      # names, in the order of every joint array
        state = robot.latest("state")            # the newest; what came before is dropped
        print(robot.named(state["q"])["left_knee_joint"], state["status"])

        for state in robot.messages("state"):    # every one of them
            control(state["q"], state["dq"])

A message is a dict. Keys, units and frames are described in `robot.meta["topics"]`. What propriod does not estimate is
not in the dict; `state["not_estimated"]` lists it. Lists of numbers are numpy arrays; a number that was not finite
arrives as NaN.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Iterator, Sequence

import msgpack
import numpy as np
from numpy.typing import NDArray
import zmq

ENDPOINT = "ipc:///run/propriod/pub.sock"
TOPICS = ("state", "centroidal", "inertia", "skin", "diag", "event", "meta")

Message = dict[str, Any]


class Silent(Exception):
    """Nothing came in time: no daemon, no right to connect, or nothing is published."""


def _value(value: Any) -> Any:
    """Lists of numbers become arrays; nil becomes NaN wherever a number was expected."""
    if value is None:
        return float("nan")
    if isinstance(value, dict):
        return {key: _value(inner) for key, inner in value.items()}
    if isinstance(value, list) and value and (value[0] is None or isinstance(value[0], (int, float))):
        return np.array(value, dtype=float) if None in value else np.array(value)
    if isinstance(value, list):
        return [_value(inner) for inner in value]
    return value


def _decode(frame: bytes) -> Message:
    message: Message = msgpack.unpackb(frame, raw=False)
    return {key: _value(value) for key, value in message.items()}


def _read_key(path: str | Path) -> bytes:
    return Path(path).read_text(encoding="ascii").split()[0].encode()


class Subscriber:
    """A connection to a running propriod. Belongs to one thread.

    endpoint  where it publishes: by default PROPRIOD_ENDPOINT from the environment, or the local Unix socket
    topics    what to hear, of propriod.TOPICS; `meta` always comes with it
    keys      to subscribe over the network: (this client's secret key file, the robot's public key file), made by
              `proprioctl keys`; the robot must have this client's public key in publish.curve_clients
    missing   dict: messages of a topic that were published and did not arrive, because this side was too slow
    """

    def __init__(
        self,
        endpoint: str | None = None,
        topics: Sequence[str] = ("state", "centroidal", "diag"),
        keys: tuple[str | Path, str | Path] | None = None,
    ) -> None:
        unknown = set(topics) - set(TOPICS)
        if unknown:
            raise ValueError(f"no such topic: {', '.join(sorted(unknown))}")
        self.endpoint: str = endpoint or os.environ.get("PROPRIOD_ENDPOINT") or ENDPOINT
        self.missing: dict[str, int] = {topic: 0 for topic in (*topics, "meta")}
        self._last_seq: dict[str, int] = {}
        self._heard = dict(self.missing)  # messages since the one whose number was read last
        self._waiting: dict[str, bytes] = {}  # the newest of a topic, still packed
        self._newest: dict[str, Message] = {}
        self._socket = zmq.Context.instance().socket(zmq.SUB)
        self._socket.linger = 0
        if keys is not None:
            secret, server = map(_read_key, keys)
            self._socket.curve_secretkey = secret
            self._socket.curve_publickey = zmq.curve_public(secret)
            self._socket.curve_serverkey = server
        for topic in self.missing:
            self._socket.subscribe(topic)
        self._socket.connect(self.endpoint)

    def __enter__(self) -> Subscriber:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._socket.close()

    def receive(self, timeout: float = 2.0) -> tuple[str, Message]:
        """The next message of any topic, as (topic, dict). Raises Silent after `timeout` seconds."""
        topic = self._wait(timeout)
        return topic, self._open(topic)

    def messages(self, topic: str, timeout: float = 2.0) -> Iterator[Message]:
        """Every message of a topic, for ever; those of the others are kept for latest(). Raises Silent."""
        self._require(topic)
        deadline = time.monotonic() + timeout
        while True:
            if self._wait(deadline - time.monotonic()) == topic:
                yield self._open(topic)
                deadline = time.monotonic() + timeout

    def latest(self, topic: str, timeout: float = 2.0) -> Message:
        """The newest message of a topic that was not yet returned; waits for one when there is none. Raises Silent.

        Whatever has piled up meanwhile is dropped without being unpacked: a thousand messages take milliseconds."""
        self._require(topic)
        deadline = time.monotonic() + timeout
        self._drain()
        while topic not in self._waiting and topic not in self._newest:
            self._wait(deadline - time.monotonic())
        self._open(topic)
        return self._newest.pop(topic)

    @property
    def meta(self) -> Message:
        """What the numbers mean: names, units, frames. The newest description; waits for the first."""
        self._drain()
        deadline = time.monotonic() + 2.0
        while "meta" not in self._waiting and "meta" not in self._newest:
            self._wait(deadline - time.monotonic())
        return self._open("meta")

    @property
    def joints(self) -> list[str]:
        """Names of the joints, in the order of q, dq, ddq, ..."""
        names: list[str] = self.meta["joints"]
        return names

    def joint(self, name: str) -> int:
        """Index of a joint in q, dq, ddq, ..."""
        return self.joints.index(name)

    def named(self, values: Sequence[float] | NDArray[Any]) -> dict[str, float]:
        """An array of joints as a dict by their names."""
        return dict(zip(self.joints, map(float, values), strict=True))

    def _require(self, topic: str) -> None:
        if topic not in self.missing:
            raise ValueError(f"not subscribed to {topic}")

    def _wait(self, timeout: float) -> str:
        if not self._socket.poll(max(0.0, timeout) * 1000.0):
            raise Silent(f"nothing from {self.endpoint} in {max(0.0, timeout):.2g} s")
        return self._take()

    def _drain(self) -> None:
        try:
            while True:
                self._take(zmq.NOBLOCK)
        except zmq.Again:
            pass

    def _take(self, flags: int = 0) -> str:
        name, frame = self._socket.recv_multipart(flags)
        topic: str = name.decode()
        self._waiting[topic] = frame
        self._heard[topic] += 1
        return topic

    def _open(self, topic: str) -> Message:
        """Unpacks the newest message of a topic, and counts what is missing before it."""
        frame = self._waiting.pop(topic, None)
        if frame is not None:
            message = self._newest[topic] = _decode(frame)
            last = self._last_seq.get(topic)
            if last is not None and message["seq"] > last:  # another daemon begins anew
                self.missing[topic] += max(0, message["seq"] - last - self._heard[topic])
            self._last_seq[topic] = message["seq"]
            self._heard[topic] = 0
        return self._newest[topic]
