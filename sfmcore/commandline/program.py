"""Shared parts of the command lines of all domains: parsers, and the ends of commands."""

import argparse
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from sfmcore.commandline.deferred import execute_deferred
from sfmcore.commandline.output import complain, write_json
from sfmcore.commandline.settings import as_user_error, make_classifier
from sfmcore.data.errors import UserError
from sfmcore.files.atomic import check_writable
from sfmcore.files.groups import read_groups
from sfmcore.files.id_table import IdTable
from sfmcore.version import __version__

if TYPE_CHECKING:
    import numpy.typing as npt

    from sfmcore.commandline.rows import Limits
    from sfmcore.estimators.classifier import SFMClassifier
    from sfmcore.evaluation.halves import Evaluation, Examine
    from sfmcore.evaluation.training_sizes import SizeCurve
    from sfmcore.suspects.finding import Suspects

# What brings NumPy, SciPy or scikit-learn is imported by the commands that need it: parsers are
# made without, so that --version and --help answer at once.

COMMANDS = ("train", "predict", "explain", "test", "evaluate", "suspects", "info")
_TEXTS = {
    "test": (
        "measure a saved model on labelled data",
        "Measure a saved model on labelled data that it has not seen: measures by class, the "
        "confusion matrix, calibration, coverage, and a limit of the true error that the data "
        "prove.",
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


@dataclass(frozen=True)
class Program:
    """A command line over one kind of classifier.

    Attributes
    ----------
    name : str
        Of the program.
    home : str
        Module and class of its classifier, as in "sfmbio.classifier:ProteinClassifier".
    noun : str
        What an item is called, such as "sequence".
    shortcuts : mapping of str to str
        Options that set a parameter of another name, such as ``{"states": "n_states"}``.
    """

    name: str
    home: str
    noun: str
    shortcuts: Mapping[str, str]

    @property
    def classifier(self) -> "type[SFMClassifier]":
        """The class of the classifier, imported when it is asked for."""
        module, _, name = self.home.partition(":")
        found: type[SFMClassifier] = getattr(import_module(module), name)
        return found

    def parsers(
        self, purpose: str, texts: dict[str, tuple[str, str]]
    ) -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
        """The parser of the program and those of its commands, without arguments yet.

        Parameters
        ----------
        purpose : str
            What the program is for.
        texts : dict of str to (str, str)
            Help and description of ``train``, ``predict`` and ``explain``.
        """
        parser = argparse.ArgumentParser(
            prog=self.name, description=purpose, epilog="Every command has its own --help."
        )
        version = f"{self.name} (sfm-pacbayes) {__version__}"
        parser.add_argument("--version", action="version", version=version)
        subparsers = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
        every = _TEXTS | texts
        own = {
            name: subparsers.add_parser(name, help=every[name][0], description=every[name][1])
            for name in COMMANDS
        }
        for name in ("predict", "explain", "test", "info"):
            own[name].add_argument(
                "model", metavar="MODEL", help=f"model file of '{self.name} train'"
            )
        own["info"].set_defaults(run=self.info, strict=False)
        return parser, own

    def add_train(
        self,
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
        add_certify(parser, f"{self.noun}s")
        add_checkpoint(parser)
        add_groups(parser, groupings, ids, "is held out together when confidence is calibrated")
        add_report(parser, "counts, parameters, held-out confidence and certificate")

    def add_predict(self, parser: argparse.ArgumentParser, nouns: str) -> None:
        """Add the table, the least confidence and the part; `nouns` names the inputs."""
        parser.add_argument(
            "-o", "--output", metavar="TSV", help="the table (default: standard output)"
        )
        add_min_confidence(parser)
        add_reject_below(parser, self.noun)
        add_coverage(parser)
        add_shard(parser, nouns)

    def add_explain(self, parser: argparse.ArgumentParser, parts: str) -> None:
        """Add the table of evidence; `parts` names what its rows are of."""
        parser.add_argument(
            "-o", "--output", metavar="TSV",
            help=f"the table of {parts} (default: standard output)",
        )  # fmt: skip

    def add_test(self, parser: argparse.ArgumentParser) -> None:
        """Add what is done with known items, ``--json`` and ``--report``."""
        parser.add_argument(
            "--drop-known", action="store_true",
            help=f"leave out each {self.noun} that equals one of training",
        )  # fmt: skip
        parser.add_argument("--json", metavar="FILE", help="write the figures as JSON")
        add_report(parser, "figures, curves, calibration and the most confident mistakes")

    def add_evaluate(self, parser: argparse.ArgumentParser, groupings: Groupings, ids: str) -> None:
        """Add the protocol and the groups.

        Parameters
        ----------
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

    def add_suspects(self, parser: argparse.ArgumentParser, groupings: Groupings, ids: str) -> None:
        """Add the table, the protocol and the groups; `ids` as of :meth:`add_evaluate`."""
        add_search(parser, self.noun)
        add_checkpoint(parser)
        add_groups(parser, groupings, ids, "is kept in one fold")

    def finish(
        self, parser: argparse.ArgumentParser, run: Callable[[argparse.Namespace], int]
    ) -> None:
        """Add what every command on inputs takes, and what it runs."""
        add_common(parser)
        add_scheduler(parser)
        parser.set_defaults(run=partial(self._on_machines, run))

    def _on_machines(
        self, run: Callable[[argparse.Namespace], int], options: argparse.Namespace
    ) -> int:
        """Run a command here, or on the cluster that its options name."""
        from sfmcore.parallel.cluster import cluster
        from sfmcore.parallel.plan import running

        say = partial(self.tell, options)
        with ExitStack() as stack:
            runner = None
            if options.scheduler is not None:
                # Before any input is read.
                runner = stack.enter_context(cluster(options.scheduler, say))
            stack.enter_context(running(runner=runner, say=say))
            return run(options)

    @contextmanager
    def _kept(
        self, options: argparse.Namespace, classifier: "SFMClassifier", data: Any, **more: Any
    ) -> Iterator[None]:
        """Keep what is learnt in the folder of ``--checkpoint``, if there is one."""
        from sfmcore.files.checkpoint import checkpoint
        from sfmcore.parallel.plan import running

        if options.checkpoint is None:
            yield
            return
        settings = {**classifier.kept_params(), **more}
        with (
            checkpoint(
                options.checkpoint, settings, data, lambda sentence: self.complain([sentence])
            ) as store,
            running(store=store),
        ):
            yield

    def new_classifier(self, options: argparse.Namespace, output: str | None) -> "SFMClassifier":
        """Make the classifier that the options ask for, and see that its output can be written."""
        from sfmcore.files.checkpoint import check_folder

        classifier = make_classifier(self.classifier, options, self.shortcuts)
        execute_deferred()
        if options.checkpoint is not None:
            # First: then a file of the same name is known to be a folder.
            check_folder(options.checkpoint)
        if output not in (None, "-"):
            check_writable(output)
        return classifier

    def tell(self, options: argparse.Namespace, message: str) -> None:
        """Print a sentence unless ``--quiet`` was given."""
        if not options.quiet:
            self.complain([message])

    def complain(self, messages: Sequence[str]) -> None:
        """Print sentences that matter even with ``--quiet``."""
        complain(self.name, messages)

    def learn(
        self,
        options: argparse.Namespace,
        classifier: "SFMClassifier",
        X: Any,
        y: "npt.ArrayLike",
        X_unlabeled: Any,
        groups: Sequence[Hashable] | None = None,
        **names: Any,
    ) -> None:
        """Fit, write the model file, and say what was certified.

        Parameters
        ----------
        options : argparse.Namespace
        classifier : SFMClassifier
        X, y, X_unlabeled, groups
            As `fit` takes them.
        **names
            Further arguments of `fit`, which may not change what is learnt.
        """
        from sfmcore.commandline.certificate_text import certificate_text

        began = time.perf_counter()
        data = [X, y, X_unlabeled, *([] if groups is None else [groups])]
        with as_user_error(), self._kept(options, classifier, data, command="train"):
            classifier.fit(X, y, X_unlabeled=X_unlabeled, groups=groups, **names)
            classifier.save(options.output)
        seconds = time.perf_counter() - began
        if classifier.certificate_fraction > 0:
            text = certificate_text(classifier, self.name, self.noun, brief=True)
            for line in text.splitlines():
                self.tell(options, line)
        self.tell(options, f"learnt in {seconds:.1f} s; wrote {options.output}")

    def read_groups(
        self, options: argparse.Namespace, ids: Sequence[str] = ("id",)
    ) -> IdTable | None:
        """Read the table of ``--groups``, if there is one; say what was met in it.

        Parameters
        ----------
        options : argparse.Namespace
        ids : sequence of str, default=("id",)
            Names of its column of ids.

        Raises
        ------
        UserError
            If ``--group-by`` names other groups, or the table can't be read.
        """
        if options.groups is None:
            return None
        if options.group_by != "none":
            raise UserError("--groups and --group-by both define the groups: give one of them")
        if options.groups == "":
            # To `open` this is a file that does not exist, to a shell a variable that is not set.
            raise UserError("--groups: an empty name")
        table = read_groups(options.groups, ids)
        self.complain(table.notes)
        return table

    def limits(self, options: argparse.Namespace, classifier: "SFMClassifier") -> "Limits":
        """Conditions that ``predict`` sets for an answer.

        Raises
        ------
        UserError
            If the model does not know typicality, or too little of it for such a limit.
        """
        from sfmcore.commandline.rows import Limits

        limit: float = options.reject_below
        if limit > 0:
            known = classifier.typicality_
            if known is None:
                raise UserError(
                    f"{options.model}: --reject-below needs typicality, which this model lacks: "
                    "train it again with this version"
                )
            least = 1.0 / (1 + len(known.scores))
            if limit < least:
                raise UserError(
                    f"--reject-below {limit:g}: with {len(known.scores)} held-out {self.noun}s "
                    f"no p-value can be below {least:.2g}"
                )
        return Limits(options.min_confidence, limit)

    def told_coverage(
        self, options: argparse.Namespace, classifier: "SFMClassifier"
    ) -> float | None:
        """Coverage that ``predict`` was asked for; reports the number of held-out items.

        Raises
        ------
        UserError
            If the model has no held-out items for sets, or a label contains the separator of
            sets.
        """
        from sfmcore.commandline.rows import SET_SEPARATOR

        coverage: float | None = options.coverage
        if coverage is None:
            return None
        sets = classifier.label_sets_
        if sets is None:
            raise UserError(
                f"{options.model}: --coverage needs held-out items, which this model lacks: "
                "train it again with this version"
            )
        for label in classifier.classes_.tolist():
            if SET_SEPARATOR in str(label):
                raise UserError(
                    f"--coverage separates the labels of a set by {SET_SEPARATOR!r}, which the "
                    f"label {label!r} contains"
                )
        self.tell(
            options,
            f"sets of labels are based on {sets.n_items:g} held-out {self.noun}s: coverage is "
            f"{100 * coverage:g} % on average, and above {100 * sets.assured(coverage):.1f} % "
            "with probability 95 %, if the inputs are like these",
        )
        return coverage

    def evaluate(
        self,
        options: argparse.Namespace,
        classifier: "SFMClassifier",
        X: Any,
        y: "npt.ArrayLike",
        groups: Sequence[Hashable] | None,
        examine: "Examine | None" = None,
    ) -> "tuple[Evaluation, SizeCurve | None, float]":
        """Measure on halves or folds and print the figures.

        Parameters
        ----------
        options : argparse.Namespace
        classifier : SFMClassifier
        X, y, groups, examine
            As :func:`sfmcore.evaluation.halves.evaluate` takes them.

        Returns
        -------
        result : Evaluation
        curve : SizeCurve or None
            With ``--learning-curve``.
        seconds : float
        """
        from sfmcore.commandline.evaluations import (
            accuracy_table,
            evaluation_report,
            measure_table,
            reliability_text,
        )
        from sfmcore.evaluation.halves import evaluate
        from sfmcore.evaluation.training_sizes import size_curve

        began = time.perf_counter()
        # As many halves as are asked for: more of them go on from fewer. Folds do not.
        about = {"command": "evaluate", "seed": options.seed}
        if options.folds is not None:
            about["folds"] = options.folds
        if examine is not None:
            # What is kept of a half then holds reasons.
            about["report"] = True
        curve = None
        with as_user_error(), self._kept(options, classifier, [X, y, groups], **about):
            result = evaluate(
                classifier,
                X,
                y,
                partitions=options.partitions,
                folds=options.folds,
                seed=options.seed,
                groups=groups,
                n_jobs=options.threads,
                show_progress=not options.quiet,
                examine=examine,
            )
            if options.learning_curve:
                curve = size_curve(
                    classifier,
                    X,
                    y,
                    result,
                    groups=groups,
                    n_jobs=options.threads,
                    show_progress=not options.quiet,
                )
        seconds = time.perf_counter() - began
        if options.json:
            group_by = options.group_by if options.groups is None else "table"
            report = evaluation_report(classifier, result, options.preset, group_by)
            if curve is not None:
                report["learning_curve"] = curve.to_dict()
            write_json(options.json, report)
        if options.json != "-":
            print(accuracy_table(result))
            print(measure_table(result))
            print(reliability_text(result))
            if curve is not None:
                print(curve.summary())
        return result, curve, seconds

    def check_figures(self, options: argparse.Namespace, *more: str) -> None:
        """See that the figures of ``--figures`` can be drawn, before any work.

        Parameters
        ----------
        options : argparse.Namespace
        *more : str
            Names of figures that the domain adds.
        """
        if options.figures is None:
            return
        from sfmcore.plots.evaluation import NAMES
        from sfmcore.plots.saving import check_figures

        if options.figures == "":
            raise UserError("--figures: an empty name")
        with as_user_error():
            check_figures(options.figures, [*NAMES, *more])

    def draw_figures(
        self,
        options: argparse.Namespace,
        result: "Evaluation",
        **more: Callable[[], Any],
    ) -> None:
        """Draw what ``--figures`` asks for, and say what was written.

        Parameters
        ----------
        options : argparse.Namespace
        result : Evaluation
        **more : callable
            Draw the figures that the domain adds, by their names.
        """
        if options.figures is None:
            return
        from sfmcore.plots.evaluation import evaluation_figures
        from sfmcore.plots.saving import write_figures

        figures = evaluation_figures(result)
        if "objective" not in figures:
            self.tell(options, "no objective is drawn: training kept no iterations of any")
        figures |= {name: draw() for name, draw in more.items()}
        for path in write_figures(Path(options.figures), figures):
            self.tell(options, f"wrote {path}")

    def find_suspects(
        self,
        options: argparse.Namespace,
        classifier: "SFMClassifier",
        X: Any,
        y: "npt.ArrayLike",
        groups: Sequence[Hashable] | None,
    ) -> "Suspects":
        """Find the suspects; says what limits are put to that.

        Raises
        ------
        UserError
            If a class is smaller than the number of folds, or the library refuses something.
        """
        from sfmcore.commandline.suspects import refuse_small_classes
        from sfmcore.suspects.finding import find_suspects

        began = time.perf_counter()
        refuse_small_classes(y, options.folds, self.noun)
        about = {"command": "suspects", "seed": options.seed, "folds": options.folds}
        with as_user_error(), self._kept(options, classifier, [X, y, groups], **about):
            found = find_suspects(
                classifier,
                X,
                y,
                groups=groups,
                folds=options.folds,
                min_score=options.min_score,
                stranger_below=options.stranger_below,
                seed=options.seed,
                n_jobs=options.threads,
                show_progress=not options.quiet,
            )
        seconds = time.perf_counter() - began
        if options.stranger_below > 0 and not found.knows_strangers:
            self.tell(options, f"too few {self.noun}s to say which of them are strangers")
        self.tell(options, f"{options.folds} folds in {seconds:.1f} s")
        return found

    def info(self, options: argparse.Namespace) -> int:
        """Describe a model file; no input is left out."""
        from sfmcore.commandline.certificate_text import certificate_text
        from sfmcore.commandline.description import description
        from sfmcore.files.model_file import read_header

        header = read_header(options.model)
        classifier = self.classifier.load(options.model)
        print(description(options.model, header, classifier))
        print(certificate_text(classifier, self.name, self.noun))
        return 0


def refuse_standard_output(options: argparse.Namespace) -> None:
    """Refuse to write a model to standard output."""
    if options.output == "-":
        raise UserError("-o -: a model can't go to standard output, give a file name")
