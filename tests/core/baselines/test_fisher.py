"""Fisher scores are gradients of the log-likelihood, and vectors for any classifier."""

import numpy as np
import pytest
from scipy.special import digamma, gammaln, softmax

from sfmcore.baselines import FisherScore, fisher_scores
from sfmcore.baselines.topic_posterior import topic_posterior
from sfmcore.models.base import GenerativeModel
from sfmcore.models.gmm import DiagonalGMM
from sfmcore.models.hmm import CategoricalHMM
from sfmcore.models.lda import LatentDirichletAllocation

STEP = 1e-5


def numeric_scores(model, data, name, to_array, free):
    """Central differences of log_likelihood in `free`, of which `to_array` makes the array."""
    arrays = model.get_arrays()
    out = np.empty((len(data), *free.shape))
    for place in np.ndindex(*free.shape):
        sides = []
        for sign in (1, -1):
            moved = free.copy()
            moved[place] += sign * STEP
            other = type(model)(**model.get_params()).set_arrays({**arrays, name: to_array(moved)})
            sides.append(other.log_likelihood(data))
        out[(slice(None), *place)] = (sides[0] - sides[1]) / (2 * STEP)
    return out


def of_logits(logits):
    return softmax(logits, axis=-1)


@pytest.mark.parametrize("name", ["start", "transition", "emission"])
def test_scores_of_a_hidden_markov_model_are_gradients_in_the_logits(name, hmm, sequences):
    free = np.log(hmm.get_arrays()[name])
    expected = numeric_scores(hmm, sequences, name, of_logits, free)
    np.testing.assert_allclose(fisher_scores(hmm, sequences)[name], expected, atol=2e-6)


@pytest.mark.parametrize(
    ("block", "array", "free", "to_array"),
    [
        ("weight", "weights", np.log, of_logits),
        ("mean", "means", np.copy, np.copy),
        ("deviation", "variances", np.sqrt, np.square),
    ],
)
def test_scores_of_a_mixture_are_gradients(block, array, free, to_array, gmm, rows):
    expected = numeric_scores(gmm, rows, array, to_array, free(gmm.get_arrays()[array]))
    np.testing.assert_allclose(fisher_scores(gmm, rows)[block], expected, rtol=1e-6, atol=1e-7)


def test_scores_of_a_mixture_keep_their_digits_far_from_zero(gmm, rows):
    moved = DiagonalGMM(3).set_arrays({**gmm.get_arrays(), "means": gmm.means_ + 1e7})
    for name, block in fisher_scores(gmm, rows).items():
        np.testing.assert_allclose(fisher_scores(moved, rows + 1e7)[name], block, atol=1e-6)


def test_alpha_scores_of_topics_are_gradients_at_the_expected_tokens(lda, documents):
    tokens = topic_posterior(lda, documents).tokens

    def log_share(alpha):
        """Log P(z | alpha) of so many tokens of each topic."""
        total, n = alpha.sum(), tokens.sum(1)
        each = gammaln(alpha + tokens) - gammaln(alpha)
        return gammaln(total) - gammaln(total + n) + each.sum(1)

    expected = np.column_stack(
        [
            (log_share(0.7 + STEP * one) - log_share(0.7 - STEP * one)) / (2 * STEP)
            for one in np.eye(3)
        ]
    )
    np.testing.assert_allclose(fisher_scores(lda, documents)["alpha"], expected, atol=1e-6)


def test_topic_scores_are_those_of_the_expected_words(lda, documents):
    posterior = topic_posterior(lda, documents)
    expected = posterior.cells - lda.topics_ * posterior.tokens[:, :, None]
    scores = fisher_scores(lda, documents)["topic"]
    np.testing.assert_allclose(scores, expected, atol=1e-6)
    np.testing.assert_allclose(scores.sum(2), 0.0, atol=1e-5)
    counts = [np.bincount(item, minlength=5) for item in documents]
    np.testing.assert_allclose(posterior.cells.sum(1), counts, atol=1e-5)
    assert np.array_equal(posterior.counts, counts)


def test_digamma_form_of_the_table(lda, documents):
    tokens = topic_posterior(lda, documents).tokens
    n = documents.lengths[:, None]
    expected = digamma(2.1) - digamma(2.1 + n) + digamma(0.7 + tokens) - digamma(0.7)
    np.testing.assert_allclose(fisher_scores(lda, documents)["alpha"], expected, atol=1e-9)


def test_empty_items_have_no_score(hmm, lda, sequences, documents):
    for model, data in ((hmm, sequences), (lda, documents)):
        for block in fisher_scores(model, data).values():
            np.testing.assert_allclose(block[2], 0.0, atol=1e-12)


def test_scores_vanish_in_the_mean_where_the_likelihood_is_highest():
    random = np.random.default_rng(0)
    rows = np.concatenate([random.normal(size=(60, 2)), random.normal(size=(60, 2)) + 5])
    model = DiagonalGMM(2, prior=0.0, variance_prior=0.0, tol=1e-12, random_state=0).fit(rows)
    for block in fisher_scores(model, rows).values():
        np.testing.assert_allclose(block.mean(0), 0.0, atol=1e-4)


# Any other model


def test_statistics_of_any_other_model_are_those_expected_under_its_posterior(gmm, rows):
    scores = fisher_scores.dispatch(object)(gmm, rows)
    assert list(scores) == ["statistic"]
    assert scores["statistic"].shape == (7, gmm.n_statistics)
    assert scores["statistic"].dtype == np.float64
    shares = fisher_scores(gmm, rows)["weight"] + gmm.weights_
    sums = shares[:, :, None] * rows[:, None]
    squares = shares[:, :, None] * rows[:, None] ** 2
    expected = np.hstack([shares, sums.reshape(7, -1), squares.reshape(7, -1)])
    # Features are float32, which has 6e-8 of every number.
    np.testing.assert_allclose(scores["statistic"], expected, rtol=1e-6, atol=1e-12)


def test_scores_of_a_mixture_are_linear_in_the_statistics_of_any_other_model(gmm, rows):
    statistics = fisher_scores.dispatch(object)(gmm, rows)["statistic"]
    shares = statistics[:, :3]
    sums, squares = (statistics[:, k : k + 6].reshape(7, 3, 2) for k in (3, 9))
    means, variances = gmm.means_, gmm.variances_
    centred = squares - 2.0 * means * sums + means**2 * shares[:, :, None]
    known = fisher_scores(gmm, rows)
    # Of float32; differences of squares up to 20 lose a digit.
    np.testing.assert_allclose(shares - gmm.weights_, known["weight"], atol=1e-6)
    mean = (sums - means * shares[:, :, None]) / variances
    np.testing.assert_allclose(mean, known["mean"], atol=1e-5)
    deviation = (centred / variances - shares[:, :, None]) / np.sqrt(variances)
    np.testing.assert_allclose(deviation, known["deviation"], atol=1e-5)


def test_expected_statistics_are_their_mean_where_the_likelihood_is_highest():
    random = np.random.default_rng(0)
    rows = np.concatenate([random.normal(size=(60, 2)), random.normal(size=(60, 2)) + 5])
    model = DiagonalGMM(2, prior=0.0, variance_prior=0.0, tol=1e-12, random_state=0).fit(rows)
    weights = model.weights_[:, None]
    expected = [weights, weights * model.means_, weights * (model.variances_ + model.means_**2)]
    statistics = fisher_scores.dispatch(object)(model, rows)["statistic"]
    # EM stops a little before; the squares are near 30.
    np.testing.assert_allclose(
        statistics.mean(0), np.concatenate([block.ravel() for block in expected]), rtol=1e-5
    )


def test_the_package_knows_scores_of_its_own_models():
    generic = fisher_scores.dispatch(object)
    assert fisher_scores.dispatch(GenerativeModel) is generic
    for kind in (CategoricalHMM, DiagonalGMM, LatentDirichletAllocation):
        assert fisher_scores.dispatch(kind) is not generic


# Vectors


def test_vectors_hold_the_scores_of_every_class(sequences):
    labels = [0, 1, 0, 1, 0, 1]
    model = CategoricalHMM(2, 4, random_state=0)
    score = FisherScore(model, standardize=False, unit_length=False, divide_by_size=False)
    vectors = score.fit_transform(sequences, labels)
    blocks = [
        block.reshape(6, -1)
        for one in score.models_
        for block in fisher_scores(one, sequences).values()
    ]
    assert np.array_equal(vectors, np.hstack(blocks))
    assert vectors.shape == (6, 2 * (2 + 4 + 8))
