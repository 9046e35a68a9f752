"""propriod, the proprioception daemon, from Python.

    import propriod

    with propriod.Subscriber() as robot:             # what is estimated
        state = robot.latest("state")
        print(state["q"][robot.joint("left_knee_joint")], state["status"])

    with propriod.Driver("joints", 30) as driver:    # a sensor driver, through the same shared memory as one in C
        driver.write(q=positions)

    log = propriod.replay("walk.rec")                # a recording, and what is estimated from it
    log["joints"]["q"], log["state"]["ddq"]          # a row a frame
    log.table("state")                               # pandas

Numbers are numpy arrays in SI; each class explains itself: help(propriod.Subscriber).
"""

from .driver import CELL_FORCE, CELL_PROXIMITY, CELL_VALID, Driver, Refused, Replaced
from .recording import Recording, Stream, load, replay
from .subscriber import ENDPOINT, TOPICS, Silent, Subscriber

__all__ = ["CELL_FORCE", "CELL_PROXIMITY", "CELL_VALID", "Driver", "ENDPOINT", "Recording", "Refused", "Replaced", "Silent", "Stream", "Subscriber", "TOPICS", "load", "replay"]
