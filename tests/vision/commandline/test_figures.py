"""What the figures of an evaluation show."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from sfmcore.evaluation.halves import evaluate
from sfmcore.plots.evaluation import NAMES, evaluation_figures
from sfmcore.plots.saving import check_figures, write_figures
from sfmvision import SceneClassifier
from sfmvision.commandline.figures import draw_mistakes

matplotlib = pytest.importorskip("matplotlib")


@pytest.fixture
def drawn():
    """Evaluate, draw, and give the figures by name."""

    def call(X, y, model=None, **options):
        # Few words and no layout: enough mistakes to look at.
        model = model or SceneClassifier(
            n_words=2, n_topics=1, n_sweeps=2, levels=(), random_state=0
        )
        batch = model.preparation.encode(X, model)
        result = evaluate(model, batch, y, **options)
        figures = evaluation_figures(result)
        return result, figures | {"mistakes": draw_mistakes(result, batch)}

    return call


@pytest.fixture
def mixed(scenes):
    """Two textures under labels that have nothing to do with them."""
    paths = [scenes / kind / f"{k}.png" for k in range(8) for kind in ("noise", "stripes")]
    return paths, ["left" if k % 4 < 2 else "right" for k in range(16)]


def test_confusions_are_shares_of_the_true_class(drawn, mixed):
    result, figures = drawn(*mixed, partitions=3)
    (axes,) = figures["confusion"].axes
    counts = result.confusion()
    assert counts.sum() == 3 * 8
    shown = np.array([float(text.get_text()) for text in axes.texts]).reshape(2, 2)
    np.testing.assert_allclose(shown, 100 * counts / counts.sum(1, keepdims=True), atol=0.051)
    np.testing.assert_allclose(shown.sum(1), 100, atol=0.11)
    labels = [text.get_text() for text in axes.get_yticklabels()]
    assert labels == [text.get_text() for text in axes.get_xticklabels()] == ["left", "right"]
    assert axes.get_title() == "per cent of each true class, 3 partitions"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_objective_is_that_of_the_first_partition(drawn, mixed):
    draws = SceneClassifier(
        n_words=4, n_topics=2, n_sweeps=2, n_draws=2, max_iter=3, tol=0, random_state=0
    )
    result, figures = drawn(*mixed, draws, partitions=2)
    (axes,) = figures["objective"].axes
    (search,) = result.searches
    assert axes.lines[0].get_ydata().tolist() == search.objective
    assert axes.get_legend().get_texts()[0].get_text() == "right"


def test_mistakes_are_shown_the_most_confident_first(drawn, mixed):
    result, figures = drawn(*mixed, partitions=4)
    said = {}
    for part in result.answers:
        for item, predicted, truth, confidence in zip(
            part.items, part.predicted, part.truth, part.confidence, strict=True
        ):
            if predicted != truth:
                said.setdefault(item, []).append(confidence)
    expected = sorted((max(confidences) for confidences in said.values()), reverse=True)
    assert len(expected) > 3
    panels = [axes for axes in figures["mistakes"].axes if axes.get_title()]
    titles = [axes.get_title().split("\nsaid ") for axes in panels]
    for (truth, rest), confidence in zip(titles, expected, strict=True):
        assert rest.split(",")[0] == {"left": "right", "right": "left"}[truth]
        assert rest.endswith(f", {100 * confidence:.0f} %")
    # A mistake is shown by its own picture, whole.
    for axes in panels:
        assert axes.images[0].get_array().shape == (48, 56, 3)


def test_mistakes_are_as_wide_as_what_is_shown(drawn, mixed):
    result, _ = drawn(*mixed, partitions=4)
    batch = SceneClassifier().preparation.encode(mixed[0], SceneClassifier())
    sides = []
    for n_shown in (1, 3, 7):
        part = result.answers[0]
        few = replace(
            part,
            items=np.arange(n_shown),
            truth=np.zeros(n_shown, int),
            predicted=np.ones(n_shown, int),
            confidence=np.full(n_shown, 0.9),
        )
        figure = draw_mistakes(replace(result, answers=[few]), batch)
        sides.append((len(figure.axes), figure.get_figwidth()))
    assert sides == [(1, 2.2), (3, pytest.approx(6.6)), (12, pytest.approx(13.2))]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_exact_features_show_the_objective_of_the_models(drawn, mixed):
    model = SceneClassifier(n_words=4, n_topics=2, n_sweeps=30, levels=(), random_state=0)
    result, figures = drawn(*mixed, model, partitions=2)
    (axes,) = figures["objective"].axes
    assert [len(climb.values) for climb in result.climbs] == [3, 3]
    rises = [line.get_ydata() for line in axes.lines]
    for climb, rise in zip(result.climbs, rises, strict=True):
        np.testing.assert_allclose(rise, climb.values - climb.values[0])
    assert axes.get_legend().get_texts()[0].get_text() == "LatentDirichletAllocation, 2 topics (2)"


def test_nothing_is_drawn_of_nothing_iterated(drawn, mixed):
    assert "objective" not in drawn(*mixed, partitions=2)[1]


def test_an_evaluation_without_mistakes_says_so(drawn, scenes):
    paths = sorted(scenes.rglob("*.png"))
    good = SceneClassifier(n_words=8, n_topics=3, n_sweeps=10, random_state=0)
    result, figures = drawn(paths, [path.parent.name for path in paths], good, partitions=2)
    assert np.array_equal(result.confusion(), 8 * np.eye(3))
    titles = [axes.get_title() for axes in figures["mistakes"].axes]
    assert titles == []
    assert [text.get_text() for text in figures["mistakes"].texts] == ["no mistakes"]


def test_arrays_and_files_that_vanished_are_shown_too(own_scenes, tmp_path, picture):
    paths = sorted((own_scenes / "noise").iterdir())
    grey = [picture("noise", k)[:, :, 0] for k in (50, 51)]
    floats = [picture("noise", k) / 255 for k in (52, 53)]
    model = SceneClassifier(n_words=2, n_topics=1, n_sweeps=2, levels=(), random_state=0)
    batch = model.preparation.encode([*paths, *grey, *floats], model)
    # Labels without a sense, so that nearly every image is a mistake once.
    result = evaluate(model, batch, [0, 1] * 6, partitions=6)
    for path in paths:
        path.unlink()
    written = write_figures(tmp_path, {"mistakes": draw_mistakes(result, batch)})
    assert [path.name for path in written] == ["mistakes.png"]
    assert all(cv2.imread(str(path)) is not None for path in written)


def test_the_folder_is_made_before_the_work(tmp_path):
    check_figures(str(tmp_path / "a" / "b"), NAMES)
    assert (tmp_path / "a" / "b").is_dir()
    check_figures(str(tmp_path / "a" / "b"), NAMES)
