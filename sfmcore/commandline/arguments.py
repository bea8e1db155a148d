"""Options shared by the commands of all domains, and their values."""

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
        raise argparse.ArgumentTypeError("must be below 1: training needs some items, too")
    return value


def add_certify(parser: argparse.ArgumentParser, noun: str) -> None:
    """Add ``--certify``; `noun` names the items, such as "sequences"."""
    parser.add_argument(
        "--certify", type=_part, default=0.0, metavar="SHARE", dest="certificate_fraction",
        help=f"withhold this share of the {noun} from training, and certify an upper bound on the "
        "error with them (0.5 is a good start)",
    )  # fmt: skip


def add_protocol(parser: argparse.ArgumentParser) -> None:
    """Add the options for how an evaluation splits the data, and ``--json``."""
    # No default here: argparse takes an option with that value for one that was not given.
    protocol = parser.add_mutually_exclusive_group()
    protocol.add_argument("--partitions", type=positive, metavar="N",
                          help="number of random halves (default: 20)")  # fmt: skip
    protocol.add_argument(
        "--folds", type=_several, metavar="K",
        help="stratified K-fold cross-validation instead of random halves: each fold is "
        "tested once, after training on the others",
    )  # fmt: skip
    parser.add_argument("--json", metavar="FILE", help="write the results as JSON")


def add_report(parser: argparse.ArgumentParser, what: str) -> None:
    """Add ``--report``; `what` names what the page shows."""
    parser.add_argument(
        "--report", metavar="HTML",
        help=f"write one page for a browser or a printer, with {what} (needs the extra 'report')",
    )  # fmt: skip


def add_figures(parser: argparse.ArgumentParser, what: str) -> None:
    """Add ``--figures``; `what` names what is drawn."""
    parser.add_argument(
        "--figures", metavar="DIR", help=f"draw {what} as PNG files into this folder"
    )


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
    way = parser.add_mutually_exclusive_group()
    way.add_argument(
        "--folds", type=_several, default=5, metavar="K",
        help=f"parts of the stratified cross-validation: a {noun} is judged by a classifier that "
        "learnt from the other parts (default: 5)",
    )  # fmt: skip
    way.add_argument(
        "--quick", action="store_true",
        help="use held-out votes of one fit instead: a quarter of the time, somewhat less "
        "reliable, no strangers",
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


def add_reasons_page(parser: argparse.ArgumentParser, what: str, nouns: str, n_shown: int) -> None:
    """Add ``--html`` and ``--first``; `what` the page shows of how many `nouns`, unless told."""
    parser.add_argument("--html", metavar="FILE", help=f"write a page that shows {what}")
    parser.add_argument(
        "--first", type=positive, default=n_shown, metavar="N",
        help=f"maximum number of {nouns} on the page (default: {n_shown})",
    )  # fmt: skip


_PRESETS = {
    "best": "most accurate here",
    "fast": "slightly less accurate, predicts two to three times faster, small model file",
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
        help="label as 'unclassified' if the confidence is below P, from 0 to 1",
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
        help="add a column with all labels that can't be excluded; this set contains the true "
        "label with probability P, such as 0.9",
    )  # fmt: skip


def add_reject_below(parser: argparse.ArgumentParser, noun: str) -> None:
    """Add ``--reject-below``; `noun` names an input, such as "sequence"."""
    parser.add_argument(
        "--reject-below", type=share, default=0.0, metavar="P",
        help=f"label as 'unclassified' any {noun} unlike the training data: with a typicality "
        "(a p-value) of at most P, which about a share P of typical inputs has, too",
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
        help=f"only the I-th of N equal parts of the {nouns}, I from 1 to N; the tables of all "
        "parts, concatenated in order, are the whole table (only the first has the header row)",
    )  # fmt: skip


@dataclass(frozen=True)
class Groupings:
    """Groups that ``--group-by`` names.

    Attributes
    ----------
    names : sequence of str
        Values of ``--group-by``.
    what : str
        Describes the groups.
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
        Names the first column of a table of groups.
    happens : str
        Predicate for a group, such as "is kept in one half".
    """
    names = ["none", *groupings.names]
    checked: dict[str, Any] = {"choices": names}
    if groupings.check is not None:
        checked = {"type": groupings.check, "metavar": "{" + ",".join(names) + "}"}
    parser.add_argument(
        "--group-by", default="none", **checked,
        help=f"each group {happens}: {groupings.what} (default: none)",
    )  # fmt: skip
    parser.add_argument(
        "--groups", metavar="TSV",
        help=f"table of {ids} and groups, instead of --group-by",
    )  # fmt: skip


def add_scheduler(parser: argparse.ArgumentParser) -> None:
    """Add ``--scheduler``."""
    parser.add_argument(
        "--scheduler", metavar="ADDRESS",
        help="run on the Dask cluster with this scheduler, such as tcp://10.0.0.1:8786; the result "
        "is the same as on one machine (needs the extra 'cluster')",
    )  # fmt: skip


def add_checkpoint(parser: argparse.ArgumentParser) -> None:
    """Add ``--checkpoint``."""
    parser.add_argument(
        "--checkpoint", metavar="FOLDER",
        help="keep finished work in this folder: after an interruption of any kind the same "
        "command continues from there, with the same result",
    )  # fmt: skip


def add_common(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command that works on inputs."""
    parser.add_argument(
        "--threads", type=positive, default=available_processors(), metavar="N",
        help="maximum number of threads (default: all processors); does not affect results",
    )  # fmt: skip
    parser.add_argument("--strict", action="store_true",
                        help="exit with 1 if some inputs could not be used")  # fmt: skip
    parser.add_argument("--quiet", action="store_true",
                        help="no progress and no summary; problems are still reported")  # fmt: skip
