#!/bin/sh
# Typical mistakes in configuration, description, cells, rights and keys: each is answered with place, cause and remedy.
exec /usr/bin/python3 tests/system/mistakes.py
