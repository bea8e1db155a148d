"""Files that a command reads, and those of them that it could not read."""

import argparse
from pathlib import Path

from sfmbio.reading.report import ReadReport, counted
from sfmcore.data.errors import InputError


def files_read(options: argparse.Namespace, *inputs: list[Path | str]) -> list[Path | str]:
    """All files that a command learns from, its tables among them.

    Parameters
    ----------
    options : argparse.Namespace
    *inputs : list of (Path or str)
        Further files; ``-`` is standard input.

    Raises
    ------
    InputError
        If the name of ``--labels`` is empty, or standard input is to be read twice.
    """
    table = [] if options.labels is None else [options.labels]
    if table == [""]:
        # To `open` this is a file that does not exist, to a shell a variable that is not set.
        raise InputError("--labels: an empty name")
    files = [*table, *(source for sources in inputs for source in sources)]
    if files.count("-") > 1:
        raise InputError("-: standard input can be read only once")
    return files


def refuse_unreadable(n_files: int, *reports: ReadReport) -> None:
    """End with a failure if files could not be read, once all is done that can be without them.

    Parameters
    ----------
    n_files : int
        That were to be read.
    *reports : ReadReport

    Raises
    ------
    InputError
        Says how many of them could not be read.
    """
    unreadable = sum(len(report.unreadable) for report in reports)
    if unreadable:
        raise InputError(f"{unreadable} of {counted(n_files, 'file')} can't be read, see above")
