"""A part of the records of some files, for whoever shares them out over several processes."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from sfmbio.reading.fasta import read_files
from sfmbio.reading.record import Record
from sfmbio.reading.report import ReadReport
from sfmcore.data.errors import UserError
from sfmcore.data.shards import part_of


def read_part(
    sources: Sequence[Path | str], report: ReadReport, shard: tuple[int, int]
) -> Iterator[Record]:
    """Read the I-th of N parts of the records; the parts differ by one record at most.

    The files are read twice, first to count their records. What comes before the part is read too,
    as a record may be known by its place, but it is not reported.

    Parameters
    ----------
    sources : sequence of Path or "-"
    report : ReadReport
        Of the records of the part.
    shard : (int, int)
        I from 1 to N, and N.

    Yields
    ------
    Record
        The next record of the part.

    Raises
    ------
    UserError
        If a source can be read only once, such as standard input.
    """
    for source in sources:
        if source == "-" or not Path(source).is_file():
            raise UserError(
                f"{source}: --shard reads its input twice, to count the records: give a file"
            )
    count = sum(1 for _ in read_files(sources, ReadReport()))
    part = part_of(count, shard)
    records = read_files(sources, report)
    for _ in islice(records, part.start):
        pass
    report.begin_part()
    yield from islice(records, len(part))
