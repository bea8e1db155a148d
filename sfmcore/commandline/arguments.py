"""Options that the commands of all domains take, and their values."""

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sfmcore.parallel.threads import available_processors


def positive(text: str) -> int:
    """Whole number of at least 1, for argparse."""
    return _whole(text, 1)


def natural(text: str) -> int:
    """Whole number of at least 0, for argparse."""
    return _whole(text, 0)


def _several(text: str) -> int:
    return _whole(text, 2)


def _whole(text: str, least: int) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9 or int(text) < least:
        raise argparse.ArgumentTypeError(
            f"must be a whole number of {least} to 999999999, got {text!r}"
        )
    return int(text)


def share(text: str) -> float:
    """Number from 0 to 1, for argparse."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"must lie between 0 and 1, got {text!r}")
    return value


def _chance(text: str) -> float:
    value = share(text)
    if value == 0.0:
        raise argparse.ArgumentTypeError("must be above 0; --all lists everything")
    return value


def _limit(text: str) -> float:
    value = share(text)
    if value == 1.0:
        raise argparse.ArgumentTypeError("must be below 1: it would name everything")
    return value


def _part(text: str) -> float:
    value = share(text)
    if value == 1.0:
        raise argparse.ArgumentTypeError("must be below 1: the models need a part too")
    return value


def add_certify(parser: argparse.ArgumentParser, noun: str) -> None:
    """Add ``--certify``; `noun` names the items, such as "sequences"."""
    parser.add_argument(
        "--certify", type=_part, default=0.0, metavar="SHARE", dest="certificate_fraction",
        help=f"keep this share of the {noun} from the models, and prove on them how often the "
        "classifier can be wrong at most (0.5 is a good start; the models learn from the rest)",
    )  # fmt: skip


def add_protocol(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what an evaluation trains and tests on, and ``--json``."""
    # No default here: argparse takes an option with that value for one that was not given.
    protocol = parser.add_mutually_exclusive_group()
    protocol.add_argument("--partitions", type=positive, metavar="N",
                          help="number of random halves (default: 20)")  # fmt: skip
    protocol.add_argument(
        "--folds", type=_several, metavar="K",
        help="stratified K-fold cross-validation in the place of random halves: each fold is "
        "tested once, and the others train",
    )  # fmt: skip
    parser.add_argument("--json", metavar="FILE", help="write the figures as JSON")


def add_search(parser: argparse.ArgumentParser, noun: str) -> None:
    """Add the options of a search for suspects; `noun` names an input, such as "sequence"."""
    parser.add_argument(
        "-o", "--output", metavar="TSV", help="the table (default: standard output)"
    )
    parser.add_argument(
        "--all", action="store_true", dest="every",
        help=f"a row for every {noun}, in the same order, those that can't be used last (default: "
        "suspects only)",
    )  # fmt: skip
    parser.add_argument(
        "--folds", type=_several, default=5, metavar="K",
        help=f"parts of the stratified cross-validation: a {noun} is judged by a classifier that "
        "learnt from the other parts (default: 5)",
    )  # fmt: skip
    parser.add_argument(
        "--min-score", type=_chance, default=0.5, metavar="P",
        help="list labels that are wrong with probability P or more (default: 0.5)",
    )  # fmt: skip
    parser.add_argument(
        "--stranger-below", type=_limit, default=0.01, metavar="P",
        help=f"call a {noun} a stranger if its p-value of being like the others is P or less; of a "
        "clean set about a share of P is; 0 for none (default: 0.01)",
    )  # fmt: skip
    parser.add_argument("--json", metavar="FILE", help="write the suspects and counts as JSON")


_PRESETS = {
    "best": "most accurate here",
    "fast": "a little less accurate, predicts two to three times faster, small model file",
    "paper": "the paper's algorithm and sizes",
}


def add_preset(parser: argparse.ArgumentParser, presets: Iterable[str]) -> None:
    """Add ``--preset``."""
    names = sorted(presets)
    meanings = "; ".join(f"{name}: {_PRESETS[name]}" for name in names)
    parser.add_argument("--preset", choices=names, default="best",
                        help=f"{meanings} (default: best)")  # fmt: skip


def add_settings(
    parser: argparse.ArgumentParser, name: str, parse_setting: Callable[[str], tuple[str, Any]]
) -> None:
    """Add ``--set`` for the parameters of the estimator of that name, and ``--seed``."""
    parser.add_argument(
        "--set", action="append", default=[], type=parse_setting, metavar="NAME=VALUE",
        dest="settings", help=f"set any parameter of {name}, such as coupling=0",
    )  # fmt: skip
    parser.add_argument("--seed", type=natural, default=0, metavar="S",
                        help="the same seed gives the same result (default: 0)")  # fmt: skip


def add_min_confidence(parser: argparse.ArgumentParser) -> None:
    """Add ``--min-confidence``."""
    parser.add_argument(
        "--min-confidence", type=share, default=0.0, metavar="P",
        help="say 'unclassified' where the confidence is below P, from 0 to 1",
    )  # fmt: skip


def coverage(text: str) -> float:
    """Share between 0 and 1, neither of them, for argparse.

    Examples
    --------
    >>> coverage("0.9")
    0.9
    """
    value = share(text)
    if not 0.0 < value < 1.0:
        raise argparse.ArgumentTypeError(f"must be between 0 and 1, got {text!r}")
    return value


def add_coverage(parser: argparse.ArgumentParser) -> None:
    """Add ``--coverage``."""
    parser.add_argument(
        "--coverage", type=coverage, metavar="P",
        help="add a column of all labels that can't be excluded, which hold the true one with "
        "probability P, such as 0.9",
    )  # fmt: skip


def add_reject_below(parser: argparse.ArgumentParser, noun: str) -> None:
    """Add ``--reject-below``; `noun` names an input, such as "sequence"."""
    parser.add_argument(
        "--reject-below", type=share, default=0.0, metavar="P",
        help=f"say 'unclassified' of a {noun} that is unlike those learnt from: its p-value, the "
        "column typicality, is P or less; of those that are like them about a share of P is",
    )  # fmt: skip


def shard(text: str) -> tuple[int, int]:
    """I/N, the I-th of N parts, for argparse.

    Examples
    --------
    >>> shard("2/4")
    (2, 4)
    """
    number, slash, count = text.partition("/")
    try:
        if not slash:
            raise argparse.ArgumentTypeError
        part = positive(number), positive(count)
    except argparse.ArgumentTypeError:
        part = 1, 0
    if part[0] > part[1]:
        raise argparse.ArgumentTypeError(
            f"must be I/N, part I of N parts, with I from 1 to N, got {text!r}"
        )
    return part


def add_shard(parser: argparse.ArgumentParser, nouns: str) -> None:
    """Add ``--shard``; `nouns` names the inputs, such as "records"."""
    parser.add_argument(
        "--shard", type=shard, metavar="I/N",
        help=f"the I-th of N equal parts of the {nouns} only, I from 1 to N; the tables of all "
        "parts one after another are the whole table (its header row is in the first)",
    )  # fmt: skip


@dataclass(frozen=True)
class Groupings:
    """Groups that ``--group-by`` names.

    Attributes
    ----------
    names : sequence of str
        Values of ``--group-by``.
    what : str
        Names what they put together.
    check : callable, optional
        Checks a value for argparse, where there are more than a few names.
    """

    names: Sequence[str]
    what: str
    check: Callable[[str], str] | None = None


def add_groups(
    parser: argparse.ArgumentParser, groupings: Groupings, ids: str, happens: str
) -> None:
    """Add ``--group-by`` and ``--groups``.

    Parameters
    ----------
    parser : argparse.ArgumentParser
    groupings : Groupings
    ids : str
        Names what stands in the first column of a table of groups.
    happens : str
        What happens to a group, such as "is kept in one half".
    """
    names = ["none", *groupings.names]
    checked: dict[str, Any] = {"choices": names}
    if groupings.check is not None:
        checked = {"type": groupings.check, "metavar": "{" + ",".join(names) + "}"}
    parser.add_argument(
        "--group-by", default="none", **checked,
        help=f"what is of one group {happens}: {groupings.what} (default: none)",
    )  # fmt: skip
    parser.add_argument(
        "--groups", metavar="TSV",
        help=f"table of {ids} and groups, in the place of --group-by",
    )  # fmt: skip


def add_scheduler(parser: argparse.ArgumentParser) -> None:
    """Add ``--scheduler``."""
    parser.add_argument(
        "--scheduler", metavar="ADDRESS",
        help="work on the Dask cluster of this scheduler, such as tcp://10.0.0.1:8786; the result "
        "is that of one machine (needs the extra 'cluster')",
    )  # fmt: skip


def add_checkpoint(parser: argparse.ArgumentParser) -> None:
    """Add ``--checkpoint``."""
    parser.add_argument(
        "--checkpoint", metavar="FOLDER",
        help="keep here what is finished: after an end of any kind the same command goes on from "
        "there, with the same result",
    )  # fmt: skip


def add_common(parser: argparse.ArgumentParser) -> None:
    """Add what every command that works on inputs takes."""
    parser.add_argument(
        "--threads", type=positive, default=available_processors(), metavar="N",
        help="threads at most (default: all processors); results do not depend on it",
    )  # fmt: skip
    parser.add_argument("--strict", action="store_true",
                        help="exit with 1 if some inputs could not be used")  # fmt: skip
    parser.add_argument("--quiet", action="store_true",
                        help="no progress and no summary; problems are still named")  # fmt: skip
