"""What a confusion matrix shows, for few classes and for many."""

import numpy as np
import pytest

from sfmcore.plots.confusion import MOST_WITH_NUMBERS, draw_confusion
from sfmcore.plots.saving import svg_of, write_figures

pytest.importorskip("matplotlib")


def counts_of(n_classes):
    random = np.random.default_rng(0)
    return random.poisson(0.2, (n_classes, n_classes)) + 9 * np.eye(n_classes, dtype=np.int64)


@pytest.mark.parametrize("n_classes", [2, MOST_WITH_NUMBERS])
def test_a_few_classes_have_numbers_of_the_true_class(n_classes):
    counts = counts_of(n_classes)
    figure = draw_confusion(counts, [f"c{k}" for k in range(n_classes)], title="t")
    shown = np.array([float(text.get_text()) for text in figure.axes[0].texts])
    shares = 100 * counts / counts.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(shown.reshape(n_classes, -1), shares, atol=0.051)


@pytest.mark.parametrize(("n_classes", "first"), [(16, "c0"), (40, "c0"), (100, "1"), (1000, "1")])
def test_many_classes_are_a_heat_map_of_one_size(n_classes, first):
    figure = draw_confusion(counts_of(n_classes), [f"c{k}" for k in range(n_classes)], title="t")
    axes = figure.axes[0]
    assert not axes.texts
    assert axes.images[0].get_array().shape == (n_classes, n_classes)
    labels = [text.get_text() for text in axes.get_yticklabels()]
    assert labels[0] == first
    assert len(labels) <= 40
    assert tuple(figure.get_size_inches()) == (7.5, 6.3)


def test_a_class_without_an_item_has_a_row_of_zeros():
    figure = draw_confusion(np.array([[3, 1], [0, 0]]), ["a", "b"], title="t")
    assert [text.get_text() for text in figure.axes[0].texts] == ["75.0", "25.0", "0.0", "0.0"]


def test_an_svg_has_equal_bytes_and_no_formulas():
    def draw():
        return draw_confusion(counts_of(2), ["$\\frac{a$", "<b>"], title="日本")

    first = svg_of(draw)
    assert first == svg_of(draw)
    assert b"$\\frac{a$" in first
    assert b"<b>" not in first
    assert "日本".encode() in first


def test_a_png_is_written_whole(tmp_path):
    (path,) = write_figures(tmp_path, {"a": draw_confusion(counts_of(2), ["a", "b"], title="t")})
    assert path.read_bytes().startswith(b"\x89PNG")
    assert [own.name for own in tmp_path.iterdir()] == ["a.png"]
