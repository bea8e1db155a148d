"""The terms of the free energy sum to the log-likelihood, and are what they are called."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln, xlogy

from sfmcore.baselines import FESS, free_energy_terms
from sfmcore.baselines.hmm_posterior import path_posterior
from sfmcore.baselines.topic_posterior import topic_posterior
from sfmcore.data.ragged import Ragged
from sfmcore.models.base import GenerativeModel
from sfmcore.models.gmm import DiagonalGMM
from sfmcore.models.hmm import CategoricalHMM
from sfmcore.models.lda import LatentDirichletAllocation


def total(blocks, n_items):
    return sum(block.reshape(n_items, -1).sum(1) for block in blocks.values())


# Hidden Markov models


def test_terms_of_a_hidden_markov_model_are_those_of_all_its_paths(hmm, sequences, all_paths):
    posterior = path_posterior(hmm, sequences)
    for number, item in enumerate(sequences):
        if len(item) == 0:
            continue
        joints = list(all_paths(hmm, item))
        evidence = sum(joint for _, joint in joints)
        gamma = np.zeros((len(item), 3))
        xi = np.zeros((max(len(item) - 1, 0), 3, 3))
        for path, joint in joints:
            share = joint / evidence
            gamma[np.arange(len(item)), list(path)] += share
            for t in range(len(item) - 1):
                xi[t, path[t], path[t + 1]] += share
        emission = np.zeros((3, 4))
        np.add.at(emission.T, item, gamma)
        conditional = xi / gamma[:-1, :, None]
        expected = (
            gamma[0],
            xi.sum(0),
            emission,
            -xlogy(gamma[0], gamma[0]),
            -xlogy(xi, conditional).sum(0),
        )
        for block, value in zip(posterior, expected, strict=True):
            np.testing.assert_allclose(block[number], value, rtol=1e-10, atol=1e-13)
        terms = free_energy_terms(hmm, sequences[[number]])
        np.testing.assert_allclose(total(terms, 1), np.log(evidence), rtol=1e-12)


@given(
    st.lists(st.integers(0, 60), min_size=1, max_size=10),
    st.integers(1, 5),
    st.integers(0, 1000),
)
@settings(max_examples=40, deadline=None)
def test_terms_of_a_hidden_markov_model_sum_to_its_log_likelihood(lengths, n_states, seed):
    random = np.random.default_rng(seed)
    # Some probabilities near the model's floor.
    shares = [
        random.dirichlet(np.full(n, 0.1), m) for n, m in ((n_states, n_states), (6, n_states))
    ]
    shares = [np.maximum(block, 1e-12) for block in shares]
    shares = [block / block.sum(1, keepdims=True) for block in shares]
    model = CategoricalHMM(n_states, 6).set_arrays(
        {"start": shares[0][0], "transition": shares[0], "emission": shares[1]}
    )
    data = Ragged.from_items([random.integers(6, size=n) for n in lengths])
    terms = free_energy_terms(model, data)
    assert all(np.all(np.isfinite(block)) for block in terms.values())
    np.testing.assert_allclose(
        total(terms, len(data)), model.log_likelihood(data), rtol=1e-9, atol=1e-9
    )


def test_counts_are_those_of_the_models_own_kernel():
    random = np.random.default_rng(0)
    data = Ragged.from_items([random.integers(5, size=n) for n in random.integers(0, 90, 300)])
    model = CategoricalHMM(4, 5, max_iter=3, n_init=1, tol=1.0, random_state=0).fit(data)
    features = np.empty((len(data), model.n_features), dtype=np.float32)
    model.expected_features(data, features)
    posterior = path_posterior(model, data)
    counts = np.hstack([block.reshape(len(data), -1) for block in posterior[:3]])
    np.testing.assert_allclose(counts, features[:, : model.n_statistics], rtol=1e-4, atol=1e-5)


def test_empty_sequences_have_no_terms(hmm, sequences):
    assert all(np.all(block[2] == 0) for block in free_energy_terms(hmm, sequences).values())
    assert path_posterior(hmm, Ragged.from_items([[], []])).start.tolist() == [[0, 0, 0]] * 2


def test_unknown_codes_are_refused(hmm, lda):
    for model in (hmm, lda):
        with pytest.raises(ValueError, match="a code is 9"):
            free_energy_terms(model, Ragged.from_items([[0, 9]]))


# Mixtures


def test_terms_of_a_mixture_sum_to_its_log_likelihood(gmm, rows):
    terms = free_energy_terms(gmm, rows)
    np.testing.assert_allclose(total(terms, len(rows)), gmm.log_likelihood(rows), rtol=1e-12)
    joint = np.log(gmm.weights_) - 0.5 * np.sum(
        np.log(2 * np.pi * gmm.variances_) + (rows[:, None] - gmm.means_) ** 2 / gmm.variances_, 2
    )
    shares = np.exp(joint - np.log(np.exp(joint).sum(1, keepdims=True)))
    np.testing.assert_allclose(terms["weight"], shares * np.log(gmm.weights_), rtol=1e-9)
    np.testing.assert_allclose(terms["entropy"], -xlogy(shares, shares), rtol=1e-7, atol=1e-13)


def test_terms_stay_finite_far_from_all_components(gmm):
    far = np.array([[1e9, -1e12], [3e17, 1.0]])
    terms = free_energy_terms(gmm, far)
    assert all(np.all(np.isfinite(block)) for block in terms.values())


# Latent Dirichlet allocation


def evidence_of_topics(model, item):
    """Log P(words) with the shares integrated out: a sum over all topics of all tokens."""
    K, alpha = model.n_topics, 0.7
    scores = []
    for z in itertools.product(range(K), repeat=len(item)):
        n = np.bincount(z, minlength=K)
        share = gammaln(K * alpha) - gammaln(K * alpha + len(item))
        share += np.sum(gammaln(alpha + n) - gammaln(alpha))
        scores.append(share + np.log(model.topics_[list(z), item]).sum())
    return np.logaddexp.reduce(scores)


def test_terms_of_topics_sum_to_a_bound_near_the_evidence(lda, documents):
    bounds = total(free_energy_terms(lda, documents), len(documents))
    for bound, item in zip(bounds, documents, strict=True):
        evidence = evidence_of_topics(lda, item) if len(item) else 0.0
        # Measured: 0.42 to 0.90 nats below, 0 for the empty document.
        assert evidence - 1.2 < bound <= evidence + 1e-6


def test_terms_of_topics_are_their_expectations_by_simulation(lda, documents):
    posterior = topic_posterior(lda, documents)
    terms = free_energy_terms(lda, documents)
    random = np.random.default_rng(0)
    g = 0.7 + posterior.tokens[0]
    shares = random.dirichlet(g, 200_000)
    logs = np.log(shares).mean(0)
    prior = gammaln(2.1) / 3 - gammaln(0.7)
    np.testing.assert_allclose(terms["share"][0], prior + (0.7 - 1) * logs, atol=0.02)
    np.testing.assert_allclose(terms["topic"][0], posterior.tokens[0] * logs, atol=0.05)
    density = gammaln(g.sum()) - gammaln(g).sum() + (np.log(shares) * (g - 1)).sum(1)
    np.testing.assert_allclose(terms["share entropy"][0].sum(), -density.mean(), atol=0.02)


def test_an_empty_document_has_terms_that_sum_to_zero(lda):
    terms = free_energy_terms(lda, Ragged.from_items([[]]))
    np.testing.assert_allclose(total(terms, 1), 0.0, atol=1e-12)


# Any other model


def test_terms_of_any_other_model_are_its_expected_features_times_their_weights(gmm, rows):
    terms = free_energy_terms.dispatch(object)(gmm, rows)
    assert list(terms) == ["feature"]
    assert terms["feature"].shape == (7, gmm.n_features)
    assert terms["feature"].dtype == np.float64
    # F is linear in the features, so the terms that the package knows are sums of these. Features
    # are float32, which has 6e-8 of every term. Measured: 2e-8 of all terms of an item at most.
    known = free_energy_terms(gmm, rows)
    sizes = np.abs(terms["feature"]).sum(1)
    gaps = np.abs(total(terms, 7) - gmm.log_likelihood(rows))
    assert np.all(gaps <= 1e-7 * sizes)
    assert np.all(np.abs(total(terms, 7) - total(known, 7)) <= 1e-7 * sizes)
    entropies = terms["feature"][:, gmm.n_statistics :]
    np.testing.assert_allclose(entropies, known["entropy"], rtol=1e-6, atol=1e-12)


@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_terms_of_any_other_model_sum_to_its_log_likelihood(n_components, n_columns, seed):
    random = np.random.default_rng(seed)
    model = DiagonalGMM(n_components).set_arrays(
        {
            "weights": random.dirichlet(np.ones(n_components)),
            "means": random.normal(size=(n_components, n_columns)),
            "variances": random.uniform(0.3, 2.0, (n_components, n_columns)),
            "column_variance": np.ones(n_columns),
        }
    )
    rows = 2.0 * random.normal(size=(9, n_columns))
    terms = free_energy_terms.dispatch(object)(model, rows)
    gaps = np.abs(total(terms, 9) - model.log_likelihood(rows))
    # Of float32, as above.
    assert np.all(gaps <= 1e-7 * np.abs(terms["feature"]).sum(1))


def test_terms_of_no_item_have_the_width_of_those_of_any(gmm, rows):
    assert free_energy_terms.dispatch(object)(gmm, rows[:0])["feature"].shape == (0, 18)


# Vectors


@pytest.mark.parametrize(
    ("model", "split", "added"),
    [
        (CategoricalHMM(2, 4, random_state=0), 2 + 4 + 8 + 2 + 4, 2 + 4 + 2 + 2 + 4),
        (LatentDirichletAllocation(2, 4, random_state=0), 2 * 4 + 8, 2 * 5),
    ],
    ids=["hmm", "lda"],
)
def test_emitted_terms_may_be_added_up(model, split, added, sequences):
    options = {"standardize": False, "unit_length": False, "random_state": 0}
    wide = FESS(model, per_class=False, **options).fit_transform(sequences)
    narrow = FESS(model, per_class=False, split_emitted=False, **options).fit_transform(sequences)
    assert wide.shape == (6, split)
    assert narrow.shape == (6, added)
    np.testing.assert_allclose(wide.sum(1), narrow.sum(1), rtol=1e-10, atol=1e-12)


def test_columns_of_a_mixture_may_be_added_up(rows):
    fess = FESS(DiagonalGMM(2), per_class=False, split_emitted=False, random_state=0)
    assert fess.fit_transform(rows).shape == (7, 6)
    assert fess.get_feature_names_out().tolist()[:3] == ["weight 0", "weight 1", "density 0"]


def test_the_package_knows_terms_of_its_own_models():
    generic = free_energy_terms.dispatch(object)
    assert free_energy_terms.dispatch(GenerativeModel) is generic
    for kind in (CategoricalHMM, DiagonalGMM, LatentDirichletAllocation):
        assert free_energy_terms.dispatch(kind) is not generic
