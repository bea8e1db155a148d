"""Output of ``info`` for a model file."""

from typing import Any

from sfmcore.commandline.output import one_line
from sfmcore.commandline.tables import aligned
from sfmcore.estimators.classifier import SFMClassifier
from sfmcore.estimators.learnt import (
    PAIR_HEADER,
    PAIR_NOTE,
    confidence_lines,
    pair_rows,
    preparation_lines,
)


def description(path: str, header: dict[str, Any], classifier: SFMClassifier) -> str:
    """Kind, versions, classes, parameters, and what was learnt for each class.

    Parameters
    ----------
    path : str
    header : dict
        Of the model file.
    classifier : SFMClassifier
        As loaded from it.
    """
    lines = [f"{path}: {header['kind']}, format {header['version']}"]
    written = ", ".join(f"{name} {version}" for name, version in header["packages"].items())
    lines.append(f"written with {written}")
    names = [one_line(str(label)) for label in classifier.classes_.tolist()]
    lines.append(f"{len(names)} classes: {', '.join(names)}")
    lines.append("parameters:")
    for name, value in sorted(classifier.kept_params().items()):
        lines.append(f"  {name} = {value}")
    lines += preparation_lines(classifier)
    lines += _of_confidence(classifier, header["version"])
    lines.append("one-versus-rest classifiers:")
    rows = [(one_line(name), *cells) for name, *cells in pair_rows(classifier)]
    lines.append(aligned([PAIR_HEADER, *rows]))
    lines.append(PAIR_NOTE)
    return "\n".join(lines)


# Of model files: the first that holds what held-out votes say.
_CALIBRATED = 8


def _of_confidence(classifier: SFMClassifier, version: int) -> list[str]:
    """What probabilities and sets of labels rest on."""
    why = "trained with calibrate=False"
    if version < _CALIBRATED:
        why = f"learnt before format {_CALIBRATED} of model files; train it again"
    lines = confidence_lines(classifier, why)
    sets = classifier.label_sets_
    if sets is not None:
        lines.append(
            f"sets of labels are based on {sets.n_items:g} held-out items: at a coverage of "
            f"90 % they contain the true label in more than {100 * sets.assured(0.9):.1f} % of "
            "cases, with probability 95 %"
        )
    return lines
