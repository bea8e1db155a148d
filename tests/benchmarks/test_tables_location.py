"""Tables 6 and 7: folds that are fixed, and parts that are published."""

import numpy as np
import pytest

from benchmarks.tables import registry, trial
from benchmarks.tables.dataset import Dataset, Half
from benchmarks.tables.location import datasets as location
from benchmarks.tables.ours import sfm
from benchmarks.tables.partitions import half
from benchmarks.tables.peers.machines import gaussian_pairs, kernel_machine, linear_trigrams
from benchmarks.tables.peers.trees import boosting, forest
from benchmarks.tables.peptides import datasets as peptides
from sfmcore.data.ragged import Ragged

LETTERS = np.array(list("ACDEFGHIKLMNPQRSTVWY"))


def write(path, n_items, seed):
    random = np.random.default_rng(seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    texts = ["".join(random.choice(LETTERS, 20)) for _ in range(n_items)]
    path.write_text("".join(f">{path.stem}{k} more\n{text}\n" for k, text in enumerate(texts)))


@pytest.fixture
def proteins(monkeypatch, tmp_path):
    monkeypatch.setenv("SFM_DATA", str(tmp_path))
    return tmp_path / "proteins"


def test_folds_of_locations_are_fixed_and_test_each_item_once(proteins):
    for number, name in enumerate(("ER", "Golgi", "nuclear")):
        write(proteins / "multiloc" / f"{name}.fasta", 10, number)
    dataset = location.load("multiloc")
    tested = []
    for partition in range(5):
        first, second = half(dataset, partition, 0), half(dataset, partition, 7)
        assert first.test.tolist() == second.test.tolist()
        assert np.unique(first.y_test, return_counts=True)[1].tolist() == [2, 2, 2]
        tested += first.test.tolist()
    assert sorted(tested) == list(range(30))
    assert list(registry.TABLES["6"].partitions_of("multiloc", 3)) == [0, 1, 2, 3, 4]
    write(proteins / "subcellular" / "cyto.fasta", 4, 5)
    assert not location.load("subcellular").parts
    assert list(registry.TABLES["6"].partitions_of("subcellular", 3)) == [0, 1, 2]
    with pytest.raises(ValueError, match="there is no data set 'pfam', only multiloc, subcell"):
        location.load("pfam")


def test_peptides_are_learnt_from_the_training_and_the_tuning_part(proteins):
    for number, part in enumerate(("tr", "eval", "te")):
        for kind in ("AMP", "DECOY"):
            write(proteins / "amp_veltri" / f"{kind}.{part}.fa", 4 - number, number)
    dataset = peptides.load("amp")
    own = half(dataset, 0, 0)
    assert own.y.tolist() == ["peptide"] * 4 + ["decoy"] * 4 + ["peptide"] * 3 + ["decoy"] * 3
    assert own.y_test.tolist() == ["peptide"] * 2 + ["decoy"] * 2
    assert dataset.targets == ["peptide"]
    with pytest.raises(ValueError, match="there is no data set 'pfam', only amp"):
        peptides.load("pfam")


def classes_of(n_classes):
    """Classes of items that lack some letters each."""
    random = np.random.default_rng(1)
    items = [random.integers(2 * (k % n_classes), 14, 60) for k in range(60 * n_classes)]
    labels = np.array(["decoy", "peptide", "third"])[np.arange(60 * n_classes) % n_classes]
    return Dataset("amp", Ragged.from_items(items), labels, "made up")


METHODS = {
    "gaussian_pairs": kernel_machine(gaussian_pairs),
    "trigram": linear_trigrams,
    "forest": forest(),
    "boosting": boosting(20),
    "sfm": sfm("fast", n_states=2, em_max_iter=20),
}


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_methods_give_labels_decisions_and_scores(name, n_classes):
    own: Half = half(classes_of(n_classes), 0, 0)
    outcome = METHODS[name](own)
    n_targets = 1 if n_classes == 2 else 3
    assert outcome.decisions.shape == outcome.scores.shape == (30 * n_classes, n_targets)
    assert outcome.training.keys() == {"seconds", "processor_seconds"}
    assert np.mean(outcome.labels == own.y_test) > 0.6
    if n_classes == 2:
        assert np.array_equal(outcome.decisions[:, 0], outcome.labels == "peptide")
        assert np.array_equal(outcome.scores[:, 0] > 0, outcome.labels == "peptide")


def test_peptides_are_measured_in_three_ways(monkeypatch):
    monkeypatch.setitem(registry.TABLES["7"].methods, "forest", METHODS["forest"])
    row = trial.run("7", classes_of(2), "forest", 0, 0)
    assert row["measures"].keys() == {"accuracy", "AUROC", "MCC"}
    assert row["measures"]["accuracy"] == row["multiclass"]["accuracy"]
    assert 0 < row["measures"]["MCC"] <= 100
