"""The certificate of a model file, checked."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from sfmcore.bounds.certificate import Certificate
from sfmcore.bounds.certificate_report import CertificateReport
from sfmcore.data.checks import check_choice, check_number, check_whole


def certificate_of(values: Mapping[str, Any], classes: np.ndarray) -> CertificateReport:
    """Certificate of a model file, checked.

    Raises
    ------
    KeyError, TypeError, ValueError
        If it is none, or is of other classes.
    """
    report = CertificateReport.from_dict(values)
    targets = classes[1:] if len(classes) == 2 else classes
    if list(report.labels) != targets.tolist():
        raise ValueError("the certificate is of other classes")
    parts = report.certificates
    for delta in (report.delta, *(part.delta for part in parts)):
        check_number("delta", delta, "between 0 and 1", lambda value: 0 < value < 1)
    for fresh in (report.fresh, *(part.fresh for part in parts)):
        check_choice("fresh", fresh, (True, False))
    for value in (report.label_risk, 1.0 if report.label_bound is None else report.label_bound):
        check_number("a risk of the certificate", value, "from 0 to 1", lambda r: 0 <= r <= 1)
    if not isinstance(report.label_form, str | None):
        raise TypeError("the limit of the label must have a name or none")
    if report.coverage is not None:
        for share in (report.coverage.asked, report.coverage.assured):
            check_number("a coverage", share, "from 0 to 1", lambda value: 0 <= value <= 1)
    for part in parts:
        _check_further(part)
        if not isinstance(part.form, str) or not isinstance(part.vote_form, str):
            raise TypeError("the inequalities of the certificate must have names")
        for C in (*part.C_grid, part.catoni_C):
            check_number("C of the certificate", C, "above 0", lambda value: value > 0)
        limits = (part.gibbs_bound, part.tandem_bound, part.vote_bound, part.catoni_bound)
        for value in (*limits, part.gibbs_risk, part.tandem_loss, part.vote_risk):
            check_number("a risk of the certificate", value, "from 0 to 1", lambda r: 0 <= r <= 1)
        check_number("KL", part.divergence, "of at least 0", lambda kl: kl >= 0)
        check_whole("n_items", part.n_items, 1)
    return report


def _check_further(part: Certificate) -> None:
    """Refuse a further limit without its name, or a name without its limit."""
    if part.further_form is None and part.further_bound is None:
        return
    if not isinstance(part.further_form, str):
        raise TypeError("the inequalities of the certificate must have names")
    check_number(
        "a risk of the certificate", part.further_bound, "from 0 to 1", lambda r: 0 <= r <= 1
    )
