"""What the figures of confidence, ranking and EM show."""

import numpy as np
import pytest

from sfmcore.evaluation.climbs import Climb, climbs_of
from sfmcore.evaluation.curves import MeanCurve
from sfmcore.evaluation.reliability import reliability_bins
from sfmcore.learning.label_sets import LabelSets
from sfmcore.plots.climbs import draw_climbs
from sfmcore.plots.held_out import MOST_LINES, draw_held_out, hardest_classes
from sfmcore.plots.ranking import draw_precision, draw_roc
from sfmcore.plots.reliability import draw_reliability

pytest.importorskip("matplotlib")


def test_climbs_rise_from_nothing_and_mark_what_was_stopped():
    climbs = [
        Climb("A, 2 states", np.array([-3.0, -2.0, -1.5]), True),
        Climb("A, 2 states", np.array([-4.0, -3.5]), False),
        Climb("B", np.array([-1.0, -0.9]), True),
    ]
    (axes,) = draw_climbs(climbs).axes
    lines = [line.get_ydata().tolist() for line in axes.lines]
    assert lines == [[0.0, 1.0, 1.5], [0.0, 0.5], [0.5], [0.0, pytest.approx(0.1)]]
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["A, 2 states (2)", "stopped at its limit", "B (1)"]


def test_climbs_are_those_of_each_model_once():
    from sfmcore.estimators.classifier import SFMClassifier

    random = np.random.default_rng(0)
    X = random.normal(size=(60, 2)) + np.repeat([[0], [3]], 30, axis=0)
    model = SFMClassifier(n_components=2, random_state=0).fit(X, np.repeat([0, 1], 30))
    found = climbs_of(model.pairs_)
    models = model.pairs_[0].mapping.models
    assert [climb.kind for climb in found] == ["DiagonalGMM, 2 components"] * 2
    for climb, own in zip(found, models, strict=True):
        assert climb.values is own.history_
        assert np.all(np.diff(climb.values) >= 0)


@pytest.mark.parametrize("draw", [draw_roc, draw_precision])
def test_curves_have_a_line_each_and_bands_where_there_is_a_spread(draw):
    x = np.linspace(0, 1, 5)
    curves = {
        "a": MeanCurve(x, x, np.full(5, 0.1), 0.5),
        "b" * 40: MeanCurve(x, x**2, np.zeros(5), 0.5),
    }
    (axes,) = draw(curves).axes
    assert len(axes.collections) == 1
    np.testing.assert_array_equal(axes.lines[1].get_ydata(), x**2)
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["a", "b" * 23 + "…"]
    assert axes.lines[0].get_linestyle() != axes.lines[1].get_linestyle()


def test_a_reliability_diagram_holds_the_shares_of_the_bins():
    bins = reliability_bins([0.95, 0.97, 0.5, 0.51], [True, False, False, True])
    above, below = draw_reliability(bins).axes
    np.testing.assert_allclose(above.lines[1].get_ydata(), bins.right / bins.counts)
    heights = [bar.get_height() for bar in below.patches]
    assert heights == [0.5, 0.5]


def test_held_out_lines_end_at_all_items_and_show_the_hardest_classes():
    random = np.random.default_rng(0)
    n_classes = MOST_LINES + 3
    numbers = np.arange(40 * n_classes) % n_classes
    shares = random.uniform(0.5, 1.0, (len(numbers), n_classes))
    shares[numbers < 2] = 1.0
    sets = LabelSets.of(shares, numbers, np.ones(len(numbers)))
    chosen = hardest_classes(sets)
    assert len(chosen) == MOST_LINES
    assert not {0, 1} & set(chosen)
    (axes,) = draw_held_out(sets, [f"c{k}" for k in range(n_classes)]).axes
    assert len(axes.lines) == MOST_LINES
    for number, line in zip(chosen, axes.lines, strict=True):
        own = np.sort(shares[numbers == number, number])
        np.testing.assert_allclose(line.get_xdata()[1:-1], own)
        assert line.get_ydata()[-2] == pytest.approx(1.0)
