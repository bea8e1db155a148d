"""How many families reach a value: the plot that this benchmark is shown by."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np


def draw_families(summary: Mapping[str, Any], path: Path) -> None:
    """One axis for each measure: the number of families that reach at least the value below.

    Parameters
    ----------
    summary : mapping
        See :func:`benchmarks.tables.report.summary_of`; partitions are families.
    path : Path
        Suffix says the format.
    """
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.use("agg")
    rows = summary["rows"]
    figure = Figure(figsize=(1.0 + 5.0 * len(rows), 4.5), layout="constrained")
    for ax, row in zip(figure.subplots(1, len(rows), squeeze=False).ravel(), rows, strict=True):
        for name, cell in row["cells"].items():
            ours = name == summary["ours"]
            values = np.sort(cell["values"])[::-1]
            ax.step(
                [*values, 0.0],
                [*range(1, len(values) + 1), len(values)],
                where="post",
                color="tab:red" if ours else None,
                linewidth=2.0 if ours else 1.2,
                label=summary["methods"][name],
            )
        ax.set_xlim(0, 100)
        ax.set_xlabel(f"{row['row']} (times 100)")
        ax.set_ylabel("families that reach it")
        ax.grid(alpha=0.3)
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize="small")
    figure.savefig(path, dpi=120)
