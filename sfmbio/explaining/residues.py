"""Evidence of the residues of sequences for their label and against the runner-up."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfmbio.beside_states.beside_states import BesideStates
from sfmbio.explaining.relatives import add_relatives
from sfmbio.explaining.resting import Resting, state_sums, word_sums
from sfmbio.explaining.states import add_states, check_model
from sfmbio.explaining.words import Vectors
from sfmcore.data.with_vectors import items_of, similarities_of, vectors_of
from sfmcore.explaining.explanation import Explanation
from sfmcore.explaining.scores import CHUNK, Scores
from sfmcore.learning.pair import Pair
from sfmcore.learning.weighing import Weighing

KINDS = ("states", "words", "ends", "relatives")
TERMS = ("length", "properties", "constant", "further relatives")


@dataclass(frozen=True)
class ResidueEvidence:
    """An explanation by residues, and what it rests on.

    Attributes
    ----------
    explanation : Explanation
    resting : list of Resting
        The states and words that say most of each sequence; empty where it was not asked for.
    """

    explanation: Explanation
    resting: list[Resting]


class ResidueScores:
    """Evidence of residues by the pairs of a fitted protein classifier.

    Parameters
    ----------
    pairs : sequence of Pair
    classes : ndarray of shape (n_classes,)
    weighing : Weighing or None
    n_threads : int
        No result depends on it.

    Raises
    ------
    ValueError
        If the models are no hidden Markov models.
    """

    def __init__(
        self,
        pairs: Sequence[Pair],
        classes: npt.NDArray[Any],
        weighing: Weighing | None,
        n_threads: int,
    ) -> None:
        for model in {id(m): m for pair in pairs for m in pair.mapping.models}.values():
            check_model(model)
        self._pairs, self._classes, self._threads = pairs, classes, n_threads
        n_targets = 1 if len(classes) == 2 else len(classes)
        self._scores = Scores(pairs, n_targets, weighing, n_threads)

    def explain(self, made: Sequence[Any], *, rests: bool = False) -> ResidueEvidence:
        """Explain a batch.

        Parameters
        ----------
        made : sequence of batch of items
            As the preparation of each pair makes them.
        rests : bool, default=False
            Whether to sum up by state and by word too.
        """
        n_items = len(made[0])
        parts = [
            self._some([own[slice(start, start + CHUNK)] for own in made], rests)
            for start in range(0, n_items, CHUNK)
        ]
        if not parts:
            parts = [self._nothing()]
        joined = [part.explanation for part in parts]

        def rows(name: str) -> Any:
            return np.concatenate([getattr(one, name) for one in joined])

        counts = np.concatenate([np.diff(one.offsets) for one in joined])
        explanation = Explanation(
            evidence=rows("evidence"),
            offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            label=rows("label"),
            runner_up=rows("runner_up"),
            score=rows("score"),
            baseline=rows("baseline"),
            remainder=rows("remainder"),
            kinds={kind: np.concatenate([one.kinds[kind] for one in joined]) for kind in KINDS},
            terms={term: np.concatenate([one.terms[term] for one in joined]) for term in TERMS},
        )
        return ResidueEvidence(explanation, [own for part in parts for own in part.resting])

    def _nothing(self) -> ResidueEvidence:
        empty, none = np.zeros(0), self._classes[:0]
        kinds, terms = dict.fromkeys(KINDS, empty), dict.fromkeys(TERMS, empty)
        made = Explanation(
            empty, np.zeros(1, np.int64), none, none, empty, empty, empty, kinds, terms
        )
        return ResidueEvidence(made, [])

    def _some(self, made: Sequence[Any], rests: bool) -> ResidueEvidence:
        found = self._scores.explain(made)
        items = items_of(made[0])
        kinds = {kind: np.zeros(len(items.values)) for kind in KINDS}
        terms = {term: np.zeros(len(items)) for term in TERMS}
        sums: list[Any] = []
        for columns, number in zip(found.columns, found.preparations, strict=True):
            terms["constant"] += columns.constant
            add_states(columns, items, kinds["states"], self._threads)
            if rests:
                sums.append(state_sums(columns, items))
            preparation = self._pairs[number].preparation
            if not isinstance(preparation, BesideStates) or preparation.n_vectors == 0:
                continue
            beside, vectors = Vectors(preparation), vectors_of(made[number])
            if beside.words is not None:
                worth = beside.worth_of_words(columns, self._threads)
                beside.add_words(columns, vectors, items, worth, kinds["words"])
                if rests:
                    sums.append(word_sums(beside.words, items, worth))
            beside.add_ends(columns, vectors, items, kinds["ends"])
            terms["length"] += beside.of_length(columns, vectors)
            terms["properties"] += beside.of_properties(columns, vectors)
        similar, preparation = similarities_of(made[0]), self._pairs[0].preparation
        if similar is not None and isinstance(preparation, BesideStates):
            assert preparation.references is not None
            terms["further relatives"] += add_relatives(
                preparation.references,
                items,
                similar,
                found.relatives,
                kinds["relatives"],
                self._threads,
            )
        evidence = np.sum(list(kinds.values()), axis=0)
        before = np.concatenate([[0.0], np.cumsum(evidence)])
        placed = before[items.offsets[1:]] - before[items.offsets[:-1]]
        others = np.sum(list(terms.values()), axis=0)
        explanation = Explanation(
            evidence,
            items.offsets,
            self._classes[found.label],
            self._classes[found.runner_up],
            found.score,
            found.baseline,
            found.score - found.baseline - placed - others,
            kinds,
            terms,
        )
        return ResidueEvidence(explanation, Resting.of(sums, len(items)) if rests else [])
