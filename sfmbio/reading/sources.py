"""FASTA files for the paths that a user gives."""

import os
from collections.abc import Iterable
from pathlib import Path

from sfmbio.reading.report import ReadReport
from sfmcore.data.errors import InputError
from sfmcore.files.opening import reason_of

FASTA_SUFFIXES = (".fa", ".fasta", ".faa", ".fas", ".fsa", ".mfa", ".pep")
"""Names that a directory is searched for, each also with `GZIP_SUFFIXES` after it.

Nucleotide names (``.fna``, ``.ffn``) are not among them, nor ``.seq``, which GenBank uses.
"""
GZIP_SUFFIXES = (".gz", ".bgz")


def expand_inputs(
    paths: Iterable[str | Path], report: ReadReport | None = None
) -> list[Path | str]:
    """List the files that are meant: each path itself, or the FASTA files of a folder.

    Parameters
    ----------
    paths : iterable of str or Path
        Files, folders, and at most one ``"-"`` for standard input.
    report : ReadReport, optional
        Is told what in a folder was left out.

    Returns
    -------
    list of Path or "-"
        Files in the order of `paths`, those of a folder by name. A folder's files are those whose
        suffix is in `FASTA_SUFFIXES`, whatever its case, except hidden ones and subfolders.

    Raises
    ------
    InputError
        If a path does not exist, a folder has no FASTA file, or ``"-"`` is given twice.

    Examples
    --------
    >>> expand_inputs(["-"])
    ['-']
    """
    inputs: list[Path | str] = []
    missing = []
    for given in paths:
        if str(given) == "":
            # To `Path` this is the present folder, to a shell a variable that is not set.
            missing.append("'': an empty name")
            continue
        path = Path(given)
        if str(given) == "-":
            if "-" in inputs:
                raise InputError("-: standard input can be read only once")
            inputs.append("-")
            continue
        try:
            path.stat()
            inputs += _fasta_files(path, report) if path.is_dir() else [path]
        except OSError as error:
            missing.append(f"{given}: {reason_of(error)}")
    if missing:
        raise InputError("; ".join(missing))
    return inputs


def _fasta_files(folder: Path, report: ReadReport | None) -> list[Path]:
    found: list[str] = []
    others: list[str] = []
    for entry in sorted(os.listdir(folder)):
        if not entry.startswith("."):
            is_fasta = _has_fasta_name(entry) and not (folder / entry).is_dir()
            (found if is_fasta else others).append(entry)
    listed = ", ".join(others[:5]) + (f" and {len(others) - 5} more" if len(others) > 5 else "")
    if not found:
        raise InputError(
            f"{folder}: no FASTA file in this folder: looked for {' '.join(FASTA_SUFFIXES)}, "
            f"also with {' or '.join(GZIP_SUFFIXES)}; there is {listed or 'nothing'}"
        )
    if others and report is not None:
        report.notes.append(f"{folder}: not read: {listed}")
    return [folder / entry for entry in found]


def _has_fasta_name(name: str) -> bool:
    return _without(name.lower(), GZIP_SUFFIXES).endswith(FASTA_SUFFIXES)


def _without(name: str, suffixes: Iterable[str]) -> str:
    for suffix in suffixes:
        if name.lower().endswith(suffix) and len(name) > len(suffix):
            return name[: -len(suffix)]
    return name


def label_of(path: str | Path) -> str:
    """Give the name of a file without folder and suffixes, which is the label of its records.

    Examples
    --------
    >>> label_of("classes/a.b.fasta.gz"), label_of("1.1.fa"), label_of("membrane.TXT")
    ('a.b', '1.1', 'membrane')
    """
    unpacked = _without(Path(path).name, GZIP_SUFFIXES)
    return _without(unpacked, (*FASTA_SUFFIXES, ".txt", ".fna", ".ffn", ".seq"))
