"""The certificate of a model, in words and a table."""

from sfmcore.bounds.certificate_rows import (
    HEADER,
    certificate_end,
    certificate_lead,
    certificate_rows,
)
from sfmcore.commandline.output import one_line
from sfmcore.commandline.tables import aligned
from sfmcore.estimators.classifier import SFMClassifier

# Of more classes a summary lists those with the highest bounds.
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
            f"no certificate: the models were trained on every {noun}. '{program} train --certify "
            "0.5' withholds half of them, and certifies a bound on the risk"
        )
    every = list(zip(report.labels, report.certificates, strict=True))
    shown, rest = every, ""
    if brief and len(every) > _MANY:
        shown = sorted(every, key=lambda one: -one[1].vote_bound)[:_SHOWN]
        rest = (
            f"\nthese {_SHOWN} of {len(every)} classes have the highest bounds; "
            f"'{program} info' lists all"
        )
    rows = [(one_line(label), *cells) for label, *cells in certificate_rows(shown)]
    return "\n".join(
        [
            f"{certificate_lead(report, noun)}:",
            f"{aligned([HEADER, *rows])}{rest}",
            *certificate_end(report, noun),
        ]
    )
