"""Plain twins of the kernels: slow, short, and what the tests compare with."""

from collections import Counter
from collections.abc import Sequence

import numpy as np


def project(
    items: Sequence[Sequence[int]],
    places: Sequence[int],
    groups: Sequence[int],
    n_groups: int,
    weight: float,
    rows: np.ndarray,
) -> np.ndarray:
    """Weighted square roots of the shares of one pattern's words, times their rows."""
    out = np.zeros((len(items), rows.shape[1]))
    for number, codes in enumerate(items):
        words = Counter(
            tuple(groups[codes[t + place]] for place in places)
            for t in range(len(codes) - places[-1])
        )
        for word, count in words.items():
            place = 0
            for group in word:
                place = place * n_groups + int(group)
            out[number] += weight * np.sqrt(count / words.total()) * rows[place]
    return out


def cells(
    query: Sequence[int], target: np.ndarray, gap_open: int, gap_extend: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gotoh's recursion: the best alignment up to each position and symbol.

    Parameters
    ----------
    query : sequence of int
    target : ndarray of shape (n_positions, n_symbols)

    Returns
    -------
    ndarray of shape (n_positions + 1, len(query) + 1)
        Best scores; the first row and column are of nothing.
    two ndarrays of the same shape
        Of those that end with a gap over positions, and over symbols; far below 0 for none.
    """
    best = np.zeros((len(target) + 1, len(query) + 1), dtype=int)
    across, down = np.full(best.shape, -(10**9)), np.full(best.shape, -(10**9))
    for j in range(1, len(target) + 1):
        for i in range(1, len(query) + 1):
            across[j, i] = max(best[j - 1, i] - gap_open, across[j - 1, i] - gap_extend)
            down[j, i] = max(best[j, i - 1] - gap_open, down[j, i - 1] - gap_extend)
            pair = best[j - 1, i - 1] + target[j - 1, query[i - 1]]
            best[j, i] = max(0, pair, across[j, i], down[j, i])
    return best, across, down


def alignment_score(
    query: Sequence[int], target: np.ndarray, gap_open: int, gap_extend: int
) -> int:
    """Score of the best local alignment, by Gotoh's recursion row by row.

    Gaps over symbols come from a running maximum: the cell that one begins at holds no such gap.
    """
    codes, steps = np.asarray(query, dtype=int), gap_extend * np.arange(len(query) + 1)
    before = np.zeros(len(codes) + 1, dtype=int)
    across = np.full(len(codes) + 1, -(10**9))
    top = 0
    for row in np.asarray(target, dtype=int):
        across = np.maximum(before - gap_open, across - gap_extend)
        own = np.maximum(across, 0)
        own[1:] = np.maximum(own[1:], before[:-1] + row[codes])
        begun = np.maximum.accumulate(own + steps) - gap_open
        own[1:] = np.maximum(own[1:], begun[:-1] - steps[:-1])
        before = own
        top = max(top, int(own.max()))
    return top


def diagonal_score(query: Sequence[int], target: np.ndarray) -> int:
    """Score of the best alignment without gaps that ends at an even number of symbols; 255 at most.

    Sums stop at 255 on their way, too.
    """
    best = 0
    for shift in range(-len(query), len(target) + 1):
        total = 0
        for i, code in enumerate(query):
            if 0 <= i + shift < len(target):
                total = min(255, max(0, total + int(target[i + shift, code])))
                if i % 2 == 1:
                    best = max(best, total)
    return best


def aligned(
    query: Sequence[int], target: np.ndarray, gap_open: int, gap_extend: int
) -> tuple[int, list[int]]:
    """Best local alignment: its score, and a byte for each position of the target."""
    best, across, down = cells(query, target, gap_open, gap_extend)
    found = [255] * len(target)
    # argmax takes the first.
    j, i = (int(k) for k in np.unravel_index(np.argmax(best), best.shape))
    top = int(best[j, i])
    while best[j, i] > 0:
        if best[j, i] == best[j - 1, i - 1] + target[j - 1, query[i - 1]]:
            j, i = j - 1, i - 1
            found[j] = int(query[i])
        elif best[j, i] == across[j, i]:
            longer = True
            while longer:
                longer = across[j, i] == across[j - 1, i] - gap_extend
                j -= 1
                found[j] = 254
        else:
            longer = True
            while longer:
                longer = down[j, i] == down[j, i - 1] - gap_extend
                i -= 1
    return top, found


def compared(
    query: Sequence[int],
    target: Sequence[int],
    matrix: np.ndarray,
    gap_open: int,
    gap_extend: int,
    n_residues: int,
) -> tuple[int, int, int, int, int]:
    """Score, identical columns, columns, and symbols of query and target in the best alignment.

    As :func:`aligned` goes back, but column by column.
    """
    rows = matrix[np.asarray(target, dtype=int)]
    best, across, down = cells(query, rows, gap_open, gap_extend)
    j, i = (int(k) for k in np.unravel_index(np.argmax(best), best.shape))
    top, last_j, last_i = int(best[j, i]), j, i
    identical = columns = 0
    state = "any"
    while state != "any" or best[j, i] > 0:
        columns += 1
        if state == "any":
            if best[j, i] == best[j - 1, i - 1] + rows[j - 1, query[i - 1]]:
                j, i = j - 1, i - 1
                identical += target[j] == query[i] and query[i] < n_residues
                continue
            state = "across" if best[j, i] == across[j, i] else "down"
        if state == "across":
            state = "across" if across[j, i] == across[j - 1, i] - gap_extend else "any"
            j -= 1
        else:
            state = "down" if down[j, i] == down[j, i - 1] - gap_extend else "any"
            i -= 1
    return top, int(identical), columns, last_i - i, last_j - j


def alignment_worth(
    query: Sequence[int], target: np.ndarray, gap_open: int, gap_extend: int, found: Sequence[int]
) -> float:
    """The most that an alignment with these bytes can score; minus infinity if there is none."""
    # Best score when the last pair had the query's symbol i - 1, and gaps' positions since.
    best: np.ndarray | None = None
    gap = 0
    n = len(query)
    for j, code in enumerate(found):
        if code == 255:
            continue
        if code == 254:
            gap += 1
            continue
        new = np.full(n + 1, -np.inf)
        for i in range(1, n + 1):
            if query[i - 1] != code:
                continue
            if best is None:
                before = 0.0
            else:
                passed = i - 1 - np.arange(i)
                costs = np.where(passed > 0, gap_open + (passed - 1) * gap_extend, 0)
                before = float(np.max(best[:i] - costs))
            lost = gap_open + (gap - 1) * gap_extend if gap else 0
            new[i] = before - lost + target[j, code]
        best, gap = new, 0
    if best is None:
        return 0.0 if gap == 0 else -np.inf
    return float(best.max()) if gap == 0 else -np.inf


def profile(
    own: Sequence[int],
    members: Sequence[Sequence[int]],
    conditional: np.ndarray,
    background: np.ndarray,
    scale: float,
    beta: float,
    near: float,
    window: int,
) -> np.ndarray | None:
    """Scores before they are rounded, NaN at positions without residues; None without members."""
    n = len(background)
    rows = [np.asarray(own)]
    for row in map(np.asarray, members):
        inside = row < n
        if inside.any() and np.mean((row == rows[0])[inside]) < near:
            rows.append(row)
    if len(rows) == 1:
        return None
    there = np.array(rows)[:, :, None] == np.arange(n)
    counts = there.sum(axis=0)
    kinds = np.sum(counts > 0, axis=1)
    parts = np.where(there, 1.0 / np.maximum(kinds[:, None] * counts, 1), 0.0)
    inside = there.any(axis=2).sum(axis=1)
    weights = parts.sum(axis=(1, 2)) / np.maximum(inside, 1)
    shares = np.einsum("m,mjr->jr", weights, there)
    with np.errstate(invalid="ignore"):
        shares = shares / shares.sum(axis=1, keepdims=True)
    padded = np.pad(kinds, window // 2, mode="edge")
    means = np.lib.stride_tricks.sliding_window_view(padded, window).mean(axis=1)
    alpha = np.maximum(means - 1.0, 0.0)[:, None]
    mixed = (alpha * shares + beta * shares @ conditional) / (alpha + beta)
    return np.log(np.maximum(mixed, 1e-9) / background) / scale
