"""The oldest dependencies, which CI installs, are those that the metadata allow."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_oldest_versions_are_the_lower_bounds():
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    wanted = {}
    for requirement in project["dependencies"] + project["optional-dependencies"]["test"]:
        name, bound = re.fullmatch(r"([\w-]+)(?:>=([\d.]+))?", requirement).groups()
        if bound:
            wanted[name] = bound
    lines = (ROOT / "packaging" / "oldest.txt").read_text().splitlines()
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert pins.keys() == wanted.keys()
    for name, bound in wanted.items():
        # The bound itself, or the first release of it, such as 4.8.0.76 of 4.8.
        assert re.fullmatch(rf"{re.escape(bound)}(\.0)*(\.\d+)?", pins[name]), name
