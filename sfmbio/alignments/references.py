"""Sequences that others are aligned with, and how much more alike they are than chance has it."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

import numpy as np

from sfmbio.alignments.blosum62 import BLOSUM62
from sfmbio.alignments.candidates import candidates
from sfmbio.alignments.levels import EXPECTED, less_lengths, line_through, lower_quartiles
from sfmbio.alignments.passes import (
    HALF_ROW,
    NOUN,
    Int32Array,
    blocks,
    scores_among,
    scores_by_tasks,
    scores_of,
)
from sfmbio.alignments.profiles import Int8Array, position_scores
from sfmbio.sequences.alphabet import N_SYMBOLS
from sfmcore.data.arrays import Float32Array, Float64Array, Int64Array
from sfmcore.data.ragged import Ragged
from sfmcore.data.similarities import Similarities
from sfmcore.data.streams import REFERENCE_SAMPLE
from sfmcore.kernels import _random
from sfmcore.parallel.tasks import kept, run_tasks

MostAligned = int | Literal["auto"]

NOISE = 8.0
"""Threshold of a corrected score: about one in six unrelated sequences exceeds it."""

MANY = 4096
"""References of which a sequence is aligned with some only, unless it is told otherwise."""

MOST_OF_MANY = 512
"""References that a sequence is aligned with where there are many."""

OWN = 60.0
"""Corrected score beyond which a sequence is aligned with the reference, and not its profile."""

# Corrected scores of plain sequences: a reference's profile is made of those beyond the first, and
# those are beyond OWN, as a profile would know its own members; only what is beyond the second with
# its profile is looked at.
_MEMBER, _CLOSE = 66.0, 40.0
# Residues of a reference, at most, unless all are longer: alignments go by groups of like lengths,
# and one of a length of its own would take as long as 64 of them.
_LONGEST = 10_000
# Sequences that the references' own levels are learnt from.
_SAMPLE = 500
# References whose scores with each other are all kept in memory, a quarter of a gigabyte at most,
# so that each pair is aligned once; of more of them, which are short ones, twice.
_MOST_AMONG = 8192
# Rows that are not worth threads.
_FEW = 16
_LARGEST_LEVEL = 1e6
_LARGEST_SCORE = 63


@dataclass(frozen=True)
class References:
    """Sequences that all others are aligned with (Smith and Waterman, BLOSUM62).

    A score depends on lengths and composition as well as on kinship. The logarithms of both lengths
    are taken off, as Karlin and Altschul have it, then what a reference scores with most sequences,
    and then what a sequence scores with most references: what is left is 0 for most pairs of
    sequences that are not related, and rises by 1 for every unit of the matrix.

    References that are alike become profiles (position-specific scores), which see more remote
    relatives. A profile would know the sequences that it is made of: those, and all that are as
    near, are aligned with the sequence of the reference itself.

    Attributes
    ----------
    items : Ragged
        The references, each once.
    profiles : ndarray of shape (n_positions, N_SYMBOLS), int8
        Scores of the symbols at every position.
    levels, plain_levels : ndarray of shape (n_references,)
        What each scores with most sequences, as a profile and as a sequence.
    weight : float
        See :class:`~sfmcore.data.similarities.Similarities`.
    n_threads : int
    most_aligned : int
        References that a sequence is compared with, at most: those with the best scores without
        gaps; see :func:`sfmbio.alignments.candidates.candidates`. The others are no relatives. 0
        for all.
    own_level : ndarray of shape (2,)
        Intercept and slope that give what a sequence scores with most references from its scores
        without gaps; not used where all references are aligned.
    most_with_clear : int
        References that a sequence with a clear relative is aligned with, at most.

    References
    ----------
    S. Karlin, S. F. Altschul, "Methods for assessing the statistical significance of molecular
    sequence features by using general scoring schemes", PNAS 87 (1990) 2264-2268.
    """

    items: Ragged
    profiles: Int8Array
    levels: Float64Array
    plain_levels: Float64Array
    weight: float
    n_threads: int = 1
    most_aligned: int = 0
    own_level: Float64Array = field(default_factory=lambda: np.zeros(2))
    most_with_clear: int = HALF_ROW

    @classmethod
    def of(
        cls,
        items: Ragged,
        *,
        most_residues: int,
        weight: float,
        seed: int,
        n_threads: int = 1,
        most_aligned: MostAligned = "auto",
    ) -> "References":
        """Take references from distinct sequences, and learn their levels.

        What a sequence holds decides whether it is one, so that a sequence of weight 2 is a
        sequence given twice.

        Parameters
        ----------
        items : Ragged
        most_residues : int
            Of all references together, about; there is at least one reference. Of sequences of
            more than 10,000 residues there is none, unless all are as long.
        weight : float
        seed : int
        n_threads : int, default=1
            The result does not depend on it.
        most_aligned : int or "auto", default="auto"
            "auto" is 512 where there are more than 4,096 references, and otherwise 0.
        """
        content, first = np.unique(
            _random.content_keys(items.values, items.offsets), return_index=True
        )
        order = np.argsort(_random.stream_keys(seed, REFERENCE_SAMPLE, content), kind="stable")
        distinct = items[first[order]]
        short = np.flatnonzero(distinct.lengths <= max(_LONGEST, int(distinct.lengths.min())))
        distinct = distinct[short]
        counted = int(np.searchsorted(np.cumsum(distinct.lengths), most_residues, side="right"))
        chosen = distinct[np.arange(min(max(counted, 1), len(distinct)))]
        most_aligned = _most_aligned(most_aligned, len(chosen))
        plain = BLOSUM62[chosen.values]
        zeros = np.zeros(len(chosen))
        # All pairs are aligned while the levels are learnt.
        made = cls(chosen, plain, zeros, zeros, weight, n_threads)
        sample = distinct[np.arange(min(_SAMPLE, len(distinct)))]
        if len(chosen) > MANY and most_aligned > 0:
            scores = made._scores_by_tasks(sample, "levels")
            levels = made._levels(sample, scores)
            made = replace(made, levels=levels, plain_levels=levels)
            # A profile is of more members than a sequence needs relatives.
            made = made._choosing(max(most_aligned, MOST_OF_MANY), sample, scores)
            related = made._by_tasks(chosen, _MEMBER, "alignments")
        elif len(sample) <= len(chosen) <= _MOST_AMONG:
            # The sample are the first of the references.
            every = scores_among(chosen, n_threads, name="alignments")
            scores = every[: len(sample)]
            levels = made._levels(sample, scores)
            made = replace(made, levels=levels, plain_levels=levels)
            related = Similarities.joined(
                [
                    made._beyond(every[first:last], chosen[first:last], _MEMBER)
                    for first, last in blocks(chosen.lengths, chosen.lengths)
                ]
            )
        else:
            scores = made._scores_by_tasks(sample, "levels")
            levels = made._levels(sample, scores)
            made = replace(made, levels=levels, plain_levels=levels)
            related = made._by_tasks(chosen, _MEMBER, "alignments")
        # A reference's own row may hold itself, which is no relative.
        related = related.without(np.arange(len(chosen)))
        if len(related.values) > 0:
            learn = partial(position_scores, chosen, related, n_threads=n_threads)
            profiles = kept("profiles", learn)
            made = replace(made, profiles=profiles)
            scores = made._scores_by_tasks(sample, "levels of profiles")
            made = replace(made, levels=made._levels(sample, scores))
        return made._choosing(most_aligned, sample, scores)

    def _levels(self, sample: Ragged, raw: Int32Array) -> Float64Array:
        """Score of each reference with most of the sample, which begins with references."""
        scores = less_lengths(raw, sample.lengths, self.items.lengths)
        # A reference is no witness of what scores it gets from others.
        own = np.arange(min(len(sample), len(self.items)))
        scores[own, own] = np.nan
        return lower_quartiles(scores.T, EXPECTED)

    @property
    def _chooses(self) -> bool:
        """Whether a sequence is aligned with some of the references only."""
        return 0 < self.most_aligned < len(self.items)

    def _choosing(self, most_aligned: int, sample: Ragged, scores: Int32Array) -> "References":
        """The same with some references aligned only; `scores` are the sample's with all."""
        made = replace(self, most_aligned=most_aligned)
        return replace(made, own_level=made._own_level(sample, scores)) if made._chooses else made

    def _own_level(self, sample: Ragged, raw: Int32Array) -> Float64Array:
        """Line from the lower quartile of scores without gaps to that of corrected scores."""
        corrected = less_lengths(raw, sample.lengths, self.items.lengths) - self.levels
        parts = blocks(sample.lengths, self.items.lengths)
        along = [self._candidates(sample[slice(*part)])[2] for part in parts]
        return line_through(np.concatenate(along), lower_quartiles(corrected, 0.0))

    def _candidates(self, items: Ragged) -> tuple[Int64Array, Int32Array, Float64Array]:
        offsets, own = self.items.offsets, self.own(items)
        most, most_with_clear = self.most_aligned, self.most_with_clear
        return candidates(items, self.profiles, offsets, own, most, most_with_clear, self.n_threads)

    def _scores_by_tasks(self, items: Ragged, name: str) -> Int32Array:
        return scores_by_tasks(items, self.profiles, self.items.offsets, self.n_threads, name=name)

    def similarities(self, items: Ragged) -> Similarities:
        """Corrected scores of sequences with all references that exceed the noise, less the noise.

        Parameters
        ----------
        items : Ragged
        """
        parts = blocks(items.lengths, self.items.lengths, at_once=True) or [(0, 0)]
        return Similarities.joined([self.similar(items[slice(*part)], NOISE) for part in parts])

    def similarities_by_tasks(self, items: Ragged) -> Similarities:
        """Result of :meth:`similarities`, computed by tasks; for all training items.

        Parameters
        ----------
        items : Ragged
        """
        return self._by_tasks(items, NOISE, "relatives")

    def _by_tasks(self, items: Ragged, least: float, name: str) -> Similarities:
        parts = blocks(items.lengths, self.items.lengths) or [(0, 0)]
        named = {f"{name} {number}": part for number, part in enumerate(parts)}
        shared = {"references": self, "items": items, "least": least}
        return Similarities.joined(
            run_tasks(_similar, named, shared, self.n_threads, noun=NOUN, show_progress=None)
        )

    def similar(self, items: Ragged, least: float) -> Similarities:
        """Corrected scores beyond the least one, less that, of as many items as are one block.

        Parameters
        ----------
        items : Ragged
        least : float
        """
        if not self._chooses:
            return self._beyond(self._raw(items), items, least)
        hits, scores = self._corrected_hits(items)
        found = Similarities.of(scores - np.float32(least), self.weight)
        return replace(
            found,
            references=hits[found.items, found.references].astype(np.int32),
            n_references=len(self.items),
        )

    def _beyond(self, raw: Int32Array, items: Ragged, least: float) -> Similarities:
        return Similarities.of(self._corrected(raw, items) - np.float32(least), self.weight)

    def corrected(self, items: Ragged) -> Float32Array:
        """Scores less what lengths and composition give, of shape (n_items, n_references).

        Parameters
        ----------
        items : Ragged

        Returns
        -------
        ndarray of shape (n_items, n_references), float32
            Minus infinity where a sequence is not aligned with a reference.
        """
        if not self._chooses:
            return self._corrected(self._raw(items), items)
        hits, scores = self._corrected_hits(items)
        every = np.full((len(items), len(self.items)), -np.inf, dtype=np.float32)
        np.put_along_axis(every, hits, scores, axis=1)
        return every

    def _corrected(self, raw: Int32Array, items: Ragged) -> Float32Array:
        # In place: scores of a block are most of the memory.
        scores = less_lengths(raw, items.lengths, self.items.lengths)
        scores -= self.levels
        of_items = lower_quartiles(scores, 0.0)
        scores -= of_items[:, None]
        self._align_close(items, scores, of_items)
        return scores.astype(np.float32)

    def _corrected_hits(self, items: Ragged) -> tuple[Int64Array, Float32Array]:
        """References that each sequence is aligned with, and the corrected scores with them."""
        hits, raw, along = self._candidates(items)
        intercept, slope = self.own_level
        of_items = intercept + slope * along
        scores = less_lengths(raw, items.lengths, self.items.lengths[hits]) - self.levels[hits]
        scores -= of_items[:, None]
        self._align_close(items, scores, of_items, hits)
        return hits, scores.astype(np.float32)

    def _align_close(
        self,
        items: Ragged,
        scores: Float64Array,
        of_items: Float64Array,
        hits: Int64Array | None = None,
    ) -> None:
        """Replace profiles' scores with plain ones for sequences that are near the reference.

        Columns are all references, or the row's hits.
        """
        # Without a profile both levels are the same, and so would all scores be.
        if np.array_equal(self.plain_levels, self.levels):
            return
        close = scores > _CLOSE
        rows = np.flatnonzero(close.any(axis=1))

        def align(some: Int64Array) -> None:
            # A row has few targets: threads go by rows.
            for number in some:
                columns = np.flatnonzero(close[number])
                numbers = columns if hits is None else hits[number, columns]
                # One by one: of few items that is sooner done than by their places.
                one = Ragged.from_items([items[number]])
                near = Ragged.from_items([self.items[k] for k in numbers.tolist()])
                targets = BLOSUM62.take(near.values, axis=0)
                raw = scores_of(one, targets, near.offsets, 1)
                plain = less_lengths(raw, one.lengths, near.lengths)[0]
                plain -= self.plain_levels[numbers] + of_items[number]
                own = plain > OWN
                scores[number, columns[own]] = plain[own]

        if self.n_threads == 1 or len(rows) < _FEW:
            align(rows)
            return
        with ThreadPoolExecutor(self.n_threads) as pool:
            list(pool.map(align, [rows[k :: self.n_threads] for k in range(self.n_threads)]))

    def own(self, items: Ragged) -> Int64Array:
        """The reference that each sequence is; -1 if it is none.

        Parameters
        ----------
        items : Ragged
        """
        keys = _random.content_keys(self.items.values, self.items.offsets)
        order = np.argsort(keys)
        mine = _random.content_keys(items.values, items.offsets)
        places = np.minimum(np.searchsorted(keys[order], mine), len(keys) - 1)
        return np.where(keys[order][places] == mine, order[places], -1)

    def summary(self) -> str:
        """A line that says how many there are, of how many residues, and with how many profiles."""
        changed = np.any(self.profiles != BLOSUM62[self.items.values], axis=1)
        # Of no residues there are no references.
        n_profiles = int(
            np.sum(np.add.reduceat(changed.astype(np.int64), self.items.offsets[:-1]) > 0)
        )
        line = (
            f"references: {len(self.items)} sequences, {len(self.items.values)} residues, "
            f"{n_profiles} with a profile"
        )
        if self._chooses:
            line += f"; {self.most_aligned} of them are aligned with a sequence"
        return line

    def get_arrays(self) -> dict[str, np.ndarray]:
        """References and levels."""
        return {
            "references": self.items.values,
            "reference_offsets": self.items.offsets,
            "profiles": self.profiles,
            "levels": self.levels,
            "plain_levels": self.plain_levels,
            **(self._arrays_of_choice() if self.most_aligned > 0 else {}),
        }

    def _arrays_of_choice(self) -> dict[str, np.ndarray]:
        most = np.array([self.most_with_clear], dtype=np.int64)
        return {"own_level": self.own_level, "most_with_clear": most}

    @classmethod
    def of_arrays(
        cls,
        arrays: Mapping[str, np.ndarray],
        weight: float,
        n_threads: int,
        most_aligned: MostAligned = 0,
    ) -> "References":
        """Take back what :meth:`get_arrays` gave.

        Raises
        ------
        KeyError, ValueError
            If an array is missing, or they are no references.
        """
        values, offsets = arrays["references"], arrays["reference_offsets"]
        if values.ndim != 1 or values.dtype != np.uint8 or np.any(values >= N_SYMBOLS):
            raise ValueError(f"references must be uint8 below {N_SYMBOLS}")
        if offsets.ndim != 1 or offsets.dtype != np.int64 or len(offsets) < 2:
            raise ValueError("reference_offsets must be int64, two at least")
        if offsets[0] != 0 or offsets[-1] != len(values) or np.any(offsets[1:] <= offsets[:-1]):
            raise ValueError("reference_offsets must rise from 0 to the number of residues")
        for name in ("levels", "plain_levels"):
            own = arrays[name]
            if own.shape != (len(offsets) - 1,) or own.dtype != np.float64:
                raise ValueError(f"{name} must be a number for each reference")
            if not np.all(np.abs(own) <= _LARGEST_LEVEL):
                raise ValueError(f"{name} must be numbers of at most {_LARGEST_LEVEL:g}")
        profiles = arrays["profiles"]
        if profiles.shape != (len(values), N_SYMBOLS) or profiles.dtype != np.int8:
            raise ValueError(f"profiles must be int8 of shape ({len(values)}, {N_SYMBOLS})")
        # They are the largest of all arrays: no copies.
        if len(profiles) and max(int(profiles.max()), -int(profiles.min())) > _LARGEST_SCORE:
            raise ValueError(f"profiles must be of at most {_LARGEST_SCORE}")
        most_aligned = _most_aligned(most_aligned, len(offsets) - 1)
        own_level = arrays["own_level"] if most_aligned > 0 else np.zeros(2)
        if own_level.shape != (2,) or own_level.dtype != np.float64:
            raise ValueError("own_level must be two numbers")
        if not np.all(np.abs(own_level) <= _LARGEST_LEVEL):
            raise ValueError(f"own_level must be numbers of at most {_LARGEST_LEVEL:g}")
        # Before format 13 a clear relative made no difference.
        most_with_clear = arrays.get("most_with_clear", np.array([most_aligned or HALF_ROW]))
        if most_with_clear.shape != (1,) or most_with_clear.dtype != np.int64:
            raise ValueError("most_with_clear must be a whole number")
        if not 1 <= most_with_clear[0] <= max(most_aligned, HALF_ROW):
            raise ValueError("most_with_clear must be from 1 to what is aligned without one")
        return cls(
            Ragged(values, offsets),
            profiles,
            arrays["levels"],
            arrays["plain_levels"],
            weight,
            n_threads,
            most_aligned,
            own_level,
            int(most_with_clear[0]),
        )

    def _raw(self, items: Ragged) -> Int32Array:
        return scores_of(items, self.profiles, self.items.offsets, self.n_threads)


def _most_aligned(given: MostAligned, n_references: int) -> int:
    if given != "auto":
        return given
    return MOST_OF_MANY if n_references > MANY else 0


def _similar(
    part: tuple[int, int], n_threads: int, *, references: References, items: Ragged, least: float
) -> Similarities:
    """Similarities of a block of sequences."""
    return replace(references, n_threads=n_threads).similar(items[slice(*part)], least)
