"""``sfmbio``, and ``python -m sfmbio``."""

import sys


def run() -> int:
    """Load the command line and run it; an interrupt while it loads ends quietly too."""
    try:
        from sfmbio.commandline.cli import main
    except KeyboardInterrupt:
        print("sfmbio: interrupted", file=sys.stderr)
        return 130
    return main()


if __name__ == "__main__":
    sys.exit(run())
