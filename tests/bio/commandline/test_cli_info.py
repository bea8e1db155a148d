"""``sfmbio info``: what a model file says about itself."""

import pytest

import sfmcore
from sfmbio import ProteinClassifier
from sfmcore.files.model_file import FORMAT_VERSION

CLASSES = ["antimicrobial", "random", "transmembrane"]
NAMES = [
    "C", "calibrate", "certificate_fraction", "certify_by",
    "clip", "conditioning", "coupling", "delta", "em_max_iter",
    "em_tol", "end_weight", "gamma", "kernel_rank", "learning_rate_C", "learning_rate_u",
    "length_weight", "max_iter", "max_proposals", "most_aligned", "n_directions", "n_draws",
    "n_init", "n_landmarks", "n_pairs", "n_restarts", "n_shared_models", "n_states",
    "optimizer", "prior", "prior_fraction", "property_weight", "random_state",
    "reference_residues", "refit", "relative_weight", "sampler", "tol", "unlabeled",
    "unlabeled_weight", "vote", "word_weight",
]  # fmt: skip


def rows_after(result, start):
    lines = result.out.splitlines()
    return lines[lines.index(start) + 1 :]


def test_kind_versions_and_classes_are_printed(run, model):
    result = run("info", model)
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0] == f"{model}: protein classifier, format {FORMAT_VERSION}"
    assert f"sfm-pacbayes {sfmcore.__version__}" in lines[1]
    assert lines[2] == f"3 classes: {', '.join(CLASSES)}"


def test_parameters_are_those_of_the_classifier(run, model):
    parameters = ProteinClassifier.load(model).short_params()
    shown = {}
    for line in rows_after(run("info", model), "parameters:"):
        name, equals, value = line.strip().partition(" = ")
        if not equals:
            break
        shown[name] = value
    expected = {k: str(v) for k, v in parameters.items() if k not in ("n_jobs", "verbose")}
    assert shown == expected
    assert shown["n_states"] == "2"
    assert list(shown) == NAMES


def test_each_class_has_its_row(run, model):
    header, *rows = rows_after(run("info", model), "one-versus-rest classifiers:")
    assert header.startswith("positive class")
    pairs = ProteinClassifier.load(model).pairs_
    names = [(name, number) for name in CLASSES for number in "12"]
    assert len(pairs) == len(names)
    for row, (name, number), pair in zip(rows, names, pairs, strict=False):
        found = row.split()
        assert found[:4] == [name, number, "300", "1"]
        assert float(found[4]) == pytest.approx(pair.objective[-1], abs=1e-4)
        assert float(found[5]) == pytest.approx(pair.bound[-1], abs=1e-4)
    assert rows[6].endswith("not certificates.")


def test_two_classes_have_one_row_of_the_second(run, two_classes, small, tmp_path):
    path = tmp_path / "two.sfm"
    run("train", two_classes, "-o", path, *small)
    rows = rows_after(run("info", path), "one-versus-rest classifiers:")
    assert [row.split()[:2] for row in rows[1:3]] == [["greasy", number] for number in "12"]
    assert rows[3].startswith("J(u) and B are")
    assert rows[4].startswith("no certificate: ")


def test_iterations_are_those_of_algorithm_1(run, two_classes, small, tmp_path):
    path = tmp_path / "two.sfm"
    options = ["--set", "n_draws=2", "--set", "max_iter=3", "--set", "tol=0"]
    run("train", two_classes, "-o", path, *small, *options)
    row = rows_after(run("info", path), "one-versus-rest classifiers:")[1]
    assert row.split()[3] == "3"


def test_what_is_no_model_is_refused_in_a_sentence(run, model, peptides, tmp_path):
    cut = tmp_path / "cut.sfm"
    cut.write_bytes(model.read_bytes()[:-1])
    for path, reason in (
        (peptides / "random.fasta", "is not a model file of sfm-pacbayes"),
        (peptides, "is a folder, not a model file"),
        (tmp_path / "none.sfm", "does not exist"),
        (cut, "is cut short or changed"),
    ):
        result = run("info", path)
        assert (result.code, result.out) == (2, "")
        assert len(result.messages) == 1
        assert result.messages[0].startswith(f"{path} {reason}")


def test_a_model_is_required(run):
    result = run("info")
    assert result.code == 2
    assert "required: MODEL" in result.err


@pytest.mark.parametrize(("option", "code"), [([], 141), (["--help"], 0)])
def test_a_reader_that_goes_away_is_no_error(start, model, option, code):
    process = start("info", model, *option)
    process.stdout.close()
    assert (process.wait(timeout=60), process.stderr.read()) == (code, b"")
