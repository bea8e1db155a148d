"""A certificate in sentences and rows, for the terminal and for pages."""

import math
from collections.abc import Sequence
from typing import Any

from sfmcore.bounds.certificate import Certificate
from sfmcore.bounds.certificate_report import CertificateReport

HEADER = ("class", "vote's risk", "at most", "Gibbs risk", "at most", "KL", "vote's bound by")


def certificate_rows(parts: Sequence[tuple[Any, Certificate]]) -> list[tuple[str, ...]]:
    """Rows below :data:`HEADER`.

    Parameters
    ----------
    parts : sequence of (label, Certificate)
    """
    return [
        (
            str(label),
            f"{part.vote_risk:.4f}",
            up(part.vote_bound),
            f"{part.gibbs_risk:.4f}",
            up(part.gibbs_bound),
            f"{part.divergence:.1f}",
            part.vote_form,
        )
        for label, part in parts
    ]


def certificate_lead(report: CertificateReport, noun: str) -> str:
    """What the certificate rests on; `noun` is what an item is called."""
    first = report.certificates[0]
    seen = "nothing was learnt from" if report.fresh else "no model has seen"
    return (
        f"certificate on {first.n_items} {noun}s that {seen} ({first.form}); all bounds hold "
        f"together with probability {1 - report.delta:g}, assuming that these and future {noun}s "
        "are i.i.d."
    )


def certificate_end(report: CertificateReport, noun: str) -> list[str]:
    """What it says of the label, and of sets of labels."""
    limit = "not bounded"
    if report.label_bound is not None:
        limit = f"at most {up(report.label_bound)}"
        if report.label_form is not None and len(report.labels) > 1:
            limit += f" ({report.label_form})"
    lines = [f"wrong label: {report.label_risk:.4f} of these {noun}s, true error {limit}"]
    return lines if report.coverage is None else [*lines, str(report.coverage)]


def up(limit: float) -> str:
    """Four digits, rounded up: a limit must not be understated."""
    return f"{math.ceil(limit * 1e4) / 1e4:.4f}"
