"""All cases of speed, by group."""

from benchmarks.speed import (
    alignment,
    choosing,
    codebook,
    dense_sift,
    fasta,
    gmm,
    hmm,
    jobs,
    lda,
    lda_inference,
    objective,
    predict,
    products,
    search,
    spaced_words,
    startup,
    two_threads,
    widths,
)
from benchmarks.speed.running import Groups


def all_groups() -> Groups:
    """Cases at their full sizes; nothing is made before one is run."""
    return {
        "hmm": hmm.cases(),
        "lda": [*lda.cases(), *lda_inference.cases()],
        "gmm": gmm.cases(),
        "objective": objective.cases(),
        "search": search.cases(),
        "choosing": choosing.cases(),
        "dense_sift": dense_sift.cases(),
        "codebook": codebook.cases(),
        "products": products.cases(),
        "spaced_words": spaced_words.cases(),
        "alignment": alignment.cases(),
        "fasta": fasta.cases(),
        "two_threads": two_threads.cases(),
        "widths": widths.cases(),
        "predict": predict.cases(),
        "jobs": jobs.cases(),
        "startup": startup.cases(),
    }
