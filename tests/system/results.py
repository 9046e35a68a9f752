"""Results of a system test's Python part: a line each, as tests/run.sh counts them.

    @check("what should hold")
    def _():
        assert ...

    sys.exit(results.failed)
"""

import os

LONGEST = 500  # characters of a reason

failed = False


def result(name, good, why=""):
    global failed
    print("ok" if good else "not ok", name)
    if not good:
        print("#", str(why)[:LONGEST])
        failed = True


def measured(name, good, figures, quick=True):
    """A result with its figures. What is right but not quick says nothing where others wait for the processors, too."""
    global failed
    print(f"# {figures}")
    if good and not quick and os.getloadavg()[0] > 1.5 * os.cpu_count():
        print(f"skip {name}: {os.getloadavg()[0]:.1f} processes want this machine's {os.cpu_count()} processors", flush=True)
        return
    print("ok" if good and quick else "not ok", name, flush=True)
    failed |= not (good and quick)


def check(name):
    """Runs a function now and prints its name as a result."""

    def run(function):
        try:
            function()
        except Exception as error:  # every error is a result
            result(name, False, repr(error))
        else:
            result(name, True)

    return run
