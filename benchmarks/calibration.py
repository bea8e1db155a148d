r"""Is the confidence of ``sfmbio predict`` a probability? Measured on random halves.

    python -m benchmarks.calibration [INPUT ...] [--partitions 5] [--group-by none|superfamily] \
        [--preset best|fast|paper]

For every band of confidence: how many test records fell into it, their mean confidence, and the
share of right labels. A calibrated classifier has the last two alike.
"""

import argparse

import numpy as np

from benchmarks import data_folder
from sfmbio import ProteinClassifier
from sfmbio.presets import PRESETS
from sfmbio.reading.datasets import GROUPINGS, groups_of, read_sequences
from sfmbio.reading.labels import parse_label_spec
from sfmbio.reading.report import ReadReport
from sfmcore.evaluation.halves import half_split

EDGES = np.array([0.0, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("inputs", nargs="*", default=[str(data_folder() / "proteins/four_class")])
    parser.add_argument("--partitions", type=int, default=5)
    parser.add_argument("--group-by", choices=["none", *GROUPINGS], default="none")
    parser.add_argument("--preset", choices=list(PRESETS), default="best")
    options = parser.parse_args()
    sequences = read_sequences(options.inputs, ReadReport(), parse_label_spec("file"))
    groups = None if options.group_by == "none" else groups_of(sequences, options.group_by)
    confidences, hits = [], []
    for partition in range(options.partitions):
        random = np.random.default_rng([0, partition])
        train, test = half_split(sequences.labels, groups, random)
        model = ProteinClassifier.from_preset(options.preset, random_state=partition, n_jobs=-1)
        model.fit(sequences.batch[train], sequences.labels[train])
        shares = model.predict_proba(sequences.batch[test])
        confidences.append(shares.max(1))
        hits.append(model.classes_[shares.argmax(1)] == sequences.labels[test])
    confidence, hit = np.concatenate(confidences), np.concatenate(hits)
    bands = np.clip(np.digitize(confidence, EDGES) - 1, 0, len(EDGES) - 2)
    print("| confidence | records | mean confidence | right |")
    print("| --- | ---: | ---: | ---: |")
    error = 0.0
    for band in np.unique(bands):
        inside = bands == band
        mean, right = confidence[inside].mean(), hit[inside].mean()
        error += inside.mean() * abs(mean - right)
        print(f"| {EDGES[band]:.2f} to {EDGES[band + 1]:.2f} | {inside.sum()} "
              f"| {mean:.3f} | {right:.3f} |")  # fmt: skip
    print(f"\nexpected calibration error: {error:.3f}; accuracy {hit.mean():.3f}")


if __name__ == "__main__":
    main()
