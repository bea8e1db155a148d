"""``sfmvision``, and ``python -m sfmvision``."""

import sys


def run() -> int:
    """Load the command line and run it; an interrupt while it loads ends quietly too."""
    try:
        from sfmvision.commandline.cli import main
    except KeyboardInterrupt:
        print("sfmvision: interrupted", file=sys.stderr)
        return 130
    return main()


if __name__ == "__main__":
    sys.exit(run())
