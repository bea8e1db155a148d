"""Compare the golden values with those of today, or make today's the golden ones.

    python -m tests.golden [--update] [--jobs N] [NAME ...]

Without a name all cases are meant. Exit code 1 says that a value moved. After --update, look at
the difference that git shows, and let the commit say which number moved and why.
"""

import argparse
import warnings

from sklearn.exceptions import ConvergenceWarning

from tests.golden import values
from tests.golden.cases import CASES, TOLERANCES


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.golden",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="cases (all)")
    parser.add_argument("--update", action="store_true", help="write today's values")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="threads (1)")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in CASES]
    if unknown:
        parser.error(f"no such case: {', '.join(unknown)}; there are {', '.join(CASES)}")
    # Small fits stop at their limits, which changes no value.
    warnings.simplefilter("ignore", ConvergenceWarning)
    n_moved = 0
    for name in options.names or CASES:
        arrays = CASES[name](options.jobs)
        found = values.moved(name, arrays, TOLERANCES.get(name, values.TOLERANCE))
        for sentence in found:
            print(f"{name}: {sentence}")
        n_moved += bool(found)
        # Values that hold keep their file, or another processor's last digit would change it.
        if found and options.update:
            values.write(name, arrays)
    if not options.names and options.update:
        for path in sorted(values.FOLDER.glob("*.json")):
            if path.stem not in CASES:
                print(f"{path.stem}: is no case any more")
                path.unlink()
    return int(n_moved > 0 and not options.update)


if __name__ == "__main__":
    raise SystemExit(main())
