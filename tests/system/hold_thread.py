#!/usr/bin/python3
"""Stops one thread of a process, and nothing else of it, until the process is gone.

   tests/system/hold_thread.py PID NAME        prints "held TID" once the thread stands still
"""
import ctypes
import os
import sys

PTRACE_SEIZE, PTRACE_INTERRUPT, WALL = 0x4206, 0x4207, 0x40000000

pid, name = int(sys.argv[1]), sys.argv[2]
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def names(task):
    with open(f"/proc/{pid}/task/{task}/comm") as comm:
        return comm.read().strip()


for tid in map(int, os.listdir(f"/proc/{pid}/task")):
    if names(tid) == name:
        break
else:
    sys.exit(f"process {pid} has no thread {name}")
for request in (PTRACE_SEIZE, PTRACE_INTERRUPT):
    if libc.ptrace(request, tid, None, None) != 0:
        sys.exit(f"ptrace: {os.strerror(ctypes.get_errno())}")
os.waitpid(tid, WALL)
print("held", tid, flush=True)
try:
    while True:
        _, status = os.waitpid(tid, WALL)
        if os.WIFEXITED(status) or os.WIFSIGNALED(status):
            break
except ChildProcessError:
    pass
