#!/usr/bin/python3
"""Prints what propriod estimates, five times a second: python3 example.py [ENDPOINT]"""

import sys
import time

import propriod


def vector(message, key):
    """Three numbers, or a word when the key is not estimated."""
    return " ".join(f"{number:8.4f}" for number in message[key]) if key in message else "not estimated"


def main():
    endpoint = sys.argv[1] if len(sys.argv) > 1 else None
    sys.stdout.reconfigure(line_buffering=True)  # also into a pipe, as it happens
    with propriod.Subscriber(endpoint, topics=("state", "centroidal")) as robot:
        print(f"{robot.meta['robot']}: {', '.join(robot.joints)}")
        while True:
            state, centroidal = robot.latest("state"), robot.latest("centroidal")
            age = time.clock_gettime(time.CLOCK_MONOTONIC) - 1e-9 * state["t_mono_ns"]
            print(f"\nstate {state['status']}, number {state['seq']}, {1e3 * age:.1f} ms old, "
                  f"{robot.missing['state']} missing")
            print("  centre of mass", vector(centroidal, "com_position" if "com_position" in centroidal else "com_in_base"))
            print("  its acceleration", vector(centroidal, "com_acceleration"))
            for key in ("q", "dq", "ddq"):
                values = " ".join(f"{value:7.3f}" for value in state.get(key, [])[:8])
                print(f"  {key:4}", values + " ..." if values else "not estimated")
            time.sleep(0.2)


if __name__ == "__main__":
    try:
        main()
    except propriod.Silent as silent:
        sys.exit(f"example.py: {silent}; is propriod running?")
    except KeyboardInterrupt:
        pass
