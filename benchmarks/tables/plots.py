"""A table's summary as a plot."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any


def draw_table(summary: Mapping[str, Any], path: Path) -> None:
    """One axis for each row: a dot for each method, and a line for the best that others state.

    Parameters
    ----------
    summary : mapping
    path : Path
        Suffix says the format.
    """
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.use("agg")
    names = list(summary["methods"])
    rows = summary["rows"]
    columns = min(4, len(rows))
    lines = -(-len(rows) // columns)
    size = (1.2 + 3.0 * columns, lines * (1.0 + 0.22 * len(names)))
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(lines, columns, squeeze=False, sharey=True).ravel()
    for ax in axes[len(rows) :]:
        ax.set_axis_off()
    for ax, row in zip(axes, rows, strict=False):
        if row["stated"]:
            best = max(mean for mean, _ in row["stated"].values())
            ax.axvline(best, color="0.6", linestyle="--", zorder=1)
        for place, name in enumerate(reversed(names)):
            cell = row["cells"].get(name)
            if cell is None:
                continue
            colour = "tab:red" if name == summary["ours"] else "tab:blue"
            spread = cell["std"] or 0.0
            ax.errorbar(cell["mean"], place, xerr=spread, fmt="o", color=colour, markersize=4)
        ax.set_title(row["row"], fontsize="medium")
        ax.set_yticks(range(len(names)), [summary["methods"][n] for n in reversed(names)])
        ax.tick_params(labelsize="small")
        ax.grid(axis="x", alpha=0.3)
    label = summary["texts"]["axis"]
    if any(row["stated"] for row in rows):
        label += f"; dashed: {summary['texts']['best_stated']}"
    figure.supxlabel(label, fontsize="small")
    figure.savefig(path, dpi=120)
