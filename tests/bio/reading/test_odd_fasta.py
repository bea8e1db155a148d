"""The corpus of odd files: each gives the records, the labels or the refusal that it must."""

import pytest

from sfmbio.reading.fasta import read_fasta
from sfmbio.reading.labels import read_label_table
from sfmbio.reading.report import ReadReport
from sfmcore.data.errors import InputError
from tests.bio.reading import odd_fasta

FASTA = odd_fasta.fasta()
TABLES = odd_fasta.tables()


def test_the_corpus_is_as_large_as_it_should_be():
    names = [file.name for file in (*FASTA, *TABLES)]
    assert len(names) == len(set(names))
    assert len(FASTA) >= 150
    assert len(TABLES) >= 50


@pytest.mark.parametrize("file", FASTA, ids=lambda file: file.name)
def test_an_odd_file_gives_the_expected_records(file, tmp_path):
    path = tmp_path / file.name
    path.write_bytes(file.data)
    report = ReadReport()
    found = []
    error = ""
    try:
        for record in read_fasta(path, report):
            row = odd_fasta.Row(record.id, record.codes, record.status, record.line)
            assert record.number == len(found) + 1
            record.description.encode()
            found.append(row)
    except InputError as caught:
        error = str(caught)
    assert tuple(found) == file.rows
    assert bool(error) == bool(file.refusal)
    assert file.refusal in error
    messages = report.messages()
    n_problems = sum(row.status != "ok" for row in file.rows)
    assert report.n_problems == n_problems
    if file.says is not None:
        # Unusable records first, then the warnings, and none that nobody expects.
        warnings = messages[n_problems:]
        assert len(warnings) == len(file.says)
        assert all(text in said for text, said in zip(file.says, warnings, strict=True))
    # All of it can be written anywhere.
    for text in [*messages, error, *(row.id for row in found)]:
        text.replace(str(path), "").encode()


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_an_odd_table_gives_the_expected_labels(table, tmp_path):
    path = tmp_path / f"{table.name}.tsv"
    path.write_bytes(table.data)
    if table.labels is None:
        with pytest.raises(InputError) as caught:
            read_label_table(path)
        assert str(caught.value).startswith(f"{path}: ")
        assert table.refusal in str(caught.value)
    else:
        assert read_label_table(path).labels == table.labels
