"""The corpus of odd files: each gives the records, the labels or the refusal that it must."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


bits = st.sampled_from(
    [b">", b"\n>", b"\n", b"\r", b"\0", b"\xe9", b" ", b"some words", b"*", b"1", b";", b"X", b""]
)


@given(
    st.sampled_from([file.data for file in FASTA if len(file.data) < 2000]),
    st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 4), bits), max_size=6),
)
@settings(max_examples=500, deadline=None)
def test_changed_files_give_a_row_for_each_header_or_a_sentence(tmp_path_factory, data, changes):
    for place, length, new in changes:
        data = data[:place] + new + data[place + length :]
    path = tmp_path_factory.getbasetemp() / "changed.fa"
    path.write_bytes(data)
    report = ReadReport()
    found = []
    try:
        found.extend(read_fasta(path, report))
    except InputError as error:
        str(error).replace(str(path), "").encode()
    else:
        if not data.startswith(b"\x1f\x8b"):
            assert len(found) >= len(
                re.findall(rb"(?:^|[\r\n])>", data.removeprefix(b"\xef\xbb\xbf"))
            )
    for number, record in enumerate(found, 1):
        assert record.number == number
        assert bool(record.codes) == (record.status == "ok")
        assert record.id
        assert not set(record.id) & set("\t\r\n")
        f"{record.id}{record.description}{record.status}".encode()
    assert report.records == len(found)
    report.messages()


@given(
    st.sampled_from([table.data for table in TABLES]),
    st.lists(
        st.tuples(
            st.integers(0, 60),
            st.integers(0, 3),
            bits | st.sampled_from([b'"', b"\t", b",", b"\\", b'\\"', b"#"]),
        ),
        max_size=6,
    ),
)
@settings(max_examples=500, deadline=None)
def test_changed_tables_give_labels_or_a_sentence(tmp_path_factory, data, changes):
    for place, length, new in changes:
        data = data[:place] + new + data[place + length :]
    path = tmp_path_factory.getbasetemp() / "changed.tsv"
    path.write_bytes(data)
    try:
        table = read_label_table(path)
    except InputError as error:
        said = str(error)
    else:
        said = f"{path}: "
        assert any(table.labels.values())
        for name, label in table.labels.items():
            assert name
            assert not set(name + label) & set("\t\r\n")
            f"{name}{label}".encode()
        table.messages()
    assert said.startswith(f"{path}: ")
