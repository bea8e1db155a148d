"""AUROC of every score on every kind of strangers, and what p-values accept, as Markdown."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TextIO

import numpy as np
from sklearn.metrics import roc_auc_score

LEVELS = (0.01, 0.05, 0.1)


@dataclass
class Tally:
    """What cases of one data set showed.

    Attributes
    ----------
    aurocs : dict of (kind of strangers, score) to list of float
    passed : dict of (test items or kind of strangers, level) to list of float
        Shares with a p-value above the level.
    """

    aurocs: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    passed: dict[tuple[str, float], list[float]] = field(default_factory=dict)

    def add(
        self,
        true: dict[str, np.ndarray],
        strangers: dict[str, dict[str, np.ndarray]],
        p_value: str = "typicality",
    ) -> None:
        """Take the scores of a case's test items and of its strangers, by name of the score."""
        for kind, scores in strangers.items():
            for name, own in scores.items():
                answers = np.repeat([1, 0], [len(true[name]), len(own)])
                area = roc_auc_score(answers, np.concatenate([true[name], own]))
                self.aurocs.setdefault((kind, name), []).append(float(area))
        for kind, scores in {"test items": true, **strangers}.items():
            for level in LEVELS:
                share = float(np.mean(scores[p_value] > level))
                self.passed.setdefault((kind, level), []).append(share)

    def write(self, out: TextIO) -> None:
        """Write both tables: means over the cases."""
        kinds = _in_order(kind for kind, _ in self.aurocs)
        names = _in_order(name for _, name in self.aurocs)
        _row(out, ["AUROC against true test items", *kinds])
        _row(out, ["---", *["---:"] * len(kinds)])
        for name in names:
            areas = [self.aurocs.get((kind, name)) for kind in kinds]
            _row(out, [name, *("" if a is None else f"{np.mean(a):.3f}" for a in areas)])
        out.write("\n")
        _row(out, ["accepted, in per cent", *(f"p > {level:g}" for level in LEVELS)])
        _row(out, ["---", *["---:"] * len(LEVELS)])
        for kind in ["test items", *kinds]:
            shares = [100.0 * np.mean(self.passed[kind, level]) for level in LEVELS]
            _row(out, [kind, *(f"{share:.1f}" for share in shares)])
        out.write("\n")


def _in_order(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _row(out: TextIO, cells: Iterable[str]) -> None:
    out.write("| " + " | ".join(cells) + " |\n")
