"""Evidence of a fitted classifier's rows for the label of every item, and of its relatives."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.data.streams import PREDICTION
from sfmcore.data.with_vectors import similarities_of, without_similarities
from sfmcore.explaining.column_path import ColumnPath
from sfmcore.explaining.decision import Contest, best_two, decision_slopes, decisions
from sfmcore.explaining.path import KernelPath, LinearPath, path_of
from sfmcore.explaining.rows import ColumnEvidence, column_evidence
from sfmcore.features.column_kernel import ColumnMap
from sfmcore.features.feature_map import FeatureMap
from sfmcore.kernels import _random
from sfmcore.learning.evidence import evidence_of_references
from sfmcore.learning.pair import Pair
from sfmcore.learning.weighing import Weighing, log_odds

# Steps of Gauss and Legendre along the path.
N_NODES = 16
CHUNK = 128
"""Items at a time, about: a kernel is kept of each at all nodes."""


@dataclass(frozen=True)
class RowEvidence:
    """Score of every item's label against the runner-up, and what the columns of its rows say.

    Attributes
    ----------
    label, runner_up : ndarray of shape (n_items,), int64
        Numbers of classes.
    score, baseline : ndarray of shape (n_items,)
        Of the item, and of the row that the path begins at.
    columns : list of ColumnEvidence
        One for each distinct map.
    preparations : list of int
        Number of the pair whose preparation made each of these maps' items.
    of_columns : list of ndarray of shape (n_items, n_columns)
        Evidence of the columns of X by kernels on them.
    relatives : ndarray of shape (n_entries,)
        What each entry of the similarities adds; zeros where nothing looks at them.
    """

    label: Int64Array
    runner_up: Int64Array
    score: Float64Array
    baseline: Float64Array
    columns: list[ColumnEvidence]
    preparations: list[int]
    of_columns: list[Float64Array]
    relatives: Float64Array


@dataclass(frozen=True)
class _Group:
    """Pairs that share a map, and their path."""

    numbers: list[int]
    mapping: FeatureMap | ColumnMap
    path: LinearPath | KernelPath | ColumnPath


class Scores:
    """The score of a label against the runner-up, by the pairs of a fitted classifier.

    Parameters
    ----------
    pairs : sequence of Pair
        Class by class, as many of each.
    n_targets : int
        Classes that are told from the rest; 1 of two.
    weighing : Weighing or None
    n_threads : int
        No result depends on it.
    """

    def __init__(
        self, pairs: Sequence[Pair], n_targets: int, weighing: Weighing | None, n_threads: int
    ) -> None:
        self._pairs, self._n_targets, self._threads = pairs, n_targets, n_threads
        self._weighing = weighing
        nodes, shares = np.polynomial.legendre.leggauss(N_NODES)
        # The first is where the path begins, which has no share in its mean slopes.
        self._nodes = np.append(0.0, 0.5 * (nodes + 1.0))
        self._shares = np.append(0.0, 0.5 * shares)
        sharing: dict[int, list[int]] = {}
        for number, pair in enumerate(pairs):
            sharing.setdefault(id(pair.mapping), []).append(number)
        self._groups = [
            _Group(own, pairs[own[0]].mapping, self._path([pairs[k] for k in own]))
            for own in sharing.values()
        ]

    def _path(self, pairs: Sequence[Pair]) -> LinearPath | KernelPath | ColumnPath:
        """The path through the rows that pairs share."""
        mapping, weights = pairs[0].mapping, [pair.weights for pair in pairs]
        if isinstance(mapping, ColumnMap):
            return ColumnPath(mapping.kernel, weights, self._shares)
        return path_of(mapping, weights)

    def explain(self, made: Sequence[Any]) -> RowEvidence:
        """Evidence of a batch of items.

        Parameters
        ----------
        made : sequence of batch of items
            As the preparation of each pair makes them; some :data:`CHUNK` items.
        """
        seen = [without_similarities(own) for own in made] if self._weighing else list(made)
        n_items, vote = len(made[0]), self._pairs[0].vote
        batches = []
        rows: list[Any] = [None] * len(self._pairs)
        for group in self._groups:
            data = seen[group.numbers[0]]
            batch = self._enter(group, data)
            batches.append(batch)
            for number, margins in zip(group.numbers, batch.margins, strict=True):
                rows[number] = (margins * batch.lengths).reshape(n_items, -1)
        values = decisions(self._by_class(rows), vote)
        similar = similarities_of(made[0])
        parts = None
        if self._weighing is not None:
            assert similar is not None
            parts = self._weighing.parts(values, similar)
            final = log_odds(parts.factors * values + parts.relatives + parts.constants)
        else:
            final = values[:, 0] if values.shape[1] == 1 else values
        contest = Contest(*best_two(final), log_odds=parts is not None)
        if final.ndim == 1:
            score = np.abs(final)
        else:
            items = np.arange(n_items)
            score = final[items, contest.label] - final[items, contest.runner_up]

        along = self._along(batches, n_items)
        decided = decisions(self._by_class(along), vote)
        logits = decided
        if parts is not None:
            added = self._nodes[:, None, None] * parts.relatives + parts.constants
            logits = parts.factors * decided + added
        slopes = contest.gradient(logits) * self._shares[:, None, None]
        of_relatives = slopes.sum(axis=0)
        if parts is not None:
            slopes = slopes * parts.factors
        worth = self._of_rows(along, decided, slopes, vote)
        relatives = np.zeros(0 if similar is None else len(similar.values))
        columns, of_columns, preparations = [], [], []
        for group, batch in zip(self._groups, batches, strict=True):
            own = [
                worth[number].reshape(len(self._nodes), -1) * batch.lengths
                for number in group.numbers
            ]
            if isinstance(group.path, ColumnPath):
                of_columns.append(group.path.evidence(own))
                continue
            assert isinstance(group.mapping, FeatureMap)
            n_draws = self._pairs[group.numbers[0]].n_draws
            slopes_of = group.path.slopes(own)
            columns.append(
                column_evidence(
                    group.mapping, batch.data, n_draws, batch.raw, batch.rows, *slopes_of
                )
            )
            preparations.append(group.numbers[0])
            if group.path.relatives is not None and self._weighing is None:
                relatives += group.path.relatives
        if parts is not None and similar is not None and self._weighing is not None:
            entries, classes, amounts = evidence_of_references(
                similar, self._weighing.members, parts.worth
            )
            amounts = amounts * (parts.scales * of_relatives)[similar.items[entries], classes]
            np.add.at(relatives, entries, amounts)
        return RowEvidence(
            contest.label,
            contest.runner_up,
            score,
            contest.score(logits[0]),
            columns,
            preparations,
            of_columns,
            relatives,
        )

    def _enter(self, group: _Group, data: Any) -> "_Batch":
        pair, mapping = self._pairs[group.numbers[0]], group.mapping
        if isinstance(mapping, ColumnMap):
            assert isinstance(group.path, ColumnPath)
            lengths = np.full(len(data), np.sqrt(2.0) if pair.vote == "raw" else 1.0)
            margins = group.path.enter(data, data, self._threads)
            return _Batch(group, data, data, data, margins, lengths)
        mapping.set_threads(self._threads)
        keys = None
        if pair.n_draws != "exact":
            keys = _random.stream_keys(pair.seed, PREDICTION, mapping.content_keys(data))
        raw = mapping.raw(data, pair.n_draws, keys)
        rows = mapping.linear_rows(data, raw)
        assert not isinstance(group.path, ColumnPath)
        margins = group.path.enter(rows, data, self._threads)
        lengths = np.ones(len(rows))
        if pair.vote == "raw":
            constants = rows[:, -1] if mapping.kernel is None else np.float32(np.sqrt(0.5))
            lengths = np.broadcast_to(1.0 / constants, len(rows)).astype(np.float64)
        return _Batch(group, data, raw, rows, margins, lengths)

    def _along(self, batches: Iterable["_Batch"], n_items: int) -> list[Float64Array]:
        """Votes of each pair's rows at the nodes, of shape (n_nodes, n_items, n_rows)."""
        out: list[Any] = [None] * len(self._pairs)
        for batch in batches:
            margins = batch.group.path.margins(self._nodes)
            for number, own in zip(batch.group.numbers, margins, strict=True):
                out[number] = (own * batch.lengths).reshape(len(self._nodes), n_items, -1)
        return out

    def _by_class(self, rows: Sequence[Float64Array]) -> list[Float64Array]:
        """Rows of each class's pairs, concatenated; every pair counts the same."""
        most = int(np.lcm.reduce([own.shape[-1] for own in rows]))
        rows = [np.repeat(own, most // own.shape[-1], axis=-1) for own in rows]
        size = len(rows) // self._n_targets
        return [np.concatenate(rows[k : k + size], axis=-1) for k in range(0, len(rows), size)]

    def _of_rows(
        self,
        rows: Sequence[Float64Array],
        decided: Float64Array,
        slopes: Float64Array,
        vote: str,
    ) -> list[Float64Array]:
        """Weight of each pair's rows, of the shapes of the rows."""
        every = self._by_class(rows)
        size = len(rows) // self._n_targets
        most = every[0].shape[-1] // size
        out = []
        for number, own in enumerate(rows):
            target, place = divmod(number, size)
            made = decision_slopes(every[target], decided[..., target], vote)
            made = made[..., place * most : (place + 1) * most] * slopes[..., target, None]
            shape = (*own.shape, most // own.shape[-1])
            out.append(made.reshape(shape).sum(axis=-1))
        return out


@dataclass(frozen=True)
class _Batch:
    """Rows of one map for a batch of items."""

    group: _Group
    data: Any
    raw: Any
    rows: Any
    margins: list[Float64Array]
    lengths: Float64Array
