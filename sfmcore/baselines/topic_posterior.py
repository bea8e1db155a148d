"""Expected topics of documents' words under latent Dirichlet allocation, as CVB0 finds them."""

from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sfmcore.data.arrays import Float64Array
from sfmcore.data.ragged import Ragged
from sfmcore.models.lda import LatentDirichletAllocation


class TopicPosterior(NamedTuple):
    """Expectations of every document."""

    cells: Float64Array
    """Expected tokens of each topic and word, shape (n_items, n_topics, n_words)."""
    tokens: Float64Array
    """Expected tokens of each topic, shape (n_items, n_topics)."""
    counts: Float64Array
    """Number of times each word occurs in the document, shape (n_items, n_words)."""
    alpha: float
    """Pseudo-count of a topic."""


def topic_posterior(model: LatentDirichletAllocation, data: Ragged) -> TopicPosterior:
    """Expected topics by the model's own inference; no random numbers.

    Parameters
    ----------
    model : LatentDirichletAllocation
        Fitted.
    data : Ragged
        Documents of codes.

    Returns
    -------
    TopicPosterior

    Examples
    --------
    >>> data = Ragged.from_items([[0, 1] * 20, [2, 3] * 20])
    >>> model = LatentDirichletAllocation(2, 4, random_state=0).fit(data)
    >>> topic_posterior(model, data).counts.tolist()
    [[20.0, 20.0, 0.0, 0.0], [0.0, 0.0, 20.0, 20.0]]
    """
    check_is_fitted(model, "topics_")
    K, V = model.n_topics, model.n_words
    features = np.empty((len(data), model.n_features), dtype=np.float32)
    model.expected_features(data, features)
    cells = features[:, : K * V].reshape(-1, K, V).astype(np.float64)
    item = np.repeat(np.arange(len(data)), data.lengths)
    counts = np.bincount(item * V + data.values, minlength=len(data) * V).reshape(-1, V)
    return TopicPosterior(cells, cells.sum(2), counts.astype(np.float64), model.pseudo_count)
