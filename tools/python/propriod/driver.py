"""Feeding propriod: a sensor driver, through the same shared memory as one in C.

    with propriod.Driver("joints", 30, optional=("dq",)) as driver:
        while True:
            t_ns, q, dq = read_encoders()        # CLOCK_MONOTONIC, the instant of sampling
            driver.write(t_ns, q=q, dq=dq)

What each stream carries stands in ARRAYS; everything is SI, NaN where a sensor gave nothing. Order and geometry of
joints and cells are the configuration's. A driver's user is in the group propriod-in.
"""

from __future__ import annotations

import ctypes
import time
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

SEGMENT = "/run/propriod/shm"
CELL_VALID, CELL_PROXIMITY, CELL_FORCE = 1, 2, 4  # bits of a cell's flags: what of it is a measurement

# per stream: its number, and its arrays in their order: name, elements of each reading, type, bit when it is optional
ARRAYS: dict[str, tuple[int, tuple[tuple[str, tuple[int, ...], type, int], ...]]] = {
    "joints": (0, (("q", (), np.float64, 0), ("dq", (), np.float64, 1), ("tau", (), np.float64, 2))),
    "imu": (1, (("specific_force", (3,), np.float64, 0), ("angular_rate", (3,), np.float64, 0), ("orientation", (4,), np.float64, 1))),
    "skin": (
        2,
        (
            ("acceleration", (3,), np.float32, 0),
            ("flags", (), np.uint8, 0),
            ("proximity", (), np.float32, 1),
            ("force", (), np.float32, 2),
        ),
    ),
    "wrench": (3, (("wrench", (6,), np.float64, 0),)),
}


class Refused(Exception):
    """The stream cannot be written: no daemon, another writer, another number of joints ... Try again in a second."""


class Replaced(Exception):
    """The segment was replaced or removed, as when the daemon was restarted: open a Driver again."""


def _library() -> ctypes.CDLL:
    """The writer of propriod/shm.h, compiled beside this module."""
    found = sorted(Path(__file__).parent.glob("_segment*.so"))
    if not found:
        raise Refused("the library that writes to the segment is not here: install the package, or `make` and use build/python")
    library = ctypes.CDLL(str(found[0]))
    library.segment_open.restype = ctypes.c_void_p
    library.segment_open.argtypes = [ctypes.c_char_p, ctypes.c_uint, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_char_p]
    library.segment_begin.restype = ctypes.c_void_p
    library.segment_begin.argtypes = [ctypes.c_void_p]
    library.segment_arrays.restype = None
    library.segment_arrays.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint64)]
    library.segment_commit.argtypes = [ctypes.c_void_p, ctypes.c_int64]
    library.segment_beat.argtypes = [ctypes.c_void_p]
    library.segment_wanted.argtypes = [ctypes.c_void_p, ctypes.c_uint32]
    library.segment_close.restype = None
    library.segment_close.argtypes = [ctypes.c_void_p]
    return library


class Driver:
    """One stream, open for writing. Belongs to one thread.

    stream    joints, imu, skin or wrench
    count     joints, IMUs, cells or sensors that the configuration has; the arrays of one IMU have no axis for it
    optional  the optional arrays that every frame carries: dq, tau; orientation; proximity, force
    segment   the daemon's input.segment
    """

    def __init__(self, stream: str, count: int = 1, optional: tuple[str, ...] = (), segment: str = SEGMENT) -> None:
        if stream not in ARRAYS:
            raise ValueError(f"no such stream: {stream}; there are {', '.join(ARRAYS)}")
        kind, arrays = ARRAYS[stream]
        unknown = set(optional) - {name for name, _, _, bit in arrays if bit}
        if unknown:
            raise ValueError(f"{stream} has no optional {', '.join(sorted(unknown))}")
        self.stream, self.count = stream, count
        self._carried = {name: (i, shape, type_) for i, (name, shape, type_, bit) in enumerate(arrays) if not bit or name in optional}
        self._shm: int | None = None
        self._library = _library()
        why = ctypes.create_string_buffer(256)
        fields = sum(bit for name, _, _, bit in arrays if name in optional)
        self._shm = self._library.segment_open(segment.encode(), kind, count, fields, why)
        if not self._shm:
            raise Refused(why.value.decode())
        offsets = (ctypes.c_uint64 * 4)()
        self._library.segment_arrays(self._shm, offsets)
        self._offsets = list(offsets)
        self._views: dict[int, dict[str, NDArray[Any]]] = {}

    def __enter__(self) -> Driver:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends writing and lets another writer in."""
        if self._shm:
            self._views = {}
            self._library.segment_close(self._shm)
            self._shm = None

    def begin(self) -> dict[str, NDArray[Any]]:
        """The arrays of the next frame, by name, to be written in place before commit()."""
        at: int = self._library.segment_begin(self._open())
        if at not in self._views:  # one of a few slots
            self._views[at] = {name: self._view(at, *about) for name, about in self._carried.items()}
        return self._views[at]

    def commit(self, t_ns: int | None = None) -> None:
        """Hands the frame over, sampled at `t_ns` (CLOCK_MONOTONIC; by default now). Raises Replaced."""
        if self._library.segment_commit(self._open(), time.monotonic_ns() if t_ns is None else t_ns) != 0:
            raise Replaced(f"{self.stream}: the segment was replaced; open it again")

    def write(self, t_ns: int | None = None, **arrays: ArrayLike) -> None:
        """A whole frame: every array that the stream carries, by name. Raises Replaced."""
        if arrays.keys() != self._carried.keys():
            raise ValueError(f"{self.stream} carries {', '.join(self._carried)}; given: {', '.join(arrays) or 'nothing'}")
        values = {name: np.asarray(value) for name, value in arrays.items()}
        for name, value in values.items():  # before anything of the frame is written
            if value.shape != self.shape(name):
                raise ValueError(f"{self.stream}.{name}: shape {value.shape}, expected {self.shape(name)}")
        frame = self.begin()
        for name, value in values.items():
            frame[name][...] = value
        self.commit(t_ns)

    def shape(self, name: str) -> tuple[int, ...]:
        """Of an array of this stream."""
        of_one = self._carried[name][1]
        return of_one if self.stream == "imu" and self.count == 1 else (self.count, *of_one)

    def beat(self) -> None:
        """Says that the driver lives although it has no sample. Raises Replaced."""
        if self._library.segment_beat(self._open()) != 0:
            raise Replaced(f"{self.stream}: the segment was replaced; open it again")

    def wanted(self, cell: int) -> bool:
        """Whether propriod asks for this skin cell's accelerations."""
        return bool(self._library.segment_wanted(self._open(), cell))

    def _open(self) -> int:
        if self._shm is None:
            raise Refused(f"{self.stream}: closed")
        return self._shm

    def _view(self, at: int, array: int, _: tuple[int, ...], type_: type) -> NDArray[Any]:
        shape = self.shape(next(name for name, about in self._carried.items() if about[0] == array))
        size = int(np.prod(shape)) * np.dtype(type_).itemsize
        memory = (ctypes.c_char * size).from_address(at + self._offsets[array])
        return np.frombuffer(memoryview(memory), dtype=np.dtype(type_)).reshape(shape)
