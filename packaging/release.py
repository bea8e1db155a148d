"""The version and the date of a release, in every file that names them.

    python packaging/release.py prepare 1.1.0    write the version, and date the changelog
    python packaging/release.py check v1.1.0     before a tag: everything names that version
    python packaging/release.py notes            the changelog's section of the version
    python packaging/release.py bill FILE        write the version into a bill of materials

The version is that of `sfmcore/version.py`; other files hold copies of it. docs/releasing.md says
what else a release takes.
"""

import argparse
import json
import re
import sys
from datetime import UTC, date, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ("sfmcore/version.py", r'(?<=__version__ = ")[^"]+')
COPIES = (
    ("CITATION.cff", r"(?<=^version: )\S+"),
    ("packaging/conda/meta.yaml", r'(?<=set version = ")[^"]+'),
    ("packaging/galaxy/macros.xml", r'(?<=name="@TOOL_VERSION@">)[^<]+'),
)
CHANGELOG = "CHANGELOG.md"
_HEADING = re.compile(r"^## \[(?P<version>[^\]]+)\](?: - (?P<day>\S+))?$", re.M)


class Wrong(Exception):  # noqa: N818 - the sentence is what counts
    """Something contradicts the version; the text says what."""


def named_in(root: Path, name: str, pattern: str) -> str:
    """The version that a file names, once."""
    found = re.findall(pattern, (root / name).read_text(), re.M)
    if len(found) != 1:
        raise Wrong(f"{name} should name one version, and names {found}")
    return found[0]


def check_copies(root: Path) -> str:
    """Refuse files that differ about the version; return it."""
    version = named_in(root, *SOURCE)
    for name, pattern in COPIES:
        if (found := named_in(root, name, pattern)) != version:
            raise Wrong(f"{name} names version {found}, the package is {version}")
    return version


def section(root: Path, version: str) -> tuple[str | None, str]:
    """Date and text of a version in the changelog."""
    text = (root / CHANGELOG).read_text()
    headings = list(_HEADING.finditer(text))
    ends = [*(heading.start() for heading in headings[1:]), len(text)]
    for heading, end in zip(headings, ends, strict=True):
        if heading["version"] == version:
            return heading["day"], text[heading.end() : end].strip()
    raise Wrong(f"{CHANGELOG} has no section [{version}]")


def prepare(root: Path, version: str, day: date) -> None:
    """Write the version everywhere, and date its section of the changelog.

    Without such a section, what is unreleased becomes it.
    """
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise Wrong(f"{version!r} is no version: write major.minor.patch")
    for name, pattern in (SOURCE, *COPIES):
        named_in(root, name, pattern)
        path = root / name
        path.write_text(re.sub(pattern, version, path.read_text(), flags=re.M))
    path = root / CHANGELOG
    text = path.read_text()
    dated = f"## [{version}] - {day.isoformat()}"
    if f"## [{version}]" in text:
        text = re.sub(rf"^## \[{re.escape(version)}\].*$", dated, text, flags=re.M)
    else:
        text = text.replace("## [Unreleased]\n", f"## [Unreleased]\n\n{dated}\n", 1)
    path.write_text(text)


def check(root: Path, tag: str) -> str:
    """Refuse a tag that the files contradict; say what is to be released."""
    version = check_copies(root)
    if tag != f"v{version}":
        raise Wrong(f"the tag is {tag}, the package is {version}")
    day, text = section(root, version)
    try:
        date.fromisoformat(day or "")
    except ValueError:
        raise Wrong(f"{CHANGELOG} gives {version} no date, but {day!r}") from None
    if not text:
        raise Wrong(f"{CHANGELOG} says nothing about {version}")
    if waiting := section(root, "Unreleased")[1]:
        raise Wrong(f"{CHANGELOG} has unreleased changes: {waiting.splitlines()[0]}")
    return f"{version} of {day}"


def complete(bill: Path, version: str) -> None:
    """Write the version into a bill of materials.

    cyclonedx-py takes the package from pyproject.toml, where the version is a reference to the
    code, and leaves it out.
    """
    content = json.loads(bill.read_text())
    content["metadata"]["component"]["version"] = version
    bill.write_text(json.dumps(content, indent=2) + "\n")


def main() -> int:
    """Run a command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("prepare")
    command.add_argument("version")
    command.add_argument("--date", type=date.fromisoformat, default=datetime.now(UTC).date())
    commands.add_parser("check").add_argument("tag")
    commands.add_parser("notes")
    commands.add_parser("bill").add_argument("file", type=Path)
    options = parser.parse_args()
    try:
        if options.command == "prepare":
            prepare(ROOT, options.version, options.date)
        elif options.command == "check":
            print(check(ROOT, options.tag))
        elif options.command == "bill":
            complete(options.file, check_copies(ROOT))
        else:
            print(section(ROOT, check_copies(ROOT))[1])
    except Wrong as reason:
        print(f"release: {reason}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
