"""Results of a system test's Python part: a line each, as tests/run.sh counts them.

    @check("what should hold")
    def _():
        assert ...

    sys.exit(results.failed)
"""

LONGEST = 500  # characters of a reason

failed = False


def result(name, good, why=""):
    global failed
    print("ok" if good else "not ok", name)
    if not good:
        print("#", str(why)[:LONGEST])
        failed = True


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
