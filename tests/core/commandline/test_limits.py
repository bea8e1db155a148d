"""What a command says where the system gives it less than it needs."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sfmbio.commandline.cli import main
from sfmcore.commandline.arguments import natural, positive
from sfmcore.files.atomic import check_writable

ROOT = Path(__file__).parents[3]
MODEL = ROOT / "tests" / "golden" / "models" / "format3_proteins_fast.sfm"
PEPTIDES = ROOT / "data" / "peptides"


def shell(command: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", command.replace("sfmbio", f"{sys.executable} -m sfmbio")],
        cwd=tmp_path, capture_output=True, text=True, timeout=120,
    )  # fmt: skip


@pytest.mark.parametrize("command", ["info MODEL", "predict MODEL a.fasta"])
def test_a_closed_standard_output_is_no_success(tmp_path, command):
    (tmp_path / "a.fasta").write_text(">a\nMKVLAAGG\n")
    ended = shell(f"sfmbio {command} >&-".replace("MODEL", str(MODEL)), tmp_path)
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1] == "sfmbio: standard output is closed"


def test_a_table_in_a_file_needs_no_standard_output(tmp_path):
    (tmp_path / "a.fasta").write_text(">a\nMKVLAAGG\n")
    ended = shell(f"sfmbio predict {MODEL} a.fasta -o a.tsv >&-", tmp_path)
    assert (ended.returncode, len((tmp_path / "a.tsv").read_text().splitlines())) == (0, 2)


# Between these OpenBLAS itself may give up, and end the process.
@pytest.mark.parametrize("kilobytes", [300_000, 700_000])
def test_little_memory_ends_in_a_sentence(tmp_path, kilobytes):
    if kilobytes < 500_000 and np.lib.NumpyVersion(np.__version__) < "2.0.0":
        pytest.skip(
            "the OpenBLAS of NumPy 1.26 never stops to ask for memory that there is none of"
        )
    # Fewer threads of BLAS, each of which reserves memory, so that the limit hits us and not it.
    limits = f"export OPENBLAS_NUM_THREADS=1; ulimit -v {kilobytes};"
    fast = "--states 2 --set n_init=1 --set em_max_iter=3 --set n_pairs=1 --threads 2 --quiet"
    ended = shell(f"{limits} sfmbio train {PEPTIDES} -o m.sfm {fast}", tmp_path)
    assert ended.returncode in (0, 2)
    assert "Traceback" not in ended.stderr
    if ended.returncode:
        assert ended.stderr.splitlines()[-1].startswith("sfmbio: ")


def test_no_thread_is_said_with_the_way_out(monkeypatch, capsys):
    from sfmbio.commandline.about import PROGRAM

    def fail(*_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(PROGRAM.classifier, "load", fail)
    assert main(["predict", str(MODEL), str(PEPTIDES)]) == 2
    expected = "sfmbio: can't start another thread: lower --threads, or raise the limits"
    assert capsys.readouterr().err.startswith(expected)


@pytest.mark.parametrize(("read", "least"), [(positive, 1), (natural, 0)])
@pytest.mark.parametrize("text", ["-1", "1.5", "", "9999999999"])
def test_whole_numbers_say_their_own_range(read, least, text):
    with pytest.raises(Exception, match=f"must be a whole number of {least} to 999999999"):
        read(text)


def test_zero_threads_are_refused_with_the_range(capsys):
    with pytest.raises(SystemExit):
        main(["train", str(PEPTIDES), "-o", "m.sfm", "--threads", "0"])
    assert "whole number of 1 to 999999999, got '0'" in capsys.readouterr().err


def test_names_that_no_file_can_have_are_refused_before_the_work(tmp_path):
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for name, words in ((tmp_path / ("x" * 300), "too long"), (loop, "symbolic links")):
        with pytest.raises(OSError, match=words) as caught:
            check_writable(name)
        assert caught.value.filename == str(name)
