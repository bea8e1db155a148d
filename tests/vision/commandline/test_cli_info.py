"""``sfmvision info``: what a model file says about itself, and which files are refused."""

import numpy as np
import pytest

import sfmcore
from sfmcore.data.errors import ModelFileError
from sfmcore.files.model_file import FORMAT_VERSION, load_model, save_model
from sfmvision import SceneClassifier

KIND = "scene classifier"
NAMES = [
    "C", "allow_truncated", "alpha", "bin_sizes", "calibrate", "certificate_fraction",
    "certify_by", "clip", "colour",
    "colour_weight", "conditioning", "coupling", "delta", "gamma", "grid", "kernel_rank",
    "layout_weight",
    "learning_rate_C", "learning_rate_u", "levels", "max_iter", "max_pixels", "max_proposals",
    "max_side", "mirror", "n_axes", "n_draws", "n_gaussians", "n_landmarks", "n_pairs",
    "n_restarts", "n_sample", "n_shared_models", "n_sweeps", "n_topics", "n_words",
    "optimizer", "prior",
    "prior_fraction", "random_state", "refit", "root", "sampler", "step", "tol", "unlabeled",
    "unlabeled_weight", "vote", "window",
]  # fmt: skip


@pytest.fixture
def changed(model, tmp_path):
    """Write the model file again with one array changed: by what is given, or left out."""

    def call(name, change):
        state, arrays = load_model(model, KIND)
        array = change(arrays.pop(name))
        if array is not None:
            arrays[name] = array
        path = tmp_path / "changed.sfm"
        save_model(path, KIND, state, arrays)
        return path

    return call


def test_kind_versions_classes_and_parameters_are_printed(run, model):
    result = run("info", model)
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0] == f"{model}: {KIND}, format {FORMAT_VERSION}"
    assert f"sfm-pacbayes {sfmcore.__version__}" in lines[1]
    assert lines[2] == "3 classes: blobs, noise, stripes"
    first = lines.index("parameters:") + 1
    shown = dict(line.strip().split(" = ") for line in lines[first:] if line.startswith("  "))
    parameters = SceneClassifier.load(model).short_params()
    for name in ("n_jobs", "verbose", "cache"):
        del parameters[name]
    assert shown == {name: str(value) for name, value in parameters.items()}
    assert (shown["n_words"], shown["levels"]) == ("8", "[[1, 1], [2, 2], [4, 4]]")
    assert list(shown) == NAMES


def test_each_class_has_its_row_and_no_certificate_is_told(run, model):
    lines = run("info", model).out.splitlines()
    first = lines.index("one-versus-rest classifiers:") + 2
    assert [line.split()[0] for line in lines[first : first + 3]] == ["blobs", "noise", "stripes"]
    assert lines[-1].startswith(
        "no certificate: the models were trained on every image. 'sfmvision "
    )


def test_what_is_no_model_is_refused_in_a_sentence(run, model, scenes, tmp_path):
    cut = tmp_path / "cut.sfm"
    cut.write_bytes(model.read_bytes()[:-1])
    for path, reason in (
        (scenes / "noise" / "0.png", "is not a model file of sfm-pacbayes"),
        (scenes, "is a folder, not a model file"),
        (tmp_path / "none.sfm", "does not exist"),
        (cut, "is cut short or changed"),
    ):
        result = run("info", path)
        assert (result.code, result.out) == (2, "")
        assert len(result.messages) == 1
        assert result.messages[0].startswith(f"{path} {reason}")


def test_an_unchanged_copy_is_read(run, changed, scenes):
    path = changed("inputs0/centres", lambda array: array)
    assert run("predict", path, scenes).code == 0


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("centres", lambda array: None, "centres must be float32"),
        ("centres", lambda array: array.astype(np.float64), "centres must be float32"),
        ("centres", lambda array: array[0], "centres must be float32 of two dimensions"),
        ("centres", lambda array: array + np.float32(0.001), "multiples of 1/128"),
        ("centres", lambda array: -array, "between 0 and 255"),
        ("centres", lambda array: np.where(array > 0, np.nan, array), "between 0 and 255"),
        ("centres", lambda array: array[:0], "centres must be 1 to 8 rows, got 0"),
        ("centres", lambda array: array[:-1], "n_vectors must be what the preparation puts beside"),
        ("centres", lambda array: np.vstack([array, array]), "must be 1 to 8 rows, got 16"),
        ("centres", lambda array: array[:, :64], "centres must have 128 columns"),
        ("levels", lambda array: None, "levels"),
        ("levels", lambda array: array[:-1], "levels must be those of the parameters"),
        ("levels", lambda array: array + 1, "levels must be those of the parameters"),
        ("layout_weight", lambda array: None, "layout_weight"),
        ("layout_weight", lambda array: array * 2, "layout_weight must be those"),
        ("layout_weight", lambda array: array * np.nan, "layout_weight must be those"),
        ("moments_texture_means", lambda array: None, "the arrays must be mean, axes"),
        ("moments_texture_axes", lambda array: array[:, :64], "axes must be finite, of shape"),
        ("moments_colour_weights", lambda array: array * 0, "weights must be at least 1e-300"),
        (
            "moments_colour_mean",
            lambda array: array * np.nan,
            "mean must be finite, of shape (96,)",
        ),
    ],
)
def test_arrays_of_the_inputs_that_do_not_fit_are_refused(run, changed, name, change, reason):
    path = changed(f"inputs0/{name}", change)
    with pytest.raises(ModelFileError) as caught:
        SceneClassifier.load(path)
    result = run("info", path)
    assert (result.code, result.out) == (2, "")
    assert result.messages == [str(caught.value)]
    assert result.messages[0].startswith(f"{path}: its parts do not fit: ")
    assert reason in result.messages[0]
