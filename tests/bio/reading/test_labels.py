"""Labels from a table, from file names and from headers, and what does not fit together."""

import csv
import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfmbio.reading.fasta import read_fasta
from sfmbio.reading.labels import ASTRAL_LEVELS, MAX_LISTED, parse_label_spec, read_label_table
from sfmbio.reading.record import Record
from sfmbio.reading.sources import expand_inputs
from sfmcore.data.errors import InputError, UserError


def record(description: str, stem: str = "x") -> Record:
    words = description.split(None, 1)
    return Record(words[0] if words else "", description, b"\0", "ok", "x.fa", 7, 1, stem)


@pytest.fixture
def read_table(tmp_path):
    def write_and_read(data: bytes | str):
        path = tmp_path / "labels.tsv"
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return read_label_table(path)

    return write_and_read


# Specifications


def test_a_file_name_with_a_tab_gives_a_label_without():
    record = Record("a", "a", b"", "ok", "x\ty.fa", 1, 1, "x\ty")
    assert parse_label_spec("file")(record) == "x y"


def test_the_label_is_the_name_of_the_file():
    labels = parse_label_spec("file")
    assert labels(record("a", stem="kinase")) == "kinase"
    assert labels.messages() == []


def test_a_blank_file_name_gives_no_label():
    labels = parse_label_spec("file")
    assert labels(record("a", stem=" ")) is None
    assert labels.messages() == ["1 record has no label: a (the file's name is blank)"]


def test_standard_input_has_no_file_label():
    labels = parse_label_spec("file")
    assert labels(record("a", stem="")) is None
    assert labels.messages() == ["1 record has no label: a (standard input has no file name)"]


@pytest.mark.parametrize(
    ("level", "old", "new"),
    [
        ("class", "1", "a"),
        ("fold", "1.2", "a.2"),
        ("superfamily", "1.2.3", "a.2.3"),
        ("family", "1.2.3.4", "a.2.3.4"),
    ],
)
def test_the_label_is_a_level_of_scop(level, old, new):
    labels = parse_label_spec(f"astral:{level}")
    assert labels(record("d1 1.2.3.4.5 Hemoglobin {x}")) == old
    assert labels(record("d1 a.2.3.4 (A:) Hemoglobin")) == new


def test_a_header_without_scop_has_no_label_and_says_what_stood_there():
    labels = parse_label_spec("astral:fold")
    assert labels(record("d1 Hemoglobin")) is None
    assert labels(record("d2")) is None
    assert labels.n_unlabelled == 2
    (text,) = labels.messages()
    assert text.startswith("2 records have no label: d1, d2 ('d1': 'Hemoglobin' is not a SCOP")


@pytest.mark.parametrize(
    ("pattern", "description", "label"),
    [
        (r"OS=(.+?) OX=", "sp|P1|X_HUMAN Kinase OS=Homo sapiens OX=9606", "Homo sapiens"),
        (r"[a-z]+ase\b", "sp|P1|X_HUMAN a protease", "protease"),
        (r"^(\S)(\S)", "sp|P1", "s"),
        (r"(?:kin|prote)ase", "x kinase", "kinase"),
        (r"\[(.*)\]", "x [two\twords ]", "two words"),
        (r"class:(\w+)", "x class:one", "one"),
        (r"(kin)?ase", "x protease", None),
        (r"\[(.*)\]", "x [ ]", None),
        (r"\d+", "x y", None),
    ],
)
def test_the_label_is_what_a_pattern_finds_in_the_header(pattern, description, label):
    labels = parse_label_spec(f"header:{pattern}")
    assert labels(record(description)) == label
    assert labels.n_unlabelled == (label is None)


@pytest.mark.parametrize("pattern", ["(", "[a", "*", "(?P<x", "a{99999999999999999999}"])
def test_a_pattern_that_is_not_valid_is_shown(pattern):
    with pytest.raises(UserError, match="not a valid regular expression") as caught:
        parse_label_spec(f"header:{pattern}")
    assert repr(f"header:{pattern}") in str(caught.value)


@pytest.mark.parametrize(
    "text", ["", "File", "file:x", "astral", "astral:", "astral:domain", "header", "header:", "x:y"]
)
def test_an_unknown_specification_says_what_is_possible(text):
    with pytest.raises(UserError, match=r"file, .*header:REGEX") as caught:
        parse_label_spec(text)
    assert all(f"astral:{level}" in str(caught.value) for level in ASTRAL_LEVELS)
    assert repr(text) in str(caught.value)


def test_records_without_label_are_listed_up_to_a_limit():
    labels = parse_label_spec("header:^never$")
    for number in range(MAX_LISTED + 3):
        labels(record(f"r{number}"))
    (text,) = labels.messages()
    assert text.startswith("23 records have no label: r0, r1, ")
    assert "r19 and 3 more ('^never$' does not match" in text
    assert "r20" not in text
    assert len(labels.unlabelled) == MAX_LISTED


def test_a_file_name_that_is_not_utf8_gives_a_label_that_is():
    labels = parse_label_spec("file")
    assert labels(record("a", stem="caf\udce9\x1b")) == r"caf\xe9\x1b"


# Tables


@pytest.mark.parametrize(
    "data",
    [
        b"a\tone\nb\ttwo\n",
        b"a\tone\nb\ttwo",
        b"a\tone\r\nb\ttwo\r\n",
        b"a\tone\rb\ttwo\r",
        b"\xef\xbb\xbfa\tone\nb\ttwo\n",
        b"\n# a comment\twith a tab\na\tone\n \t \n#x\nb\ttwo\n\n",
        b"a\tone\tmore\nb\ttwo\n",
        b" a \t one \nb\ttwo\n",
        b"a\tone\nb\ttwo\na\tone\n",
        b"id\tlabel\na\tone\nb\ttwo\n",
        b"\xef\xbb\xbfID\tlabel\r\na\tone\r\nb\ttwo\r\n",
        b"# made by hand\nid\tlabel\na\tone\nb\ttwo\n",
        b"#id\tlabel\na\tone\nb\ttwo\n",
        b"Id\tanything\tother\na\tone\t1\nb\ttwo\t2\n",
        b"id\tlength\tclass\na\t5\tone\nb\t6\ttwo\n",
        b"#id\tlength\tclass\na\t5\tone\nb\t6\ttwo\n",
        b"id\tclass\tLabel\na\t5\tone\nb\t6\ttwo\n",
        b"label\tid\none\ta\ntwo\tb\n",
        b"#Class\tlength\tID\none\t5\ta\ntwo\t6\tb\n",
        gzip.compress(b"a\tone\nb\ttwo\n", mtime=0),
        # Commas and semicolons
        b"a,one\nb,two\n",
        b"id,label\r\na,one\r\nb,two",
        b"a;one\nb;two\n",
        b"a, one\nb , two \n",
        b"# made, by hand\nid,length,class\na,5,one\nb,6,two\n",
        b"#id,label\na,one\nb,two\n",
        # Quotes
        b'"id"\t"label"\na\t"one"\n"b"\ttwo\n',
        b'"a","one"\n"b","two"\n',
        b'"a", "one"\n"b", "two"\n',
        b'"id","note","label"\n"a","x, y","one"\n"b","say ""so""","two"\n',
        b"# it's \"made\na\tone\nb\ttwo\n",
        # R: write.table, with row.names=FALSE, sep="\t", both; write.csv, write.csv2
        b'"id" "label"\n"1" "a" "one"\n"2" "b" "two"\n',
        b'"id" "label"\n"a" "one"\n"b" "two"\n',
        b'"id"\t"label"\n"1"\t"a"\t"one"\n"2"\t"b"\t"two"\n',
        b'"id"\t"label"\n"a"\t"one"\n"b"\t"two"\n',
        b'"","id","label"\n"1","a","one"\n"2","b","two"\n',
        b'"";"id";"label"\n"1";"a";"one"\n"2";"b";"two"\n',
        b'"id" "n" "label"\n"1" "a" 5 "one"\n"2" "b" 6 "two"\n',
        b'"id" "note" "label"\n"1" "a" "a \\"b\\" c" "one"\n"2" "b" "5\\"" "two"\n',
    ],
)
def test_tables_that_mean_the_same_are_read_alike(read_table, data):
    table = read_table(data)
    assert table.labels == {"a": "one", "b": "two"}
    assert table(record("a rest")) == "one"
    assert table(record("b")) == "two"
    assert table.messages() == []


def test_an_id_called_id_is_a_header_only_in_the_first_row(read_table):
    assert read_table("a\tone\nid\tlabel\n").labels == {"a": "one", "id": "label"}
    assert read_table("a\tone\n#id\tlabel\n").labels == {"a": "one"}


def test_two_labels_for_one_id_name_both_lines(read_table, tmp_path):
    with pytest.raises(InputError) as caught:
        read_table("id\tlabel\na\tone\na\tone\nb\ttwo\na\tother\n")
    assert str(caught.value) == (
        f"{tmp_path / 'labels.tsv'}: two labels for one id: "
        "'a' is 'one' in line 2 and 'other' in line 5"
    )


def test_all_rows_without_id_or_label_are_named_at_once(read_table, tmp_path):
    name = tmp_path / "labels.tsv"
    with pytest.raises(InputError) as caught:
        read_table("a\tone\nb\nc,two\nd\t\n\tthree\nf\tone\n")
    listed = ", ".join(f"{name}:{line}" for line in (2, 3, 5))
    assert str(caught.value) == (
        f"{name}: no id and label with a tab or comma between them in {listed}"
    )


@pytest.mark.parametrize("text", ["a\tone\nb\t\nc\t \td\n", 'a,one\nb,\nc,""\n'])
def test_a_blank_label_is_none(read_table, tmp_path, text):
    table = read_table(text)
    assert [table(record(name)) for name in "abc"] == ["one", None, None]
    assert table.messages() == [f"2 records have no label: b, c (blank in {table.name})"]


def test_na_is_a_label_that_is_told_of(read_table, tmp_path):
    table = read_table('"id" "label"\n"1" "a" NA\n"2" "b" "x"\n')
    assert table.labels == {"a": "NA", "b": "x"}
    table(record("a")), table(record("b"))
    assert table.messages() == [
        f"{tmp_path / 'labels.tsv'}: 1 id has the label 'NA', which is an ordinary label: "
        "leave it blank for none"
    ]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ('a\tone\nb\t"two\nc\tone\n', 2, "a quote is not closed"),
        ('"a","one"\n"b","t"wo"\n', 2, "',' expected after '\"'"),
    ],
)
def test_a_quote_that_is_wrong_is_named_by_its_line(read_table, tmp_path, text, line, reason):
    with pytest.raises(InputError) as caught:
        read_table(text)
    assert str(caught.value) == f"{tmp_path / 'labels.tsv'}: line {line}: {reason}"


@pytest.mark.parametrize("label", ['5" end', "it's", 'a"b"c'])
def test_a_quote_inside_a_field_is_itself(read_table, label):
    assert read_table(f"a\t{label}\n").labels == {"a": label}


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("a\tone, two\nb\tthree\n", {"a": "one, two", "b": "three"}),
        ('"a","one\ttwo"\n', {"a": "one two"}),
        ('"a,1","one"\nb,two\n', {"a,1": "one", "b": "two"}),
        ("a,one;two\n", {"a": "one;two"}),
        ("a\tall alpha\n", {"a": "all alpha"}),
        ("a\tx\x1b[1m\n", {"a": r"x\x1b[1m"}),
    ],
)
def test_a_field_may_hold_what_parts_other_tables(read_table, text, labels):
    assert read_table(text).labels == labels


def test_fields_that_are_not_utf8_are_written_so_and_told_once(read_table, tmp_path):
    table = read_table(b"caf\xe9\tt\xff\nb\tone\n")
    assert table.labels == {r"caf\xe9": r"t\xff", "b": "one"}
    assert [table(record(name)) for name in (r"caf\xe9", "b")] == [r"t\xff", "one"]
    assert table.messages() == [
        rf"{tmp_path / 'labels.tsv'}: 2 fields are not UTF-8: such bytes become \xNN"
    ]


def test_a_table_of_other_ids_shows_the_first_of_both(read_table, tmp_path):
    table = read_table("sp|P1\tone\nsp|P2\ttwo\n")
    for name in ("P1 x", "P2 x"):
        table(record(name))
    assert table.messages() == [
        f"2 records have no label: P1, P2 (not in {tmp_path / 'labels.tsv'})",
        f"{tmp_path / 'labels.tsv'}: no id of the table is in the input: the first of the table "
        "is 'sp|P1', the first of the input is 'P1'",
    ]


def test_a_header_that_begins_with_a_blank_is_found_by_its_first_word(read_table, tmp_path):
    path = tmp_path / "x.fa"
    path.write_bytes(b"> a first\nMK\n>\nMK\n> b\nMK\n")
    table = read_table("a\tone\nrecord_3\ttwo\n")
    assert [table(found) for found in read_fasta(path)] == ["one", None, "two"]


def test_a_row_that_ends_before_the_label_column_is_named(read_table):
    with pytest.raises(InputError, match=r"labels\.tsv:3$"):
        read_table("id\tlength\tclass\na\t5\tone\nb\t6\n")


def test_a_row_that_ends_before_the_id_column_is_named(read_table):
    with pytest.raises(InputError, match=r"labels\.tsv:3$"):
        read_table("label\tid\none\ta\ntwo\n")


def test_a_first_row_with_id_behind_and_no_label_is_no_header(read_table):
    assert read_table("a\tid\nb\ttwo\n").labels == {"a": "id", "b": "two"}


def test_a_first_row_of_one_field_is_no_header(read_table):
    with pytest.raises(InputError, match=r"labels\.tsv:1$"):
        read_table("id\na\tone\n")


def test_a_table_of_another_kind_names_few_of_its_lines(read_table):
    with pytest.raises(InputError, match=r"labels\.tsv:20 and 980 more$"):
        read_table("a one\n" * 1000)


@pytest.mark.parametrize("data", [b"", b"\n\n", b"# only a comment\n", b"id\tlabel\n"])
def test_a_table_without_labels_is_refused(read_table, data):
    with pytest.raises(InputError, match=r"labels\.tsv: the table has no labels$"):
        read_table(data)


def test_a_table_that_can_not_be_read_gives_the_reason(read_table, tmp_path):
    with pytest.raises(InputError, match=r"none\.tsv: No such file or directory"):
        read_label_table(tmp_path / "none.tsv")
    with pytest.raises(InputError, match="Excel"):
        read_table(b"PK\x03\x04")
    with pytest.raises(InputError, match=r"labels\.tsv: the gzip data is truncated"):
        read_table(gzip.compress(b"a\tone\n" * 1000)[:-9])


def test_ids_that_are_not_met_and_records_not_in_the_table_are_told(read_table, tmp_path):
    name = tmp_path / "labels.tsv"
    table = read_table("d\tone\nc\tone\nb\tone\na\ttwo\n")
    assert [table(record(text)) for text in ("c", "x rest", "y")] == ["one", None, None]
    assert table.unmet == ["d", "b", "a"]
    assert table.messages() == [
        f"2 records have no label: x, y (not in {name})",
        f"{name}: 3 ids are not in the input: d, b, a",
    ]


def test_ids_that_are_not_met_are_listed_up_to_a_limit(read_table):
    table = read_table("".join(f"r{number}\tone\n" for number in range(25)))
    assert table.messages()[0].endswith("r18, r19 and 5 more")


def test_an_id_that_is_not_utf8_is_found(read_table, tmp_path):
    table = read_table(b"caf\xe9\tone\n\xc3\xa9\ttwo\n")
    path = tmp_path / "x.fa"
    path.write_bytes(b">caf\xe9 x\nMK\n>\xc3\xa9\nMK\n")
    assert [table(found) for found in read_fasta(path)] == ["one", "two"]


words = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8)
# As ids, these are comments or name columns; as labels, quotes and commas may stand anywhere.
ids = words.filter(lambda text: not text.startswith("#") and text.lower() != "id")
texts = st.lists(words | st.sampled_from(['"', ",", ";", '""']), min_size=1, max_size=3)


@given(
    st.dictionaries(ids, texts.map(" ".join), min_size=1),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
    st.sampled_from("\t,;"),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_a_table_comes_back_as_written(
    tmp_path_factory, labels, line_end, named, delimiter, quoting
):
    path = tmp_path_factory.getbasetemp() / "written.csv"
    # The first row tells what parts the fields.
    first = [("id", "label")] if named or any(mark in "".join(labels) for mark in "\t,;") else []
    first += [] if first else [("first", "one")]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator=line_end, quoting=quoting)
        writer.writerows([*first, *labels.items()])
    table = read_label_table(path)
    table.labels.pop("first", None) if first == [("first", "one")] else None
    assert table.labels == labels
    assert [table(record(name)) for name in labels] == list(labels.values())
    assert table.unmet in ([], ["first"])


# The real files


def test_the_four_classes_have_one_label_by_file_table_and_header(proteins):
    by_table = read_label_table(proteins / "four_class" / "labels.tsv")
    by_file = parse_label_spec("file")
    by_class = parse_label_spec("astral:class")
    scop = {"metabolism": "1", "information": "2", "intracellular": "3", "extracellular": "7"}
    count = 0
    for path in expand_inputs([proteins / "four_class"]):
        for found in read_fasta(path):
            label = by_table(found)
            assert label == by_file(found)
            assert scop[label] == by_class(found)
            count += 1
    assert count == 3440
    assert by_table.messages() == by_file.messages() == by_class.messages() == []
