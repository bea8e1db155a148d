"""What training leaves behind, in rows and sentences, for the terminal and for pages."""

from typing import Any

from sfmcore.estimators.classifier import SFMClassifier

PAIR_HEADER = ("positive class", "pair", "C", "iterations", "J(u)", "bound B", "models converged")
PAIR_NOTE = "J(u) and B are training objectives on the training sample, not certificates."


def pair_rows(classifier: SFMClassifier) -> list[tuple[str, ...]]:
    """Rows below :data:`PAIR_HEADER`, one for each one-versus-rest pair."""
    names = [str(label) for label in classifier.classes_.tolist()]
    positives = names[1:] if len(names) == 2 else names
    size = len(classifier.pairs_) // len(positives)
    numbered = [(name, k + 1) for name in positives for k in range(size)]
    return [
        (
            name,
            str(number),
            f"{pair.C:.4g}",
            str(pair.n_iter),
            f"{pair.objective[-1]:.4f}",
            f"{pair.bound[-1]:.4f}",
            f"{pair.models_converged} of {len(pair.mapping.models)}",
        )
        for (name, number), pair in zip(numbered, classifier.pairs_, strict=True)
    ]


def preparation_lines(classifier: SFMClassifier) -> list[str]:
    """What stands beside the models: each preparation once, and how relatives count."""
    fitted: dict[int, Any] = {id(pair.preparation): pair.preparation for pair in classifier.pairs_}
    lines = [line for own in fitted.values() for line in own.summary()]
    if classifier.weighing_ is not None:
        return [*lines, classifier.weighing_.summary()]
    weights = {own.relative_weight for own in fitted.values() if own.n_references > 0}
    return [*lines, *(f"relatives are in the kernel, with weight {one:g}" for one in weights)]


def confidence_lines(classifier: SFMClassifier, why_not: str) -> list[str]:
    """What probabilities rest on; `why_not` says why they are not calibrated, where they are not.

    Parameters
    ----------
    classifier : SFMClassifier
    why_not : str
    """
    if classifier.calibration_ is not None:
        return [classifier.calibration_.summary()]
    if classifier.weighing_ is not None:
        return [classifier.weighing_.sureness.summary()]
    return [f"confidence is not calibrated, but the share of votes: {why_not}"]
