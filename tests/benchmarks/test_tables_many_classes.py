"""Tables 5 and 8: their sets, accuracy over all classes at once, and their reports."""

import json
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score

from benchmarks.tables import registry, trial
from benchmarks.tables.__main__ import trials_of
from benchmarks.tables.dataset import Dataset, Half, Outcome
from benchmarks.tables.many_classes import bands, datasets
from benchmarks.tables.many_classes.methods import METHODS
from benchmarks.tables.markdown import text_of
from benchmarks.tables.ours import sfm
from benchmarks.tables.partitions import half
from benchmarks.tables.report import summary_of, write_report
from benchmarks.tables.results import Results
from benchmarks.tables.searching.hits import Hits
from benchmarks.tables.superfamilies.datasets import load as load_scop
from sfmbio.classifier import ProteinClassifier
from sfmcore.data.ragged import Ragged

HEADER = {"seed": 0, "unit": "percent", "versions": {"numpy": "2"}}
TABLE = registry.TABLES["5"]
LETTERS = "ACDEFGHIKLMNPQRSTVWY"


def row(name, method, partition, accuracy, balanced, seconds=2.0):
    return {
        "set": name,
        "method": method,
        "partition": partition,
        "accuracy": 99.0,
        "multiclass": {"accuracy": accuracy, "balanced": balanced},
        "training": {"seconds": seconds, "processor_seconds": 2 * seconds},
    }


def sequences_of(n_items, seed=0):
    random = np.random.default_rng(seed)
    return ["".join(random.choice(list(LETTERS), 30)) for _ in range(n_items)]


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """Small files where the sets are looked for."""
    monkeypatch.setenv("SFM_DATA", str(tmp_path))
    proteins = tmp_path / "proteins"
    for name, records in (
        ("ec3/train", [("a", "1.1.1"), ("b", "2.7.1"), ("c", "1.1.1")]),
        ("ec3/test", [("d", "2.7.1")]),
    ):
        path = proteins / name
        path.parent.mkdir(parents=True, exist_ok=True)
        texts = [f">{key} EC={label}\nMKV{'LA' * 5}\n" for key, label in records]
        path.with_suffix(".fasta").write_text("".join(texts))
        lines = [f"{key}\t{label}\n" for key, label in records]
        path.with_suffix(".tsv").write_text("id\tlabel\n" + "".join(lines))
    counts = {"1.1.1": 10, "1.1.2": 9, "2.1.1": 12, "2.2.1": 9}
    pool = proteins / "scop_1_53" / "scop.1.53.1e-25.fasta"
    pool.parent.mkdir()
    labels = [label for label, count in counts.items() for _ in range(count)]
    pool.write_text(
        "".join(
            f">d{place} {label}.1.1 a domain\n{text}\n"
            for place, (label, text) in enumerate(zip(labels, sequences_of(40), strict=True))
        )
    )
    return tmp_path


def test_ec3_keeps_its_published_parts(folder):
    dataset = datasets.load("ec3")
    assert dataset.y.tolist() == ["1.1.1", "2.7.1", "1.1.1", "2.7.1"]
    assert len(dataset.X) == 4
    for partition, seed in ((0, 0), (0, 1), (3, 0)):
        own = half(dataset, partition, seed)
        assert (own.train.tolist(), own.test.tolist()) == ([0, 1, 2], [3])


def test_superfamilies_and_folds_of_fewer_than_ten_are_left_out(folder):
    dataset = load_scop("superfamilies")
    assert Counter(dataset.y.tolist()) == {"1.1.1": 10, "2.1.1": 12}
    assert not dataset.parts
    own = half(dataset, 0, 0)
    assert Counter(own.y.tolist()) == {"1.1.1": 5, "2.1.1": 6}
    assert Counter(load_scop("folds").y.tolist()) == {"1.1": 19, "2.1": 12}


def test_an_unknown_set_is_refused():
    with pytest.raises(ValueError, match="there is no data set 'pfam', only ec3"):
        datasets.load("pfam")
    with pytest.raises(ValueError, match="there is no data set 'pfam', only superfamilies, folds"):
        load_scop("pfam")


@pytest.mark.parametrize(
    ("what", "name", "count"), [("5", "ec3", 1), ("8", "superfamilies", 3), ("8", "folds", 3)]
)
def test_a_published_part_is_tried_once(folder, tmp_path, what, name, count):
    results = Results(tmp_path / f"table{what}.jsonl", 0)
    options = SimpleNamespace(what=what, sets=[name], methods=["sfm", "fast"], partitions=3, seed=0)
    wanted = [(one.name, method, p) for _, one, method, p, _ in trials_of(options, results)]
    assert Counter(wanted) == Counter(
        (name, method, p) for method in ("sfm", "fast") for p in range(count)
    )
    results.add(row(name, "sfm", 0, 50.0, 40.0))
    left = [(one.name, method, p) for _, one, method, p, _ in trials_of(options, results)]
    assert set(wanted) - set(left) == {(name, "sfm", 0)}


def test_bands_are_those_of_the_nearest_training_sequence(monkeypatch):
    e_values = np.array([1e-40, 1e-11, 1e-10, 1e-4, 0.5, 7.0])
    hits = Hits(np.arange(6), np.zeros(6, dtype=int), e_values, np.ones(6), {})
    monkeypatch.setattr(bands, "mmseqs2", lambda half: hits)
    y = np.array(["a", "a", "b", "a", "b", "a", "b"])
    own = Half(Dataset("ec3", np.zeros((7, 1)), y, ""), np.arange(0), np.arange(7), 0)
    said = np.array(["a", "b", "b", "a", "a", "a", "a"])
    found = bands.measure(own, Outcome(np.zeros((7, 1), dtype=bool), labels=said))
    assert {name: value for name, value in found.items() if "balanced" not in name} == {
        "E < 1e-10": 50.0, "E 1e-10 to 1e-3": 100.0, "E 1e-3 to 1": 0.0, "E > 1": 50.0,
    }  # fmt: skip
    assert found["E > 1, balanced"] == 50.0
    assert bands.measure(own, Outcome(np.zeros((7, 1), dtype=bool))) == {}


def test_accuracy_is_of_labels_and_balanced_the_mean_over_classes(monkeypatch):
    y = np.repeat(["a", "b", "c"], [20, 8, 4])
    dataset = Dataset("ec3", np.zeros((32, 1)), y, "made up")
    found = np.random.default_rng(0).choice(["a", "b", "c"], 16)

    def method(own):
        decisions = np.zeros((len(own.test), 3), dtype=bool)
        return Outcome(decisions, labels=found, training={"seconds": 1.5})

    monkeypatch.setitem(registry.TABLES["8"].methods, "made up", method)
    result = trial.run("8", dataset, "made up", 0, 0)
    truth = y[half(dataset, 0, 0).test]
    assert result["multiclass"] == {
        "accuracy": pytest.approx(100 * np.mean(found == truth)),
        "balanced": pytest.approx(100 * balanced_accuracy_score(truth, found)),
    }
    assert result["training"] == {"seconds": 1.5}
    assert result["accuracy"] == pytest.approx(np.mean(list(result["classes"].values())))


def test_labels_of_ours_are_those_of_the_classifier():
    random = np.random.default_rng(5)
    items = [random.choice(6, 40, p=p) for p in random.dirichlet(np.ones(6), 3) for _ in range(8)]
    dataset = Dataset("ec3", Ragged.from_items(items), np.repeat(list("abc"), 8), "made up")
    changed = {"n_states": 2, "em_max_iter": 20}
    own = half(dataset, 0, 0)
    outcome = sfm("fast", **changed)(own)
    model = ProteinClassifier.from_preset("fast", random_state=own.seed, **changed)
    assert np.array_equal(outcome.labels, model.fit(own.X, own.y).predict(own.X_test))
    assert outcome.decisions.shape == (12, 3)
    assert outcome.training.keys() == {"seconds", "processor_seconds"}
    assert min(outcome.training.values()) > 0


def test_the_old_way_has_a_pair_for_each_class(monkeypatch):
    fitted = []

    def record(model, X, y):
        fitted.append(model.get_params())
        raise InterruptedError

    monkeypatch.setattr(ProteinClassifier, "fit", record)
    own = half(Dataset("ec3", np.zeros((6, 1)), np.repeat(["a", "b", "c"], 2), ""), 0, 0)
    for name in ("sfm", "pairs"):
        with pytest.raises(InterruptedError):
            METHODS[name](own)
    new, old = fitted
    assert new["n_shared_models"] > 0 < new["kernel_rank"]
    assert old["n_shared_models"] == old["kernel_rank"] == 0
    assert new["n_landmarks"] == old["n_landmarks"] != 0


def test_the_report_has_bands_and_training(tmp_path):
    results = Results(tmp_path / "table5.jsonl", 0)
    measures = {"E > 1": 20.0, "E > 1, balanced": 10.0}
    results.add({**row("ec3", "sfm", 0, 72.0, 65.5, seconds=1000.0), "measures": measures})
    results.add(row("ec3", "mmseqs2", 0, 71.0, 66.0))
    paths = write_report("5", results, tmp_path)
    text = paths[1].read_text()
    lines = text.splitlines()
    assert "|  | SFM `best` | best hit of MMseqs2 |" in lines
    assert "| ec3 | **72.00** | 71.00 |" in lines
    assert "| ec3, balanced | 65.50 | **66.00** |" in lines
    assert "| ec3, E > 1, balanced | **10.00** | - |" in lines
    assert "| ec3, E < 1e-10 | - | - |" in lines
    assert "| ec3 | 2,000 (1,000) | 4 (2) |" in lines
    assert "At or above every competing method in 3 of 4 rows" in text
    assert "--partitions" not in text
    assert "the paper" not in text.lower()
    summary = json.loads(paths[0].read_text())
    assert summary["training"]["ec3"]["sfm"]["processor_seconds"] == 2000.0
    json.dumps(summary, allow_nan=False)
    assert paths[2].stat().st_size > 10_000


def test_halves_have_a_deviation_and_their_number(tmp_path):
    results = Results(tmp_path / "table8.jsonl", 0)
    for partition, accuracy in enumerate((60.0, 62.0)):
        results.add(row("superfamilies", "sfm", partition, accuracy, 50.0, 3.0 + partition))
        results.add(row("superfamilies", "forest", partition, accuracy - 1.0, 50.5))
    text = write_report("8", results, tmp_path)[1].read_text()
    lines = text.splitlines()
    assert "| superfamilies | **61.00 ± 1.41** | 60.00 ± 1.41 |" in lines
    assert "| superfamilies, balanced | 50.00 ± 0.00 | **50.50 ± 0.00** |" in lines
    assert "| superfamilies | 7 (4) | 4 (2) |" in lines
    assert "over 2 random stratified halves" in text
    assert "--partitions 2 --seed 0" in text


@pytest.mark.parametrize("what", ["4", "5", "6", "7", "8"])
def test_the_report_copes_without_ours(what, tmp_path):
    table = registry.TABLES[what]
    results = Results(tmp_path / f"table{what}.jsonl", 0)
    measures = dict.fromkeys(table.rows, 60.0) if what in "47" else {}
    other = min(table.competitors)
    for partition in range(2):
        results.add({**row(table.sets[0], other, partition, 70.0, 60.0), "measures": measures})
    text = write_report(what, results, tmp_path)[1].read_text()
    assert table.titles[other] in text
    assert "minus the others" not in text
    assert "At or above" not in text


def test_only_tables_that_know_it_say_what_training_took():
    rows = [{"set": "wine", "method": "sfm", "partition": 0, "accuracy": 97.0}]
    text = text_of({"table": "1", **summary_of(registry.TABLES["1"], HEADER, rows)})
    assert "## Training" not in text
    assert "At or above the paper's best column" in text


def test_without_others_there_is_nothing_to_compare():
    for methods, expected in ((["sfm"], False), (["sfm", "fast"], True)):
        rows = [row("ec3", method, 0, 70.0, 60.0) for method in methods]
        text = text_of({"table": "5", **summary_of(TABLE, HEADER, rows)})
        assert ("minus the others" in text) is expected
