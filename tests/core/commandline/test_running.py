"""Running a command: what is said when it is interrupted."""

import argparse
import warnings

from sfmcore.commandline.running import INTERRUPTED, run


def interrupted(options):
    def work():
        try:
            yield
        finally:
            warnings.warn("work was given up on", UserWarning, stacklevel=1)

    working = work()
    next(working)
    raise KeyboardInterrupt


def parser():
    made = argparse.ArgumentParser(prog="sfm")
    made.set_defaults(run=interrupted, strict=False)
    return made


def test_an_interrupted_command_says_so_and_nothing_of_what_it_puts_away(capsys):
    assert run(parser, []) == INTERRUPTED
    assert capsys.readouterr() == ("", "sfm: interrupted\n")
