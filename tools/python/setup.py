"""What pyproject.toml cannot say: the version stands in one place, and the writer is compiled from shm.h."""

import re
from pathlib import Path

from setuptools import Extension, setup

here = Path(__file__).resolve().parent
first = (here.parent / "debian" / "changelog").read_text(encoding="utf-8").splitlines()[0]

setup(
    version=re.search(r"\((.*?)\)", first)[1],
    ext_modules=[
        Extension("propriod._segment", ["propriod/_segment.c"], include_dirs=[str(here.parents[1] / "daemon")], extra_compile_args=["-std=gnu11"])
    ],
)
