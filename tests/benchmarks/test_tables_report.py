"""What results come to: comparisons, the summary, its Markdown and its plot."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import ttest_rel

from benchmarks.tables import figure1, paper
from benchmarks.tables.comparison import compare
from benchmarks.tables.dataset import Dataset
from benchmarks.tables.markdown import text_of
from benchmarks.tables.registry import TABLES
from benchmarks.tables.report import summary_of, write_report
from benchmarks.tables.results import Results
from sfmcore.estimators.classifier import SFMClassifier
from sfmcore.evaluation.learning_curve import semi_supervised_curve

HEADER = {"seed": 0, "unit": "percent", "versions": {"numpy": "2"}}


def test_without_the_correction_it_is_the_paired_t_test():
    random = np.random.default_rng(0)
    ours, theirs = random.normal(size=(2, 9))
    found = compare(ours, theirs, test_to_train=0.0)
    assert found.p == pytest.approx(ttest_rel(ours, theirs).pvalue)
    assert found.mean == pytest.approx(np.mean(ours - theirs))
    assert compare(ours, theirs).p > found.p


def test_equal_and_single_values_have_no_p_by_chance():
    assert compare([1.0, 2.0], [1.0, 2.0]).p == 1.0
    assert compare([2.0, 3.0], [1.0, 2.0]).p == 0.0
    assert np.isnan(compare([2.0], [1.0]).p)
    with pytest.raises(ValueError, match="shape"):
        compare([1.0, 2.0, 3.0], [1.0, 2.0])


def row(method, partition, value, name="wine"):
    return {"set": name, "method": method, "partition": partition, "accuracy": value}


def test_the_summary_counts_rows_and_names_those_behind():
    rows = [row("sfm", 0, 98.0), row("sfm", 1, 99.0), row("svm", 1, 99.5), row("svm", 0, 98.9)]
    rows += [row("coupled", 0, 99.9), row("sfm", 0, 90.0, "sonar"), row("svm", 0, 89.0, "sonar")]
    summary = summary_of(TABLES["1"], HEADER, rows)
    wine = next(part for part in summary["rows"] if part["row"] == "wine")
    assert wine["cells"]["svm"]["values"] == [98.9, 99.5]
    assert wine["cells"]["svm"]["mean"] == pytest.approx(99.2)
    assert wine["ours_minus"]["svm"]["mean"] == pytest.approx(-0.7)
    assert wine["ours_minus"]["coupled"]["partitions"] == 1
    standing = summary["standing"]
    assert standing["rows"] == 2
    assert standing["at_or_above_the_papers_best"] == 2
    assert standing["at_or_above_every_competitor"] == 1
    # The paper's own algorithm is no competitor.
    assert standing["behind_a_competitor"] == [
        {"row": "wine", "ahead": {"svm": pytest.approx(0.7)}}
    ]
    assert standing["at_or_above_every_method"] == 1
    wine_gaps = standing["behind_any_method"][0]["ahead"]
    assert wine_gaps == {"svm": pytest.approx(0.7), "coupled": pytest.approx(1.4)}
    text = text_of({"table": "1", **summary})
    assert "every competing method in 1, and in 1 if its own parts and variants count too." in text
    assert (
        "Methods ahead of it: wine (SVM (Gaussian) +0.70), wine (SFM paper, coupled +1.40)." in text
    )
    json.dumps(summary, allow_nan=False)


def test_a_gap_is_the_one_of_the_table_of_differences():
    # The means are shown as 98.41 and 98.49.
    rows = [row("sfm", k, 98.4114) for k in (0, 1)] + [row("svm", k, 98.4858) for k in (0, 1)]
    text = text_of({"table": "1", **summary_of(TABLES["1"], HEADER, rows)})
    assert "-0.07 (p" in text
    assert "Methods ahead of it: wine (SVM (Gaussian) +0.07)." in text


def test_the_table_says_where_partitions_are_missing():
    rows = [row("svm", 0, 97.0), row("svm", 1, 99.0), row("forest", 0, 98.0)]
    lines = text_of({"table": "1", **summary_of(TABLES["1"], HEADER, rows)}).splitlines()
    assert "|  | SVM (Gaussian) | random forest |" in lines
    assert "| wine | **98.00 ± 1.41** | **98.00 (of 1)** |" in lines
    assert "| steel | - | - |" in lines


def test_classes_are_the_rows_of_tables_2_and_3(tmp_path):
    results = Results(tmp_path / "table3.jsonl", 0)
    classes = {"metabolism": 90.0, "information": 91.0, "intracellular": 92.0}
    for partition in range(2):
        values = {**classes, "extracellular": 98.0 + partition}
        results.add({**row("sfm", partition, 92.0, "proteins"), "classes": values})
    paths = write_report("3", results, tmp_path)
    assert [path.name for path in paths] == ["table3.json", "table3.md", "table3.png"]
    summary = json.loads(paths[0].read_text())
    assert [part["cells"]["sfm"]["mean"] for part in summary["rows"]] == [90.0, 91.0, 92.0, 98.5]
    assert summary["standing"]["at_or_above_the_papers_best"] == 4
    assert paths[2].stat().st_size > 10_000


@pytest.mark.parametrize("number", TABLES)
def test_rows_and_columns_of_the_paper_are_all_there(number):
    table = TABLES[number]
    assert len(table.rows) == [8, 8, 4, 2, 20, 4, 3, 4][int(number) - 1]
    assert table.titles.keys() >= table.methods.keys()
    assert table.competitors < table.methods.keys()
    if int(number) > 3:
        # Not the paper's.
        return
    for cells in table.stated.values():
        assert cells.keys() <= table.methods.keys()
        assert len(cells) == 5


def test_the_papers_best_cells_are_as_printed():
    best = {name: max(v for v, _ in cells.values()) for name, cells in paper.TABLE_1.items()}
    assert best == {
        "cancer": 96.80, "tissue": 89.04, "wine": 97.73, "sonar": 80.60, "credit": 84.89,
        "spheart": 80.84, "libras": 96.58, "steel": 92.63,
    }  # fmt: skip


@pytest.fixture
def curve(monkeypatch):
    """A small curve in place of the figure's."""
    random = np.random.default_rng(2)
    y = np.repeat(["u", "v"], 20)
    dataset = Dataset("small", random.normal(size=(40, 2)) + 2.0 * (y == "v")[:, None], y, "")

    def make(**parameters):
        return SFMClassifier(n_components=1, **parameters)

    small = figure1.Curve("small", "small", lambda name: dataset, ("v",), (4, 12), make)
    monkeypatch.setattr(figure1, "CURVES", {"small": small})
    return dataset


def test_one_half_has_no_deviation_and_no_p(curve, tmp_path):
    options = SimpleNamespace(sets=["small"], partitions=1, methods=figure1.METHODS, seed=6)
    results = Results(tmp_path / "figure1.jsonl", 6)
    for trial in figure1.trials_of(options, results):
        results.add(figure1.run(*trial))
    text = figure1.write_report("figure1", results, tmp_path)[1].read_text()
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith(("| 4 ", "| 12 "))]
    assert [len(row) for row in rows] == [6, 6]
    assert not any("nan" in cell or "±" in cell for row in rows for cell in row)


def test_figure_1_is_the_semi_supervised_curve(curve, tmp_path):
    options = SimpleNamespace(sets=["small"], partitions=2, methods=figure1.METHODS, seed=6)
    results = Results(tmp_path / "figure1.jsonl", 6)
    trials = figure1.trials_of(options, results)
    assert len(trials) == 6
    for trial in trials:
        results.add(figure1.run(*trial))
    assert figure1.trials_of(options, results) == []
    paths = figure1.write_report("figure1", results, tmp_path)
    found = json.loads(paths[0].read_text())["curves"]["small"]
    for method, weight in (("semi-supervised", 0.1), ("semi-supervised, w = 1", 1.0)):
        expected = semi_supervised_curve(
            SFMClassifier(n_components=1, unlabeled_weight=weight), curve.X, curve.y == "v",
            n_labelled=(4, 12), n_partitions=2, random_state=6,
        )  # fmt: skip
        np.testing.assert_allclose(found["supervised"], 100 * expected.supervised)
        np.testing.assert_allclose(found[method], 100 * expected.semi_supervised)
    assert "## small, 2 halves" in paths[1].read_text()
    assert paths[2].stat().st_size > 5_000
