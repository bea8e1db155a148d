"""Certificates of whole classifiers: how delta is shared, what is kept apart, and what is saved."""

import json
import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from sfmbio import ProteinClassifier
from sfmcore.bounds.certificate import certify_losses
from sfmcore.bounds.certificate_report import (
    SUM_OF_VOTES,
    Centres,
    CertificateReport,
    certify_votes,
)
from sfmcore.bounds.draws_limit import draws_limit, joint_draws_limit
from sfmcore.bounds.inequalities import binomial_bound
from sfmcore.bounds.joint_limit import joint_margin_limit
from sfmcore.bounds.margin_limit import Lengths, margin_limit
from sfmcore.bounds.objective import Objective, upper_tail
from sfmcore.data.errors import ModelFileError
from sfmcore.data.targets import UNLABELED
from sfmcore.estimators.certifying import centres_of
from sfmcore.estimators.classifier import SFMClassifier
from sfmcore.files.model_file import FORMAT_VERSION, load_model, read_header, save_model
from sfmcore.learning.pair import mean_divergence
from sfmcore.learning.problem import make_problem
from sfmcore.learning.search import minimise
from sfmcore.learning.vote import decide

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

CLASSES = np.array(["a", "b", "c"])
LENGTHS = ("posterior", "product", "prior")
KIND = "protein classifier"


def make_votes(n_classes, n_items=240, n_rows=4, seed=0):
    """True numbers, and margins of one vote for each class against the rest."""
    random = np.random.default_rng([seed, n_classes])
    numbers = np.arange(n_items) % n_classes
    targets = [1] if n_classes == 2 else range(n_classes)
    sides = [np.where(numbers == target, 1.0, -1.0) for target in targets]
    margins = [random.normal(0.9 * side[:, None], 1.0, (n_items, n_rows)) for side in sides]
    return numbers, margins


def scores_of(margins, vote="majority"):
    scores = np.column_stack([decide(rows, vote) for rows in margins])
    return scores[:, 0] if len(margins) == 1 else scores


def report_of(n_classes, *, delta=0.05, fresh=False, is_majority=True, numbers=None, seed=0):
    truth, margins = make_votes(n_classes, seed=seed)
    divergences = [0.0 if fresh else 2.0 + k for k in range(len(margins))]
    return certify_votes(
        CLASSES[:n_classes],
        truth if numbers is None else numbers,
        margins,
        scores_of(margins, "majority" if is_majority else "normalised"),
        divergences,
        delta=delta,
        fresh=fresh,
        is_majority=is_majority,
    )


def losses_of(n_classes, target, column):
    numbers, margins = make_votes(n_classes)
    signs = np.where(numbers == target, 1.0, -1.0)
    return upper_tail(signs[:, None] * margins[column]).mean(1)


def sure_report(*, fresh):
    """Of three classes and 4000 items whose every row is right and sure."""
    numbers = np.arange(4000) % 3
    margins = [np.where(numbers == k, 9.0, -9.0)[:, None] for k in range(3)]
    return certify_votes(
        CLASSES, numbers, margins, scores_of(margins), [0.0] * 3,
        delta=0.05, fresh=fresh, is_majority=True,
    )  # fmt: skip


# certify_votes


@pytest.mark.parametrize("fresh", [False, True])
def test_two_classes_have_one_certificate_of_the_second_with_all_of_delta(fresh):
    report = report_of(2, fresh=fresh)
    assert report.labels == ("b",)
    divergence = 0.0 if fresh else 2.0
    losses = losses_of(2, 1, 0)
    expected = certify_losses(losses, divergence=divergence, delta=0.05, fresh=fresh)
    assert report.certificates == (expected,)
    assert (report.delta, report.fresh) == (0.05, fresh)


def test_three_classes_share_delta():
    report = report_of(3)
    assert report.labels == ("a", "b", "c")
    for target, part in enumerate(report.certificates):
        losses = losses_of(3, target, target)
        assert part == certify_losses(losses, divergence=2.0 + target, delta=0.05 / 3)


def test_errors_of_the_label_take_a_share_of_delta_where_they_count():
    # Of three classes on fresh items: seven tenths of delta are the label's.
    shares = {
        (3, True, True): 0.05 * 0.3 / 3,
        (3, True, False): 0.05 * 0.3 / 3,
        (2, True, False): 0.05,
        (2, True, True): 0.05,
        (2, False, False): 0.05,
        (3, False, False): 0.05 / 3,
    }
    for (n_classes, fresh, is_majority), share in shares.items():
        report = report_of(n_classes, fresh=fresh, is_majority=is_majority)
        assert [part.delta for part in report.certificates] == pytest.approx(
            [share] * len(report.certificates)
        )


def test_a_label_is_wrong_only_if_one_of_the_votes_is():
    report = sure_report(fresh=False)
    total = sum(part.vote_bound for part in report.certificates)
    assert report.label_bound == pytest.approx(total, rel=1e-12)
    assert total < 0.1
    report = report_of(2)
    assert report.label_bound == report.certificates[0].vote_bound < 1.0


def test_limit_of_the_label_is_never_above_one():
    numbers, margins = make_votes(3)
    hopeless = [0.01 * rows for rows in margins]
    report = certify_votes(
        CLASSES, numbers, hopeless, scores_of(hopeless), [1.0] * 3,
        delta=0.05, fresh=False, is_majority=True,
    )  # fmt: skip
    assert sum(part.vote_bound for part in report.certificates) > 1.0
    assert report.label_bound == 1.0


def test_the_binomial_tail_is_the_limit_of_the_label_where_it_is_lower_than_the_sum():
    report = sure_report(fresh=True)
    total = sum(part.vote_bound for part in report.certificates)
    tail = binomial_bound(0, 4000, 0.05 * 0.7)
    assert tail < total
    assert report.label_bound == tail


@pytest.mark.parametrize("n_classes", [2, 3])
def test_no_limit_of_the_label_is_known_for_another_vote_unless_the_items_are_fresh(n_classes):
    assert report_of(n_classes, is_majority=False).label_bound is None
    report = report_of(n_classes, is_majority=False, fresh=True)
    errors = round(240 * report.label_risk)
    assert report.label_risk == pytest.approx(errors / 240)
    # Of two classes the vote's errors are the label's, of which counting has nine tenths of delta.
    share = 0.9 * 0.05 if n_classes == 2 else 0.7 * 0.05
    assert report.label_bound == pytest.approx(binomial_bound(errors, 240, share), rel=1e-9)
    # So few errors have just that probability.
    assert binom.cdf(errors, 240, report.label_bound) == pytest.approx(share, rel=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_label_risk_is_the_share_of_wrong_labels(n_classes):
    numbers, margins = make_votes(n_classes)
    scores = scores_of(margins)
    labels = (scores > 0).astype(int) if n_classes == 2 else scores.argmax(1)
    assert report_of(n_classes).label_risk == np.mean(labels != numbers) > 0


def test_label_risk_is_at_most_the_sum_of_the_votes_risks():
    for seed in range(20):
        report = report_of(3, seed=seed)
        assert report.label_risk <= sum(part.vote_risk for part in report.certificates)


def test_a_smaller_delta_raises_every_limit():
    for n_classes in (2, 3):
        sure, surer = (report_of(n_classes, delta=delta) for delta in (0.1, 0.001))
        assert surer.label_bound >= sure.label_bound
        for one, other in zip(sure.certificates, surer.certificates, strict=True):
            assert other.gibbs_bound > one.gibbs_bound
            assert other.tandem_bound > one.tandem_bound


@pytest.mark.parametrize("delta", [0.0, 1.0, 2.0, -0.1, np.nan, "0.05", None])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_delta_that_is_no_probability_is_refused_before_it_is_shared(n_classes, delta):
    with pytest.raises(ValueError, match=r"^delta must be a number between 0 and 1"):
        report_of(n_classes, delta=delta)


def test_no_items_certify_nothing():
    with pytest.raises(ValueError, match="one number per item"):
        certify_votes(
            CLASSES[:2], np.empty(0, dtype=int), [np.empty((0, 2))], np.empty(0), [0.0],
            delta=0.05, fresh=False, is_majority=True,
        )  # fmt: skip


# Limits from margins and from several draws

CENTRE = Lengths(9.0, 8.5, 8.5)
JOINT = Lengths(25.0, 24.0, 24.0)


def sharper_report(n_classes, n_rows, *, is_majority=True, fresh=False):
    numbers, margins = make_votes(n_classes, n_rows=n_rows)
    scores = scores_of(margins, "majority" if is_majority else "normalised")
    report = certify_votes(
        CLASSES[:n_classes], numbers, margins, scores, [0.0 if fresh else 0.5] * len(margins),
        delta=0.06, fresh=fresh, is_majority=is_majority,
        centres=Centres([CENTRE] * len(margins), JOINT),
    )  # fmt: skip
    return report, numbers, margins, scores


@pytest.mark.parametrize("is_majority", [True, False])
@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_a_vote_is_limited_by_its_margins_or_by_draws(n_rows, is_majority):
    report, numbers, (rows,), _ = sharper_report(2, n_rows, is_majority=is_majority)
    (part,) = report.certificates
    signed = np.where(numbers == 1, 1.0, -1.0)[:, None] * rows
    if is_majority and n_rows > 2:
        # Averaged shares are no sum of margins.
        found = draws_limit(upper_tail(signed).mean(1), divergence=0.5, delta=0.03)
        assert "draws" in part.further_form
        assert part.vote_risk == np.mean(upper_tail(signed).mean(1) >= 0.5)
    else:
        found = margin_limit(signed.mean(1), CENTRE, delta=0.03)
        assert "margins" in part.further_form
        assert part.vote_risk == np.mean(signed.mean(1) <= 0)
    assert part.further_bound == found.value
    others = [2 * part.gibbs_bound, 4 * part.tandem_bound] if is_majority or n_rows <= 2 else []
    assert part.vote_bound == min(1.0, found.value, *others)
    assert (report.label_bound, report.label_form) == (part.vote_bound, part.vote_form)
    assert report.label_risk == part.vote_risk


@pytest.mark.parametrize("is_majority", [True, False])
@pytest.mark.parametrize("n_rows", [1, 3])
def test_the_label_of_several_classes_has_half_of_delta(n_rows, is_majority):
    report, numbers, margins, scores = sharper_report(3, n_rows, is_majority=is_majority)
    assert {part.delta for part in report.certificates} == {0.01}
    if is_majority and n_rows > 1:
        joint = joint_draws_limit(numbers, margins, divergence=1.5, delta=0.03).value
    else:
        joint = joint_margin_limit(scores, numbers, JOINT, delta=0.03).value
    total = sum(part.vote_bound for part in report.certificates)
    assert report.label_bound == min(1.0, joint, total)
    assert (report.label_form == SUM_OF_VOTES) == (total < joint)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_fresh_items_are_counted_and_pay_for_nothing_else(n_classes):
    report, numbers, margins, scores = sharper_report(n_classes, 1, fresh=True)
    assert report == certify_votes(
        CLASSES[:n_classes], numbers, margins, scores, [0.0] * len(margins),
        delta=0.06, fresh=True, is_majority=True,
    )  # fmt: skip


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_report_with_further_limits_comes_back_from_json(n_classes):
    report = sharper_report(n_classes, 2)[0]
    values = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert CertificateReport.from_dict(values) == report
    # Files of earlier formats know none of them.
    del values["label_form"]
    for part in values["classes"]:
        del part["further_bound"], part["further_form"]
    earlier = CertificateReport.from_dict(values)
    assert earlier.label_form is None
    assert all(part.further_bound is None for part in earlier.certificates)


@pytest.mark.parametrize("parameters", [{}, {"n_shared_models": 3}, {"n_pairs": 2}])
def test_joint_lengths_are_of_what_tells_the_classes_apart(parameters):
    X, y = make_data(n_classes=3)
    pairs = fitted(X, y, **parameters).pairs_
    size = len(pairs) // 3
    us = np.array([pair.u for pair in pairs]).reshape(3, -1)
    if "n_shared_models" in parameters:
        assert pairs[0].mapping is pairs[size].mapping
        us = us - us.mean(0)
    assert centres_of(pairs, 3).joint.posterior == pytest.approx(np.sum(us**2) / size, rel=1e-9)


# Reports


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("is_majority", [False, True])
def test_a_report_comes_back_from_json(n_classes, is_majority):
    report = report_of(n_classes, is_majority=is_majority)
    values = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert CertificateReport.from_dict(values) == report


def test_labels_of_numbers_come_back_as_plain_numbers():
    numbers, margins = make_votes(3)
    report = certify_votes(
        np.array([-1, 0, 5]), numbers, margins, scores_of(margins), [1.0] * 3,
        delta=0.05, fresh=False, is_majority=True,
    )  # fmt: skip
    assert CertificateReport.from_dict(json.loads(json.dumps(report.to_dict()))) == report
    assert report.labels == (-1, 0, 5)


def test_a_report_with_something_missing_or_too_much_is_refused():
    values = report_of(3).to_dict()
    for name in values.keys() - {"label_form", "coverage"}:
        with pytest.raises(KeyError):
            CertificateReport.from_dict({k: v for k, v in values.items() if k != name})
    for change in ({"more": 1}, {"vote_bound": None}):
        part = {**values["classes"][0], **change}
        if change == {"vote_bound": None}:
            part.pop("vote_bound")
        with pytest.raises(TypeError):
            CertificateReport.from_dict({**values, "classes": [part]})


def test_a_report_in_words_names_every_class_and_rounds_its_limit_up():
    report = replace(report_of(3), label_risk=0.1, label_bound=0.20001, label_form="counting")
    text = str(report)
    for label, part in zip(report.labels, report.certificates, strict=True):
        assert f"{label!r} against the rest:\n{part}" in text
    assert text.splitlines()[-1] == (
        "wrong label: 0.1000 on the items, true error at most 0.2001 (counting); everything above "
        "holds together with probability at least 0.95"
    )
    assert "true error not bounded;" in str(replace(report, label_bound=None))


# Pairs


def test_divergence_of_several_pairs_is_their_mean():
    model = fitted(n_pairs=2)
    pairs = model.pairs_
    parts = [0.5 * np.sum((pair.u - pair.prior_mean) ** 2) for pair in pairs]
    assert parts[0] != parts[1]
    assert mean_divergence(pairs) == pytest.approx(np.mean(parts), rel=1e-12)
    assert mean_divergence(pairs[:1]) == pytest.approx(parts[0], rel=1e-12)


# Vectors


def make_data(n_items=60, n_classes=2, seed=0):
    numbers = np.arange(n_items) % n_classes
    random = np.random.default_rng([seed, n_items, n_classes])
    return random.normal(size=(n_items, 3)) + 1.5 * np.eye(3)[numbers], CLASSES[numbers]


X, Y = make_data()
SMALL = {"n_components": 2, "n_init": 1, "em_max_iter": 10, "random_state": 0}
# u is learnt on what is kept; certificates by counting have tests of their own.
KEPT = {"certificate_fraction": 0.5, "certify_by": "pac-bayes"}
DRAWS = {"n_draws": 3, "max_iter": 3, "tol": 0.05}
COUPLED = {**DRAWS, "coupling": 1.0, "C": 2.0}
VARIANTS = {
    "exact": {},
    "draws": DRAWS,
    "coupled": COUPLED,
    "bound": {**COUPLED, "C": "bound"},
    "power": {"scaling": "power"},
}


def fitted(X=X, y=Y, **parameters):
    return SFMClassifier(**{**SMALL, **KEPT, **parameters}).fit(X, y)


def kept_apart(y, seed=0, fraction=0.5):
    """Numbers of the labelled items that the models do not see."""
    problem = make_problem(np.zeros((len(y), 1)), y)
    seen = problem.seen_by_models(fraction, seed)
    return np.flatnonzero(~seen & (problem.numbers != UNLABELED))


def learnt_before_u(model):
    """Bits of all that the items kept apart must not change."""
    bits = []
    for pair in model.pairs_:
        models = (pair.mapping.positive, pair.mapping.negative)
        arrays = [array for part in models for array in part.get_arrays().values()]
        arrays += [pair.mapping.mean, pair.mapping.scale, pair.prior_mean]
        bits += [array.tobytes() for array in arrays]
    return [*bits, *(pickle.dumps(pair.preparation) for pair in model.pairs_)]


def u_of(model):
    return [pair.u.tobytes() for pair in model.pairs_]


@pytest.mark.parametrize("parameters", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_other_labels_of_the_items_kept_apart_change_u_alone(n_classes, parameters):
    X, y = make_data(n_classes=n_classes)
    apart = kept_apart(y)
    other = y.copy()
    other[apart] = np.roll(y[apart], 1)
    one, two = fitted(X, y, **parameters), fitted(X, other, **parameters)
    assert learnt_before_u(one) == learnt_before_u(two)
    assert u_of(one) != u_of(two)
    assert one.pairs_[0].prior_mean.any()


@pytest.mark.parametrize("parameters", VARIANTS.values(), ids=VARIANTS)
def test_other_values_of_the_items_kept_apart_change_u_alone(parameters):
    apart = kept_apart(Y)
    other = X.copy()
    other[apart] = 7.0 - 3.0 * X[apart]
    one, two = fitted(**parameters), fitted(other, **parameters)
    assert learnt_before_u(one) == learnt_before_u(two)
    assert u_of(one) != u_of(two)


@pytest.mark.parametrize("parameters", VARIANTS.values(), ids=VARIANTS)
def test_other_values_of_the_known_items_change_what_they_teach(parameters):
    known = np.setdiff1d(np.arange(60), kept_apart(Y))
    other = X.copy()
    other[known[0]] += 1.0
    assert learnt_before_u(fitted(**parameters)) != learnt_before_u(fitted(other, **parameters))


def test_items_kept_apart_do_not_say_when_the_turns_end():
    apart = kept_apart(Y)
    other = Y.copy()
    other[apart] = Y[apart[0]]
    settings = {"n_draws": 3, "coupling": 1.0, "C": 2.0, "max_iter": 15, "tol": 0.02}
    one, two = fitted(**settings), fitted(X, other, **settings)
    assert [pair.n_iter for pair in one.pairs_] == [pair.n_iter for pair in two.pairs_]
    assert one.n_iter_ < 15
    # Where u of all items decides, the same change of labels changes the number of turns.
    without = {**settings, "certificate_fraction": 0.0}
    assert fitted(**without).n_iter_ != fitted(X, other, **without).n_iter_


def test_u_is_last_learnt_on_the_items_kept_apart_even_without_refit():
    for refit in (True, False):
        model = fitted(**COUPLED, refit=refit)
        other = Y.copy()
        apart = kept_apart(Y)
        other[apart] = np.roll(Y[apart], 1)
        assert u_of(model) != u_of(fitted(X, other, **COUPLED, refit=refit))


@pytest.mark.parametrize("C", [20.0, 2000.0])
def test_C_is_the_one_of_the_lowest_limit_among_that_of_training_and_smaller_ones(C):
    X, y = make_data(200)
    model = fitted(X, y, C=C)
    (pair,) = model.pairs_
    apart = kept_apart(y)
    rows = pair.mapping.features(pair.preparation.apply(X[apart]), "exact")
    signs = np.where(y[apart] == "b", 1, -1).astype(np.int8)
    limits = {}
    for tried in C / 4.0 ** np.arange(7):
        J = Objective(rows, signs, tried, len(signs), prior_mean=pair.prior_mean)
        u = minimise(J, iter([pair.u]))
        losses = upper_tail(signs * (rows @ u))
        limits[tried] = draws_limit(losses, divergence=J.divergence(u), delta=0.05).value
    assert pair.C == min(limits, key=limits.get) < C
    # And u is a minimum there.
    J = Objective(rows, signs, pair.C, len(signs), prior_mean=pair.prior_mean)
    assert np.abs(J(pair.u)[1]).max() < 1e-4


def test_conditioning_is_of_the_known_items():
    known = np.setdiff1d(np.arange(60), kept_apart(Y))
    model = fitted(conditioning=True)
    (pair,) = model.pairs_
    raw = pair.mapping.raw(pair.preparation.apply(X[known]), "exact")
    np.testing.assert_allclose(pair.mapping.mean, raw.mean(0), rtol=1e-6, atol=1e-9)
    alone = SFMClassifier(**SMALL).fit(X[known], Y[known])
    for name in ("mean", "scale"):
        own, other = (getattr(m.pairs_[0].preparation, name) for m in (model, alone))
        assert np.array_equal(own, other)


@pytest.mark.parametrize("parameters", [{}, DRAWS, {"vote": "raw"}, {"n_pairs": 2}])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_certificate_is_that_of_certify_on_the_items_kept_apart(n_classes, parameters):
    X, y = make_data(n_classes=n_classes)
    model = fitted(X, y, delta=0.1, **parameters)
    apart = kept_apart(y)
    assert model.certificate_ == model.certify(X[apart], y[apart], delta=0.1)
    assert model.certificate_.certificates[0].n_items == len(apart) == 30
    assert (model.certificate_.fresh, model.certificate_.delta) == (False, 0.1)
    assert (model.certificate_.label_bound is None) == ("vote" in parameters)


def test_certificate_is_that_of_the_votes_by_hand():
    X, y = make_data(n_classes=3)
    model = fitted(X, y, n_pairs=2)
    apart = kept_apart(y)
    items = model.pairs_[0].preparation.apply(X[apart])
    for target, part in enumerate(model.certificate_.certificates):
        pairs = model.pairs_[2 * target : 2 * target + 2]
        rows = np.hstack([pair.votes(items, 1)[0] for pair in pairs])
        signs = np.where(y[apart] == CLASSES[target], 1.0, -1.0)
        losses = upper_tail(signs[:, None] * rows).mean(1)
        divergence = mean_divergence(pairs)
        # Half of delta is the label's, a third of the rest this vote's, and half of that the
        # margins', which two rows decide by.
        lengths = [Lengths.of(pair.u, pair.prior_mean) for pair in pairs]
        means = [np.mean([getattr(one, name) for one in lengths]) for name in LENGTHS]
        found = margin_limit((signs[:, None] * rows).mean(1), Lengths(*means), delta=0.05 / 12)
        assert part.further_bound == pytest.approx(found.value, rel=1e-9)
        assert part.further_form == f"margins below {found.theta:g}"
        expected = certify_losses(losses, divergence=divergence, delta=0.05 / 12)
        for name in ("gibbs_bound", "tandem_bound", "catoni_bound"):
            assert getattr(part, name) == pytest.approx(getattr(expected, name), rel=1e-9)
        assert part.vote_bound == min(
            1.0, 2 * part.gibbs_bound, 4 * part.tandem_bound, part.further_bound
        )
    assert model.certificate_.label_risk == np.mean(model.predict(X[apart]) != y[apart])


def test_unlabelled_items_are_neither_known_nor_certified_on():
    more = np.random.default_rng(9).normal(size=(20, 3))
    marked = fitted(np.vstack([X, more]), [*Y, *[None] * 20])
    beside = SFMClassifier(**SMALL, **KEPT).fit(X, Y, X_unlabeled=more)
    assert marked.certificate_ == beside.certificate_
    assert marked.certificate_.certificates[0].n_items == 30
    assert learnt_before_u(marked) == learnt_before_u(fitted())
    # But u sees them.
    assert u_of(marked) != u_of(fitted())


def test_unlabelled_items_feed_back_into_the_models_beside_the_known_ones():
    # Nothing is certified on them, so the models may depend on them.
    more = np.random.default_rng(9).normal(size=(20, 3))
    with_some = fitted(np.vstack([X, more]), [*Y, *[None] * 20], **COUPLED)
    assert learnt_before_u(with_some) != learnt_before_u(fitted(**COUPLED))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("parameters", [{}, COUPLED], ids=["exact", "coupled"])
def test_one_and_two_threads_certify_the_same_bits(n_classes, parameters):
    X, y = make_data(n_classes=n_classes)
    one, two = (fitted(X, y, n_jobs=n_jobs, **parameters) for n_jobs in (1, 2))
    assert one.certificate_ == two.certificate_
    assert learnt_before_u(one) == learnt_before_u(two)
    fresh = make_data(seed=5, n_classes=n_classes)
    assert one.certify(*fresh, fresh=True) == two.certify(*fresh, fresh=True)


# What is drawn apart may be of one kind


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("parameters", [{}, COUPLED], ids=["exact", "coupled"])
def test_items_kept_apart_may_lack_a_class(parameters):
    # A single item of either class, and a rare class of which none is drawn.
    rare = np.where(np.isin(np.arange(60), [57, 58]), "b", "a")
    for y, fraction in ((Y, 0.01), (Y[::-1], 0.01), (rare, 0.3)):
        model = fitted(X, y, certificate_fraction=fraction, em_max_iter=200, **parameters)
        assert len(set(y[kept_apart(y, fraction=fraction)])) == 1
        assert np.isfinite(model.pairs_[0].u).all()
        assert 0 < model.certificate_.label_bound <= 1


# Warnings and refusals


def test_items_that_equal_known_ones_are_warned_of_and_counted():
    model = fitted()
    apart = kept_apart(Y)
    known = np.setdiff1d(np.arange(60), apart)
    mixed = np.concatenate([apart, known[:3]])
    with pytest.warns(UserWarning, match="^3 of 33 items equal items that the models") as caught:
        model.certify(X[mixed], Y[mixed])
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_items_that_the_models_have_not_seen_are_not_warned_of():
    model = fitted()
    apart = kept_apart(Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.certify(X[apart], Y[apart])
        model.certify(*make_data(seed=5), fresh=True)


def test_items_that_u_was_learnt_from_are_not_fresh():
    apart = kept_apart(Y)
    with pytest.warns(UserWarning, match="^30 of 30 items equal items that the models or u were"):
        fitted().certify(X[apart], Y[apart], fresh=True)


def test_without_a_share_kept_apart_every_item_is_known():
    with pytest.warns(UserWarning, match="^60 of 60 items equal"):
        fitted(certificate_fraction=0.0).certify(X, Y)


def test_unknown_and_missing_labels_are_refused():
    model = fitted()
    fresh = make_data(8, seed=5)[0]
    for labels, message in (
        (["a", "b", "z", "y"] * 2, r"y holds labels that training did not: \['y', 'z'\]"),
        ([0, 1] * 4, r"training did not: \[0, 1\]"),
        (["a", None] * 4, "none missing"),
        (["a", ""] * 4, r"training did not: \[''\]"),
        (["a", "b"], r"X has 8 items, y has shape \(2,\)"),
    ):
        with pytest.raises(ValueError, match=message):
            model.certify(fresh, labels)


def test_strings_are_not_taken_for_the_numbers_they_name():
    # With many classes NumPy would compare numbers as strings.
    numbers = np.arange(80) % 16
    X = np.random.default_rng(0).normal(size=(80, 3)) + numbers[:, None]
    model = SFMClassifier(n_components=1, random_state=0, em_max_iter=5).fit(X, numbers)
    with pytest.raises(ValueError, match="labels that training did not"):
        model.certify(X[:4] + 0.1, ["10", "11", "2", "3"])
    assert model.certify(X[:4] + 0.1, [0.0, 1.0, 2.0, 3.0]).labels == tuple(range(16))


def test_some_of_the_labels_are_enough():
    X, y = make_data(n_classes=3)
    model = fitted(X, y)
    fresh, labels = make_data(30, n_classes=3, seed=5)
    only = labels == "c"
    report = model.certify(fresh[only], labels[only])
    assert report.label_risk == np.mean(model.predict(fresh[only]) != "c")


def test_a_fresh_certificate_has_no_divergence_and_counts_the_labels_errors():
    model = fitted()
    fresh, labels = make_data(400, seed=5)
    report = model.certify(fresh, labels, delta=0.02, fresh=True)
    (part,) = report.certificates
    assert (report.fresh, part.fresh, part.divergence) == (True, True, 0.0)
    errors = int(np.sum(model.predict(fresh) != labels))
    assert report.label_risk == errors / 400
    # Four limits share delta: the vote's own errors are the binomial tail.
    assert report.label_bound <= binomial_bound(errors, 400, 0.02 / 4)


def test_delta_of_certify_is_checked():
    fresh = make_data(20, n_classes=3, seed=5)
    with pytest.raises(ValueError, match="delta must be a number between 0 and 1, got 2"):
        fitted(*make_data(n_classes=3)).certify(*fresh, delta=2)


def test_certificates_and_weights_exclude_each_other():
    model = SFMClassifier(**SMALL, **KEPT)
    with pytest.raises(ValueError, match="requires equal weights: it takes no sample_weight"):
        model.fit(X, Y, np.ones(60))


def test_certificates_and_a_share_of_the_prior_exclude_each_other():
    with pytest.raises(ValueError, match="leave prior_fraction at 0"):
        fitted(prior_fraction=0.2)
    with pytest.raises(ValueError, match="and prior at 'zero'"):
        fitted(prior="map")


@pytest.mark.parametrize("fraction", [-0.1, 1.0, np.nan, "half", None])
def test_a_share_that_is_none_is_refused_by_name(fraction):
    with pytest.raises(ValueError, match=r"^certificate_fraction must be a number from 0 to below"):
        fitted(certificate_fraction=fraction)


def test_a_share_that_leaves_a_class_without_models_is_refused_by_name():
    with pytest.raises(ValueError, match="left no item to learn the models of 'a', 'b' from"):
        fitted(certificate_fraction=0.999)


def test_there_is_no_certificate_without_a_share_kept_apart():
    model = fitted(certificate_fraction=0.0)
    with pytest.raises(AttributeError, match="no certificate: fit with a certificate_fraction"):
        model.certificate_  # noqa: B018
    assert not hasattr(SFMClassifier(), "certificate_")


def test_a_fit_without_a_share_forgets_the_certificate():
    model = fitted()
    assert hasattr(model, "certificate_")
    model.set_params(certificate_fraction=0.0).fit(X, Y)
    assert not hasattr(model, "certificate_")


# The bound


@pytest.mark.parametrize(("n_classes", "n_targets"), [(2, 1), (3, 3)])
@pytest.mark.parametrize("n_pairs", [1, 2])
def test_bound_has_a_row_for_each_target_and_a_column_for_each_pair(n_classes, n_targets, n_pairs):
    X, y = make_data(n_classes=n_classes)
    model = fitted(X, y, n_pairs=n_pairs, certificate_fraction=0.0)
    bound = model.risk_bound()
    assert bound.shape == (n_targets, n_pairs)
    assert bound.ravel().tolist() == [pair.bound[-1] for pair in model.pairs_]


def test_bound_of_weighted_items_is_refused_until_the_next_fit():
    model = SFMClassifier(**SMALL).fit(X, Y, np.ones(60))
    with pytest.raises(ValueError, match="requires equal weights: fit without sample_weight"):
        model.risk_bound()
    assert model.fit(X, Y).risk_bound().shape == (1, 1)


# Proteins, and model files


def make_proteins(n_classes=3, per_class=16):
    random = np.random.default_rng(0)
    residues = np.array(list("ADKLVW"))
    sequences, labels = [], []
    for number in range(n_classes):
        shares = np.full(6, 0.1)
        shares[2 * number : 2 * number + 2] += 0.2
        for _ in range(per_class):
            sequences.append("".join(random.choice(residues, 12, p=shares)))
            labels.append(CLASSES[number])
    return sequences, np.array(labels)


PROTEIN = {"n_states": 2, "n_init": 1, "em_max_iter": 5, "n_pairs": 1, "random_state": 0}


def fitted_proteins(sequences=None, labels=None, **parameters):
    if sequences is None:
        sequences, labels = make_proteins()
    own = {**PROTEIN, **KEPT, **parameters}
    if own.get("coupling", 0.0) > 0.0:
        own["n_shared_models"] = 0
    model = ProteinClassifier(**own)
    return model.fit(sequences, labels)


@pytest.fixture(scope="module")
def certified():
    return fitted_proteins()


@pytest.fixture
def saved(certified, tmp_path):
    path = tmp_path / "a.model"
    certified.save(path)
    return path


@pytest.mark.parametrize("parameters", [{}, COUPLED], ids=["exact", "coupled"])
def test_sequences_kept_apart_change_u_alone(parameters):
    sequences, labels = make_proteins()
    apart = kept_apart(labels)
    other = [s[::-1] + "WW" if k in apart else s for k, s in enumerate(sequences)]
    moved = labels.copy()
    moved[apart] = np.roll(labels[apart], 7)
    one = fitted_proteins(sequences, labels, **parameters)
    for changed in ((other, labels), (sequences, moved)):
        two = fitted_proteins(*changed, **parameters)
        assert learnt_before_u(one) == learnt_before_u(two)
        assert u_of(one) != u_of(two)


def test_certificate_of_proteins_is_that_of_certify(certified):
    sequences, labels = make_proteins()
    apart = kept_apart(labels)
    items = [sequences[k] for k in apart]
    assert certified.certificate_ == certified.certify(items, labels[apart])
    with pytest.warns(UserWarning, match="24 of 48 items equal"):
        certified.certify(sequences, labels)


def test_a_saved_model_keeps_its_certificate(certified, saved):
    assert ProteinClassifier.load(saved).certificate_ == certified.certificate_


def test_a_saved_model_without_certificate_has_none(tmp_path):
    fitted_proteins(certificate_fraction=0.0).save(tmp_path / "a.model")
    assert not hasattr(ProteinClassifier.load(tmp_path / "a.model"), "certificate_")


def test_a_loaded_model_certifies_as_the_one_that_was_saved(certified, saved):
    sequences, labels = make_proteins()
    apart = kept_apart(labels)
    items = [sequences[k] for k in apart]
    loaded = ProteinClassifier.load(saved)
    assert loaded.certify(items, labels[apart]) == certified.certificate_
    # The file knows what the models have seen.
    with pytest.warns(UserWarning, match="24 of 48 items equal"):
        loaded.certify(sequences, labels)


def test_a_saved_model_knows_that_it_was_weighted(tmp_path):
    sequences, labels = make_proteins()
    model = ProteinClassifier(**PROTEIN).fit(sequences, labels, np.ones(48))
    model.save(tmp_path / "a.model")
    with pytest.raises(ValueError, match="fit without sample_weight"):
        ProteinClassifier.load(tmp_path / "a.model").risk_bound()


def change_report(**values):
    return lambda certificate: certificate.update(values)


def change_class(**values):
    return lambda certificate: certificate["classes"][1].update(values)


TAMPERINGS = {
    "no certificate but a number": lambda certificate: 5,
    "no certificate but a list": lambda certificate: [],
    "delta of one": change_report(delta=1.0),
    "delta of text": change_report(delta="small"),
    "label_bound above one": change_report(label_bound=1.5),
    "label_bound of text": change_report(label_bound="low"),
    "label_risk below zero": change_report(label_risk=-0.1),
    "fresh of text": change_report(fresh="yes"),
    "no delta": lambda certificate: certificate.pop("delta") and None,
    "no classes": change_report(classes=[]),
    "classes of another type": change_report(classes="abc"),
    "a class too few": lambda certificate: certificate["classes"].pop() and None,
    "another order of the classes": lambda certificate: certificate["classes"].reverse(),
    "another label": change_class(label="z"),
    "gibbs_bound above one": change_class(gibbs_bound=1.1),
    "vote_bound of text": change_class(vote_bound="low"),
    "tandem_loss below zero": change_class(tandem_loss=-0.5),
    "catoni_bound above one": change_class(catoni_bound=2.0),
    "vote_risk of nothing": change_class(vote_risk=None),
    "divergence below zero": change_class(divergence=-1.0),
    "no items": change_class(n_items=0),
    "half an item": change_class(n_items=0.5),
    "form of no text": change_class(form=3),
    "vote_form of no text": change_class(vote_form=None),
    "further_form of no text": change_class(further_form=3),
    "further_bound without a name": change_class(further_form=None),
    "further_bound above one": change_class(further_bound=1.5),
    "further_form without a limit": change_class(further_bound=None),
    "label_form of no text": change_report(label_form=3),
    "C of the grid below zero": change_class(C_grid=[-1.0]),
    "C_grid of no list": change_class(C_grid=3),
    "catoni_C of zero": change_class(catoni_C=0.0),
    "delta of a class above one": change_class(delta=1.5),
    "fresh of a class of text": change_class(fresh="no"),
    "something too much": change_class(colour="blue"),
    "something missing": lambda certificate: certificate["classes"][0].pop("form") and None,
}


@pytest.mark.parametrize("tamper", TAMPERINGS.values(), ids=TAMPERINGS)
def test_a_tampered_certificate_is_refused(saved, tamper):
    state, arrays = load_model(saved, KIND)
    before = json.dumps(state)
    replaced = tamper(state["certificate"])
    if replaced is not None:
        state["certificate"] = replaced
    assert json.dumps(state) != before
    save_model(saved, KIND, state, arrays)
    with pytest.raises(ModelFileError) as caught:
        ProteinClassifier.load(saved)
    assert str(caught.value).startswith(f"{saved}: its parts do not fit: ")


def test_a_certificate_that_was_only_written_again_is_accepted(certified, saved):
    save_model(saved, KIND, *load_model(saved, KIND))
    assert ProteinClassifier.load(saved).certificate_ == certified.certificate_


def test_a_file_of_format_1_still_loads(tmp_path, monkeypatch):
    """Format 1 knew no certificates, no weights, fewer parameters, and all by short names."""
    # What those files did not know.
    without = dict.fromkeys(("end_weight", "length_weight", "property_weight"), 0.0)
    without |= {"relative_weight": 0.3, "reference_residues": 0, "most_aligned": 0}
    without |= {"calibrate": False, "certify_by": "pac-bayes"}
    model = fitted_proteins(certificate_fraction=0.0, **without)
    path = tmp_path / "old.model"
    model.save(path)
    state, arrays = load_model(path, KIND)
    for name in ("certificate", "weighted", "model", "prepare"):
        del state[name]
    state["parameters"] = model.kept_params()
    later = ("calibrate", "certify_by")
    for name in ("certificate_fraction", "unlabeled", "sampler", "prior", *later):
        del state["parameters"][name]
    with monkeypatch.context() as patch:
        patch.setattr("sfmcore.files.model_file.FORMAT_VERSION", 1)
        save_model(path, KIND, state, arrays)
    assert read_header(path)["version"] == 1
    loaded = ProteinClassifier.load(path)
    sequences = make_proteins()[0]
    assert np.array_equal(loaded.predict_proba(sequences), model.predict_proba(sequences))
    expected = ProteinClassifier(**PROTEIN, **without)
    assert loaded.short_params() == expected.short_params()
    assert not hasattr(loaded, "certificate_")
    assert np.array_equal(loaded.risk_bound(), model.risk_bound())
    # Written again it is of the present format.
    loaded.save(path)
    assert read_header(path)["version"] == FORMAT_VERSION


# The promise itself


def test_limits_hold_for_the_true_risks_of_a_known_distribution():
    # A large sample gives the true risks.
    test_X, test_y = make_data(4000, seed=99)
    broken = 0
    for seed in range(20):
        model = fitted(*make_data(80, seed=seed), random_state=seed, delta=0.1)
        (part,) = model.certificate_.certificates
        wrong = model.predict(test_X) != test_y
        (pair,) = model.pairs_
        margins = pair.votes(pair.preparation.apply(test_X), 1)[0][:, 0]
        gibbs = upper_tail(np.where(test_y == "b", margins, -margins)).mean()
        assert part.gibbs_bound < 1
        broken += wrong.mean() > part.vote_bound or gibbs > part.gibbs_bound
    # Each may fail with probability 0.1; in truth hardly ever, as the limits are wide.
    assert broken == 0
