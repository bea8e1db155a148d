"""The command that writes and checks the version of a release, on a copy of the files it knows."""

import importlib.util
import json
import shutil
from datetime import date
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "packaging" / "release.py"
spec = importlib.util.spec_from_file_location("release", SCRIPT)
release = importlib.util.module_from_spec(spec)
spec.loader.exec_module(release)


@pytest.fixture
def copy(tmp_path):
    """A folder with the files that name the version, and a changelog with a new change."""
    for name, _ in (release.SOURCE, *release.COPIES):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n## [Unreleased]\n\n- New.\n\n## [1.0.0] - 2020-01-02\n\n- Old.\n"
    )
    return tmp_path


def test_the_files_of_this_repository_agree():
    version = release.check_copies(ROOT)
    assert release.section(ROOT, version)[1]
    release.section(ROOT, "Unreleased")


def test_what_is_prepared_passes_the_check(copy):
    release.prepare(copy, "7.8.9", date(2031, 5, 6))
    assert release.check(copy, "v7.8.9") == "7.8.9 of 2031-05-06"
    assert release.section(copy, "7.8.9") == ("2031-05-06", "- New.")
    assert release.section(copy, "1.0.0") == ("2020-01-02", "- Old.")
    for name, pattern in release.COPIES:
        assert release.named_in(copy, name, pattern) == "7.8.9"


def test_a_section_that_waits_for_its_date_gets_it(copy):
    changelog = copy / "CHANGELOG.md"
    changelog.write_text(
        "## [Unreleased]\n\n## [2.0.0] - unreleased\n\n- New.\n\n## [1.0.0] - 2020-01-02\n"
    )
    release.prepare(copy, "2.0.0", date(2031, 5, 6))
    assert changelog.read_text() == (
        "## [Unreleased]\n\n## [2.0.0] - 2031-05-06\n\n- New.\n\n## [1.0.0] - 2020-01-02\n"
    )


@pytest.mark.parametrize(
    ("name", "old", "new", "reason"),
    [
        ("CITATION.cff", "version: 7.8.9", "version: 7.8.8", "CITATION.cff names version 7.8.8"),
        ("sfmcore/version.py", "7.8.9", "7.8.10", "names version 7.8.9, the package is 7.8.10"),
        ("CHANGELOG.md", "2031-05-06", "soon", "gives 7.8.9 no date, but 'soon'"),
        ("CHANGELOG.md", "[7.8.9]", "[7.8.7]", "has no section [7.8.9]"),
        ("CHANGELOG.md", "- New.", "", "says nothing about 7.8.9"),
        ("CHANGELOG.md", "[Unreleased]", "[Unreleased]\n\n- More.", "unreleased changes: - More."),
    ],
)
def test_a_contradiction_is_refused_by_name(copy, name, old, new, reason):
    release.prepare(copy, "7.8.9", date(2031, 5, 6))
    text = (copy / name).read_text()
    assert old in text
    (copy / name).write_text(text.replace(old, new, 1))
    with pytest.raises(release.Wrong) as refused:
        release.check(copy, "v7.8.9")
    assert reason in str(refused.value)


def test_a_bill_of_materials_gets_the_version(tmp_path):
    bill = tmp_path / "bill.json"
    bill.write_text('{"metadata": {"component": {"name": "sfm-pacbayes"}}, "components": []}')
    release.complete(bill, "7.8.9")
    assert json.loads(bill.read_text()) == {
        "metadata": {"component": {"name": "sfm-pacbayes", "version": "7.8.9"}},
        "components": [],
    }


def test_another_tag_and_no_version_are_refused(copy):
    release.prepare(copy, "7.8.9", date(2031, 5, 6))
    with pytest.raises(release.Wrong, match=r"the tag is v7\.8, the package is 7\.8\.9"):
        release.check(copy, "v7.8")
    with pytest.raises(release.Wrong, match=r"write major\.minor\.patch"):
        release.prepare(copy, "7.9", date(2031, 5, 6))
