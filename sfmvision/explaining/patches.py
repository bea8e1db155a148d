"""Evidence of the patches of images for their label and against the runner-up."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfmcore.data.arrays import Float32Array, Float64Array
from sfmcore.explaining.explanation import Explanation
from sfmcore.explaining.rows import ColumnEvidence
from sfmcore.explaining.scores import Scores
from sfmcore.kernels import _gmm
from sfmcore.learning.pair import Pair
from sfmcore.models.lda import LatentDirichletAllocation
from sfmcore.parallel.blas import blas_threads
from sfmvision.codebook.fisher import FisherEncoder
from sfmvision.codebook.layout import histogram_size, word_cells
from sfmvision.codebook.moments import colour_part, texture_part
from sfmvision.codebook.scene_words import SceneWords
from sfmvision.descriptors.batch import Described, ImageBatch
from sfmvision.descriptors.colours import CELL
from sfmvision.descriptors.mirror import mirrored_colours, mirrored_sift, with_mirror

KINDS = ("topics", "texture", "colour", "layout")
# Images at a time: their patches are many.
_CHUNK = 16
# Bins of a descriptor, and cells of a colour patch, from side to side.
_BINS = 4


@dataclass(frozen=True)
class Patches:
    """Kinds of the parts of an image's evidence: dense descriptors, then colour patches.

    Attributes
    ----------
    centres : ndarray of shape (n_parts, 2)
        Row and column in pixels of the image as it was described.
    sides : ndarray of shape (n_parts,)
        Pixels from side to side.
    is_colour : ndarray of shape (n_parts,), bool
    shape : (int, int)
        Height and width of that image.
    """

    centres: Float64Array
    sides: Float64Array
    is_colour: npt.NDArray[np.bool_]
    shape: tuple[int, int]

    @classmethod
    def of(cls, image: Described, colours: bool) -> "Patches":
        """Take those of an image.

        Parameters
        ----------
        image : Described
        colours : bool
            Whether colours are looked at.
        """
        centres = [image.centres.astype(np.float64)]
        sides = [_BINS * image.bin_sizes.astype(np.float64)]
        if colours:
            _, places = colour_part(image)
            inner = np.array(image.cells.shape[:2]) * CELL
            centres.append((places[:, :2].astype(np.float64) + 0.5) * inner)
            sides.append(_BINS * CELL * np.exp(places[:, 2].astype(np.float64)))
        marks = np.repeat(np.arange(len(centres)), [len(own) for own in sides]) > 0
        return cls(np.concatenate(centres), np.concatenate(sides), marks, image.shape)


def explain_patches(
    pairs: Sequence[Pair],
    classes: Any,
    batch: ImageBatch,
    made: Sequence[Any],
    n_threads: int,
) -> tuple[Explanation, list[Patches]]:
    """Evidence of the patches of every image, and where they are.

    Parameters
    ----------
    pairs : sequence of Pair
        Of a fitted classifier, class by class.
    classes : ndarray of shape (n_classes,)
    batch : ImageBatch
    made : sequence of batch of items
        What the preparation of each pair makes of it.
    n_threads : int
        No result depends on it.

    Raises
    ------
    ValueError
        If the models are no topic models of words.
    """
    models = {id(m): m for pair in pairs for m in pair.mapping.models}.values()
    if not models or not all(isinstance(m, LatentDirichletAllocation) for m in models):
        raise ValueError("evidence of patches requires topic models")
    scores = Scores(pairs, 1 if len(classes) == 2 else len(classes), None, n_threads)
    kinds: dict[str, list[Float64Array]] = {kind: [] for kind in KINDS}
    found, where, constants = [], [], []
    for start in range(0, len(batch), _CHUNK):
        part = slice(start, start + _CHUNK)
        rows = scores.explain([own[part] for own in made])
        found.append(rows)
        constants.append(np.sum([columns.constant for columns in rows.columns], axis=0))
        for place, image in enumerate(batch[part]):
            with blas_threads():  # whose bits may follow its threads
                patches, own = _image(
                    rows.columns, rows.preparations, pairs, made, start, place, image
                )
            where.append(patches)
            for kind in KINDS:
                kinds[kind].append(own[kind])
    joined = {kind: np.concatenate([np.zeros(0), *own]) for kind, own in kinds.items()}
    evidence = np.sum(list(joined.values()), axis=0)
    counts = [len(patches.sides) for patches in where]
    offsets = np.cumsum([0, *counts], dtype=np.int64)
    score, baseline, label, runner_up = (
        np.concatenate([getattr(rows, name) for rows in found])
        for name in ("score", "baseline", "label", "runner_up")
    )
    constant = np.concatenate(constants)
    before = np.concatenate([[0.0], np.cumsum(evidence)])
    placed = before[offsets[1:]] - before[offsets[:-1]]
    explanation = Explanation(
        evidence=evidence,
        offsets=offsets,
        label=classes[label],
        runner_up=classes[runner_up],
        score=score,
        baseline=baseline,
        remainder=score - baseline - constant - placed,
        kinds=joined,
        terms={"constant": constant},
    )
    return explanation, where


def _image(
    columns: Sequence[ColumnEvidence],
    preparations: Sequence[int],
    pairs: Sequence[Pair],
    made: Sequence[Any],
    start: int,
    place: int,
    image: Described,
) -> tuple[Patches, dict[str, Float64Array]]:
    """Evidence by kind of one image's patches."""
    first = pairs[preparations[0]].preparation
    assert isinstance(first, SceneWords)
    colours = first.moments is not None and first.moments.colour is not None
    patches = Patches.of(image, colours)
    own = {kind: np.zeros(len(patches.sides)) for kind in KINDS}
    n_patches = len(image.flat)
    for one, number in zip(columns, preparations, strict=True):
        words_of = pairs[number].preparation
        assert isinstance(words_of, SceneWords)
        words = words_of.codebook.words(image.values, image.flat)
        own["topics"][:n_patches] += _of_topics(one, place, words)
        if one.vectors.shape[1] == 0:
            continue
        vector = made[number].vectors[start + place].astype(np.float64)
        worth, base = one.vectors[place], one.vectors_base[place]
        size = 0
        if len(words_of.levels) > 0:
            size = histogram_size(words_of.n_words, words_of.levels)
            each = worth[:size] * vector[:size] - base[:size]
            cells = word_cells(words, image.centres, image.shape, words_of.n_words, words_of.levels)
            own["layout"][:n_patches] += _shared(each, cells, n_patches)
        if words_of.moments is None:
            continue
        moments = words_of.moments
        for is_colour, encoder in ((False, moments.texture), (True, moments.colour)):
            if encoder is None:
                continue
            part = slice(size, size + encoder.n_features)
            size += encoder.n_features
            values, places = colour_part(image) if is_colour else texture_part(image)
            if not len(values):
                continue
            turn = mirrored_colours() if is_colour else mirrored_sift(values.shape[1])
            spread = _of_moments(
                encoder, values, places, turn if moments.mirror else None, worth[part], vector[part]
            )
            spread -= base[part].sum() / len(values)
            if is_colour:
                own["colour"][n_patches:] += spread
            else:
                own["texture"][:n_patches][~image.flat] += spread
    return patches, own


def _of_topics(columns: ColumnEvidence, place: int, words: npt.NDArray[Any]) -> Float64Array:
    """Evidence of patches by the topics of their words; equal words have as much."""
    out, base = np.zeros(len(words)), 0.0
    for number, model in enumerate(columns.mapping.models):
        assert isinstance(model, LatentDirichletAllocation)
        part, K = columns.mapping.columns_of(number), model.n_topics
        expected = columns.expected[place, part].astype(np.float64)
        counts = columns.counts[place, part]
        base += float(columns.counts_base[place, part].sum())
        tokens = expected[: -2 * K].reshape(K, -1)
        sizes, logs = expected[-2 * K : -K], expected[-K:]
        log_shares = np.divide(logs, sizes, out=np.zeros(K), where=sizes > 0)
        worth = (
            counts[: -2 * K].reshape(K, -1)
            + (counts[-2 * K : -K] + counts[-K:] * log_shares)[:, None]
        )
        by_word = np.sum(tokens * worth, axis=0)
        seen = np.bincount(words, minlength=len(by_word))
        out += (by_word / np.maximum(seen, 1))[words]
        # What rounding to single precision has changed.
        base += float(by_word.sum() - np.sum(counts * expected))
    spread: Float64Array = out - base / len(words)
    return spread


def _of_moments(
    encoder: FisherEncoder,
    values: npt.NDArray[Any],
    places: Float32Array,
    turn: npt.NDArray[np.intp] | None,
    worth: Float64Array,
    vector: Float64Array,
) -> Float64Array:
    """Evidence of patches by what each adds to the moments of its image.

    A moment's evidence is shared in proportion to what the patches add to it.
    """
    n_patches = len(values)
    if turn is not None:
        values, places = with_mirror(values, places, turn)
    z = encoder.coordinates(values, places)
    pi, mu, variances = encoder.weights, encoder.means, encoder.variances
    gamma = _gmm.posterior(z, pi, mu, variances, 1)
    n, (K, d) = len(z), mu.shape
    roots, sigma = np.sqrt(pi)[:, None], np.sqrt(variances)
    shares = gamma.mean(axis=0)[:, None]
    along, squares = gamma.T @ z / n, gamma.T @ z**2 / n
    first = (along - mu * shares) / sigma / roots
    second = (squares - 2.0 * mu * along + mu**2 * shares) / variances - shares
    second /= np.sqrt(2.0) * roots
    made = np.concatenate(
        [(shares - pi[:, None]).ravel() / roots[:, 0], first.ravel(), second.ravel()]
    )
    rates = np.divide(worth * vector, made, out=np.zeros_like(made), where=made != 0)
    of_share, of_first, of_second = np.split(rates, [K, K + K * d])
    of_first = of_first.reshape(K, d) / sigma / roots
    of_second = of_second.reshape(K, d) / variances / (np.sqrt(2.0) * roots)
    constant = of_share / roots[:, 0]
    constant += np.sum(of_second * (mu**2 - variances) - of_first * mu, axis=1)
    slopes = of_first - 2.0 * mu * of_second
    each = np.sum(gamma * (constant + z @ slopes.T + z**2 @ of_second.T), axis=1)
    each = (each - float(np.sum(of_share * roots[:, 0]))) / n
    spread: Float64Array = each.reshape(-1, n_patches).sum(axis=0)
    # What rounding to single precision has changed, and moments of 0, which have no direction.
    return spread + (float(np.sum(worth * vector)) - spread.sum()) / n_patches


def _shared(each: Float64Array, cells: npt.NDArray[np.intp], n_patches: int) -> Float64Array:
    """Evidence of the cells of a histogram, in equal parts on the patches counted there."""
    counts = np.bincount(cells.ravel(), minlength=len(each))
    out: Float64Array = np.sum((each / np.maximum(counts, 1))[cells], axis=0)
    return out + each[counts == 0].sum() / n_patches
