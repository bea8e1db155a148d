"""An estimator from the options of a command."""

import argparse
import ast
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from sfmcore.data.errors import UserError

if TYPE_CHECKING:
    from sfmcore.estimators.classifier import SFMClassifier

T = TypeVar("T", bound="SFMClassifier")

OWN_OPTIONS = {
    "random_state": "--seed",
    "n_jobs": "--threads",
    "verbose": "--quiet",
    "certificate_fraction": "--certify",
}
"""Parameters that ``--set`` leaves to an option."""
SET_BY_FIT = {"model__random_state", "model__n_jobs"}
"""Parameters of a model that its classifier sets."""


def settable(estimator: "type[SFMClassifier]") -> set[str]:
    """Parameters that ``--set`` takes: plain ones, and those of model and preparation."""
    unfitted = estimator()
    of_parts = {name for name in unfitted.get_params() if "__" in name}
    return (unfitted.short_params().keys() | of_parts) - SET_BY_FIT


def setting_parser(
    estimator: "Callable[[], type[SFMClassifier]]",
) -> Callable[[str], tuple[str, Any]]:
    """Return the function that reads ``NAME=VALUE`` of ``--set`` for an estimator.

    Parameters
    ----------
    estimator : callable without arguments
        Returns the class; called once there is something to read.
    """

    def parse_setting(text: str) -> tuple[str, Any]:
        name, equals, value = text.partition("=")
        if name in OWN_OPTIONS:
            raise argparse.ArgumentTypeError(f"{name} has its own option: {OWN_OPTIONS[name]}")
        known = settable(estimator()) - OWN_OPTIONS.keys()
        if not equals or name not in known:
            raise argparse.ArgumentTypeError(
                f"must be NAME=VALUE with a NAME of {', '.join(sorted(known))}, got {text!r}"
            )
        try:
            return name, ast.literal_eval(value)
        except (ValueError, SyntaxError):
            return name, value

    return parse_setting


def make_classifier(
    estimator: type[T], options: argparse.Namespace, shortcuts: Mapping[str, str]
) -> T:
    """Return the unfitted classifier that the options ask for, its parameters checked.

    Parameters
    ----------
    estimator : type
    options : argparse.Namespace
        With `preset`, `settings`, `seed`, `threads`, `quiet`, and perhaps
        `certificate_fraction`.
    shortcuts : mapping of str to str
        Options that set a parameter of another name, such as ``{"states": "n_states"}``.

    Raises
    ------
    UserError
        If a parameter is given twice or out of range.
    """
    parameters = dict(options.settings)
    for option, name in shortcuts.items():
        value = getattr(options, option)
        if value is not None:
            if name in parameters:
                raise UserError(
                    f"--{option} and --set {name} set the same parameter: give one of them"
                )
            parameters[name] = value
    share = getattr(options, "certificate_fraction", 0.0)
    if share > 0:
        parameters = {**parameters, "certificate_fraction": share}
        if parameters.get("certify_by") == "pac-bayes":
            # u_0 is then learnt on every item that the models see.
            parameters = {"prior_fraction": 0.0, **parameters}
    with as_user_error():
        classifier = estimator.from_preset(options.preset, **parameters)
        classifier.check_parameters()
    if not isinstance(classifier.unlabeled, str | int | None):
        raise UserError(
            f"unlabeled must be a string, a whole number or None, got {classifier.unlabeled!r}"
        )
    return classifier.set_params(
        random_state=options.seed, n_jobs=options.threads, verbose=int(not options.quiet)
    )


@contextmanager
def as_user_error() -> Iterator[None]:
    """Say in a sentence what the library refuses: at this point it is the user's choice."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise UserError(str(error)) from error
