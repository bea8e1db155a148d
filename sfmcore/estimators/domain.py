"""What the classifiers of a domain share: presets by name, and a model file."""

import os
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags

from sfmcore.data.errors import ModelFileError
from sfmcore.estimators.base import BaseSFMClassifier
from sfmcore.estimators.persistence import pack, unpack
from sfmcore.files.model_file import load_model, save_model


class DomainClassifier(BaseSFMClassifier):
    """A classifier of one kind of input, with presets and a model file.

    A subclass names its kind and its presets.
    """

    _kind: ClassVar[str]
    _presets: ClassVar[Mapping[str, Mapping[str, Any]]]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags

    @classmethod
    def from_preset(cls, preset: str, **parameters: Any) -> Self:
        """Return a classifier with the parameters of a preset, changed as given.

        Parameters
        ----------
        preset : str
            "best", "paper", or another of the classifier's presets.
        **parameters
            Parameters that differ from the preset.

        Raises
        ------
        ValueError
            If there is no such preset.

        Examples
        --------
        >>> from sfmbio import ProteinClassifier
        >>> ProteinClassifier.from_preset("paper", coupling=0.0).n_draws
        5
        """
        if preset not in cls._presets:
            raise ValueError(f"preset must be one of {', '.join(cls._presets)}, got {preset!r}")
        return cls(**{**cls._presets[preset], **parameters})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted classifier to a model file (arrays and JSON, no pickle).

        Parameters
        ----------
        path : str or path-like

        Raises
        ------
        NotFittedError
            If it is not fitted.
        ValueError
            If a label is neither a string nor an integer, or a parameter was set after fitting
            to what does not fit.
        ModelFileError
            If the file can't be written.
        """
        if not hasattr(self, "pairs_"):
            raise NotFittedError("fit the classifier before it is saved")
        save_model(path, self._kind, *pack(self))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a classifier that :meth:`save` wrote.

        Parameters
        ----------
        path : str or path-like

        Raises
        ------
        ModelFileError
            If the file is damaged, truncated, of another kind or of a newer version.
        """
        classifier = cls()
        state, arrays = load_model(path, cls._kind)
        try:
            unpack(classifier, state, arrays)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ModelFileError(f"{os.fspath(path)}: its parts do not fit: {error}") from error
        return classifier
