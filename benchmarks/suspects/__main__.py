r"""Are wrong labels found? A share of the labels is made wrong, and the ranking measured.

    python -m benchmarks.suspects four_class|scenes|peptides|breast_cancer \
        [--kinds uniform pairs] [--seeds 1 2 3] [--share 0.05] [--preset best] [--folds 5] \
        [--most N] [--held-out] [--keep FOLDER]

Prints for each kind of wrong labels, as means over the seeds: average precision, the precision
where each share of the wrong labels is found, and what the sets of suspects hold. Rankings and sets
of cleanlab, if it is installed, are of the same probabilities. The data are found by SFM_DATA,
descriptors by SFM_DESCRIPTORS. Seed 0 is the one that defaults were chosen on. ``--keep`` holds
probabilities for the next time; ``--held-out`` takes those of one fit in the place of the folds'.
"""

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer

from benchmarks import data_folder
from benchmarks.suspects.flips import KINDS, flipped
from benchmarks.suspects.measures import Tally
from benchmarks.suspects.rivals import rival_rankings, rival_sets
from benchmarks.tables.scenes.datasets import load as load_scenes
from benchmarks.tables.scenes.methods import kept
from sfmbio import ProteinClassifier
from sfmbio.reading.datasets import read_sequences
from sfmbio.reading.labels import parse_label_spec
from sfmbio.reading.report import ReadReport
from sfmcore import SFMClassifier
from sfmcore.data.near_pairs import NearPairs
from sfmcore.suspects.conflicts import Copies, find_copies
from sfmcore.suspects.finding import MIN_SCORE, STRANGER_BELOW, Suspects, suspects_of
from sfmcore.suspects.one_fit import held_out_of_one_fit
from sfmcore.suspects.out_of_fold import OutOfFold, out_of_fold
from sfmvision import SceneClassifier

_PEPTIDES = Path(__file__).parents[2] / "data" / "peptides"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.suspects",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", choices=["four_class", "scenes", "peptides", "breast_cancer"])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3], metavar="S")
    parser.add_argument("--share", type=float, default=0.05, help="of wrong labels (0.05)")
    parser.add_argument("--preset", default="best")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--most", type=int, metavar="N", help="items of each class (all)")
    parser.add_argument("--held-out", action="store_true", help="votes of one fit")
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    classifier, items, truth = _load(options)
    copies = find_copies(classifier.preparation, items)
    for kind in options.kinds:
        tally = Tally()
        for seed in options.seeds:
            labels = flipped(options.name, truth, kind, options.share, seed)
            judged = _judged(options, classifier, items, labels, kind, seed)
            _measure(tally, judged, labels, truth, copies)
        method = "one fit, held out" if options.held_out else f"{options.folds} folds"
        print(
            f"### {options.name}, {kind}, {len(truth)} items, preset {options.preset}, {method}, "
            f"seeds {' '.join(map(str, options.seeds))}\n\n{tally.text()}\n",
            flush=True,
        )


def _load(options: argparse.Namespace) -> tuple[Any, Any, np.ndarray]:
    """Unfitted classifier, encoded items and true labels."""
    if options.name == "scenes":
        data = load_scenes("scenes")
        classifier: Any = SceneClassifier.from_preset(options.preset, cache=kept(), n_jobs=1)
        places = _places(data.y, options.most)
        items = classifier.preparation.encode(list(data.X[places]), classifier)
        return classifier, items, data.y[places]
    if options.name == "breast_cancer":
        vectors = load_breast_cancer()
        places = _places(vectors.target, options.most)
        labels = vectors.target_names[vectors.target[places]]
        return SFMClassifier(n_jobs=1), np.ascontiguousarray(vectors.data[places]), labels
    folder = str(data_folder() / "proteins" / "four_class")
    if options.name == "peptides":
        folder = str(_PEPTIDES)
    found = read_sequences([folder], ReadReport(), parse_label_spec("file"))
    places = _places(found.labels, options.most)
    classifier = ProteinClassifier.from_preset(options.preset, n_jobs=1)
    return classifier, found.batch[places], found.labels[places]


def _places(labels: np.ndarray, most: int | None) -> np.ndarray:
    """Places of at most so many items of each class, drawn at random."""
    random = np.random.default_rng(0)
    own = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    return np.sort(np.concatenate([random.permutation(some)[:most] for some in own]))


def _judged(
    options: argparse.Namespace,
    classifier: Any,
    items: Any,
    labels: np.ndarray,
    kind: str,
    seed: int,
) -> OutOfFold:
    """Probabilities and typicality of all items, computed or kept from before."""
    way = "held_out" if options.held_out else f"folds{options.folds}"
    name = f"{options.name}_{options.most or 'all'}_{options.preset}_{kind}_{options.share:g}"
    path = None if options.keep is None else options.keep / f"{name}_{seed}_{way}.npz"
    if path is not None and path.exists():
        with np.load(path) as arrays:
            return OutOfFold(arrays["shares"], arrays["typicality"])
    began = time.process_time()
    if options.held_out:
        judged = held_out_of_one_fit(classifier, items, labels, seed=seed)
    else:
        judged = out_of_fold(classifier, items, labels, folds=options.folds, seed=seed)
    seconds = time.process_time() - began
    print(f"{name}, seed {seed}, {way}: {seconds:.0f} s of processor time", file=sys.stderr)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, shares=judged.shares, typicality=judged.typicality)
    return judged


def _measure(
    tally: Tally, judged: OutOfFold, labels: np.ndarray, truth: np.ndarray, copies: Copies
) -> None:
    wrong = labels != truth
    classes, given = np.unique(labels, return_inverse=True)
    found = suspects_of(
        judged, classes, given, copies, min_score=MIN_SCORE, stranger_below=STRANGER_BELOW, folds=0
    )
    alone = suspects_of(
        judged, classes, given, _no_copies(copies), min_score=MIN_SCORE, stranger_below=0.0, folds=0
    )
    tally.add_ranking("`suspects`", wrong, found.score)
    tally.add_ranking("`suspects`, votes alone", wrong, alone.score)
    tally.add_wrong(int(wrong.sum()), found.n_wrong)
    for name, score in rival_rankings(judged.shares, given).items():
        tally.add_ranking(name, wrong, score)
    _add_sets(tally, wrong, found)
    for name, members in rival_sets(judged.shares, given).items():
        tally.add_set(name, wrong, members)


def _no_copies(copies: Copies) -> Copies:
    return replace(copies, content=np.arange(len(copies.content)), near=NearPairs())


def _add_sets(tally: Tally, wrong: np.ndarray, found: Suspects) -> None:
    by = found.by_reason
    tally.add_set("`suspects`", wrong, found.found)
    tally.add_set("label or conflict", wrong, by["label"] | by["conflict"])
    for name, members in by.items():
        tally.add_set(name, wrong, members)


if __name__ == "__main__":
    main()
