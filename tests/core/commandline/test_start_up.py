"""What a program imports before it has something to do."""

import gc
import json
import subprocess
import sys
from pathlib import Path

import pytest

from sfmbio.commandline.options import GROUPED_BY
from sfmbio.reading.datasets import GROUPINGS
from sfmcore.commandline.loading import load_command

ROOT = Path(__file__).parents[3]
MODEL = ROOT / "tests" / "golden" / "models" / "format3_proteins_fast.sfm"
# Each takes as long to import as Python takes to start, or longer.
LARGE = {"numpy", "scipy", "sklearn", "joblib", "pandas", "cv2", "PIL", "distributed", "matplotlib"}
# Every scikit-learn or one of our modules imports these. pandas may be missing.
SELDOM = (
    "importlib.metadata", "numpy.f2py", "scipy.cluster", "scipy.linalg", "scipy.optimize",
    "scipy.sparse.csgraph", "scipy.sparse.linalg", "scipy.spatial", "scipy.special", "scipy.stats",
    "sfmbio.explaining.residues", "sfmcore.explaining.vectors",
)  # fmt: skip
COMMANDS = ("train", "predict", "explain", "test", "evaluate", "suspects")


def imported(package: str, *arguments: str) -> tuple[set[str], dict[str, str]]:
    """Modules that a run of a program has imported at its end, and the types of the seldom ones."""
    program = f"""
import atexit, json, sys
from sfmcore.commandline.loading import load_and_run
def report():
    kinds = {{name: type(sys.modules[name]).__name__ for name in {SELDOM!r} if name in sys.modules}}
    print(json.dumps([sorted(sys.modules), kinds]), file=sys.stderr)
atexit.register(report)
sys.argv = {[package, *arguments]!r}
sys.exit(load_and_run({package!r}))
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    names, kinds = json.loads(ended.stderr.splitlines()[-1])
    assert ended.stdout
    return set(names), kinds


@pytest.mark.parametrize("package", ["sfmbio", "sfmvision"])
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["train", "--help"]])
def test_version_and_help_import_nothing_large(package, arguments):
    names, _ = imported(package, *arguments)
    assert not names & LARGE


def test_a_prediction_leaves_alone_what_it_does_not_need(tmp_path):
    records = tmp_path / "a.fasta"
    records.write_text(">a\nMKVLAAGGLLW\n")
    names, kinds = imported("sfmbio", "predict", str(MODEL), str(records), "--quiet")
    assert "sklearn" in names
    assert "tqdm" not in names
    assert {"scipy.special", "scipy.stats"} <= kinds.keys()
    assert set(kinds.values()) == {"_Deferred"}
    own = {name.rpartition(".")[2] for name in names if name.startswith("sfmbio.commandline.comm")}
    assert own & {"commands", *COMMANDS} == {"commands", "predict"}
    others = {"sfmbio.commandline.explaining", "sfmbio.commandline.grouping", "sfmcore.reporting"}
    assert not names & others


@pytest.mark.parametrize("package", ["sfmbio", "sfmvision"])
def test_every_command_is_a_module_with_a_function_of_its_name(package):
    for name in COMMANDS:
        assert load_command(package, name).__module__ == f"{package}.commandline.commands.{name}"


# How the rest of a program finds the garbage collector.
COLLECTING = """
import gc, sys
from sfmcore.commandline import loading
from sfmbio.commandline import cli
cli.main = lambda: print(gc.isenabled(), loading.load_command("sfmbio", "predict").__name__,
                         gc.isenabled(), gc.get_freeze_count() > 100)
loading.load_and_run("sfmbio")
"""


@pytest.mark.parametrize(
    ("before", "said"),
    [("", "False predict True True"), ("import gc; gc.disable()", "False predict False False")],
)
def test_garbage_is_searched_for_once_all_is_imported(before, said):
    command = [sys.executable, "-c", f"{before}\n{COLLECTING}"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ended.stdout.strip() == said


def test_whoever_imports_the_package_keeps_the_garbage_collector_as_it_is():
    frozen = gc.get_freeze_count()
    load_command("sfmbio", "predict")
    assert gc.isenabled()
    assert gc.get_freeze_count() == frozen


def test_names_of_groups_are_those_that_can_be_made():
    assert tuple(GROUPINGS) == GROUPED_BY


# In a process of their own, since nothing is deferred that is imported already.
DEFERRED = """
import sys
from sfmcore.commandline.deferred import defer
defer("json", "colorsys", "xml.dom")
"""


def run(program: str) -> str:
    command = [sys.executable, "-c", DEFERRED + program]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return ended.stdout.strip()


def test_a_deferred_module_is_executed_by_its_first_use_alone():
    said = run("""
import json
import json
assert "json.decoder" not in sys.modules
assert "dumps" not in vars(json)
print(json.dumps([1]), type(json).__name__, "json.decoder" in sys.modules)
""")
    assert said == "[1] module True"


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("from json import dumps", "dumps([2])"),
        ("import json.encoder", "json.dumps([2])"),
        ("import json.encoder as e", "e.JSONEncoder().encode([2])"),
        ("import importlib, json; importlib.reload(json)", "json.dumps([2])"),
    ],
)
def test_every_way_to_import_it_works(statement, value):
    assert run(f"{statement}\nprint({value})") == "[2]"


def test_a_package_is_executed_before_what_is_below_it(tmp_path):
    for name, text in (("__init__", "print('package')"), ("below", "print('below'); NAME = 4")):
        (tmp_path / "planted").mkdir(exist_ok=True)
        (tmp_path / "planted" / f"{name}.py").write_text(text)
    said = run(f"""
sys.path.insert(0, {str(tmp_path)!r})
defer("planted", "planted.below")
import planted.below as below
print("imported")
print(below.NAME)
""")
    assert said.split() == ["imported", "package", "below", "4"]


def test_what_is_below_a_deferred_package_finds_it_executed():
    said = run("""
import xml.dom, xml.dom.minidom
print(type(xml.dom).__name__, xml.dom.minidom.parseString("<a/>").documentElement.tagName)
""")
    assert said == "module a"


@pytest.fixture
def planted(tmp_path):
    """Program that defers a package, two of whose names come from modules below it."""
    files = {
        "__init__": "print('package')\nfrom planted.home import *\nMORE = 2",
        "home": "print('home')\nfrom planted import beside\n__all__ = ['NAME']\nNAME = beside.ONE",
        "beside": "ONE = object()",
    }
    (tmp_path / "planted").mkdir()
    for name, text in files.items():
        (tmp_path / "planted" / f"{name}.py").write_text(text)
    return f"""
sys.path.insert(0, {str(tmp_path)!r})
defer(homes={{"planted": {{"NAME": "home", "MORE": "home", "missing": "nowhere"}}}})
import planted
"""


@pytest.mark.parametrize(
    ("statements", "said"),
    [
        ("from planted import NAME", "home"),
        ("planted.NAME; planted.NAME", "home"),
        # What has no home, or is not there.
        ("import planted.beside", "package home"),
        ("from planted import *", "package home"),
        ("first = planted.NAME; planted.MORE; print(first is planted.NAME)", "home package True"),
        ("print(hasattr(planted, 'missing'))", "package home False"),
    ],
)
def test_a_name_that_comes_from_below_does_not_execute_its_package(planted, statements, said):
    assert run(f"{planted}\n{statements}").split() == said.split()


def test_names_that_come_from_below_are_those_of_the_package():
    said = run("""
from sfmcore.commandline import loading
defer(homes=loading._HOMES)
found = []
for package, homes in loading._HOMES.items():
    __import__(package)
    found += [(package, name, getattr(sys.modules[package], name)) for name in homes]
assert type(sys.modules["scipy.special"]).__name__ == "_Deferred"
from sfmcore.commandline.deferred import execute_deferred
execute_deferred(*loading._HOMES)
print({getattr(sys.modules[package], name) is one for package, name, one in found})
""")
    assert said == "{True}"


def test_a_missing_name_or_module_is_said_as_ever():
    said = run("""
import colorsys
try:
    colorsys.nothing
except AttributeError as error:
    print(error)
defer("no_such_module")
try:
    import no_such_module
except ModuleNotFoundError as error:
    print(error)
""")
    missing = "module 'colorsys' has no attribute 'nothing'"
    assert said.splitlines() == [missing, "No module named 'no_such_module'"]


def test_threads_that_use_it_at_once_find_it_whole():
    said = run("""
import json
from threading import Barrier, Thread
barrier, found = Barrier(8), []
def use():
    barrier.wait()
    found.append(json.JSONDecoder().decode("[3]"))
threads = [Thread(target=use) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(found == [[3]] * 8)
""")
    assert said == "True"


def test_what_is_deferred_is_executed_when_told():
    said = run("""
import json, colorsys
from sfmcore.commandline.deferred import execute_deferred
before = type(colorsys).__name__
execute_deferred("colorsys", "json")
print(before, type(colorsys).__name__, type(json).__name__)
""")
    assert said == "_Deferred module module"


@pytest.mark.parametrize("use", ["signs.hear", "signs.seen", "signs.nothing"])
def test_an_interrupt_waits_until_a_module_is_whole(tmp_path, use):
    (tmp_path / "heard.py").write_text("def hear(): pass")
    (tmp_path / "signs.py").write_text("""
import os, signal
try:
    os.kill(os.getpid(), signal.SIGINT)
    seen = sum(range(10000))
except BaseException:
    pass
from heard import hear
""")
    # Who starts the tests in the background may have set it to be ignored.
    said = run(f"""
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.append({str(tmp_path)!r})
defer("signs", homes={{"signs": {{"hear": "heard"}}}})
before = signal.getsignal(signal.SIGINT)
import signs
try:
    {use}
except KeyboardInterrupt:
    print("interrupted", signs.seen, hasattr(signs, "hear"), type(signs).__name__)
print(signal.getsignal(signal.SIGINT) is before)
""")
    assert said.splitlines() == ["interrupted 49995000 True module", "True"]


def test_a_program_ends_while_a_thread_multiplies_matrices(tmp_path):
    # The usual way down would wait for OpenBLAS without end.
    folder = tmp_path / "given_up" / "commandline"
    folder.mkdir(parents=True)
    (folder / "cli.py").write_text(
        """
import threading
import numpy as np
from sfmcore.parallel.workers import workers

def main():
    square, begun = np.ones((4000, 4000)), threading.Event()

    def multiply():
        begun.set()
        return square @ square

    try:
        with workers(1) as pool:
            pool.submit(multiply)
            begun.wait()
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        return 130
"""
    )
    program = "import sys\nfrom sfmcore.commandline.loading import load_and_run\n"
    program += f"sys.path.append({str(tmp_path)!r})\nsys.exit(load_and_run('given_up'))\n"
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stderr) == (130, b"")
