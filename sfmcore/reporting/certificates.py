"""What a page says of a certificate."""

from sfmcore.bounds.certificate_report import CertificateReport
from sfmcore.bounds.certificate_rows import (
    HEADER,
    certificate_end,
    certificate_lead,
    certificate_rows,
)
from sfmcore.reporting.parts import Part, Table, Text


def certificate_parts(report: CertificateReport, noun: str) -> list[Part]:
    """What a page says of a certificate."""
    every = list(zip(report.labels, report.certificates, strict=True))
    return [
        *(Text(_sentence(line)) for line in [certificate_lead(report, noun)]),
        *(Text(_sentence(line)) for line in certificate_end(report, noun)),
        Table(
            "Certified risks",
            HEADER,
            certificate_rows(every),
            text_columns=(6,),
            note="A risk is the share of items that one class against the rest gets wrong: of the "
            "majority vote, and of a single classifier drawn at random (Gibbs). KL is the "
            "divergence of the learnt classifiers from the prior.",
        ),
    ]


def _sentence(line: str) -> str:
    return f"{line[0].upper()}{line[1:]}."
