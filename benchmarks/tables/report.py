"""Report of a table: a summary in JSON, and the Markdown and the plot made from it."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.tables.markdown import text_of
from benchmarks.tables.registry import TABLES
from benchmarks.tables.results import Results
from benchmarks.tables.table import Table
from sfmcore.evaluation.halves import deviation

Values = dict[str, dict[str, dict[int, float]]]


def write_report(what: str, results: Results, folder: Path) -> list[Path]:
    """Write the summary, the table and the plot of the stored results.

    Parameters
    ----------
    what : str
        Name of the table.
    results : Results
    folder : Path

    Returns
    -------
    list of Path
    """
    summary = {"table": what, **summary_of(TABLES[what], results.header, results.rows.values())}
    paths = [folder / f"table{what}.{suffix}" for suffix in ("json", "md", "png")]
    paths[0].write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    paths[1].write_text(text_of(summary), encoding="utf-8")
    TABLES[what].draw(summary, paths[2])
    return paths


def summary_of(
    table: Table, header: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    """Mean, deviation and every partition's value by row and method, and the comparisons.

    Parameters
    ----------
    table : Table
    header : mapping
        First line of the file.
    rows : iterable of mapping
        Its other lines.

    Returns
    -------
    dict
        Plain values; numbers that can't be computed are None.
    """
    results = list(rows)
    values = _values(table, results)
    present = [name for name in table.methods if any(name in values[row] for row in table.rows)]
    parts = []
    for row in table.rows:
        cells = {name: _cell(values[row][name]) for name in present if name in values[row]}
        parts.append(
            {
                "row": row,
                "given": table.given.get(table.set_of(row)),
                "stated": {n: _plain(pair) for n, pair in table.stated.get(row, {}).items()},
                "cells": cells,
                "ours_minus": _comparisons(table, row, values[row]),
            }
        )
    summary = {
        "title": table.title,
        "texts": asdict(table.texts),
        **header,
        "methods": {name: table.titles[name] for name in present},
        "ours": table.ours,
        "competitors": [name for name in present if name in table.competitors],
        "rows": parts,
    }
    if table.competitors and table.ours in present:
        summary["standing"] = _standing(table, parts)
    if training := _training(table, results):
        summary["training"] = training
    return summary


def _training(
    table: Table, results: Sequence[Mapping[str, Any]]
) -> dict[str, dict[str, dict[str, float]]]:
    """Mean training seconds by data set and method, where they are recorded."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for name, method in product(table.sets, table.methods):
        own = [
            result["training"]
            for result in results
            if (result["set"], result["method"]) == (name, method) and "training" in result
        ]
        if own:
            means = {key: float(np.mean([one[key] for one in own])) for key in own[0]}
            found.setdefault(name, {})[method] = {**means, "partitions": len(own)}
    return found


def _plain(pair: tuple[float, float]) -> list[float | None]:
    return [None if math.isnan(number) else number for number in pair]


def _values(table: Table, rows: Iterable[Mapping[str, Any]]) -> Values:
    """Accuracy by row of the table, method and partition."""
    values: Values = {row: {} for row in table.rows}
    for result in rows:
        if result["method"] in table.methods:
            for row, value in table.values(result).items():
                values[row].setdefault(result["method"], {})[result["partition"]] = value
    return values


def _cell(by_partition: Mapping[int, float]) -> dict[str, Any]:
    ordered = [by_partition[partition] for partition in sorted(by_partition)]
    return {
        "mean": float(np.mean(ordered)),
        "std": deviation(np.array(ordered)),
        "partitions": sorted(by_partition),
        "values": ordered,
    }


def _comparisons(
    table: Table, row: str, cells: Mapping[str, Mapping[int, float]]
) -> dict[str, Any]:
    """Differences on the partitions that both methods have."""
    found, ours = {}, table.ours
    for name, theirs in cells.items():
        both = sorted(cells.get(ours, {}).keys() & theirs.keys())
        if name == ours or not both:
            continue
        result = table.compare(
            table.set_of(row), [cells[ours][k] for k in both], [theirs[k] for k in both]
        )
        numbers = {"mean": result.mean, "std": result.deviation, "p": result.p}
        found[name] = {k: None if math.isnan(v) else v for k, v in numbers.items()}
        found[name]["partitions"] = len(both)
    return found


def _standing(table: Table, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """In how many rows ours is level or ahead, and where it is behind.

    Level means equal as shown, to two digits. A gap is that of the means before they are rounded,
    so that it agrees with the table of differences.
    """
    behind_paper, behind, behind_any = [], [], []
    stated = 0
    for row in rows:
        if table.ours not in row["cells"]:
            continue
        mean = row["cells"][table.ours]["mean"]
        own = round(mean, 2)
        best = table.best_stated(row["row"])
        stated += best is not None
        if best is not None and own < best:
            behind_paper.append({"row": row["row"], "gap": best - own})
        ahead = {
            name: cell["mean"] - mean
            for name, cell in row["cells"].items()
            if round(cell["mean"], 2) > own
        }
        of_others = {name: gap for name, gap in ahead.items() if name in table.competitors}
        for gaps, found in ((of_others, behind), (ahead, behind_any)):
            if gaps:
                found.append({"row": row["row"], "ahead": gaps})
    done = sum(table.ours in row["cells"] for row in rows)
    return {
        "rows": done,
        "at_or_above_the_papers_best": stated - len(behind_paper),
        "at_or_above_every_competitor": done - len(behind),
        "at_or_above_every_method": done - len(behind_any),
        "behind_the_paper": behind_paper,
        "behind_a_competitor": behind,
        "behind_any_method": behind_any,
    }
