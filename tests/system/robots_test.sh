#!/bin/sh
# The robot descriptions: skin layouts can be made again, counts and masses are those of the README, left mirrors right.
exec /usr/bin/python3 tests/system/robots.py
