r"""Signal peptides: how much of the evidence for "secreted" lies in the first residues.

Of secreted proteins that are told right, the share of the positive evidence that the first 25
residues hold; of residues one by one, and of means over windows of seven, since single residues of
the rest are now for, now against. By kinds of evidence too, and for occlusion in the same way.

    python -m benchmarks.reasons.signals [--train 350] [--test 200] [--occluded 0] [--seed 0] \
        [--set NAME=VALUE]
"""

import argparse

import numpy as np

from benchmarks.reasons.data import halves, masked, told_right
from benchmarks.reasons.deletion import occlusion
from sfmbio.classifier import ProteinClassifier
from sfmcore.commandline.settings import setting_parser

FIRST = 25
_WINDOWS = (1, 7)


def share(evidence: np.ndarray, window: int) -> float:
    """Of the positive evidence, what the first residues hold."""
    ones = np.ones(window)
    means = np.convolve(evidence, ones, "same") / np.convolve(np.ones(len(evidence)), ones, "same")
    positive = np.maximum(means, 0.0)
    return float(positive[:FIRST].sum() / max(positive.sum(), 1e-300))


def line(name: str, ragged: list[np.ndarray]) -> str:
    """Half held, and the median share, for both windows."""
    figures = []
    for window in _WINDOWS:
        shares = np.array([share(own, window) for own in ragged])
        figures.append(f"{np.mean(shares >= 0.5):12.1%}{np.median(shares):9.2f}")
    return f"{name:12}" + "".join(figures)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train", type=int, default=350, help="sequences of a class, at most")
    parser.add_argument("--test", type=int, default=200, help="secreted proteins told right")
    parser.add_argument("--occluded", type=int, default=0, help="of them, for occlusion")
    parser.add_argument("--shortest", type=int, default=0, help="residues")
    parser.add_argument("--longest", type=int, default=100_000, help="residues")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--preset", default="fast")
    parser.add_argument(
        "--set", action="append", default=[], type=setting_parser(ProteinClassifier), dest="more"
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
    print("first 25     half or more  median  (windows of 7:) half  median")
    for name, values in rows.items():
        print(line(name, np.split(values, found.offsets[1:-1])))
    even = [np.ones(len(codes)) for codes in part.items]
    print(line("even", even))
    if options.occluded:
        some = part[np.arange(min(options.occluded, len(part.items)))]
        lost = occlusion(model, some, found.runner_up[: len(some.items)], masked)
        own = [found[k] for k in range(len(some.items))]
        print(f"of the first {len(some.items)}:")
        print(line("explain", own))
        print(line("occlusion", lost))


if __name__ == "__main__":
    main()
