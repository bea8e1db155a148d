"""The displays: what is drawn is what the estimators hold."""

import copy
import re
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError

from sfmbio import ProteinClassifier
from sfmcore.estimators.classifier import SFMClassifier
from sfmcore.estimators.classifier_cv import SFMClassifierCV
from sfmcore.evaluation.learning_curve import semi_supervised_curve
from sfmcore.plots import LearningCurveDisplay, ObjectiveDisplay, RiskAgainstCDisplay

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("error:.*tight_layout.*", "error:.*constrained_layout.*"),
]

X, Y = load_wine(return_X_y=True)


@pytest.fixture
def plt():
    """Pyplot without a window; its figures are closed again."""
    matplotlib = pytest.importorskip("matplotlib")
    backend = matplotlib.get_backend()
    matplotlib.use("Agg")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    yield pyplot
    pyplot.close("all")
    matplotlib.use(backend)


@pytest.fixture(scope="module")
def drawn():
    """Three classes, two pairs each, that iterate and are fitted once more at the end."""
    model = SFMClassifier(
        n_components=2, n_draws=2, n_pairs=2, coupling=1.0, max_iter=3, random_state=0
    )
    return model.fit(X, Y)


@pytest.fixture(scope="module")
def searched():
    model = SFMClassifierCV(
        (1, 2),
        scaling="standard",
        n_landmarks=0,
        gamma=1.0,
        Cs=(64, 2, 8),
        cv=3,
        n_column_voters=0,
        random_state=0,
    )
    return model.fit(X[::2], Y[::2])


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


# Without matplotlib


def displays_of(model, search):
    curve = {"n_labelled": [4, 8], "accuracies": {"supervised": [[0.5], [0.6]]}}
    return {
        "ObjectiveDisplay.from_estimator": lambda: ObjectiveDisplay.from_estimator(model),
        "ObjectiveDisplay.plot": lambda: ObjectiveDisplay(
            [np.ones(1)], None, labels=["a"], refitted=[False]
        ).plot(),
        "RiskAgainstCDisplay.from_estimator": lambda: RiskAgainstCDisplay.from_estimator(search),
        "LearningCurveDisplay.from_estimator": lambda: LearningCurveDisplay.from_estimator(
            SFMClassifier(), X, Y, n_labelled=(1,)
        ),
        "LearningCurveDisplay.plot": lambda: LearningCurveDisplay(**curve).plot(),
    }


def test_the_error_says_what_to_install_before_anything_is_computed(monkeypatch, drawn, searched):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for caller, draw in displays_of(drawn, searched).items():
        text = f"{caller} needs matplotlib: pip install 'sfm-pacbayes[plot]'"
        with pytest.raises(ImportError, match=f"^{re.escape(text)}$"):
            draw()


def test_importing_the_displays_does_not_import_matplotlib():
    code = "import sys, sfmcore.plots; print('matplotlib' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"


# J(u) and the bound


def check_lines(lines, values):
    assert len(lines) == len(values)
    for line, own in zip(lines, values, strict=True):
        assert np.array_equal(line.get_ydata(), own)
        assert np.array_equal(line.get_xdata(), np.arange(len(own)))


def test_objective_and_bound_are_those_of_the_pairs(plt, drawn):
    display = ObjectiveDisplay.from_estimator(drawn, which="both")
    check_lines(display.objective_lines_, [pair.objective for pair in drawn.pairs_])
    check_lines(display.bound_lines_, [pair.bound for pair in drawn.pairs_])
    upper, lower = display.ax_
    assert display.figure_ is upper.figure is lower.figure
    assert upper.get_ylabel() == "objective J(u)"
    assert "an objective, not a certificate" in lower.get_ylabel()
    assert lower.get_xlabel() == "iteration of Algorithm 1"
    display.figure_.canvas.draw()


def test_pairs_of_a_class_share_its_colour_and_its_place_in_the_legend(plt, drawn):
    display = ObjectiveDisplay.from_estimator(drawn)
    assert legend(display.ax_) == ["0", "1", "2", "final fit of u"]
    found = [line.get_color() for line in display.objective_lines_]
    assert found[::2] == found[1::2]
    assert len(set(found)) == 3
    assert display.bound_lines_ is None
    named = ObjectiveDisplay.from_estimator(drawn, labels=["x", "y", "z"])
    assert legend(named.ax_) == ["x", "y", "z", "final fit of u"]


@pytest.mark.parametrize("refit", [True, False])
def test_the_final_fit_is_marked_and_is_no_iteration(plt, refit):
    model = SFMClassifier(
        n_components=2, n_draws=2, max_iter=2, tol=0.0, refit=refit, random_state=0
    )
    model.fit(X, Y == 0)
    display = ObjectiveDisplay.from_estimator(model)
    (line,) = display.objective_lines_
    assert len(line.get_xdata()) == 1 + model.n_iter_ + refit
    assert len(display.refit_markers_) == refit
    for marker in display.refit_markers_:
        assert marker.get_xydata().tolist() == [[3, model.pairs_[0].objective[-1]]]


def test_the_fit_of_the_best_certificate_is_no_iteration(plt):
    model = SFMClassifier(
        n_components=2, certificate_fraction=0.5, certify_by="pac-bayes", random_state=0
    ).fit(X, Y == 0)
    display = ObjectiveDisplay.from_estimator(model)
    (marker,) = display.refit_markers_
    assert marker.get_xydata().tolist() == [[1, model.pairs_[0].objective[-1]]]


def test_other_estimators_are_drawn_too(plt, searched, tmp_path):
    best = ObjectiveDisplay.from_estimator(searched, which="bound")
    check_lines(best.bound_lines_, [pair.bound for pair in searched.best_estimator_.pairs_])
    assert best.objective_lines_ is None
    assert not best.refit_markers_  # exact features: one value, nothing to iterate
    words = ["AVLIAVLLIVAVL", "LLAVIVALLIAV", "KDEKRDEKKDER", "EKDRKKEDEKRD"]
    proteins = ProteinClassifier(n_states=2, n_draws=2, max_iter=2, random_state=0)
    proteins.fit(words, ["m", "m", "c", "c"]).save(tmp_path / "model.sfm")
    for model in (proteins, ProteinClassifier.load(tmp_path / "model.sfm")):
        display = ObjectiveDisplay.from_estimator(model)
        check_lines(display.objective_lines_, [pair.objective for pair in proteins.pairs_])
        assert legend(display.ax_) == ["m", "final fit of u"]


def test_axes_of_the_user_are_used(plt, drawn):
    figure, axes = plt.subplots(2)
    display = ObjectiveDisplay.from_estimator(drawn, ax=axes, which="both", line_kw={"alpha": 0.3})
    assert list(display.ax_) == list(axes)
    assert {line.get_alpha() for line in display.bound_lines_} == {0.3}
    single = ObjectiveDisplay.from_estimator(drawn, ax=axes[0])
    assert single.ax_ is axes[0]
    assert single.figure_ is figure
    assert len(plt.get_fignums()) == 1


def test_many_classes_have_a_colour_each(plt):
    values = [np.array([0.5])] * 15
    names = [f"class {k}" for k in range(15)]
    display = ObjectiveDisplay(values, None, labels=names, refitted=[False] * 15).plot()
    assert len({tuple(line.get_color()) for line in display.objective_lines_}) == 15


def test_what_cannot_be_drawn_of_the_objective_is_refused(plt, drawn):
    with pytest.raises(NotFittedError):
        ObjectiveDisplay.from_estimator(SFMClassifier())
    with pytest.raises(ValueError, match="which must be 'objective', 'bound' or 'both'"):
        ObjectiveDisplay.from_estimator(drawn, which="J")
    with pytest.raises(ValueError, match="labels must name 3 classes"):
        ObjectiveDisplay.from_estimator(drawn, labels=["x", "y"])
    with pytest.raises(ValueError, match="which='both' takes 2 axes, got 1"):
        ObjectiveDisplay.from_estimator(drawn, ax=plt.gca(), which="both")
    weighted = SFMClassifier(n_components=1, random_state=0).fit(
        X, Y, sample_weight=np.ones(len(Y))
    )
    assert ObjectiveDisplay.from_estimator(weighted).bounds is None
    with pytest.raises(ValueError, match="fit without sample_weight"):
        ObjectiveDisplay.from_estimator(weighted, which="bound")


# Error against C


def test_errors_are_those_of_cross_validation(plt, searched):
    display = RiskAgainstCDisplay.from_estimator(searched, spread="std")
    results = searched.cv_results_
    n_lines = len(results["params"]) // 3  # values of C
    assert n_lines >= 4
    assert len(display.lines_) == len(display.fill_between_) == len(display.settings) == n_lines
    assert display.n_left_out_ == 0
    seen = 0
    for setting, line in zip(display.settings, display.lines_, strict=True):
        assert line.get_xdata().tolist() == [2, 8, 64]
        for C, error in line.get_xydata():
            number = results["params"].index({**setting, "C": C})
            assert error == 1 - results["mean_test_accuracy"][number]
            seen += 1
    assert seen == len(results["params"])
    assert display.ax_.get_xscale() == "log"
    assert [text.get_text() for text in display.ax_.get_xticklabels()] == ["2", "8", "64"]
    best = searched.best_params_
    assert display.chosen_.get_xdata()[0] == best["C"]
    assert display.chosen_.get_ydata()[0] == pytest.approx(1 - searched.best_score_)
    assert display.settings[0] == {name: best[name] for name in best if name != "C"}
    number = results["params"].index(best)
    column = display.Cs[0].tolist().index(best["C"])
    assert display.deviations[0][column] == results["std_test_accuracy"][number]
    band = display.fill_between_[0].get_datalim(display.ax_.transData)
    assert band.y1 == pytest.approx(np.max(display.errors[0] + display.deviations[0]))
    display.figure_.canvas.draw()


def test_only_the_best_lines_are_drawn_and_the_legend_says_so(plt, searched):
    display = RiskAgainstCDisplay.from_estimator(searched, max_lines=2)
    assert len(display.lines_) == 2
    assert display.n_left_out_ == len(display.settings) - 2 > 0
    assert display.fill_between_ is None
    title = display.ax_.get_legend().get_title().get_text()
    assert title == f"the best 2, {display.n_left_out_} left out"
    smallest = [errors.min() for errors in display.errors]
    assert smallest[1:] == sorted(smallest[1:])
    # Only what varies tells the lines apart.
    pattern = r"n_components=[12], conditioning=(True|False)(, clip=[.\d]+)?"
    assert all(re.fullmatch(pattern, line.get_label()) for line in display.lines_)
    assert legend(display.ax_)[-1] == f"chosen: C = {searched.best_params_['C']:g}"


def test_what_cannot_be_drawn_against_C_is_refused(plt, searched):
    with pytest.raises(NotFittedError):
        RiskAgainstCDisplay.from_estimator(SFMClassifierCV())
    with pytest.raises(ValueError, match="max_lines must be a whole number of at least 1"):
        RiskAgainstCDisplay.from_estimator(searched, max_lines=0)
    with pytest.raises(ValueError, match="spread must be 'std' or None"):
        RiskAgainstCDisplay.from_estimator(searched, spread="sem")
    alone = copy.copy(searched)
    unknown = np.full(len(searched.cv_results_["params"]), np.nan)
    alone.cv_results_ = searched.cv_results_ | {"mean_test_accuracy": unknown}
    with pytest.raises(ValueError, match="nothing was cross-validated"):
        RiskAgainstCDisplay.from_estimator(alone)


# Accuracy against the number of labelled items

SIZES = [5, 20, 80]
ACCURACIES = {
    "supervised": np.array([[0.5, 0.6, 0.9, 0.4], [0.7, 0.7, 0.8, 0.6], [0.9, 0.8, 0.9, 0.95]]),
    "semi-supervised": np.array([[0.6, 0.6, 0.9, 0.5], [0.7, 0.8, 0.8, 0.7], [0.9, 0.9, 0.9, 0.9]]),
}


@pytest.mark.parametrize("spread", ["std", "sem", "quartiles"])
def test_lines_are_means_and_bands_are_what_the_legend_says(plt, spread):
    display = LearningCurveDisplay.from_results(SIZES, ACCURACIES, spread=spread)
    assert [line.get_label() for line in display.lines_] == list(ACCURACIES)
    for values, line, band in zip(
        ACCURACIES.values(), display.lines_, display.fill_between_, strict=True
    ):
        assert line.get_xdata().tolist() == SIZES
        assert np.array_equal(line.get_ydata(), values.mean(1))
        half = values.std(1, ddof=1) / (2 if spread == "sem" else 1)
        low, high = values.mean(1) - half, values.mean(1) + half
        if spread == "quartiles":
            low, high = np.percentile(values, 25, axis=1), np.percentile(values, 75, axis=1)
        limits = band.get_datalim(display.ax_.transData)
        assert (limits.y0, limits.y1) == pytest.approx((low.min(), high.max()))
    names = {"std": "standard deviation", "sem": "standard error", "quartiles": "quartiles"}
    assert names[spread] in display.ax_.get_legend().get_title().get_text()
    assert display.ax_.get_ylabel() == "accuracy"
    assert [text.get_text() for text in display.ax_.get_xticklabels()] == ["5", "20", "80"]
    display.figure_.canvas.draw()


def test_keywords_of_the_user_win_by_either_name(plt):
    display = LearningCurveDisplay.from_results(
        SIZES, ACCURACIES, line_kw={"c": "red", "lw": 3}, fill_between_kw={"lw": 1}
    )
    assert {(line.get_color(), line.get_linewidth()) for line in display.lines_} == {("red", 3)}
    assert {band.get_linewidth()[0] for band in display.fill_between_} == {1}


def test_one_partition_has_no_band(plt):
    display = LearningCurveDisplay.from_results([5], {"supervised": [[0.5]]}, score_name="hits")
    assert display.fill_between_ == []
    assert display.ax_.get_ylabel() == "hits"


def test_from_estimator_draws_the_curve_on_the_users_axes(plt):
    ax = plt.figure().subplots()
    given = {"n_labelled": (8, 32), "n_partitions": 3, "random_state": 1}
    model = SFMClassifier(n_components=1)
    display = LearningCurveDisplay.from_estimator(
        model, X, Y == 0, **given, n_jobs=2, ax=ax, fill_between_kw={"alpha": 0.1}
    )
    curve = semi_supervised_curve(model, X, Y == 0, **given)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert np.array_equal(display.lines_[0].get_ydata(), curve.supervised.mean(1))
    assert np.array_equal(display.lines_[1].get_ydata(), curve.semi_supervised.mean(1))
    assert display.fill_between_[0].get_alpha() == 0.1
    assert np.array_equal(display.accuracies["semi-supervised"], curve.semi_supervised)


@pytest.mark.parametrize(
    ("sizes", "accuracies", "message"),
    [
        ([5, 5], ACCURACIES, "n_labelled must hold rising numbers"),
        ([], ACCURACIES, "n_labelled must hold rising numbers"),
        ([0, 1, 2], ACCURACIES, "n_labelled must hold rising numbers"),
        (SIZES, {}, "at least one name"),
        (SIZES, {"a": [[0.5]]}, r"accuracies\['a'\] must have shape \(3, n_partitions\)"),
        (SIZES, {"a": [0.5, 0.6, 0.7]}, r"got \(3,\)"),
        (SIZES, {"a": [[0.5], [np.nan], [0.7]]}, "finite"),
    ],
)
def test_accuracies_that_do_not_fit_are_refused(sizes, accuracies, message):
    with pytest.raises(ValueError, match=message):
        LearningCurveDisplay(n_labelled=sizes, accuracies=accuracies)


def test_an_unknown_spread_is_refused_before_anything_is_computed(plt):
    with pytest.raises(ValueError, match="spread must be 'std', 'sem' or 'quartiles'"):
        LearningCurveDisplay.from_estimator(None, X, Y, n_labelled=(1,), spread="range")
