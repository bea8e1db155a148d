"""Requirements of a report, and the pieces of a page."""

import sys

import pytest

from sfmcore.data.errors import UserError
from sfmcore.reporting.page import date_line, require_report, style


@pytest.mark.parametrize(
    ("missing", "named"),
    [
        (["jinja2"], "Jinja2"),
        (["matplotlib"], "matplotlib"),
        (["jinja2", "matplotlib"], "Jinja2 and matplotlib"),
    ],
)
def test_a_missing_library_is_named_with_the_extra(missing, named, monkeypatch):
    for module in missing:
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UserError) as caught:
        require_report("--report")
    assert str(caught.value) == f"--report needs {named}: pip install 'sfm-pacbayes[report]'"


def test_what_is_there_is_enough():
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    require_report("--report")


@pytest.mark.parametrize("given", ["yesterday", "1e5", "9" * 30])
def test_a_date_that_is_none_is_refused(given, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", given)
    with pytest.raises(UserError, match="SOURCE_DATE_EPOCH must be seconds since 1970"):
        date_line()


def test_the_style_prints_and_closes_its_braces():
    rules = style()
    assert "@media print" in rules
    assert rules.count("{") == rules.count("}")
