"""Parsers of the commands of all domains: what they take alike, and where they run."""

import argparse
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial

from sfmcore.commandline.arguments import (
    Groupings,
    add_certify,
    add_checkpoint,
    add_common,
    add_coverage,
    add_groups,
    add_min_confidence,
    add_protocol,
    add_reject_below,
    add_report,
    add_scheduler,
    add_search,
    add_shard,
)
from sfmcore.commandline.loading import resume_collecting
from sfmcore.commandline.program import Program
from sfmcore.version import __version__

# What brings NumPy, SciPy or scikit-learn is imported by the commands that need it: parsers are
# made without, so that --version and --help answer at once.

COMMANDS = ("train", "predict", "explain", "test", "evaluate", "suspects", "info")
_TEXTS = {
    "test": (
        "measure a saved model on labelled data",
        "Measure a saved model on labelled data that it has not seen: measures by class, the "
        "confusion matrix, calibration, coverage, and an upper bound on the true error.",
    ),
    "evaluate": (
        "measure accuracy on random halves or folds",
        "Train on a random half of every class and test on the other, repeatedly, or use "
        "stratified folds; report one-versus-rest accuracies and other measures.",
    ),
    "suspects": (
        "find wrong labels",
        "Find inputs whose label is likely wrong: by classifiers that did not learn from them, by "
        "equal or nearly equal inputs with another label, and by being like nothing else. One row "
        "of tab-separated values for each, the most suspect first.",
    ),
    "info": ("describe a model file", "Describe a model file."),
}


def parsers(
    program: Program, purpose: str, texts: dict[str, tuple[str, str]]
) -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """The parser of the program and those of its commands, without arguments yet.

    Parameters
    ----------
    program : Program
    purpose : str
        What the program is for.
    texts : dict of str to (str, str)
        Help and description of ``train``, ``predict`` and ``explain``.
    """
    parser = argparse.ArgumentParser(
        prog=program.name, description=purpose, epilog="Every command has its own --help."
    )
    version = f"{program.name} (sfm-pacbayes) {__version__}"
    parser.add_argument("--version", action="version", version=version)
    subparsers = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    every = _TEXTS | texts
    own = {
        name: subparsers.add_parser(name, help=every[name][0], description=every[name][1])
        for name in COMMANDS
    }
    for name in ("predict", "explain", "test", "info"):
        own[name].add_argument(
            "model", metavar="MODEL", help=f"model file of '{program.name} train'"
        )
    own["info"].set_defaults(run=partial(_info, program), strict=False)
    return parser, own


def add_train(
    program: Program,
    parser: argparse.ArgumentParser,
    metavar: str,
    what: str,
    groupings: Groupings,
    ids: str,
) -> None:
    """Add the output, the items without label, which `what` names, and the groups."""
    parser.add_argument("-o", "--output", required=True, metavar="MODEL", help="model file")
    parser.add_argument(
        "--unlabeled", nargs="+", default=[], metavar=metavar,
        help=f"further {what}: the disagreement of the classifier on them is part of the "
        "training objective",
    )  # fmt: skip
    add_certify(parser, f"{program.noun}s")
    add_checkpoint(parser)
    add_groups(parser, groupings, ids, "is held out together when confidence is calibrated")
    add_report(parser, "counts, parameters, held-out confidence and certificate")


def add_predict(program: Program, parser: argparse.ArgumentParser, nouns: str) -> None:
    """Add the table, the least confidence and the part; `nouns` names the inputs."""
    parser.add_argument(
        "-o", "--output", metavar="TSV", help="the table (default: standard output)"
    )
    add_min_confidence(parser)
    add_reject_below(parser, program.noun)
    add_coverage(parser)
    add_shard(parser, nouns)


def add_explain(program: Program, parser: argparse.ArgumentParser, parts: str) -> None:
    """Add the table of evidence; `parts` names what its rows are of."""
    parser.add_argument(
        "-o", "--output", metavar="TSV",
        help=f"the table of {parts} (default: standard output)",
    )  # fmt: skip


def add_test(program: Program, parser: argparse.ArgumentParser) -> None:
    """Add what is done with known items, ``--json`` and ``--report``."""
    parser.add_argument(
        "--drop-known", action="store_true",
        help=f"leave out each {program.noun} that equals one of training",
    )  # fmt: skip
    parser.add_argument("--json", metavar="FILE", help="write the figures as JSON")
    add_report(parser, "figures, curves, calibration and the most confident mistakes")


def add_evaluate(
    program: Program, parser: argparse.ArgumentParser, groupings: Groupings, ids: str
) -> None:
    """Add the protocol and the groups.

    Parameters
    ----------
    program : Program
    parser : argparse.ArgumentParser
    groupings : Groupings
    ids : str
        Names the first column of a table of groups.
    """
    add_protocol(parser)
    add_checkpoint(parser)
    add_groups(parser, groupings, ids, "is kept in one half or fold")
    add_report(parser, "figures, confusions, curves and the most confident mistakes")
    parser.add_argument(
        "--learning-curve", action="store_true",
        help="also train on an eighth, a quarter and a half of each training part, which takes "
        "about as long again",
    )  # fmt: skip


def add_suspects(
    program: Program, parser: argparse.ArgumentParser, groupings: Groupings, ids: str
) -> None:
    """Add the table, the protocol and the groups; `ids` as of :func:`add_evaluate`."""
    add_search(parser, program.noun)
    add_checkpoint(parser)
    add_groups(parser, groupings, ids, "is kept in one fold")


def finish(
    program: Program, parser: argparse.ArgumentParser, run: Callable[[argparse.Namespace], int]
) -> None:
    """Add what every command on inputs takes, and what it runs."""
    add_common(parser)
    add_scheduler(parser)
    parser.set_defaults(run=partial(_on_machines, program, run))


def _on_machines(
    program: Program, run: Callable[[argparse.Namespace], int], options: argparse.Namespace
) -> int:
    """Run a command here, or on the cluster that its options name."""
    from sfmcore.parallel.plan import running

    say = partial(program.tell, options)
    with ExitStack() as stack:
        runner = None
        if options.scheduler is not None:
            from sfmcore.parallel.cluster import cluster

            # Before any input is read.
            runner = stack.enter_context(cluster(options.scheduler, say))
        stack.enter_context(running(runner=runner, say=say))
        return run(options)


def _info(program: Program, options: argparse.Namespace) -> int:
    """Describe a model file; no input is left out."""
    from sfmcore.commandline.certificate_text import certificate_text
    from sfmcore.commandline.description import description
    from sfmcore.files.model_file import read_header

    resume_collecting()
    header = read_header(options.model)
    classifier = program.classifier.load(options.model)
    print(description(options.model, header, classifier))
    print(certificate_text(classifier, program.name, program.noun))
    return 0
