"""Figures of an evaluation and of a test, as both print them."""

from collections.abc import Mapping
from typing import Any

HEADINGS = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced",
    "macro_f1": "macro F1",
    "matthews": "Matthews",
    "auroc": "AUROC",
    "average_precision": "av. precision",
    "roc50": "ROC50",
}
"""Headings of the measures of all classes together."""


def shown(value: float | None) -> str:
    """Four digits, or a dash for what is not defined.

    Examples
    --------
    >>> shown(0.5), shown(None)
    ('0.5000', '-')
    """
    return "-" if value is None else f"{value:.4f}"


def reliability_lines(found: Mapping[str, Any], items: str = "") -> str:
    """Whether confidences are what comes true, and how large sets of labels are.

    Parameters
    ----------
    found : mapping
        Of :func:`sfmcore.evaluation.answers.reliability_of`.
    items : str, default=""
        Says which items the bins hold, where it is not plain.
    """
    bins = ", ".join([f"{found['n_bins']} bins", *([items] if items else [])])
    lines = [
        f"confidence: {100 * found['mean_confidence']:.2f} % on average, calibration error "
        f"{found['calibration_error']:.4f} ({bins}), log loss {found['log_loss']:.4f}"
    ]
    for coverage, own in found["sets"].items():
        lines.append(
            f"sets of labels at {100 * float(coverage):g} %: contain the true label in "
            f"{100 * own['covered']:.2f} %, {own['mean_size']:.2f} labels on average"
        )
    return "\n".join(lines)
