"""Table 4: its families, what is measured, and a run that goes on."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.tables import __main__ as main
from benchmarks.tables import registry, trial
from benchmarks.tables.dataset import Dataset, Part
from benchmarks.tables.ours import sfm
from benchmarks.tables.partitions import half
from benchmarks.tables.remote_homology import datasets
from benchmarks.tables.remote_homology.datasets import MEMBER, OTHER
from benchmarks.tables.report import write_report
from benchmarks.tables.results import Results
from sfmcore.data.ragged import Ragged

ROLES = {"d0": "1 4", "d1": "3 4", "d2": "2 1", "d3": "4 3", "d4": "0 2"}


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """Five sequences and two families where they are looked for."""
    monkeypatch.setenv("SFM_DATA", str(tmp_path))
    own = tmp_path / "proteins" / "scop_1_53"
    own.mkdir(parents=True)
    (own / "scop.1.53.1e-25.fasta").write_text(
        "".join(f">{name} 1.1.{place}.1.1 a domain\nmkv{'la' * 9}\n"
                for place, name in enumerate(ROLES))
    )  # fmt: skip
    # The rows may stand in another order.
    lines = [f"{name} {roles}\n" for name, roles in sorted(ROLES.items(), reverse=True)]
    (own / "all_seq_fam_membership.txt").write_text("ID 1.1.0.1 1.1.2.1\n" + "".join(lines))
    return own


def test_a_part_is_a_family_and_has_its_own_labels(folder):
    dataset = datasets.load("scop")
    first, second = half(dataset, 0, 0), half(dataset, 1, 0)
    assert (first.name, second.name) == ("1.1.0.1", "1.1.2.1")
    assert (first.train.tolist(), first.test.tolist()) == ([0, 2], [1, 3])
    assert first.y.tolist() == [MEMBER, OTHER]
    assert first.y_test.tolist() == [MEMBER, OTHER]
    assert (second.train.tolist(), second.y.tolist()) == ([2, 4], [MEMBER, OTHER])
    assert second.test.tolist() == [0, 1, 3]
    assert second.dataset.targets == [MEMBER]


def test_a_sequence_without_a_row_and_an_unknown_set_are_refused(folder):
    with pytest.raises(ValueError, match="there is no data set 'pfam', only scop"):
        datasets.load("pfam")
    path = folder / "all_seq_fam_membership.txt"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(ValueError, match="no row for d0"):
        datasets.load("scop")


def make_dataset():
    """Two classes of different letters, and two ways to part them."""
    random = np.random.default_rng(0)
    items = [random.integers(0, 20 if place < 20 else 6, 40) for place in range(40)]
    y = np.repeat([OTHER, MEMBER], 20)
    places = np.arange(40)
    parts = tuple(
        Part(places[places % 2 == odd], places[places % 2 != odd], f"family {odd}", y)
        for odd in range(2)
    )
    return Dataset("scop", Ragged.from_items(items), np.repeat("", 40), "made up", parts=parts)


def test_families_are_measured_one_by_one_and_a_run_goes_on(monkeypatch, tmp_path):
    table = registry.TABLES["4"]
    monkeypatch.setitem(table.methods, "sfm", sfm("fast", n_states=2, em_max_iter=20))
    results = Results(tmp_path / "table4.jsonl", 0)
    for method in ("sfm", "gaussian_pairs"):
        for partition in range(2):
            row = trial.run("4", make_dataset(), method, partition, 0)
            assert row["part"] == f"family {partition}"
            assert row["measures"]["ROC"] > 90
            assert row["measures"]["ROC50"] <= row["measures"]["ROC"]
            results.add(row)
    monkeypatch.setattr(main, "TABLES", {"4": replace(table, load=lambda name: make_dataset())})
    options = SimpleNamespace(what="4", sets=["scop"], methods=["sfm"], partitions=1, seed=0)
    left = [partition for _, _, _, partition, _ in main.trials_of(options, results)]
    assert left == list(range(2, 54))
    text = write_report("4", results, tmp_path)[1].read_text()
    assert "| ROC50 |" in text
    assert "(of 2)" in text
    assert "Wilcoxon" in text
    assert (tmp_path / "table4.png").stat().st_size > 10_000
