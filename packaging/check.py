"""Check the recipes of this folder, as far as that goes without a network.

    python packaging/check.py [--records 2000] [--shards 4]

`sfmbio` must be on the PATH. What needs a tool that is not there (planemo, snakemake, nextflow)
says so and is left out. The exit code is 1 if a check fails.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

from release import Wrong, check_copies

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
# Names of conda-forge that differ from those of PyPI.
CONDA_NAMES = {"opencv-python-headless": "py-opencv"}


class Failed(Exception):  # noqa: N818 - the sentence is what counts
    """A recipe is wrong; the text says how."""


class Skipped(Exception):  # noqa: N818
    """Why a check can't be run here."""


@dataclass(frozen=True)
class Sample:
    """A model, records, and the table that one run makes of them."""

    model: Path
    records: Path
    table: Path
    shards: int


def call(*command: object, folder: Path) -> None:
    """Run a command; its output counts only if it fails."""
    ended = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True)
    if ended.returncode:
        said = (ended.stdout + ended.stderr).strip()[-3000:]
        raise Failed(f"{command[0]} ended with {ended.returncode}:\n{said}")


def tool(name: str) -> str:
    """Path of a program."""
    found = shutil.which(name)
    if found is None:
        raise Skipped(f"{name} is not on the PATH")
    return found


def make_sample(folder: Path, n_records: int, shards: int) -> Sample:
    """Train on the peptides, and predict them again and again under new ids in one run."""
    peptides = ROOT / "data" / "peptides"
    sample = Sample(folder / "model.sfm", folder / "new.fasta", folder / "table.tsv", shards)
    call(
        tool("sfmbio"), "train", peptides, "-o", sample.model, "--preset", "fast",
        "--threads", 1, "--quiet", folder=folder,
    )  # fmt: skip
    text = "".join(path.read_text() for path in sorted(peptides.glob("*.fasta")))
    sequences = [record.split("\n", 1)[1] for record in text.split(">")[1:]]
    with sample.records.open("w") as out:
        for number, sequence in enumerate(islice(cycle(sequences), n_records)):
            out.write(f">query{number}\n{sequence}")
    predict(sample.model, sample.records, sample.table, folder)
    if len(sample.table.read_text().splitlines()) != n_records + 1:
        raise Failed(f"{n_records} records did not give as many rows")
    return sample


def predict(model: Path, records: Path, table: Path, folder: Path) -> None:
    """One run of ``sfmbio predict``."""
    call(tool("sfmbio"), "predict", model, records, "-o", table, "--threads", 1, "--quiet",
         folder=folder)  # fmt: skip


def same(made: Path, sample: Sample) -> str:
    """Refuse a table that is not that of one run."""
    if made.read_bytes() != sample.table.read_bytes():
        raise Failed(f"{made.name}: not the table of one run")
    rows = len(sample.table.read_text().splitlines()) - 1
    return f"{rows} records in {sample.shards} parts, the table of one run to the byte"


def versions(sample: Sample) -> str:
    """The recipes name the version of the package."""
    try:
        return check_copies(ROOT)
    except Wrong as reason:
        raise Failed(str(reason)) from None


def conda(sample: Sample) -> str:
    """The conda recipe asks for what pyproject.toml asks for."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)
    wanted = {"python" + project["project"]["requires-python"]}
    for requirement in project["project"]["dependencies"]:
        name, bound = re.fullmatch(r"([\w-]+)(>=.+)", requirement).groups()
        wanted.add(CONDA_NAMES.get(name, name) + bound)
    text = (HERE / "conda" / "meta.yaml").read_text()
    run = text.partition("\n  run:\n")[2].partition("\n\n")[0]
    found = {line.strip("- ").replace(" ", "") for line in run.splitlines()}
    if found != wanted:
        raise Failed(f"run requirements differ from pyproject.toml: {sorted(found ^ wanted)}")
    scripts = {f"{name} = {target}" for name, target in project["project"]["scripts"].items()}
    if missing := {script for script in scripts if f"- {script}\n" not in text}:
        raise Failed(f"entry points are missing: {sorted(missing)}")
    return f"{len(wanted)} requirements and {len(scripts)} commands as in pyproject.toml"


def docker(sample: Sample) -> str:
    """The image ends with a user without rights and two volumes; its steps are sound shell."""
    text = (HERE / "Dockerfile").read_text()
    final = text[text.rindex("\nFROM ") :]
    if re.findall(r"^USER (\S+)", final, re.M) in ([], ["root"], ["0"]):
        raise Failed("the image runs as root")
    if 'VOLUME ["/models", "/data"]' not in final:
        raise Failed("models and data are no volumes")
    steps = re.findall(r"^RUN ((?:.*\\\n)*.*)$", text, re.M)
    for step in steps:
        call("bash", "-n", "-c", re.sub(r"^--mount=\S+ ", "", step), folder=ROOT)
    kept = (HERE / "Dockerfile.dockerignore").read_text()
    check_sources(re.findall(r"^!(\S+)$", kept, re.M))
    return f"{len(steps)} steps, not root, two volumes; not built (that needs a network)"


def apptainer(sample: Sample) -> str:
    """The sections are sound shell, and what is copied is there."""
    text = (HERE / "apptainer" / "sfm-pacbayes.def").read_text()
    sections = re.split(r"^%", text, flags=re.M)[1:]
    scripts = [
        part for part in sections if part.startswith(("post", "runscript", "test", "apprun"))
    ]
    for part in scripts:
        call("bash", "-n", "-c", part.partition("\n")[2], folder=ROOT)
    copied = sections[0].partition("\n")[2].partition("Bootstrap")[0]
    check_sources([line.split()[0] for line in copied.splitlines() if line.strip()])
    return f"{len(scripts)} scripts; not built (that needs a network)"


def check_sources(names: list[str]) -> None:
    """What a build needs is copied, and what is copied exists."""
    if missing := [name for name in names if not (ROOT / name).exists()]:
        raise Failed(f"copies what does not exist: {missing}")
    needed = {
        "pyproject.toml",
        "setup.py",
        "README.md",
        "LICENSE",
        "sfmcore",
        "sfmbio",
        "sfmvision",
    }
    if missing := sorted(needed - set(names)):
        raise Failed(f"does not copy {missing}")


def galaxy_lint(sample: Sample) -> str:
    """``planemo lint`` has nothing to say."""
    tools = sorted((HERE / "galaxy").glob("sfmbio_*.xml"))
    call(tool("planemo"), "lint", "--fail_level", "warn", *tools, folder=HERE / "galaxy")
    return f"{len(tools)} tools"


def galaxy_tests(sample: Sample) -> str:
    """The commands of the tools pass the tools' own tests."""
    macros = ET.parse(HERE / "galaxy" / "macros.xml").getroot()
    passed = {}
    for path in sorted((HERE / "galaxy").glob("sfmbio_*.xml")):
        root = ET.parse(path).getroot()
        tests = root.findall("tests/test")
        for test in tests:
            with tempfile.TemporaryDirectory() as folder:
                galaxy_test(root, macros, test, Path(folder))
        passed[path.stem] = len(tests)
    if empty := [name for name, n_tests in passed.items() if not n_tests]:
        raise Failed(f"tools without a test: {empty}")
    return f"{sum(passed.values())} tests of {len(passed)} tools"


def galaxy_test(root: ET.Element, macros: ET.Element, test: ET.Element, folder: Path) -> None:
    """Run a tool's command with a test's parameters, and look at what it writes."""
    values = {}
    for param in inputs_of(root, macros):
        chosen = param.find("option[@selected='true']")
        values[name_of(param)] = param.get("value") if chosen is None else chosen.get("value")
        if param.get("type") == "boolean":
            values[name_of(param)] = param.get("falsevalue")
    for param in test.findall("param"):
        data = HERE / "galaxy" / "test-data" / param.get("value", "")
        values[param.get("name")] = str(data) if param.get("ftype") else param.get("value")
    outputs = {data.get("name", ""): folder / data.get("name", "") for data in root.iter("data")}
    # Galaxy fills the token in with a loop over the collection.
    links = ["mkdir classes"] + [
        f"ln -s '{HERE / 'galaxy' / 'test-data' / element.get('value', '')}' "
        f"'classes/{element.get('name')}.fasta'"
        for element in test.iter("element")
    ]
    command = root.findtext("command", "").replace("@LINK_CLASSES@", " && ".join([*links, ""]))
    command = command.replace("\n", " ").replace("\\$", "$")
    call("bash", "-c", fill(command, {**values, **outputs}), folder=folder)
    for output in test.findall("output"):
        check_output(outputs[output.get("name", "")], output)


def inputs_of(root: ET.Element, macros: ET.Element) -> list[ET.Element]:
    """Parameters of a tool, with those of the macros."""
    found = root.findall("inputs/param")
    for used in root.findall("inputs/expand"):
        found += macros.findall(f"xml[@name='{used.get('macro')}']/param")
    return found


def check_output(made: Path, wanted: ET.Element) -> None:
    """Refuse a file that is not what a test asserts."""
    content = wanted.find("assert_contents")
    lines = made.read_text(errors="replace").splitlines()
    for one in () if content is None else content:
        if one.tag == "has_line_matching":
            good = any(re.fullmatch(one.get("expression", ""), line) for line in lines)
        elif one.tag == "has_n_lines":
            good = len(lines) == int(one.get("n", -1))
        elif one.tag == "has_size":
            good = made.stat().st_size >= int(one.get("min", -1))
        else:
            raise Failed(f"{one.tag}: an assertion that is not known here")
        if not good:
            raise Failed(f"{made.name}: not {one.tag} {one.attrib} but {lines[:20]}")


def snakemake(sample: Sample) -> str:
    """The workflow's table is that of one run."""
    made = sample.table.with_name("snakemake.tsv")
    call(
        tool("snakemake"), "-s", HERE / "snakemake" / "Snakefile", "--cores", 1, "--config",
        f"model={sample.model}", f"input={sample.records}", f"output={made}",
        f"shards={sample.shards}", folder=made.parent,
    )  # fmt: skip
    return same(made, sample)


def nextflow(sample: Sample) -> str:
    """The workflow's table is that of one run."""
    folder = sample.table.parent
    call(
        tool("nextflow"), "-offline", "run", HERE / "nextflow" / "main.nf", "--model", sample.model,
        "--input", sample.records, "--shards", sample.shards, folder=folder,
    )  # fmt: skip
    return same(folder / "results" / f"{sample.records.stem}.tsv", sample)


def nextflow_scripts(sample: Sample) -> str:
    """The scripts of the processes, filled in by hand, make the table of one run."""
    text = (HERE / "nextflow" / "main.nf").read_text()
    part, join = (block.replace("\\\\", "\\") for block in re.findall(r'"""\n(.*?)"""', text, re.S))
    folder = sample.table.parent
    values = {"model": sample.model, "records": sample.records, "shards": sample.shards}
    values |= {"meta.id": "filled", "task.cpus": 1}
    made = []
    for number in range(1, sample.shards + 1):
        call("bash", "-c", fill(part, {**values, "number": number}), folder=folder)
        made.append(f"'filled.part{number}.tsv'")
    call("bash", "-c", fill(join, {**values, "files": " ".join(made)}), folder=folder)
    return same(folder / "filled.tsv", sample)


def name_of(param: ET.Element) -> str:
    """Name of a parameter of a tool, which may be that of its option."""
    return param.get("name") or param.get("argument", "").lstrip("-").replace("-", "_")


def fill(script: str, values: Mapping[str, object]) -> str:
    """A script with values in the place of the ``$names`` and ``${names}`` that are known."""

    def value(found: re.Match[str]) -> str:
        return str(values.get(found[1] or found[2], found[0]))

    return re.sub(r"\$(?:(\w+)|\{([\w.]+)\})", value, script)


CHECKS: list[Callable[[Sample], str]] = [
    versions, conda, docker, apptainer, galaxy_lint, galaxy_tests, snakemake, nextflow,
    nextflow_scripts,
]  # fmt: skip


def main() -> int:
    """Run all checks."""
    parser = argparse.ArgumentParser(prog="python packaging/check.py", description=__doc__)
    parser.add_argument("--records", type=int, default=2000)
    parser.add_argument("--shards", type=int, default=4)
    options = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        sample = make_sample(Path(folder), options.records, options.shards)
        for check in CHECKS:
            try:
                print(f"{check.__name__}: {check(sample)}", flush=True)
            except Skipped as reason:
                print(f"{check.__name__}: skipped: {reason}", flush=True)
            except Failed as reason:
                failures += 1
                print(f"{check.__name__}: FAILED: {reason}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
