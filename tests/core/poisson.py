"""A generative model of a user's own: a mixture of Poisson distributions over rows of counts."""

import numpy as np
from scipy.special import gammaln, logsumexp

from sfmcore.models.base import GenerativeModel, checked_weights


class PoissonMixture(GenerativeModel):
    """P(x) = sum_k w_k prod_d Poisson(x_d; rate_kd), fitted by EM."""

    kind_of_data = "rows"
    conditioned = False

    def __init__(self, n_components=2, *, max_iter=200, tol=1e-7, random_state=None, n_jobs=None):
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def n_statistics(self):
        return self.weights_.size + self.rates_.size

    @property
    def n_features(self):
        return self.n_statistics + self.weights_.size

    def estimate(self, data, sample_weight=None):
        weights = checked_weights(sample_weight, len(data))
        random = np.random.default_rng(self.random_state)
        self.weights_ = np.full(self.n_components, 1.0 / self.n_components)
        spread = random.gamma(10.0, 0.1, (self.n_components, data.shape[1]))
        self.rates_ = spread * np.average(data, axis=0, weights=weights) + 1e-3
        last, self.converged_ = -np.inf, False
        for iteration in range(self.max_iter):
            self.n_iter_ = iteration + 1
            shares, scores = self._posterior(data)
            mean = np.average(scores, weights=weights)
            if mean - last < self.tol:
                self.converged_ = True
                break
            self.update((self._features(data, shares)[:, : self.n_statistics].T * weights).sum(1))
            last = mean
        return self

    def _posterior(self, data):
        logs = data @ np.log(self.rates_).T - self.rates_.sum(1) + np.log(self.weights_)
        scores = logsumexp(logs, axis=1)
        return np.exp(logs - scores[:, None]), scores - gammaln(data + 1.0).sum(1)

    def _features(self, data, shares, chosen=None):
        chosen = shares if chosen is None else chosen
        logs = chosen * np.log(np.maximum(shares, 1e-300))
        return np.hstack(
            [chosen, (chosen[:, :, None] * data[:, None]).reshape(len(data), -1), logs]
        )

    def update(self, statistics):
        counts, sums = np.split(statistics, [self.weights_.size])
        self.weights_ = (counts + 1.0) / (counts + 1.0).sum()
        self.rates_ = (sums.reshape(self.rates_.shape) + 0.1) / (counts[:, None] + 0.1)
        return self

    def log_likelihood(self, data):
        return self._posterior(data)[1]

    def expected_features(self, data, out):
        out[:] = self._features(data, self._posterior(data)[0])

    def drawn_features(self, data, keys, n_draws, out):
        shares = np.repeat(self._posterior(data)[0], n_draws, axis=0)
        uniforms = np.array([np.random.default_rng(int(key)).random(n_draws) for key in keys])
        component = (shares.cumsum(1) < uniforms.reshape(-1, 1)).sum(1).clip(0, shares.shape[1] - 1)
        out[:] = self._features(
            np.repeat(data, n_draws, 0), shares, np.eye(shares.shape[1])[component]
        )

    def map_weights(self):
        own = np.log(self.weights_) - self.rates_.sum(1)
        return np.concatenate([own, np.log(self.rates_).ravel(), -np.ones(self.weights_.size)])

    def get_arrays(self):
        return {"weights": self.weights_, "rates": self.rates_}

    def set_arrays(self, arrays):
        self.weights_, self.rates_ = arrays["weights"], arrays["rates"]
        return self
