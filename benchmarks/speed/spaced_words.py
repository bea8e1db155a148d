"""Spaced words beside the hidden states: projecting sequences, and learning the directions.

No peer is known. What is projected is compared with the product of sparse words and directions.

    python -m benchmarks.speed.spaced_words [--json FILE]
"""

from functools import partial

from benchmarks.speed.case import Case, Prepared, agree
from benchmarks.speed.hmm import Read, read_sequences
from benchmarks.speed.machine import Work
from benchmarks.speed.running import main
from sfmbio.words.patterns import word_vectors
from sfmbio.words.principal_words import PrincipalWords

RANK = 256


def projection(read: Read, rank: int) -> Prepared:
    """Vectors of all sequences."""
    data = read()
    words = PrincipalWords.of(data, rank=rank, weight=1.0, seed=0)
    sparse = word_vectors(data)

    def check() -> None:
        agree("vectors", words.apply(data).vectors, sparse @ words.directions, atol=1e-5)

    return Prepared(
        lambda: words.apply(data),
        "s for all sequences",
        check=check,
        work=Work(
            "2 a direction and distinct word of a sequence; counting the words is not",
            2.0 * sparse.nnz * words.directions.shape[1],
            "float32",
        ),
        details={"n_sequences": len(data), "n_codes": len(data.values),
                 "rank": words.directions.shape[1]},
    )  # fmt: skip


def learning(read: Read, rank: int) -> Prepared:
    """Directions from at most 2,000 sequences."""
    data = read()
    return Prepared(
        lambda: PrincipalWords.of(data, rank=rank, weight=1.0, seed=0),
        "s for one fit",
        details={"n_sequences": len(data), "rank": rank},
    )


def cases(read: Read = read_sequences, rank: int = RANK) -> list[Case]:
    """All cases."""
    return [
        Case(f"spaced words, {rank} directions", partial(projection, read, rank)),
        Case(f"spaced words, learning {rank} directions", partial(learning, read, rank)),
    ]


if __name__ == "__main__":
    main(cases(), __doc__)
