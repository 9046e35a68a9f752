"""Recordings as numpy arrays, and what is estimated from them.

    log = propriod.load("walk.rec")                      # what was measured
    log = propriod.replay("walk.rec")                    # and what the estimators make of it, as configured then
    log = propriod.replay("walk.rec", "robot.yaml")      # or with another configuration
    log["joints"]["q"]                                   # [frame, joint]
    log["state"].joint("ddq", "left_knee_joint")         # [frame]
    log.table("state")                                   # pandas, named columns over seconds

`proprioctl` does the work, so that there is one reader of the format and one set of estimators; it is looked for in
PROPRIOCTL from the environment, then in PATH. What it exports with --npz is read by Recording.from_npz.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas

AXES = ("x", "y", "z", "w")


class Stream(Mapping[str, NDArray[Any]]):
    """One series: arrays by name, a row an instant. A number that is not known is NaN."""

    def __init__(self, name: str, t_ns: NDArray[Any], arrays: dict[str, NDArray[Any]], units: dict[str, str], joints: list[str]) -> None:
        self.name, self.t_ns, self.units = name, t_ns, units
        self._arrays, self._joints = arrays, joints

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __repr__(self) -> str:
        return f"<{self.name}: {len(self.t_ns)} rows of {', '.join(self._arrays)}>"

    @property
    def t(self) -> NDArray[Any]:
        """Seconds of CLOCK_MONOTONIC."""
        return self.t_ns * 1e-9

    def joint(self, array: str, name: str) -> NDArray[Any]:
        """One joint's column of an array that has one for each joint."""
        values = self._arrays[array]
        if values.ndim != 2 or values.shape[1] != len(self._joints):
            raise ValueError(f"{self.name}.{array} has no joints: shape {values.shape}")
        return values[:, self._joints.index(name)]


class Recording(Mapping[str, Stream]):
    """Series by name: joints, imu, skin, wrench, and after a replay state and centroidal."""

    def __init__(self, streams: dict[str, Stream], about: dict[str, Any]) -> None:
        self._streams = streams
        self.about = about  # robot, feet, cells, units: what proprioctl wrote of them
        self.robot: str = about["robot"]
        self.joints: list[str] = about["joints"]

    @classmethod
    def from_npz(cls, path: str | Path) -> Recording:
        """What `proprioctl export --npz` has written."""
        with np.load(path) as archive:
            about = json.loads(archive["about.json"])
            streams = {}
            for name, arrays in about["series"].items():
                units = {array: of["unit"] for array, of in arrays.items()}
                values = {array: archive[f"{name}/{array}"] for array in arrays}
                streams[name] = Stream(name, archive[f"{name}/t_ns"], values, units, about["joints"])
        return cls(streams, about)

    def __getitem__(self, name: str) -> Stream:
        return self._streams[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._streams)

    def __len__(self) -> int:
        return len(self._streams)

    def __repr__(self) -> str:
        return f"<recording of {self.robot}: {', '.join(f'{len(s.t_ns)} {name}' for name, s in self._streams.items())}>"

    def table(self, series: str) -> pandas.DataFrame:
        """A series as a pandas table: columns as in CSV (q_left_knee_joint, com_position_x), over seconds."""
        import pandas  # not needed by those who have no use for tables

        stream = self[series]
        columns: dict[str, NDArray[Any]] = {}
        for name, values in stream.items():
            rows = values.reshape(len(values), -1)
            for i, label in enumerate(self._labels(series, name, values)):
                columns[label] = rows[:, i]
        return pandas.DataFrame(columns, index=pandas.Index(stream.t, name="t"))

    def _labels(self, series: str, name: str, values: NDArray[Any]) -> list[str]:
        width = int(np.prod(values.shape[1:], dtype=int))
        things = {"skin": self.about.get("cells", []), "wrench": self.about["wrench_sensors"]}.get(series)
        for group in [things] if things else [self.joints, self.about["feet"]]:
            if group and width == len(group):
                return [f"{name}_{thing}" for thing in group]
            if things and width == 3 * len(group):
                return [f"{name}_{thing}_{axis}" for thing in group for axis in AXES[:3]]
        if width == 1:
            return [name]
        return [f"{name}_{axis}" for axis in AXES[:width]]


def _proprioctl() -> str:
    found = os.environ.get("PROPRIOCTL") or shutil.which("proprioctl")
    if not found:
        raise FileNotFoundError("proprioctl is not in PATH; it comes with the package propriod (or set PROPRIOCTL)")
    return found


def _export(file: str | Path, config: str | Path | None, options: list[str]) -> Recording:
    with tempfile.TemporaryDirectory(prefix="propriod-") as folder:
        archive = Path(folder, "all.npz")
        done = subprocess.run([_proprioctl(), "export", *options, "--npz", archive, file, *([config] if config else [])], capture_output=True, text=True)
        if done.returncode != 0:
            raise ValueError(done.stderr.strip() or f"proprioctl export ended with {done.returncode}")
        return Recording.from_npz(archive)


def _part(only: tuple[str, ...], begin: float, end: float | None) -> list[str]:
    words = [word for name in only for word in ("--only", name)]
    return words + ["--from", repr(float(begin))] + ([] if end is None else ["--to", repr(float(end))])


def load(file: str | Path, config: str | Path | None = None, only: tuple[str, ...] = (), begin: float = 0.0, end: float | None = None) -> Recording:
    """What was measured: every frame of every stream, or of those in `only`, between two seconds of the recording."""
    return _export(file, config, ["--raw", *_part(only, begin, end)])


def replay(file: str | Path, config: str | Path | None = None, only: tuple[str, ...] = (), begin: float = 0.0, end: float | None = None) -> Recording:
    """The same, and what the configured estimators make of it: the series state and centroidal, a row a cycle.

    They run from the recording's beginning, whatever part is asked for. ValueError with the reason when they cannot."""
    return _export(file, config, _part(only, begin, end))
