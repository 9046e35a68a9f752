"""propriod, the proprioception daemon, from Python.

    import propriod

    with propriod.Subscriber() as robot:             # what is estimated
        state = robot.latest("state")
        print(state["q"][robot.joint("left_knee_joint")], state["status"])

    with propriod.Driver("joints", 30) as driver:    # a sensor driver, through the same shared memory as one in C
        driver.write(q=positions)

Numbers are numpy arrays in SI; each class explains itself: help(propriod.Subscriber).
"""

from .driver import CELL_FORCE, CELL_PROXIMITY, CELL_VALID, Driver, Refused, Replaced
from .subscriber import ENDPOINT, TOPICS, Silent, Subscriber

__all__ = ["CELL_FORCE", "CELL_PROXIMITY", "CELL_VALID", "Driver", "ENDPOINT", "Refused", "Replaced", "Silent", "Subscriber", "TOPICS"]
