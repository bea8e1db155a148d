"""A table's summary as Markdown."""

import math
from collections.abc import Mapping
from typing import Any

Summary = Mapping[str, Any]


def text_of(summary: Summary) -> str:
    """Three tables: our measurements, published figures, and ours minus the others.

    A fourth has the training times, where they are known.

    Parameters
    ----------
    summary : mapping
        See :func:`benchmarks.tables.report.summary_of`.
    """
    texts = summary["texts"]
    drawn = [row for row in summary["rows"] if row["given"] is None]
    count = max((len(c["values"]) for r in drawn for c in r["cells"].values()), default=0)
    parts = [
        f"# Table {summary['table']}: {summary['title']}",
        f"{texts['protocol'].format(count=count)}, seed {summary['seed']}. "
        "The best value in each row is in bold.",
        _measured(summary, count),
        *_stated(summary),
        *_differences(summary),
        *_standing(summary),
        *_training(summary),
        "```sh\n"
        f"python -m benchmarks.tables {summary['table']} "
        f"{f'--partitions {count} ' if drawn else ''}--seed {summary['seed']} --out OUT\n```",
        ", ".join(f"{name} {version}" for name, version in summary["versions"].items()) + ".",
    ]
    return "\n\n".join(parts) + "\n"


def grid(heads: list[str], rows: list[list[str]]) -> str:
    """Markdown table; the first column is text, the others are numbers."""
    lines = [f"| {' | '.join(heads)} |", f"| --- |{' ---: |' * (len(heads) - 1)}"]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows])


def with_spread(mean: float, deviation: float | None) -> str:
    """Mean and deviation, or the mean alone if there is no deviation.

    Examples
    --------
    >>> with_spread(97.2345, 0.763), with_spread(97.2345, None)
    ('97.23 ± 0.76', '97.23')
    """
    return f"{mean:.2f}" + _spread(deviation)


def difference(mean: float, p: float | None, deviation: float | None = None) -> str:
    """A paired difference with its sign, and p; parts that are None or NaN are left out.

    Examples
    --------
    >>> difference(-0.584, 0.561), difference(-0.001, None, 0.13)
    ('-0.58 (p 0.56)', '+0.00 ± 0.13')
    """
    # Without a minus sign where nothing is left of the difference.
    return f"{round(mean, 2) + 0.0:+.2f}" + _spread(deviation) + _in_brackets(p)


def _measured(summary: Summary, count: int) -> str:
    rows = []
    for row in summary["rows"]:
        cells = row["cells"]
        best = max((round(cell["mean"], 2) for cell in cells.values()), default=None)
        texts = [row["row"]]
        for name in summary["methods"]:
            text = _cell(cells.get(name), count if row["given"] is None else row["given"])
            bold = name in cells and round(cells[name]["mean"], 2) == best
            texts.append(f"**{text}**" if bold else text)
        rows.append(texts)
    return grid(["", *summary["methods"].values()], rows)


def _cell(cell: Mapping[str, Any] | None, count: int) -> str:
    if cell is None:
        return "-"
    text = with_spread(cell["mean"], cell["std"])
    return text if len(cell["values"]) == count else f"{text} (of {len(cell['values'])})"


def _stated(summary: Summary) -> list[str]:
    """Published figures, if any."""
    names = list(dict.fromkeys(name for row in summary["rows"] for name in row["stated"]))
    if not names:
        return []
    # In print `sfm` is the paper's own method, not our best.
    heads = ["SFM" if n == "sfm" else summary["methods"].get(n, n) for n in names]
    rows = []
    for row in summary["rows"]:
        if not row["stated"]:
            continue
        best = max(mean for mean, _ in row["stated"].values())
        texts = [row["row"]]
        for mean, spread in row["stated"].values():
            text = with_spread(mean, spread)
            texts.append(f"**{text}**" if mean == best else text)
        rows.append(texts)
    return [f"## {summary['texts']['stated']}", grid(["", *heads], rows)]


def _differences(summary: Summary) -> list[str]:
    """Ours minus the others, if there are any."""
    names = [name for name in summary["methods"] if name != summary["ours"]]
    if not any(row["ours_minus"] for row in summary["rows"]):
        return []
    rows = []
    for row in summary["rows"]:
        texts = [row["row"]]
        for name in names:
            gap = row["ours_minus"].get(name)
            texts.append("-" if gap is None else difference(gap["mean"], gap["p"]))
        rows.append(texts)
    return [
        f"## {summary['methods'].get(summary['ours'], summary['ours'])} minus the others",
        summary["texts"]["compared"],
        grid(["", *(summary["methods"][name] for name in names)], rows),
    ]


def _standing(summary: Summary) -> list[str]:
    """In how many rows ours is level or ahead, and which methods are ahead of it elsewhere."""
    if "standing" not in summary:
        return []
    standing = summary["standing"]
    of_all = f" of {standing['rows']} rows"
    text = (
        f"at or above every competing method in "
        f"{standing['at_or_above_every_competitor']}{of_all}, and in "
        f"{standing['at_or_above_every_method']} if its own parts and variants count too."
    )
    if any(row["stated"] for row in summary["rows"]):
        text = (
            f"at or above {summary['texts']['best_stated']} in "
            f"{standing['at_or_above_the_papers_best']}{of_all}, {text.replace(of_all, '')}"
        )
    text = text[0].upper() + text[1:]
    gaps = [
        f"{part['row']} ({summary['methods'][name]} {gap:+.2f})"
        for part in standing["behind_any_method"]
        for name, gap in part["ahead"].items()
    ]
    return [f"{text} Methods ahead of it: {', '.join(gaps)}." if gaps else text]


def _training(summary: Summary) -> list[str]:
    """Seconds on one thread, by data set."""
    if "training" not in summary:
        return []
    rows = []
    for name, by_method in summary["training"].items():
        texts = [name]
        for method in summary["methods"]:
            took = by_method.get(method)
            texts.append(
                f"{took['processor_seconds']:,.0f} ({took['seconds']:,.0f})" if took else "-"
            )
        rows.append(texts)
    return [
        "## Training",
        summary["texts"]["trained"],
        grid(["", *summary["methods"].values()], rows),
    ]


def _spread(deviation: float | None) -> str:
    return "" if deviation is None or math.isnan(deviation) else f" ± {deviation:.2f}"


def _in_brackets(p: float | None) -> str:
    if p is None or math.isnan(p):
        return ""
    return " (p < 0.01)" if p < 0.01 else f" (p {p:.2f})"
