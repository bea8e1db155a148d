"""The certificate of a model, in words and a table."""

import math

from sfmcore.commandline.output import one_line
from sfmcore.commandline.tables import aligned
from sfmcore.estimators.classifier import SFMClassifier

# Of more classes a summary lists those with the highest limits.
_MANY, _SHOWN = 20, 10


def certificate_text(
    classifier: SFMClassifier, program: str, noun: str, *, brief: bool = False
) -> str:
    """Text of a fitted classifier's certificate, or why it has none.

    Parameters
    ----------
    classifier : SFMClassifier
    program : str
        Name of the command line.
    noun : str
        What an item is called, such as "sequence".
    brief : bool, default=False
        Whether a few lines are enough, however many classes there are.
    """
    report = getattr(classifier, "certificate_", None)
    if report is None:
        return (
            f"no certificate: the models learnt from every {noun}. '{program} train --certify "
            "0.5' keeps half of them apart, and proves a limit of the risk on those"
        )
    first = report.certificates[0]
    rows = [("class", "vote's risk", "at most", "Gibbs risk", "at most", "KL", "vote's limit by")]
    every = list(zip(report.labels, report.certificates, strict=True))
    shown, rest = every, ""
    if brief and len(every) > _MANY:
        shown = sorted(every, key=lambda one: -one[1].vote_bound)[:_SHOWN]
        rest = (
            f"\nthese {_SHOWN} of {len(every)} classes have the highest limits; "
            f"'{program} info' lists all"
        )
    for label, part in shown:
        rows.append(
            (
                one_line(str(label)),
                f"{part.vote_risk:.4f}",
                up(part.vote_bound),
                f"{part.gibbs_risk:.4f}",
                up(part.gibbs_bound),
                f"{part.divergence:.1f}",
                part.vote_form,
            )
        )
    seen = "nothing was learnt from" if report.fresh else "no model has seen"
    limit = "not limited"
    if report.label_bound is not None:
        limit = f"at most {up(report.label_bound)}"
        if report.label_form is not None and len(every) > 1:
            limit += f" ({report.label_form})"
    return (
        f"certificate on {first.n_items} {noun}s that {seen} ({first.form}); "
        f"all limits hold together with probability {1 - report.delta:g}, if they are "
        f"independent draws of what is to come:\n{aligned(rows)}{rest}\n"
        f"wrong label: {report.label_risk:.4f} of these {noun}s, true error {limit}"
        + ("" if report.coverage is None else f"\n{report.coverage}")
    )


def up(limit: float) -> str:
    """Four digits, rounded up: a limit must not be understated."""
    return f"{math.ceil(limit * 1e4) / 1e4:.4f}"
