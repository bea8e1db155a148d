"""Topic shares of new documents against tomotopy and lda.

Each uses the topics that it has learnt itself from the same documents. Ours is zero-order
collapsed variational inference up to its tolerance, tomotopy's is 100 sweeps of Gibbs sampling
(its default), lda's 20 passes of iterated pseudo-counts (its default). That the shares explain the
new documents equally well is checked first. The form that each wants the documents in is made
before.

    python -m benchmarks.speed.lda_inference [--json FILE]
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.speed.case import Call, Case, Prepared, agree
from benchmarks.speed.lda import (
    ALPHA,
    BETA,
    SIZES,
    TOLERANCE,
    Lda,
    Ours,
    Sampler,
    Size,
    Tomotopy,
    counts_of,
    simulate,
    trained,
)
from benchmarks.speed.running import main
from sfmcore.data.ragged import Ragged
from sfmcore.kernels import _lda
from sfmcore.models.documents import Documents
from sfmcore.models.lda import LatentDirichletAllocation

_NEW = 1


def topics_of(sampler: Sampler) -> np.ndarray:
    """P(word | topic)."""
    counts = sampler.counts() + BETA
    return counts / counts.sum(1, keepdims=True)


def our_call(data: Ragged, size: Size) -> Call:
    """What gives shares by our kernel."""
    documents = Documents.from_ragged(data)
    model = LatentDirichletAllocation(size.n_topics, size.n_words, alpha=ALPHA, beta=BETA)
    model.update(trained(Ours, size).counts().ravel())
    arguments = model._inference(documents)

    def shares() -> np.ndarray:
        tokens = _lda.topic_counts(*arguments, 1) + ALPHA
        return tokens / tokens.sum(1, keepdims=True)

    return shares


def tomotopy_call(sampler: Sampler, data: Ragged, size: Size) -> Call:
    """What gives shares by tomotopy."""
    documents = [sampler.model.make_doc([str(word) for word in item]) for item in data]
    return lambda: np.array(sampler.model.infer(documents, workers=1)[0])


def lda_call(sampler: Sampler, data: Ragged, size: Size) -> Call:
    """What gives shares by lda."""
    sampler.model.components_ = topics_of(sampler)
    rows = counts_of(data, size.n_words)
    return lambda: sampler.model.transform(rows)


def quality(data: Ragged, shares: Any, topics: np.ndarray) -> float:
    """Log-likelihood of the documents under topics and shares, in nats a token."""
    item = np.repeat(np.arange(len(data)), data.lengths)
    return float(np.log((np.asarray(shares) @ topics)[item, data.values]).mean())


def inference(size: Size, make: Any, call_of: Any) -> Prepared:
    """Shares of as many documents as were learnt from."""
    sampler, data = trained(make, size), simulate(size, _NEW)
    ours, peer = our_call(data, size), call_of(sampler, data, size)

    def check() -> None:
        one = quality(data, ours(), topics_of(trained(Ours, size)))
        agree("nats a token", one, quality(data, peer(), topics_of(sampler)), atol=TOLERANCE)

    return Prepared(
        ours,
        "s for all documents",
        peer,
        sampler.name,
        check,
        # How many passes the tolerance takes is not known beforehand.
        None,
        {"n_tokens": len(data.values), "n_documents": len(data), "n_words": size.n_words,
         "n_topics": size.n_topics},
    )  # fmt: skip


def cases(sizes: Sequence[Size] = SIZES) -> list[Case]:
    """All cases."""
    return [
        Case(
            f"LDA inference, {size.n_words} words, {size.n_topics} topics",
            partial(inference, size, make, call_of),
            make.__name__.lower(),
        )
        for size in sizes
        for make, call_of in ((Tomotopy, tomotopy_call), (Lda, lda_call))
    ]


if __name__ == "__main__":
    main(cases(), __doc__)
