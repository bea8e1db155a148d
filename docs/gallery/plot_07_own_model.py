"""
A model of one's own in pipelines
=================================

The feature map takes any generative model that follows a protocol of a dozen methods. Here is a
mixture of Bernoulli distributions for black and white pixels, in plain NumPy. It then works in
:class:`~sfmcore.SFMClassifier`, in a pipeline, and in scikit-learn's ``GridSearchCV``.
:doc:`/extending` goes through it line by line.
"""

# %%
# The model
# ---------
# A hidden component z is drawn, and then every pixel by itself: P(x, z = k) is w_k times the
# product over the pixels of p_kd or 1 - p_kd.

import numpy as np
from scipy.special import logsumexp

from sfmcore.models.base import GenerativeModel, checked_weights


class BernoulliMixture(GenerativeModel):
    """Mixture of products of Bernoulli distributions over rows of zeros and ones."""

    kind_of_data = "rows"  # numbers that no preparation may scale
    conditioned = True  # features are standardised

    def __init__(self, n_components=2, *, max_iter=100, tol=1e-5, random_state=None, n_jobs=None):
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def n_statistics(self):
        """One count for every component, and one for every component and pixel."""
        return self.weights_.size + self.probabilities_.size

    @property
    def n_features(self):
        """The statistics, and z log a of every component."""
        return self.n_statistics + self.weights_.size

    def estimate(self, data, sample_weight=None):
        """EM from a random start."""
        weights = checked_weights(sample_weight, len(data))
        random = np.random.default_rng(self.random_state)
        start = random.dirichlet(np.ones(self.n_components), size=len(data))
        self.weights_ = np.empty(self.n_components)
        self.probabilities_ = np.empty((self.n_components, data.shape[1]))
        self.update(weights @ self._statistics(data, start))
        last, self.converged_ = -np.inf, False
        for iteration in range(self.max_iter):
            self.n_iter_ = iteration + 1
            shares, scores = self._posterior(data)
            mean = np.average(scores, weights=weights)
            if mean - last < self.tol:
                self.converged_ = True
                break
            self.update(weights @ self._statistics(data, shares))
            last = mean
        return self

    def update(self, statistics):
        """M-step: means with a pseudo-count, so that no probability is 0 or 1."""
        counts, sums = np.split(statistics, [self.n_components])
        self.weights_ = (counts + 1.0) / np.sum(counts + 1.0)
        self.probabilities_ = (sums.reshape(self.probabilities_.shape) + 0.5) / (
            counts[:, None] + 1.0
        )
        return self

    def _posterior(self, data):
        on, off = np.log(self.probabilities_), np.log1p(-self.probabilities_)
        joint = np.log(self.weights_) + data @ on.T + (1.0 - data) @ off.T
        scores = logsumexp(joint, axis=1)
        return np.exp(joint - scores[:, None]), scores

    def _statistics(self, data, shares):
        sums = shares[:, :, None] * data[:, None, :]
        return np.hstack([shares, sums.reshape(len(data), -1)])

    def log_likelihood(self, data):
        """Log P(x)."""
        return self._posterior(data)[1]

    def expected_features(self, data, out):
        """Replace z by its posterior a."""
        shares = self._posterior(data)[0]
        logs = shares * np.log(np.maximum(shares, 1e-300))
        out[:] = np.hstack([self._statistics(data, shares), logs])

    def drawn_features(self, data, keys, n_draws, out):
        """One component for each draw; the key of an item is the seed of its draws."""
        shares = np.repeat(self._posterior(data)[0], n_draws, axis=0)
        uniform = np.concatenate([np.random.default_rng(int(key)).random(n_draws) for key in keys])
        drawn = (shares.cumsum(axis=1) < uniform[:, None]).sum(axis=1)
        chosen = np.eye(self.n_components)[drawn.clip(0, self.n_components - 1)]
        logs = chosen * np.log(np.maximum(shares, 1e-300))
        out[:] = np.hstack([self._statistics(np.repeat(data, n_draws, axis=0), chosen), logs])

    def map_weights(self):
        """F(x) is this vector times the features."""
        on, off = np.log(self.probabilities_), np.log1p(-self.probabilities_)
        own = np.log(self.weights_) + off.sum(axis=1)
        return np.concatenate([own, (on - off).ravel(), -np.ones(self.n_components)])

    def get_arrays(self):
        """For the model file."""
        return {"weights": self.weights_, "probabilities": self.probabilities_}

    def set_arrays(self, arrays):
        """From the model file."""
        self.weights_, self.probabilities_ = arrays["weights"], arrays["probabilities"]
        return self


# %%
# The data
# --------
# Three handwritten digits of scikit-learn's set that are easily taken for each other, each pixel
# black or white.

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

X, y = load_digits(return_X_y=True)
chosen = np.isin(y, [3, 8, 9])
X, y = (X[chosen] > 7).astype(float), y[chosen]
X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)

# %%
# Is the model right?
# -------------------
# Four checks, before anything is built on it.

# [checks]
model = BernoulliMixture(3, random_state=0).fit(X)

rising = [BernoulliMixture(3, max_iter=n, tol=0, random_state=0).estimate(X) for n in (1, 5, 20)]
means = [np.mean(one.log_likelihood(X)) for one in rising]
assert np.all(np.diff(means) > 0), "EM must raise the likelihood"

rows = np.empty((len(X), model.n_features), dtype=np.float32)
model.expected_features(X, rows)
# Features are kept in single precision.
np.testing.assert_allclose(rows @ model.map_weights(), model.log_likelihood(X), rtol=1e-4)

draws = np.empty((10 * 2000, model.n_features), dtype=np.float32)
model.drawn_features(X[:10], np.arange(10, dtype=np.uint64), 2000, draws)
means = draws.reshape(10, 2000, -1).mean(axis=1)
np.testing.assert_allclose(means[:, :3], rows[:10, :3], atol=0.06)

again = BernoulliMixture(3).set_arrays(model.get_arrays())
assert np.array_equal(again.log_likelihood(X), model.log_likelihood(X))
# [end of checks]
print(f"mean log-likelihood {model.log_likelihood(X).mean():.2f} nats")

# %%
# Grid search over its parameters
# -------------------------------
# Parameters of the model are those of the classifier behind ``model__``.

from sklearn.model_selection import GridSearchCV

from sfmcore import SFMClassifier

search = GridSearchCV(
    SFMClassifier(BernoulliMixture(), random_state=0),
    {"model__n_components": [1, 2, 4], "C": [5.0, 50.0]},
    cv=3,
).fit(X, y)
print(search.best_params_, f"{search.score(X_test, y_test):.3f}")

# %%
# The features alone, in a pipeline
# ---------------------------------
# :class:`~sfmcore.StochasticFeatureMap` is the map without the classifier, for any other classifier
# that follows.

from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from sfmcore import StochasticFeatureMap

pipeline = make_pipeline(
    StochasticFeatureMap(BernoulliMixture(2), random_state=0),
    LogisticRegression(max_iter=2000),
).fit(X, y)
print(f"the map with a logistic regression: {pipeline.score(X_test, y_test):.3f}")

# %%
# A step before it may be any transformer, as long as rows of zeros and ones arrive:

from sklearn.preprocessing import Binarizer

grey = load_digits().data[chosen]
grey_train, grey_test = train_test_split(grey, test_size=0.5, stratify=load_digits().target[chosen],
                                         random_state=0)  # fmt: skip
pipeline = make_pipeline(Binarizer(), SFMClassifier(BernoulliMixture(2), random_state=0))
search = GridSearchCV(pipeline, {"binarizer__threshold": [3.0, 7.0, 11.0]}, cv=3).fit(grey_train, y)
print(search.best_params_, f"{search.score(grey_test, y_test):.3f}")

# %%
# Is it worth it?
# ---------------
# The same model decides by itself, without the map, when the class with the highest likelihood
# wins: :class:`~sfmcore.baselines.MAPClassifier`. And a support vector machine needs no model at
# all.

from sklearn.svm import SVC

from sfmcore.baselines import MAPClassifier

rivals = {
    "likelihood alone (MAP)": MAPClassifier(BernoulliMixture(2), random_state=0),
    "map, Gibbs classifier": SFMClassifier(BernoulliMixture(2), C=5.0, random_state=0),
    "map, logistic regression": make_pipeline(
        StochasticFeatureMap(BernoulliMixture(2), random_state=0),
        LogisticRegression(max_iter=2000),
    ),
    "SVM, Gaussian kernel": GridSearchCV(SVC(), {"C": [1, 10, 100], "gamma": [0.01, 0.03]}, cv=3),
}
for name, rival in rivals.items():
    print(f"{name:26} {rival.fit(X, y).score(X_test, y_test):.3f}")

# %%
# What the map adds to the model is learnt from its mistakes, and the SVM is as good without any
# of it. The case for a model of one's own is data that an SVM can't take as it is, such as
# sequences of different lengths.
#
# Two components of each digit, as the probabilities of their pixels, with their shares:

import matplotlib.pyplot as plt

figure, axes = plt.subplots(1, 6, figsize=(9, 1.9), layout="constrained")
for place, digit in enumerate((3, 8, 9)):
    model = BernoulliMixture(2, random_state=0).fit(X[y == digit])
    for component in range(2):
        ax = axes[2 * place + component]
        ax.imshow(model.probabilities_[component].reshape(8, 8), cmap="gray_r", vmin=0, vmax=1)
        ax.set(xticks=[], yticks=[], title=f"{digit}: {model.weights_[component]:.2f}")
