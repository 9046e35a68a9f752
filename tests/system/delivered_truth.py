"""What is true of a simulated run: delivered_truth.py followers CSV LEADER FOLLOWER RATIO, or trots CSV METRES."""
import csv
import math
import sys


def columns(path, *names):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return [[float(row[name]) for row in rows] for name in names]


def followers(path, leader, follower, ratio):
    q, followed, dq, dfollowed = columns(path, f"q_{leader}", f"q_{follower}", f"dq_{leader}", f"dq_{follower}")
    off = max(abs(b - float(ratio) * a) for a, b in zip(q, followed))
    off_speed = max(abs(b - float(ratio) * a) for a, b in zip(dq, dfollowed))
    print(f"moves by {max(q) - min(q):.3f}, off by {off:.2e} and {off_speed:.2e} a second")
    return max(q) - min(q) > 0.02 and off < 2e-3 and off_speed < 2e-2


def trots(path, metres):
    x, y, z, qx, qy = columns(path, "base_x", "base_y", "base_z", "base_qx", "base_qy")
    tilt = 2 * math.degrees(max(math.hypot(a, b) for a, b in zip(qx, qy)))
    print(f"{x[-1] - x[0]:.2f} m forward, at most {max(map(abs, y)):.3f} m aside, height {min(z):.3f} .. {max(z):.3f} m, "
          f"tilt at most {tilt:.1f} degree")
    return x[-1] - x[0] > float(metres) and max(map(abs, y)) < 0.1 and max(z) - min(z) < 0.03 and tilt < 5


if __name__ == "__main__":
    sys.exit(not globals()[sys.argv[1]](*sys.argv[2:]))
