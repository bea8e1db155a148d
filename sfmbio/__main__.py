"""``sfmbio``, and ``python -m sfmbio``."""

import sys

from sfmcore.commandline.loading import load_and_run


def run() -> int:
    """Run the command line; return its exit code."""
    return load_and_run("sfmbio")


if __name__ == "__main__":
    sys.exit(run())
