"""Hearing propriod, the proprioception daemon, from Python.

    import propriod

    with propriod.Subscriber() as robot:
        print(robot.joints)                      # names, in the order of every joint array
        state = robot.latest("state")            # the newest; what came before is dropped
        print(state["q"][robot.joint("left_knee_joint")], state["status"])

        for state in robot.messages("state"):    # every one of them
            control(state["q"], state["dq"])

A message is a dict. Keys, units and frames are described in `robot.meta["topics"]`. What propriod does not estimate is
not in the dict; `state["not_estimated"]` lists it. A number that was not finite arrives as NaN. Needs Debian's
python3-zmq and python3-msgpack.
"""

import os
import time

import msgpack
import zmq

ENDPOINT = "ipc:///run/propriod/pub.sock"
TOPICS = ("state", "centroidal", "inertia", "skin", "diag", "event", "meta")


class Silent(Exception):
    """Nothing came in time: no daemon, no right to connect, or nothing is published."""


def _decode(frame):
    """The map of a message, nil turned into NaN wherever a number was expected."""
    message = msgpack.unpackb(frame, raw=False)
    for key, value in message.items():
        if value is None:
            message[key] = float("nan")
        elif isinstance(value, list) and None in value:
            message[key] = [float("nan") if element is None else element for element in value]
    return message


def _read_key(path):
    with open(path, encoding="ascii") as file:
        return file.read().split()[0].encode()


class Subscriber:
    """A connection to a running propriod. Belongs to one thread.

    endpoint  where it publishes: by default PROPRIOD_ENDPOINT from the environment, or the local Unix socket
    topics    what to hear, of propriod.TOPICS; `meta` always comes with it
    keys      to subscribe over the network: (this client's secret key file, the robot's public key file), made by
              `proprioctl keys`; the robot must have this client's public key in publish.curve_clients
    missing   dict: messages of a topic that were published and did not arrive, because this side was too slow
    """

    def __init__(self, endpoint=None, topics=("state", "centroidal", "diag"), keys=None):
        unknown = set(topics) - set(TOPICS)
        if unknown:
            raise ValueError(f"no such topic: {', '.join(sorted(unknown))}")
        self.endpoint = endpoint or os.environ.get("PROPRIOD_ENDPOINT", ENDPOINT)
        self.missing = {topic: 0 for topic in (*topics, "meta")}
        self._last_seq = {}
        self._newest = {}
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

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._socket.close()

    def receive(self, timeout=2.0):
        """The next message of any topic, as (topic, dict). Raises Silent after `timeout` seconds."""
        if not self._socket.poll(max(0.0, timeout) * 1000.0):
            raise Silent(f"nothing from {self.endpoint} in {timeout:g} s")
        return self._take()

    def messages(self, topic, timeout=2.0):
        """Every message of a topic, for ever; those of the others are kept for latest(). Raises Silent."""
        self._require(topic)
        deadline = time.monotonic() + timeout
        while True:
            heard, message = self.receive(deadline - time.monotonic())
            if heard == topic:
                yield message
                deadline = time.monotonic() + timeout

    def latest(self, topic, timeout=2.0):
        """The newest message of a topic that was not yet returned; waits for one when there is none. Raises Silent."""
        self._require(topic)
        deadline = time.monotonic() + timeout
        self._drain()
        while topic not in self._newest:
            self.receive(deadline - time.monotonic())
        return self._newest.pop(topic)

    @property
    def meta(self):
        """What the numbers mean: names, units, frames. The newest description; waits for the first."""
        self._drain()
        while "meta" not in self._newest:
            self.receive(2.0)
        return self._newest["meta"]

    @property
    def joints(self):
        """Names of the joints, in the order of q, dq, ddq, ..."""
        return self.meta["joints"]

    def joint(self, name):
        """Index of a joint in q, dq, ddq, ..."""
        return self.joints.index(name)

    def _require(self, topic):
        if topic not in self.missing:
            raise ValueError(f"not subscribed to {topic}")

    def _drain(self):
        try:
            while True:
                self._take(zmq.NOBLOCK)
        except zmq.Again:
            pass

    def _take(self, flags=0):
        topic, frame = self._socket.recv_multipart(flags)
        topic, message = topic.decode(), _decode(frame)
        last = self._last_seq.get(topic)
        if last is not None and message["seq"] > last + 1:
            self.missing[topic] += message["seq"] - last - 1
        self._last_seq[topic] = message["seq"]
        self._newest[topic] = message
        return topic, message
