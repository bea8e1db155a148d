"""HMM against hmmlearn: the E-step, the likelihood, posterior draws, and a whole fit.

Both see the sequences of ``proteins/four_class`` and the same parameters. hmmlearn's E-step is
``_do_estep`` with ``implementation="scaling"``, the loop of its ``fit`` and the faster of its two.
It has no draws from P(path | x). A fit is 15 iterations with no tolerance, from the same start
with the same priors, on every fourth sequence; ours makes two E-steps more, for its history.

    python -m benchmarks.speed.hmm [--json FILE]
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from Bio.SeqIO.FastaIO import SimpleFastaParser

from benchmarks import data_folder
from benchmarks.speed.case import Case, Prepared, Skipped, agree, needed
from benchmarks.speed.machine import Work
from benchmarks.speed.running import main
from sfmcore.data.ragged import Ragged
from sfmcore.kernels import _hmm, _random
from sfmcore.models.hmm import CategoricalHMM

Model = tuple[np.ndarray, np.ndarray, np.ndarray]
# Values, offsets, order, and the model.
Arguments = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Read = Callable[[], Ragged]

N_SYMBOLS = 22
N_DRAWS = 5
STATES = (10, 30, 64)
N_ITERATIONS = 15
_PASS = "s for one pass over all sequences"


@cache
def read_sequences() -> Ragged:
    """All sequences of the four classes; a letter's code is its place among the letters."""
    folder = data_folder() / "proteins" / "four_class"
    files = sorted(folder.glob("*.fasta"))
    if not files:
        raise Skipped(f"no data at {folder}: SFM_DATA names the folder of proteins/four_class")
    sequences = []
    for file in files:
        with file.open() as lines:
            sequences += [sequence for _, sequence in SimpleFastaParser(lines)]
    letters = "".join(sorted(set("".join(sequences))))
    if len(letters) != N_SYMBOLS:
        raise Skipped(f"{folder} holds {len(letters)} different letters, not {N_SYMBOLS}")
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


def make_peer(model: Model, **parameters: Any) -> tuple[Any, str]:
    """Model of hmmlearn with the same parameters, and what to call it."""
    hmmlearn = needed("hmmlearn")
    peer = needed("hmmlearn.hmm").CategoricalHMM(
        n_components=len(model[0]),
        n_features=N_SYMBOLS,
        implementation="scaling",
        init_params="",
        **parameters,
    )
    peer.startprob_, peer.transmat_, peer.emissionprob_ = model
    return peer, f"hmmlearn {hmmlearn.__version__}"


def arguments_of(data: Ragged, model: Model) -> Arguments:
    """First arguments of the kernel, sequences in the order of their lengths."""
    order = np.argsort(-data.lengths, kind="stable")
    return data.values, data.offsets, order, *model


def column_of(data: Ragged) -> tuple[np.ndarray, np.ndarray]:
    """One column of integers and the lengths, as hmmlearn wants them."""
    return data.values.astype(np.int64)[:, None], data.lengths


def sizes_of(data: Ragged, n_states: int) -> dict[str, Any]:
    """What the JSON file says about the data."""
    return {
        "n_states": n_states,
        "n_symbols": N_SYMBOLS,
        "n_sequences": len(data),
        "n_codes": len(data.values),
    }


def forward_work(data: Ragged, n_states: int) -> Work:
    """One product with the K x K matrix for each step after the first."""
    steps = len(data.values) - np.count_nonzero(data.lengths)
    return Work(
        "forward: 2 K^2 a transition; 3 K a residue (emission, scale, sum)",
        2.0 * n_states**2 * steps + 3.0 * n_states * len(data.values),
    )


def statistics_work(data: Ragged, n_states: int, *, draws: int = 0, passes: int = 1) -> Work:
    """Forward, backward, and their outer product; padding and what is computed twice is not."""
    steps, codes = len(data.values) - np.count_nonzero(data.lengths), len(data.values)
    flops = 6.0 * n_states**2 * steps + (9.0 + 3.0 * draws) * n_states * codes
    counted = "6 K^2 a transition (forward, backward, outer product), 9 K a residue"
    if draws:
        counted += ", 3 K a residue and draw (product, running sum, comparison)"
    return Work(counted + f"; {passes} passes" * (passes > 1), passes * flops)


def statistics(read: Read, n_states: int) -> Prepared:
    """The E-step."""
    data, model = read(), make_model(n_states)
    peer, peer_name = make_peer(model)
    arguments, column = arguments_of(data, model), column_of(data)
    weights = np.ones(len(data))

    def check() -> None:
        total, scores = _hmm.expected_statistics(*arguments, weights, 1)
        found, log_likelihood = peer._do_estep(*column)
        theirs = [found["start"], found["trans"].ravel(), found["obs"].ravel()]
        agree("expected statistics", total, np.concatenate(theirs), rtol=1e-8)
        agree("log-likelihoods", scores.sum(), log_likelihood, rtol=1e-10)

    return Prepared(
        lambda: _hmm.expected_statistics(*arguments, weights, 1),
        _PASS,
        lambda: peer._do_estep(*column),
        peer_name,
        check,
        statistics_work(data, n_states),
        sizes_of(data, n_states),
    )


def log_likelihood(read: Read, n_states: int) -> Prepared:
    """The forward pass."""
    data, model = read(), make_model(n_states)
    peer, peer_name = make_peer(model)
    arguments, column = arguments_of(data, model), column_of(data)

    def check() -> None:
        ours = _hmm.log_likelihood(*arguments, 1).sum()
        agree("log-likelihoods", ours, peer.score(*column), rtol=1e-10)

    return Prepared(
        lambda: _hmm.log_likelihood(*arguments, 1),
        _PASS,
        lambda: peer.score(*column),
        peer_name,
        check,
        forward_work(data, n_states),
        sizes_of(data, n_states),
    )


def draws(read: Read, n_states: int) -> Prepared:
    """Paths from the posterior, of which no peer has any."""
    data = read()
    arguments = arguments_of(data, make_model(n_states))
    keys = _random.stream_keys(0, 0, np.arange(len(data), dtype=np.uint64))
    width = n_states * (1 + 2 * n_states + N_SYMBOLS)
    rows = np.empty((len(data) * N_DRAWS, width), dtype=np.float32)

    def check() -> None:
        _hmm.drawn_features(*arguments, keys, N_DRAWS, rows, 1)
        begin = n_states + n_states**2
        emitted = rows[:, begin : begin + n_states * N_SYMBOLS].sum(1)
        agree("residues of the paths", emitted, np.repeat(data.lengths, N_DRAWS))

    return Prepared(
        lambda: _hmm.drawn_features(*arguments, keys, N_DRAWS, rows, 1),
        _PASS,
        check=check,
        work=statistics_work(data, n_states, draws=N_DRAWS),
        details={**sizes_of(data, n_states), "n_draws": N_DRAWS},
    )


def fit(read: Read, n_states: int) -> Prepared:
    """Baum-Welch from the same start."""
    data = read()
    data = data[np.arange(0, len(data), 4)]
    ours = CategoricalHMM(n_states, N_SYMBOLS, prior=1.0)
    ours._start(np.random.RandomState(0))
    start = ours._blocks()
    order, ones = np.argsort(-data.lengths, kind="stable"), np.ones(len(data))

    def fit_ours() -> None:
        # Plain EM, as the peer's: what our own makes of fewer steps is no question of speed.
        ours.start_, ours.transition_, ours.emission_ = start
        for _ in range(N_ITERATIONS):
            statistics, _ = _hmm.expected_statistics(
                data.values, data.offsets, order, *ours._blocks(), ones, 1
            )
            ours.update(statistics)

    peer, peer_name = make_peer(
        start,
        n_iter=N_ITERATIONS,
        # Its likelihood leaves the priors out, so it may fall.
        tol=-np.inf,
        startprob_prior=2.0,
        transmat_prior=2.0,
        emissionprob_prior=2.0,
    )
    column = column_of(data)

    def fit_peer() -> None:
        peer.startprob_, peer.transmat_, peer.emissionprob_ = start
        peer.fit(*column)

    def check() -> None:
        fit_ours()
        fit_peer()
        agree("iterations", [N_ITERATIONS], [peer.monitor_.iter])
        agree("transitions", ours.transition_, peer.transmat_, rtol=1e-6, atol=1e-10)
        agree("emissions", ours.emission_, peer.emissionprob_, rtol=1e-6, atol=1e-10)

    return Prepared(
        fit_ours,
        f"s for {N_ITERATIONS} iterations",
        fit_peer,
        peer_name,
        check,
        statistics_work(data, n_states, passes=N_ITERATIONS),
        {**sizes_of(data, n_states), "n_iterations": N_ITERATIONS},
    )


def cases(read: Read = read_sequences, states: Sequence[int] = STATES) -> list[Case]:
    """All cases.

    Parameters
    ----------
    read : callable
        Gives the sequences, of codes below 22.
    states : sequence of int
    """
    kinds = [
        ("HMM expected statistics", statistics, "hmmlearn"),
        ("HMM log-likelihood", log_likelihood, "hmmlearn"),
        (f"HMM {N_DRAWS} posterior draws", draws, ""),
        ("HMM full fit", fit, "hmmlearn"),
    ]
    return [
        Case(f"{name}, {n_states} states", partial(make, read, n_states), peer)
        for n_states in states
        for name, make, peer in kinds
    ]


if __name__ == "__main__":
    main(cases(), __doc__)
