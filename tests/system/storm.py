"""A storm over the service, inside the throw-away systemd: storm.py RESTARTS KILLS RELOADS

Restarts, kills and reloads, a third of them bad, one in ten of far more cells than there is room for, one in ten from a disk that takes
its time. Prints `ok NAME` or `not ok NAME`, and figures."""
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import msgpack
import zmq

import results

CONFIG = "/etc/propriod/propriod.yaml"
LATE_MS = 50
DYING_S = 0.05  # a process that was killed may go on for so long
SLOW_S = 0.4


def systemctl(*words):
    return subprocess.run(["systemctl", *words, "propriod"], capture_output=True, text=True)


def show(name):
    return subprocess.run(["systemctl", "show", "propriod", "-P", name], capture_output=True, text=True).stdout.strip()


def subscribe():
    link = zmq.Context.instance().socket(zmq.SUB)
    link.setsockopt(zmq.RECONNECT_IVL, 10)
    link.setsockopt(zmq.RCVHWM, 0)
    link.connect("ipc:///run/propriod/pub.sock")
    link.subscribe("state")
    return link


def back(link, disturb):
    """Seconds from a disturbance until a state of the next process is heard; None after half a minute."""
    link.poll(30000)
    begun = time.monotonic()
    disturb()
    over = time.monotonic() + DYING_S
    while time.monotonic() < begun + 30:
        if link.poll(1000) and msgpack.unpackb(link.recv_multipart()[1])["t_mono_ns"] * 1e-9 > over:
            return time.monotonic() - begun
    return None


def comes_back(name, disturb, count, most_s):
    link = subscribe()
    took = []
    for _ in range(count):
        before = show("MainPID")
        took.append(back(link, disturb))
        if took[-1] is None or show("ActiveState") != "active" or show("MainPID") == before:
            break
    link.close()
    lost = count - len(took) + (None in took)
    heard = sorted(t for t in took if t is not None) or [0.0]
    late = sum(t > most_s for t in heard)
    results.measured(name, lost == 0,
                     f"{len(heard)} times: back after {heard[len(heard) // 2]:.2f} s, at worst {heard[-1]:.2f} s, {late} later than {most_s} s",
                     late <= max(1, count // 100))


def kill():
    os.kill(int(show("MainPID")), signal.SIGKILL)


def write_configurations():
    """Good as it is; bad by a misspelt frame; large by thousands of cells to read, for which the segment has no room."""
    with open(CONFIG) as file:
        good = file.read()
    with open("/tmp/storm_good", "w") as file:
        file.write(good)
    with open("/tmp/storm_bad", "w") as file:
        file.write(good.replace("imu: imu_link", "imu: imu_lnk"))
    with open("/etc/propriod/storm_cells.csv", "w") as file:
        file.write("cell,link,x,y,z,qx,qy,qz,qw\n")
        file.writelines(f"c{i},torso_pitch_link,{0.1 + 1e-5 * i},0,0.1,0,0,0,1\n" for i in range(8192))
    with open("/tmp/storm_large", "w") as file:
        file.write("\n".join("  cells: storm_cells.csv" if line.startswith("  cells:") else line for line in good.split("\n")))


def slow_disk():
    """The thread that reads stands still for a while, as before a disk that does not answer at once."""
    holder = subprocess.Popen(["/opt/hold_thread.py", show("MainPID"), "loader"], stdout=subprocess.PIPE)
    holder.stdout.readline()
    threading.Timer(SLOW_S, holder.kill).start()
    return holder


def reload(kind):
    """Whether it went as it should. Who feeds the watchdog meanwhile is the service."""
    shutil.copy(f"/tmp/storm_{'good' if kind == 'slow' else kind}", CONFIG + ".next")
    os.rename(CONFIG + ".next", CONFIG)
    holder = slow_disk() if kind == "slow" else None
    begun = time.monotonic()
    run = subprocess.run(["proprioctl", "reload"], capture_output=True, text=True)
    good = run.returncode == (0 if kind in ("good", "slow") else 1)
    if holder is not None:
        holder.wait()
        good = good and time.monotonic() - begun > SLOW_S
    if not good:
        print(f"# {kind}: {run.returncode} {run.stdout}{run.stderr}".rstrip())
    return good


def storm_of_reloads(count):
    """Windows with reloads alternate with windows without: a busy machine makes states late in either."""
    lag = {True: [], False: []}
    stormy, ending = [False], [False]

    def hear():
        link = subscribe()
        while not ending[0]:
            if link.poll(50):
                body = link.recv_multipart()[1]
                now = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
                lag[stormy[0]].append((now - msgpack.unpackb(body)["t_mono_ns"]) / 1e6)

    listener = threading.Thread(target=hear)
    listener.start()
    pid, wrong = show("MainPID"), 0
    for i in range(count):
        kind = "slow" if i % 10 == 8 else "large" if i % 10 == 9 else "bad" if i % 3 == 1 else "good"
        stormy[0] = True
        begun = time.monotonic()
        wrong += not reload(kind)
        took = time.monotonic() - begun
        stormy[0] = False
        time.sleep(min(took, 1.0))
    reload("good")
    ending[0] = True
    listener.join()
    late = {key: sum(x > LATE_MS for x in values) for key, values in lag.items()}
    results.measured("reloads_are_answered_and_keep_the_process", wrong == 0 and show("MainPID") == pid and show("ActiveState") == "active",
                     f"{count} reloads, {wrong} with another end than theirs")
    results.measured("states_come_no_later_for_reloads", len(lag[True]) > 100,
                     f"{len(lag[True])} states beside reloads, {late[True]} more than {LATE_MS} ms late, at worst {max(lag[True], default=0.0):.0f} ms; "
                     f"{len(lag[False])} without, {late[False]}, {max(lag[False], default=0.0):.0f} ms", late[True] <= 2 * late[False])


def main():
    restarts, kills, reloads = map(int, sys.argv[1:4])
    write_configurations()
    systemctl("start")
    comes_back("restarts_bring_it_back", lambda: systemctl("restart"), restarts, 3.0)
    kept = int(show("NRestarts"))
    comes_back("kills_bring_it_back_within_a_second", kill, kills, 1.0)
    again = int(show("NRestarts")) - kept
    storm_of_reloads(reloads)
    journal = subprocess.run(["journalctl", "-u", "propriod", "--no-pager", "-o", "cat"], capture_output=True, text=True).stdout
    aborts = sum("dumped core" in line or "status=6/ABRT" in line for line in journal.split("\n"))
    results.measured("nothing_else_ended_it", aborts == 0 and again == kills == int(show("NRestarts")) - kept,
                     f"{aborts} aborts, {again} starts after {kills} kills")
    return results.failed


if __name__ == "__main__":
    sys.exit(main())
