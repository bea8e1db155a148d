"""``--checkpoint``: killed at any time, the same command goes on, and ends with the same bits."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sfmbio.alignments.references import References
from sfmbio.words.principal_words import PrincipalWords


@pytest.fixture
def train(run, peptides, small, tmp_path):
    """Train on the peptides; the outcome, and the bytes of the model."""

    def call(*more, name="model"):
        path = tmp_path / f"{name}.sfm"
        outcome = run("train", peptides, "-o", path, *small, *more)
        return outcome, path.read_bytes() if path.exists() else b""

    return call


def stamps(folder):
    return {path.name: path.stat().st_mtime_ns for path in (folder / "results").iterdir()}


def test_the_model_is_that_of_a_run_without_and_nothing_is_done_again(train, tmp_path):
    folder = tmp_path / "kept"
    _, plain = train()
    outcome, first = train("--checkpoint", folder, name="first")
    assert outcome.code == 0
    names = {f"map-{number}-class-{target}" for number in range(2) for target in range(3)}
    names |= {f"map-{number}-model-{place}" for number in range(2) for place in range(4)}
    names |= {f"map-{number}-held-out-{fold}" for number in range(2) for fold in range(4)}
    names |= {"map-0", "map-1"}
    before = stamps(folder)
    assert set(before) == {"preparation-0", "items-0.relatives-0", *names}
    again, second = train("--checkpoint", folder, name="second")
    assert again.code == 0
    assert plain == first == second
    assert stamps(folder) == before


def test_part_of_the_results_leads_to_the_same_bits(train, tmp_path):
    folder = tmp_path / "kept"
    _, plain = train("--checkpoint", folder)
    for name in ("map-1-class-1", "map-0-model-2", "preparation-0"):
        (folder / "results" / name).unlink()
    damaged = folder / "results" / "map-0-class-2"
    damaged.write_bytes(damaged.read_bytes()[:-100])
    outcome, after = train("--checkpoint", folder, name="after")
    assert after == plain
    assert [line for line in outcome.messages if "damaged" in line or "cut short" in line] == [
        f"warning: {damaged} is cut short or changed: it does not end with the checksum it was "
        "written with; its task will be repeated"
    ]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["--seed", "1"], "was started with random_state = 0, which is now 1"),
        (["--set", "C=7"], "was started with C = 300.0, which is now 7"),
        (
            ["--set", "unlabeled=random"],
            "was started with unlabeled = 'auto', which is now 'random'",
        ),
    ],
)
def test_other_settings_are_refused(train, tmp_path, more, why):
    folder = tmp_path / "kept"
    train("--checkpoint", folder)
    outcome, model = train("--checkpoint", folder, *more, name="other")
    assert (outcome.code, model) == (2, b"")
    assert outcome.messages[-1] == f"checkpoint {folder}: {why}: give another folder"


def test_threads_and_progress_may_change(train, tmp_path):
    folder = tmp_path / "kept"
    _, first = train("--checkpoint", folder, "--threads", 1)
    _, second = train("--checkpoint", folder, "--threads", 2, "--quiet", name="second")
    assert first == second


def test_other_data_are_refused(train, run, two_classes, tmp_path, small):
    folder = tmp_path / "kept"
    train("--checkpoint", folder)
    outcome = run("train", two_classes, "-o", tmp_path / "x.sfm", *small, "--checkpoint", folder)
    assert outcome.code == 2
    assert outcome.messages[-1].endswith("was started with other data: give another folder")
    outcome = run("evaluate", two_classes, "--partitions", 1, *small, "--checkpoint", folder)
    assert outcome.code == 2
    assert "was started with command = 'train', which is now 'evaluate'" in outcome.messages[-1]


def test_a_folder_that_cannot_be_made_is_refused_before_reading(run, tmp_path):
    (tmp_path / "file").write_text("")
    outcome = run(
        "train", tmp_path / "none", "-o", tmp_path / "m", "--checkpoint", tmp_path / "file" / "x"
    )
    assert outcome.code == 2
    assert outcome.messages[0].startswith(f"checkpoint {tmp_path / 'file' / 'x'}: ")


def test_a_folder_and_a_model_of_one_name_are_refused_before_reading(run, tmp_path):
    name = tmp_path / "enzymes"
    outcome = run("train", tmp_path / "none", "-o", name, "--checkpoint", name)
    assert (outcome.code, outcome.messages) == (2, [f"{name}: Is a directory"])


def test_an_evaluation_goes_on_with_more_halves(run, peptides, small, tmp_path):
    def evaluate(partitions, *more):
        path = tmp_path / "report.json"
        outcome = run(
            "evaluate", peptides, *small, "--partitions", partitions, "--json", path, *more
        )
        assert outcome.code == 0
        return path.read_text()

    kept = "--checkpoint", tmp_path / "kept"
    plain = evaluate(3)
    evaluate(2, *kept)
    before = stamps(tmp_path / "kept")
    assert set(before) == {"half-0", "half-1"}
    assert evaluate(3, *kept) == plain
    assert before.items() < stamps(tmp_path / "kept").items()


def test_folds_are_kept_and_do_not_mix_with_others(run, peptides, small, tmp_path):
    folder, path = tmp_path / "kept", tmp_path / "report.json"

    def evaluate(*more):
        return run("evaluate", peptides, *small, "--json", path, *more)

    kept = "--checkpoint", folder
    assert evaluate("--folds", 3).code == 0
    plain = path.read_text()
    assert evaluate("--folds", 3, *kept).code == 0
    assert path.read_text() == plain
    before = stamps(folder)
    assert set(before) == {"fold-0", "fold-1", "fold-2"}
    (folder / "results" / "fold-1").unlink()
    path.unlink()
    assert evaluate("--folds", 3, *kept).code == 0
    assert path.read_text() == plain
    after = stamps(folder)
    assert [name for name in before if after[name] != before[name]] == ["fold-1"]
    for protocol, now in ((("--folds", 4), "4"), (("--partitions", 2), "unset")):
        outcome = evaluate(*protocol, *kept)
        assert outcome.code == 2
        why = f"was started with folds = 3, which is now {now}: give another folder"
        assert outcome.messages[-1] == f"checkpoint {folder}: {why}"


def killed(process, folder, n_results):
    """Kill a run that has no time to clean up, once so many results are there."""
    results = folder / "results"
    ends = time.monotonic() + 60
    while time.monotonic() < ends and process.poll() is None:
        if (
            results.is_dir()
            and len([p for p in results.iterdir() if p.name[0] != "."]) >= n_results
        ):
            break
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return process.returncode


@pytest.mark.slow
def test_killed_at_every_stage_the_same_command_goes_on(start, train, peptides, small, tmp_path):
    _, plain = train()
    folder, path = tmp_path / "kept", tmp_path / "killed.sfm"
    command = ["train", peptides, "-o", path, *small, "--checkpoint", folder, "--threads", 1]
    seen: dict[str, int] = {}
    for n_results in range(7):
        code = killed(start(*command), folder, n_results)
        assert code in (-signal.SIGKILL, 0)
        found = stamps(folder) if (folder / "results").is_dir() else {}
        # What was finished before this start was not done again.
        assert seen.items() <= found.items()
        # Those with a dot are parts, which go when their task is finished, or were being written.
        seen = {name: stamp for name, stamp in found.items() if "." not in name}
    process = start(*command)
    process.communicate()
    assert process.returncode == 0
    assert path.read_bytes() == plain
    assert seen.items() <= stamps(folder).items()


@pytest.mark.slow
def test_a_killed_evaluation_goes_on(start, run, peptides, small, tmp_path):
    report, folder = tmp_path / "report.json", tmp_path / "kept"
    command = ["evaluate", peptides, *small, "--partitions", 3, "--json", report, "--threads", 1]
    assert run(*command).code == 0
    plain = report.read_text()
    report.unlink()
    # The second of these is within a half, whose pairs so far are kept.
    for n_results in (1, 4, 3):
        killed(start(*command, "--checkpoint", folder), folder, n_results)
        assert not report.exists()
    process = start(*command, "--checkpoint", folder)
    process.communicate()
    assert process.returncode == 0
    assert report.read_text() == plain
    assert set(stamps(folder)) == {"half-0", "half-1", "half-2"}


@pytest.mark.slow
def test_a_full_disk_ends_in_a_sentence_and_the_same_command_goes_on(
    start, train, peptides, small, tmp_path
):
    _, plain = train()
    folder, path = tmp_path / "kept", tmp_path / "full.sfm"
    command = ["train", peptides, "-o", path, *small, "--checkpoint", folder]

    def ends(process):
        _, err = process.communicate()
        assert b"Traceback" not in err
        return process.returncode, err.decode().splitlines()[-1]

    # The preparation of the peptides is a file of some MB.
    limited = ["bash", "-c", 'trap "" XFSZ; ulimit -f 1000; exec "$@"', "bash"]
    shell = subprocess.Popen(
        [*limited, sys.executable, "-m", "sfmbio", *map(str, command)],
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
    )
    code, last = ends(shell)
    assert code == 2
    assert last.startswith(f"sfmbio: checkpoint {folder}: File too large; its content is kept")
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
    code, _ = ends(start(*command))
    assert code == 0
    assert path.read_bytes() == plain


def test_words_are_kept_before_the_references_are(train, tmp_path, monkeypatch):
    folder = tmp_path / "kept"
    _, plain = train()

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(References, "of", interrupted)
        assert train("--checkpoint", folder, name="first")[0].code == 130
    assert set(stamps(folder)) == {"preparation-0.fit.words"}
    monkeypatch.setattr(PrincipalWords, "of", interrupted)
    outcome, after = train("--checkpoint", folder, name="second")
    assert (outcome.code, after) == (0, plain)
