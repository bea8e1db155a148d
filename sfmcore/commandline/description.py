"""Output of ``info`` for a model file."""

from typing import Any

from sfmcore.commandline.output import one_line
from sfmcore.commandline.tables import aligned
from sfmcore.estimators.classifier import SFMClassifier


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
    lines += _of_preparations(classifier)
    lines += _of_confidence(classifier, header["version"])
    lines.append("one-versus-rest classifiers:")
    rows = [("positive class", "pair", "C", "iterations", "J(u)", "bound B", "models converged")]
    positives = names[1:] if len(names) == 2 else names
    size = len(classifier.pairs_) // len(positives)
    numbered = [(name, k + 1) for name in positives for k in range(size)]
    for (name, number), pair in zip(numbered, classifier.pairs_, strict=True):
        rows.append(
            (
                name,
                str(number),
                f"{pair.C:.4g}",
                str(pair.n_iter),
                f"{pair.objective[-1]:.4f}",
                f"{pair.bound[-1]:.4f}",
                f"{pair.models_converged} of {len(pair.mapping.models)}",
            )
        )
    lines.append(aligned(rows))
    lines.append("J(u) and B are what training minimised, on its own sample: not certificates.")
    return "\n".join(lines)


def _of_preparations(classifier: SFMClassifier) -> list[str]:
    """Extra vectors and relatives of each preparation, and the weights of relatives."""
    fitted = {id(pair.preparation): pair.preparation for pair in classifier.pairs_}
    lines = [line for own in fitted.values() for line in own.summary()]
    if classifier.weighing_ is not None:
        return [*lines, classifier.weighing_.summary()]
    weights = {own.relative_weight for own in fitted.values() if own.n_references > 0}
    return [*lines, *(f"relatives are in the kernel, with weight {one:g}" for one in weights)]


# Of model files: the first that holds what held-out votes say.
_CALIBRATED = 8


def _of_confidence(classifier: SFMClassifier, version: int) -> list[str]:
    """Basis of probabilities and sets of labels."""
    lines = []
    if classifier.calibration_ is not None:
        lines.append(classifier.calibration_.summary())
    elif classifier.weighing_ is None:
        why = "trained with calibrate=False"
        if version < _CALIBRATED:
            why = f"learnt before format {_CALIBRATED} of model files; train it again"
        lines.append(f"confidence is not calibrated, but the share of votes: {why}")
    sets = classifier.label_sets_
    if sets is not None:
        lines.append(
            f"sets of labels are measured on {sets.n_items:g} held-out items: at a coverage of "
            f"90 % they cover above {100 * sets.assured(0.9):.1f} % with probability 95 %"
        )
    return lines
