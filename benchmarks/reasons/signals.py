r"""Signal peptides: how much of the evidence for "secreted" lies in the first residues.

Of secreted proteins that are told right, the share of the positive evidence that the first 25
residues hold: of residues one by one, and of means over windows, since single residues of the rest
are now for, now against. By kinds of evidence too, and for occlusion in the same way.

Further ways to read the same model: evidence beyond composition (less the mean of the same amino
acid in the sequence), less the mean in shuffled copies, and against all other classes together.
Does the label rest on the first residues at all? They are cut off, and so are others.

    python -m benchmarks.reasons.signals [--train 350] [--test 200] [--precursors] [--shuffles 0] \
        [--occluded 0] [--seed 0] [--set NAME=VALUE]
"""

import argparse
from unittest import mock

import numpy as np
from scipy.special import softmax

from benchmarks.reasons.data import Part, batch, halves, margins, masked, told_right, without
from benchmarks.reasons.deletion import occlusion
from sfmbio.classifier import ProteinClassifier
from sfmbio.sequences.alphabet import N_SYMBOLS, SYMBOLS
from sfmcore.commandline.settings import setting_parser
from sfmcore.data.ragged import Ragged
from sfmcore.explaining import scores
from sfmcore.explaining.decision import Contest

FIRST = 25
_WINDOWS = (1, 7, 25)
_KD = dict(
    zip(
        "ARNDCQEGHILKMFPSTWYV",
        (1.8, -4.5, -3.5, -3.5, 2.5, -3.5, -3.5, -0.4, -3.2, 4.5, 3.8, -3.9, 1.9, 2.8, -1.6, -0.8,
         -0.7, -0.9, -1.3, 4.2),
        strict=True,
    )
)  # fmt: skip
# Of Kyte and Doolittle, over so many residues: the core of a signal peptide is hydrophobic.
_CORE, _HYDROPHOBIC = 8, 2.0


def is_precursor(codes: np.ndarray) -> bool:
    """Whether a sequence begins with methionine and has a hydrophobic stretch soon after.

    A rough test, but mature proteins, whose signal peptide is gone, do not pass it.
    """
    start = "".join(SYMBOLS[code] for code in codes[: FIRST + 5].tolist())
    values = np.array([_KD.get(letter, 0.0) for letter in start])
    if not start.startswith("M") or len(values) < _CORE:
        return False
    return bool(np.convolve(values, np.ones(_CORE) / _CORE, "valid").max() >= _HYDROPHOBIC)


def share(evidence: np.ndarray, window: int) -> float:
    """Of the positive evidence, what the first residues hold."""
    ones = np.ones(window)
    means = np.convolve(evidence, ones)[(window - 1) // 2 :][: len(evidence)]
    means /= np.convolve(np.ones(len(evidence)), ones)[(window - 1) // 2 :][: len(evidence)]
    positive = np.maximum(means, 0.0)
    return float(positive[:FIRST].sum() / max(positive.sum(), 1e-300))


def line(name: str, ragged: list[np.ndarray]) -> str:
    """Half held, and the median share, for all windows."""
    figures = []
    for window in _WINDOWS:
        shares = np.array([share(own, window) for own in ragged])
        figures.append(f"{np.mean(shares >= 0.5):12.1%}{np.median(shares):9.2f}")
    return f"{name:20}" + "".join(figures)


class AgainstAll(Contest):
    """The log-odds of the label against all other classes together."""

    def gradient(self, values: np.ndarray) -> np.ndarray:
        """Derivatives of the log-odds."""
        items = np.arange(len(self.label))
        rest = values.copy()
        rest[..., items, self.label] = -np.inf
        slopes = -softmax(rest, axis=-1)
        slopes[..., items, self.label] = 1.0
        return slopes


def beyond_composition(codes: np.ndarray, evidence: np.ndarray) -> np.ndarray:
    """Evidence less the mean of the residues of the same amino acid in the sequence."""
    counts = np.maximum(np.bincount(codes, minlength=N_SYMBOLS), 1)
    means = np.bincount(codes, evidence, minlength=N_SYMBOLS) / counts
    return evidence - means[codes]


def beyond_shuffled(
    model: ProteinClassifier, part: Part, found, n_shuffles: int, seed: int
) -> list[np.ndarray]:
    """Evidence less that of the same amino acid in shuffled copies, for the same two labels."""
    random = np.random.default_rng(seed)
    names = model.classes_.tolist()
    label, runner_up = (
        np.array([names.index(name) for name in own]) for own in (found.label, found.runner_up)
    )
    sums = np.zeros((len(part.items), N_SYMBOLS))
    for _ in range(n_shuffles):
        copies = batch([random.permutation(codes) for codes in part.items])
        for start in range(0, len(copies), scores.CHUNK):
            own = slice(start, start + scores.CHUNK)
            fixed = label[own], runner_up[own]
            with mock.patch.object(scores, "best_two", return_value=fixed):
                shuffled = model.explain(copies[own])
            for place, codes in enumerate(copies[own], start):
                sums[place] += np.bincount(codes, shuffled[place - start], minlength=N_SYMBOLS)
    counts = np.array([np.bincount(codes, minlength=N_SYMBOLS) for codes in part.items])
    means = sums / np.maximum(counts, 1) / n_shuffles
    return [found[k] - means[k][codes] for k, codes in enumerate(part.items)]


def cuts(model: ProteinClassifier, part: Part, found, seed: int) -> None:
    """Print what becomes of label and score without the first residues, and without others."""
    random = np.random.default_rng(seed)
    long = np.flatnonzero(part.items.lengths >= 2 * FIRST)
    items, labels, others = part.items[long], part.labels[long], found.runner_up[long]
    whole = margins(model, items, labels, others)
    first = np.arange(FIRST)

    def inner(codes: np.ndarray) -> np.ndarray:
        start = random.integers(FIRST, len(codes) - FIRST + 1)
        return without(codes, start + first)

    ways = {
        "first 25 cut off": lambda codes: codes[FIRST:],
        "first 25 masked": lambda codes: masked(codes, first),
        "last 25 cut off": lambda codes: codes[:-FIRST],
        "25 elsewhere cut out": inner,
        "first 25 alone": lambda codes: codes[:FIRST],
    }
    print(f"{len(long)} of at least {2 * FIRST} residues; score {whole.mean():.2f} in the mean")
    for name, change in ways.items():
        changed: Ragged = batch([change(codes) for codes in items])
        kept = np.mean(model.predict(changed) == labels)
        score = margins(model, changed, labels, others)
        less = np.mean(score < 0.5 * whole)
        print(
            f"{name:22}label kept {kept:6.1%}  score {score.mean():6.2f}  "
            f"less than half of it {less:6.1%}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train", type=int, default=350, help="sequences of a class, at most")
    parser.add_argument("--test", type=int, default=200, help="secreted proteins told right")
    parser.add_argument(
        "--precursors", action="store_true", help="those alone that may have a signal peptide"
    )
    parser.add_argument("--shuffles", type=int, default=0, help="shuffled copies of each")
    parser.add_argument("--occluded", type=int, default=0, help="of them, for occlusion")
    parser.add_argument("--shortest", type=int, default=0, help="residues")
    parser.add_argument("--longest", type=int, default=100_000, help="residues")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--preset", default="fast")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        type=setting_parser(lambda: ProteinClassifier),
        dest="more",
    )
    options = parser.parse_args()
    trained, tested = halves("subcellular", options.train, options.seed)
    model = ProteinClassifier.from_preset(
        options.preset, random_state=options.seed, n_jobs=1, **dict(options.more)
    )
    model.fit(trained.items, trained.labels)
    lengths = tested.items.lengths
    kept = (tested.labels == "secreted") & (lengths >= options.shortest)
    tested = tested[np.flatnonzero(kept & (lengths <= options.longest))]
    has_signal = np.array([is_precursor(codes) for codes in tested.items])
    print(f"{has_signal.mean():.1%} of {len(has_signal)} secreted proteins may have one")
    if options.precursors:
        tested = tested[np.flatnonzero(has_signal)]
    accuracy = np.mean(model.predict(tested.items) == tested.labels)
    part = told_right(model, tested, options.test, options.seed)
    found = model.explain(part.items)
    rows = {"all": found.evidence, **found.kinds}
    rows["votes"] = sum(found.kinds[kind] for kind in ("states", "words", "ends"))
    median = np.median(part.items.lengths)
    print(
        f"{len(part.items)} secreted proteins told right ({accuracy:.1%} of them are), of "
        f"{median:.0f} residues in the median"
    )
    print(f"first 25: half or more and median, windows of {_WINDOWS}")
    for name, values in rows.items():
        print(line(name, np.split(values, found.offsets[1:-1])))
    own = [found[k] for k in range(len(part.items))]
    pairs = list(zip(part.items, own, strict=True))
    print(line("beyond composition", [beyond_composition(*pair) for pair in pairs]))
    if options.shuffles:
        shuffled = beyond_shuffled(model, part, found, options.shuffles, options.seed)
        print(line("beyond shuffled", shuffled))
    if len(model.classes_) > 2:
        with mock.patch.object(scores, "Contest", AgainstAll):
            against = model.explain(part.items)
        print(line("against all", [against[k] for k in range(len(part.items))]))
    even = [np.ones(len(codes)) for codes in part.items]
    print(line("even", even))
    if options.occluded:
        some = part[np.arange(min(options.occluded, len(part.items)))]
        lost = occlusion(model, some, found.runner_up[: len(some.items)], masked)
        print(f"of the first {len(some.items)}:")
        print(line("explain", own[: len(some.items)]))
        print(line("occlusion", lost))
    cuts(model, part, found, options.seed)


if __name__ == "__main__":
    main()
