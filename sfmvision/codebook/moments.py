"""Moments of an image's descriptors and colours under mixtures, as one vector."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfmcore.data.arrays import Float32Array
from sfmvision.codebook.fisher import FisherEncoder
from sfmvision.descriptors.batch import Described
from sfmvision.descriptors.colours import N_COLUMNS, colour_patches
from sfmvision.descriptors.mirror import mirrored_colours, mirrored_sift, with_mirror

_N_PLACES = 3

Patches = tuple[npt.NDArray[np.generic], Float32Array]


@dataclass(frozen=True)
class Moments:
    """Fisher vectors of descriptors and of colours side by side.

    Attributes
    ----------
    texture : FisherEncoder
        Of dense SIFT.
    colour : FisherEncoder or None
        Of local colour statistics.
    colour_weight : float
        Length of the colours' vector, against 1 for that of the descriptors.
    mirror : bool
        Whether every patch counts as its mirror image too, so that left and right are alike.
    """

    texture: FisherEncoder
    colour: FisherEncoder | None
    colour_weight: float
    mirror: bool

    @classmethod
    def of(
        cls,
        images: Iterable[Described],
        *,
        n_images: int,
        n_sample: int,
        n_gaussians: int,
        n_axes: int,
        colour_weight: float,
        mirror: bool,
        seed: int,
        n_threads: int = 1,
    ) -> "Moments":
        """Learn the mixtures from patches of all images, as many of each."""
        share = max(1, n_sample // max(1, n_images))
        samples: dict[bool, list[Patches]] = {False: [], True: []}
        for number, image in enumerate(images):
            random = np.random.default_rng([seed, number])
            for colours in (False, True)[: 2 if colour_weight > 0 else 1]:
                values, places = colour_part(image) if colours else texture_part(image)
                picked = np.sort(random.permutation(len(values))[:share])
                if mirror:
                    # One or the other, so that the sample does not double.
                    order = mirrored_colours() if colours else mirrored_sift(values.shape[1])
                    turned = random.uniform(size=len(picked)) < 0.5
                    values, places = values[picked], places[picked]
                    values[turned] = values[turned][:, order]
                    places[turned, 1] *= -1
                else:
                    values, places = values[picked], places[picked]
                samples[colours].append((values, places))

        def learn(colours: bool) -> FisherEncoder | None:
            if not sum(len(values) for values, _ in samples[colours]):
                return None
            return FisherEncoder.of(
                np.concatenate([values for values, _ in samples[colours]]),
                np.concatenate([places for _, places in samples[colours]]),
                n_axes=n_axes,
                n_components=n_gaussians,
                seed=seed + colours,
                n_threads=n_threads,
            )

        texture = learn(False)
        assert texture is not None
        return cls(texture, learn(True), colour_weight, mirror)

    @property
    def n_features(self) -> int:
        """Columns of the vector."""
        return self.texture.n_features + (0 if self.colour is None else self.colour.n_features)

    def apply(self, image: Described) -> Float32Array:
        """The vector of one image, of unit length."""
        parts = [self._encode(self.texture, texture_part(image), mirrored_sift)]
        if self.colour is not None:
            vector = self._encode(self.colour, colour_part(image), lambda _: mirrored_colours())
            parts.append(np.float32(self.colour_weight) * vector)
        whole = np.concatenate(parts)
        length = float(np.sqrt(np.sum(whole.astype(np.float64) ** 2)))
        result: Float32Array = whole / np.float32(max(length, 1e-30))
        return result

    def get_arrays(self) -> dict[str, np.ndarray]:
        """Both encoders, for the model file."""
        parts = {"texture": self.texture, "colour": self.colour}
        return {
            f"{part}_{name}": array
            for part, encoder in parts.items()
            if encoder is not None
            for name, array in encoder.get_arrays().items()
        }

    @classmethod
    def of_arrays(
        cls,
        arrays: dict[str, np.ndarray],
        *,
        n_columns: int,
        colour_weight: float,
        mirror: bool,
    ) -> "Moments":
        """Take back what :meth:`get_arrays` gave, or raise a ValueError."""
        parts: dict[str, dict[str, np.ndarray]] = {"texture": {}, "colour": {}}
        for key, array in arrays.items():
            part, _, name = key.partition("_")
            if part not in parts:
                raise ValueError(f"there is no part {key!r}")
            parts[part][name] = array
        texture = FisherEncoder.of_arrays(parts["texture"], n_columns=n_columns, n_places=_N_PLACES)
        colour = None
        if parts["colour"]:
            colour = FisherEncoder.of_arrays(
                parts["colour"], n_columns=N_COLUMNS, n_places=_N_PLACES
            )
        return cls(texture, colour, colour_weight, mirror)

    def _encode(
        self,
        encoder: FisherEncoder,
        patches: Patches,
        order: Callable[[int], npt.NDArray[np.intp]],
    ) -> Float32Array:
        values, places = patches
        if self.mirror:
            values, places = with_mirror(values, places, order(values.shape[1]))
        return encoder.encode(values, places)


def texture_part(image: Described) -> Patches:
    """Descriptors with contrast, and their places: from -0.5 to 0.5, and the bin's logarithm."""
    places = np.empty((len(image.flat), 3), dtype=np.float32)
    places[:, :2] = image.centres / np.array(image.shape, dtype=np.float32) - 0.5
    places[:, 2] = np.log(image.bin_sizes)
    seen = ~image.flat
    return image.values[seen], places[seen]


def colour_part(image: Described) -> Patches:
    """Local colour statistics, and their places."""
    return colour_patches(image.cells)
