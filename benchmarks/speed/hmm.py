"""HMM kernel against hmmlearn: the E-step, the likelihood, and posterior draws.

Both see the sequences of ``proteins/four_class`` and the same parameters, in one process and
on one thread. hmmlearn's E-step is ``_do_estep`` with ``implementation="scaling"``, the loop of
its ``fit`` and the faster of its two. That both give the same numbers is checked first.

    python -m benchmarks.speed.hmm [--json FILE]
"""

from typing import Any

import numpy as np
from Bio.SeqIO.FastaIO import SimpleFastaParser
from threadpoolctl import threadpool_limits

from benchmarks import data_folder
from benchmarks.speed.timing import Timing, give_up, measure, parse_arguments, report
from sfmcore.kernels import _hmm, _random
from sfmcore.ragged import Ragged

Model = tuple[np.ndarray, np.ndarray, np.ndarray]

N_SYMBOLS = 22
N_DRAWS = 5


def read_sequences() -> Ragged:
    """All sequences of the four classes; a letter's code is its place among the letters."""
    folder = data_folder() / "proteins" / "four_class"
    files = sorted(folder.glob("*.fasta"))
    if not files:
        give_up(f"no data at {folder}: set SFM_DATA to the folder that holds proteins/four_class")
    sequences = []
    for file in files:
        with file.open() as lines:
            sequences += [sequence for _, sequence in SimpleFastaParser(lines)]
    letters = "".join(sorted(set("".join(sequences))))
    if len(letters) != N_SYMBOLS:
        give_up(f"{folder} holds {len(letters)} different letters, {N_SYMBOLS} were expected")
    codes = bytes.maketrans(letters.encode(), bytes(range(N_SYMBOLS)))
    return Ragged.from_items([sequence.encode().translate(codes) for sequence in sequences])


def make_model(n_states: int) -> Model:
    """Start, transition and emission of a random model."""
    random = np.random.default_rng(0)
    return (
        random.dirichlet(np.ones(n_states)),
        random.dirichlet(np.ones(n_states), n_states),
        random.dirichlet(np.ones(N_SYMBOLS), n_states),
    )


def make_peer(model: Model) -> tuple[Any, str]:
    """Model of hmmlearn with the same parameters, and what to call it."""
    try:
        import hmmlearn
        from hmmlearn.hmm import CategoricalHMM
    except ImportError:
        give_up("hmmlearn is missing: install the extra 'bench'")
    peer = CategoricalHMM(
        n_components=len(model[0]), n_features=N_SYMBOLS, implementation="scaling"
    )
    peer.startprob_, peer.transmat_, peer.emissionprob_ = model
    return peer, f"hmmlearn {hmmlearn.__version__}"


def time_model(data: Ragged, n_states: int, pairs: int) -> list[Timing]:
    """Check that ours and the peer agree, then time both."""
    model = make_model(n_states)
    peer, peer_name = make_peer(model)
    order = np.argsort(-data.lengths, kind="stable")
    arguments = (data.values, data.offsets, order, *model)
    weights = np.ones(len(data))
    # The peer wants one column of integers, and the lengths.
    column, lengths = data.values.astype(np.int64)[:, None], data.lengths

    total, scores = _hmm.expected_statistics(*arguments, weights, 1)
    statistics, log_likelihood = peer._do_estep(column, lengths)
    theirs = [statistics["start"], statistics["trans"].ravel(), statistics["obs"].ravel()]
    np.testing.assert_allclose(total, np.concatenate(theirs), rtol=1e-8)
    np.testing.assert_allclose(scores.sum(), log_likelihood, rtol=1e-10)
    np.testing.assert_allclose(peer.score(column, lengths), log_likelihood, rtol=1e-10)

    keys = _random.stream_keys(0, 0, np.arange(len(data), dtype=np.uint64))
    width = n_states * (1 + 2 * n_states + N_SYMBOLS)
    rows = np.empty((len(data) * N_DRAWS, width), dtype=np.float32)
    sizes = {
        "n_states": n_states,
        "n_symbols": N_SYMBOLS,
        "n_sequences": len(data),
        "n_codes": len(data.values),
        "n_threads": 1,
    }
    unit = "s for one pass over all sequences"
    return [
        measure(
            f"expected statistics, {n_states} states",
            lambda: _hmm.expected_statistics(*arguments, weights, 1),
            lambda: peer._do_estep(column, lengths),
            peer_name=peer_name,
            unit=unit,
            pairs=pairs,
            details=sizes,
        ),
        measure(
            f"log-likelihood, {n_states} states",
            lambda: _hmm.log_likelihood(*arguments, 1),
            lambda: peer.score(column, lengths),
            peer_name=peer_name,
            unit=unit,
            pairs=pairs,
            details=sizes,
        ),
        measure(
            f"{N_DRAWS} posterior draws, {n_states} states",
            lambda: _hmm.drawn_features(*arguments, keys, N_DRAWS, rows, 1),
            unit=unit,
            pairs=pairs,
            details=sizes,
        ),
    ]


def main() -> None:
    """Run all cases."""
    arguments = parse_arguments("Speed of the HMM kernel against hmmlearn.")
    data = read_sequences()
    with threadpool_limits(limits=1):
        timings = [
            timing
            for n_states in (10, 30)
            for timing in time_model(data, n_states, arguments.pairs)
        ]
    print(
        f"{len(data)} sequences, {len(data.values)} codes, one thread, median of {arguments.pairs}"
    )
    report(timings, arguments.json)


if __name__ == "__main__":
    main()
