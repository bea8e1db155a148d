"""Tables of ids with columns of other names, and the groups of items in them.

What labels share with them is tested in tests/bio/reading/test_labels.py.
"""

import pytest

from sfmcore.data.errors import InputError
from sfmcore.files.groups import groups_in, read_groups
from sfmcore.files.id_table import IdTable, read_id_table


@pytest.mark.parametrize(
    "text",
    [
        "a b.png\tx\nc\ty\n",
        "path\tgroup\na b.png\tx\nc\ty\n",
        "#group;more;PATH\nx;1;a b.png\ny;2;c\n",
        '"" "path" "group"\n"1" "a b.png" "x"\n"2" "c" "y"\n'.replace('"" ', ""),
        "path,cluster\na b.png,x\nc,y\n",
    ],
)
def test_columns_are_found_by_their_names(write, text):
    table = read_id_table(write("t.tsv", text), ["path", "id"], ["group"])
    assert table.values == {"a b.png": "x", "c": "y"}


def test_of_two_names_for_ids_the_first_counts(write):
    path = write("t.csv", "id,path,group\n1,a,x\n2,b,y\n")
    assert read_id_table(path, ["path", "id"], ["group"]).values == {"a": "x", "b": "y"}
    assert read_id_table(path, ["id"], ["group"]).values == {"1": "x", "2": "y"}


def test_labels_of_a_table_of_groups_are_not_taken(write):
    path = write("t.csv", "id,label,group\n1,a,x\n2,a,y\n")
    assert read_groups(path).values == {"1": "x", "2": "y"}


def test_messages_use_the_names_of_the_columns(write):
    for text, message in (
        ("a\n", "no path and group with a tab or comma between them in"),
        ("a\tx\na\ty\n", "two groups for one path: 'a' is 'x' in line 1 and 'y' in line 2"),
        ("a\t\n", "the table has no groups"),
    ):
        with pytest.raises(InputError, match=message):
            read_groups(write("t.tsv", text), ["path"])


def test_bytes_that_are_no_text_are_pointed_out(write):
    (note,) = read_groups(write("t.tsv", b"caf\xe9\tx\nb\ty\n")).notes
    assert note.endswith("1 field is not UTF-8: such bytes become \\xNN")


def test_a_blank_group_is_none():
    table = IdTable("t.tsv", {"a": "x", "b": ""})
    assert groups_in(table, [["a"], ["b", "a"]]) == ["x", "x"]
    with pytest.raises(InputError, match=r"^t\.tsv: no group for 'b'; the first id"):
        groups_in(table, [["a"], ["b"]])
