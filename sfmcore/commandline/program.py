"""A program: its name, its classifier, and what all of its commands do alike."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sfmcore.commandline.deferred import execute_deferred
from sfmcore.commandline.loading import IN_LEARNING
from sfmcore.commandline.output import complain
from sfmcore.commandline.settings import make_classifier
from sfmcore.data.errors import UserError
from sfmcore.files.atomic import check_writable
from sfmcore.files.groups import read_groups
from sfmcore.files.id_table import IdTable

if TYPE_CHECKING:
    from sfmcore.estimators.classifier import SFMClassifier


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

    @contextmanager
    def kept(
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
        # Now, and not in one of several threads, which could wait for each other's imports.
        execute_deferred(*IN_LEARNING)
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


def refuse_standard_output(options: argparse.Namespace) -> None:
    """Refuse to write a model to standard output."""
    if options.output == "-":
        raise UserError("-o -: a model can't go to standard output, give a file name")
