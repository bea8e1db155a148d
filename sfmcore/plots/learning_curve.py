"""Accuracy against the number of labelled items."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from sfmcore.data.arrays import Float64Array
from sfmcore.data.checks import check_choice
from sfmcore.evaluation.learning_curve import semi_supervised_curve
from sfmcore.plots.drawing import (
    band_style,
    colours,
    line_style,
    log_axis,
    new_axes,
    require_matplotlib,
)

Spread = Literal["std", "sem", "quartiles"]


class LearningCurveDisplay:
    """Mean accuracy against the number of labelled items, with bands over random partitions.

    :meth:`from_results` draws given accuracies, :meth:`from_estimator` computes those of
    supervised and semi-supervised training. All parameters are stored as attributes.

    Parameters
    ----------
    n_labelled : array-like of shape (n_sizes,)
        Labelled items of training, rising.
    accuracies : mapping of str to array-like of shape (n_sizes, n_partitions)
        A line for each name.
    score_name : str, default="accuracy"
        Name of the y axis.

    Attributes
    ----------
    lines_ : list of matplotlib Line2D
        Means, one for each name.
    fill_between_ : list of matplotlib PolyCollection
        Bands, one for each name with more than one partition.
    ax_ : matplotlib Axes
        Axes with the lines.
    figure_ : matplotlib Figure
        Holds the axes.

    See Also
    --------
    sfmcore.evaluation.learning_curve.semi_supervised_curve : The computation.

    Examples
    --------
    >>> display = LearningCurveDisplay(
    ...     n_labelled=[10, 40],
    ...     accuracies={"supervised": [[0.6, 0.8], [0.8, 0.9]]},
    ... )
    >>> low, high = display.band("supervised", "std")
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.559, 0.779], [0.841, 0.921])
    >>> display.plot()  # doctest: +SKIP
    """

    def __init__(
        self,
        *,
        n_labelled: npt.ArrayLike,
        accuracies: Mapping[str, npt.ArrayLike],
        score_name: str = "accuracy",
    ) -> None:
        sizes = np.asarray(n_labelled)
        if sizes.ndim != 1 or len(sizes) == 0 or sizes[0] <= 0 or np.any(np.diff(sizes) <= 0):
            raise ValueError(f"n_labelled must hold rising numbers above 0, got {sizes.tolist()}")
        self.n_labelled = sizes
        self.accuracies: dict[str, Float64Array] = {}
        for name, given in accuracies.items():
            values = np.asarray(given, dtype=np.float64)
            if values.ndim != 2 or len(values) != len(sizes) or values.shape[1] == 0:
                raise ValueError(
                    f"accuracies[{name!r}] must have shape ({len(sizes)}, n_partitions), "
                    f"got {values.shape}"
                )
            if not np.isfinite(values).all():
                raise ValueError(f"accuracies[{name!r}] must hold finite numbers")
            self.accuracies[name] = values
        if not self.accuracies:
            raise ValueError("accuracies must hold at least one name")
        self.score_name = score_name

    def band(self, name: str, spread: Spread) -> tuple[Float64Array, Float64Array]:
        """Lower and upper edge of a band.

        Parameters
        ----------
        name : str
            Of the line.
        spread : {"std", "sem", "quartiles"}
            Mean plus and minus one standard deviation of a sample (n - 1); the same divided by
            the root of the number of partitions; or the first and third quartile.

        Returns
        -------
        low, high : ndarray of shape (n_sizes,)
            NaN for the first two if there is one partition only.
        """
        values = self.accuracies[name]
        if spread == "quartiles":
            low, high = np.percentile(values, [25, 75], axis=1)
            return low, high
        n_partitions = values.shape[1]
        if n_partitions == 1:
            return np.full(len(values), np.nan), np.full(len(values), np.nan)
        half = values.std(axis=1, ddof=1)
        if spread == "sem":
            half /= np.sqrt(n_partitions)
        return values.mean(axis=1) - half, values.mean(axis=1) + half

    def plot(
        self,
        ax: Any = None,
        *,
        spread: Spread = "std",
        line_kw: dict[str, Any] | None = None,
        fill_between_kw: dict[str, Any] | None = None,
    ) -> Self:
        """Draw mean lines with bands.

        Random halves of one sample overlap, so "sem" is too narrow for a statement about other
        samples. Where lines share their partitions, bands may overlap although one line is
        better in every partition: compare by differences.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None for a new figure.
        spread : {"std", "sem", "quartiles"}, default="std"
            What the bands are; see :meth:`band`.
        line_kw : dict, default=None
            Keywords of matplotlib's `plot` for all lines.
        fill_between_kw : dict, default=None
            Keywords of matplotlib's `fill_between` for all bands.

        Returns
        -------
        self : LearningCurveDisplay

        Raises
        ------
        ImportError
            If matplotlib is missing.
        ValueError
            If `spread` is none of the three.
        """
        require_matplotlib("LearningCurveDisplay.plot")
        check_choice("spread", spread, ("std", "sem", "quartiles"))
        if ax is None:
            ax = new_axes()
        self.lines_: list[Any] = []
        self.fill_between_: list[Any] = []
        names = list(self.accuracies)
        for name, colour in zip(names, colours(len(names)), strict=True):
            values = self.accuracies[name]
            style = {"color": colour, "marker": "o", "markersize": 4, "label": name}
            (line,) = ax.plot(self.n_labelled, values.mean(axis=1), **line_style(style, line_kw))
            self.lines_.append(line)
            if values.shape[1] > 1:
                style = {"color": line.get_color(), "alpha": 0.2, "linewidth": 0}
                band = ax.fill_between(
                    self.n_labelled, *self.band(name, spread), **band_style(style, fill_between_kw)
                )
                self.fill_between_.append(band)
        log_axis(ax, self.n_labelled)
        ax.set(xlabel="labelled items in training", ylabel=self.score_name)
        ax.legend(title=_legend_title(spread) if self.fill_between_ else None)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    @classmethod
    def from_results(
        cls,
        n_labelled: npt.ArrayLike,
        accuracies: Mapping[str, npt.ArrayLike],
        *,
        score_name: str = "accuracy",
        ax: Any = None,
        spread: Spread = "std",
        line_kw: dict[str, Any] | None = None,
        fill_between_kw: dict[str, Any] | None = None,
    ) -> Self:
        """Draw accuracies that are there already.

        Parameters
        ----------
        n_labelled : array-like of shape (n_sizes,)
            Labelled items of training, rising.
        accuracies : mapping of str to array-like of shape (n_sizes, n_partitions)
            A line for each name, such as :attr:`SemiSupervisedCurve.accuracies`.
        score_name : str, default="accuracy"
            Name of the y axis.
        ax, spread, line_kw, fill_between_kw
            As in :meth:`plot`.

        Returns
        -------
        LearningCurveDisplay

        Raises
        ------
        ImportError
            If matplotlib is missing.
        ValueError
            If shapes do not fit, sizes do not rise, or an accuracy is not finite.
        """
        display = cls(n_labelled=n_labelled, accuracies=accuracies, score_name=score_name)
        return display.plot(ax, spread=spread, line_kw=line_kw, fill_between_kw=fill_between_kw)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: npt.ArrayLike,
        *,
        n_labelled: Sequence[int],
        n_partitions: int = 10,
        unlabeled_share: float = 0.25,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        show_progress: bool = False,
        ax: Any = None,
        spread: Spread = "std",
        line_kw: dict[str, Any] | None = None,
        fill_between_kw: dict[str, Any] | None = None,
    ) -> Self:
        """Train with and without unlabelled items over random halves, and draw both.

        Parameters
        ----------
        estimator : object
            With ``fit(X, y, X_unlabeled=...)`` and ``predict``; cloned for each training.
        X : inputs
            An array, a data frame, a list or a batch of items.
        y : array-like of shape (n_items,)
            Labels; boolean for the accuracy of one class against the rest.
        n_labelled : sequence of int
            Numbers of labelled items, rising: from the number of classes to half of the items.
        n_partitions : int, default=10
            Random halves.
        unlabeled_share : float, default=0.25
            Share of the test half that trains without its labels, and is not tested.
        random_state : int, RandomState instance or None, default=None
            The same integer gives the same lines, whatever `n_jobs`.
        n_jobs : int or None, default=None
            Threads; each takes whole halves.
        show_progress : bool, default=False
            A progress bar on standard error if that is a terminal.
        ax, spread, line_kw, fill_between_kw
            As in :meth:`plot`.

        Returns
        -------
        LearningCurveDisplay

        Raises
        ------
        ImportError
            If matplotlib is missing; before anything is computed.
        TypeError, ValueError
            As :func:`sfmcore.evaluation.learning_curve.semi_supervised_curve`.
        """
        require_matplotlib("LearningCurveDisplay.from_estimator")
        check_choice("spread", spread, ("std", "sem", "quartiles"))
        curve = semi_supervised_curve(
            estimator,
            X,
            y,
            n_labelled=n_labelled,
            n_partitions=n_partitions,
            unlabeled_share=unlabeled_share,
            random_state=random_state,
            n_jobs=n_jobs,
            show_progress=show_progress,
        )
        return cls.from_results(
            curve.n_labelled,
            curve.accuracies,
            ax=ax,
            spread=spread,
            line_kw=line_kw,
            fill_between_kw=fill_between_kw,
        )


def _legend_title(spread: Spread) -> str:
    """Legend text of the bands, since each kind has another width."""
    shown = {"std": "standard deviation", "sem": "standard error", "quartiles": "quartiles"}
    return f"mean, {shown[spread]}"
