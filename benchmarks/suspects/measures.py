"""How well a ranking of items, or a set of them, finds the labels that were made wrong."""

from dataclasses import dataclass, field

import numpy as np
from sklearn.metrics import average_precision_score

RECALLS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


def precisions(wrong: np.ndarray, score: np.ndarray) -> list[float]:
    """Precision of the shortest list, read from above, that has each of `RECALLS`."""
    order = np.argsort(-score, kind="stable")
    hits = np.cumsum(wrong[order])
    ends = [int(np.searchsorted(hits, recall * wrong.sum())) for recall in RECALLS]
    return [float(hits[end] / (end + 1)) for end in ends]


@dataclass
class Tally:
    """Figures of several runs by the name of what was measured.

    Attributes
    ----------
    rankings : dict of str to list of (float, list of float)
        Average precision, and the precisions at `RECALLS`.
    sets : dict of str to list of (int, float, float)
        Size, precision and recall.
    """

    rankings: dict[str, list[tuple[float, list[float]]]] = field(default_factory=dict)
    sets: dict[str, list[tuple[int, float, float]]] = field(default_factory=dict)
    wrong: list[tuple[int, float]] = field(default_factory=list)
    """Wrong labels, and how many they were thought to be."""

    def add_wrong(self, count: int, thought: float) -> None:
        """Take the number of wrong labels, and what it was thought to be."""
        self.wrong.append((count, thought))

    def add_ranking(self, name: str, wrong: np.ndarray, score: np.ndarray) -> None:
        """Take a score, larger for what is more suspect."""
        own = float(average_precision_score(wrong, score)), precisions(wrong, score)
        self.rankings.setdefault(name, []).append(own)

    def add_set(self, name: str, wrong: np.ndarray, found: np.ndarray) -> None:
        """Take a set of suspects."""
        hits = int(np.sum(found & wrong))
        n_found = int(found.sum())
        own = n_found, hits / max(n_found, 1), hits / int(wrong.sum())
        self.sets.setdefault(name, []).append(own)

    def text(self) -> str:
        """Both tables as Markdown: means over the runs, and the least precision at half recall."""
        heads = [f"{recall:g}" for recall in RECALLS]
        lines = [
            f"| ranking by | average precision | {' | '.join(heads)} | least at 0.5 |",
            f"| --- | {' | '.join(['---:'] * (len(heads) + 2))} |",
        ]
        half = RECALLS.index(0.5)
        for name, runs in self.rankings.items():
            means = np.mean([values for _, values in runs], axis=0)
            least = min(values[half] for _, values in runs)
            area = np.mean([own for own, _ in runs])
            shown = " | ".join(f"{value:.3f}" for value in means)
            lines.append(f"| {name} | {area:.3f} | {shown} | {least:.3f} |")
        lines += ["", "| set | items | precision | recall |", "| --- | ---: | ---: | ---: |"]
        for name, found in self.sets.items():
            size, precision, recall = np.mean(found, axis=0)
            lines.append(f"| {name} | {size:.0f} | {precision:.3f} | {recall:.3f} |")
        count, thought = np.mean(self.wrong, axis=0)
        lines += ["", f"{count:.0f} labels were made wrong, {thought:.0f} are thought to be wrong"]
        return "\n".join(lines)
