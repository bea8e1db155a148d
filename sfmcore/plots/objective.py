"""J(u) and the bound over the iterations of Algorithm 1."""

from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sfmcore.data.arrays import Float64Array
from sfmcore.plots.drawing import colours, line_style, new_axes, require_matplotlib

Which = Literal["objective", "bound", "both"]

_NAMES = {
    "objective": "objective J(u)",
    # Models and often C were learnt on the sample that B is computed on.
    "bound": "bound B(Q, C)\n(an objective, not a certificate)",
}


class ObjectiveDisplay:
    """J(u) and the bound B(Q, C) over the iterations of Algorithm 1, a line for each pair.

    Place 0 is u learnt on the features of EM, place k is iteration k. A hollow last marker is the
    final fit of u, on draws as in prediction (`refit`): it is no iteration, and J(u) may jump
    there. With exact features there is nothing to iterate, and a line is one marker, or two with
    `certificate_fraction`: the last is u at the C of the best certificate. With ``C="bound"`` C
    changes on the way, so values of J(u) are of different C.

    :meth:`from_estimator` makes one and draws it. All parameters are stored as attributes.

    Parameters
    ----------
    objectives : list of ndarray of shape (n_values,)
        J(u), one array for each pair, class by class.
    bounds : list of ndarray of shape (n_values,), or None
        B(Q, C) at the same places; None if the items were weighted, since the theorems speak of
        items drawn alike.
    labels : list of str
        Names of the classes that are told from the rest.
    refitted : list of bool
        Whether the last value of a pair is the final fit of u.

    Attributes
    ----------
    objective_lines_ : list of matplotlib Line2D, or None
        One for each pair; None if J(u) was not drawn.
    bound_lines_ : list of matplotlib Line2D, or None
        One for each pair; None if B was not drawn.
    refit_markers_ : list of matplotlib Line2D
        The hollow markers.
    ax_ : matplotlib Axes, or ndarray of two
        Two, with J(u) above B, for "both".
    figure_ : matplotlib Figure
        Holds the axes.

    Examples
    --------
    >>> J = [np.array([0.9, 0.8, 0.7]), np.array([0.8, 0.6, 0.5])]
    >>> display = ObjectiveDisplay(J, None, labels=["a", "b"], refitted=[True, False])
    >>> display.pair_labels
    ['a', 'b']
    >>> display.plot()  # doctest: +SKIP
    """

    def __init__(
        self,
        objectives: Sequence[Float64Array],
        bounds: Sequence[Float64Array] | None,
        *,
        labels: Sequence[str],
        refitted: Sequence[bool],
    ) -> None:
        self.objectives = objectives
        self.bounds = bounds
        self.labels = labels
        self.refitted = refitted

    @property
    def pair_labels(self) -> list[str]:
        """Name of the class of each pair."""
        size = len(self.objectives) // len(self.labels)
        return [label for label in self.labels for _ in range(size)]

    def plot(
        self,
        ax: Any = None,
        *,
        which: Which = "objective",
        line_kw: dict[str, Any] | None = None,
    ) -> Self:
        """Draw the lines.

        Parameters
        ----------
        ax : matplotlib Axes, or sequence of two for "both", default=None
            None for a new figure.
        which : {"objective", "bound", "both"}, default="objective"
        line_kw : dict, default=None
            Keywords of matplotlib's `plot` for all lines.

        Returns
        -------
        self : ObjectiveDisplay

        Raises
        ------
        ImportError
            If matplotlib is missing.
        ValueError
            If `which` is none of the three, the axes do not fit it, or there is no bound.
        """
        require_matplotlib("ObjectiveDisplay.plot")
        parts = _parts(which)
        if "bound" in parts and self.bounds is None:
            raise ValueError("the bound requires equal weights: fit without sample_weight")
        if ax is None:
            ax = new_axes(len(parts))
        axes = np.ravel(np.asarray(ax, dtype=object))
        if len(axes) != len(parts):
            raise ValueError(f"which={which!r} takes {len(parts)} axes, got {len(axes)}")
        lines: dict[str, list[Any]] = {}
        self.refit_markers_: list[Any] = []
        for own, part in zip(axes, parts, strict=True):
            values = self.objectives if part == "objective" else self.bounds or []
            lines[part] = self._draw(own, values, line_kw)
            own.set_ylabel(_NAMES[part])
        axes[0].legend(title="class")
        axes[-1].set_xlabel("iteration of Algorithm 1")
        self.objective_lines_ = lines.get("objective")
        self.bound_lines_ = lines.get("bound")
        self.ax_ = axes if len(parts) > 1 else axes[0]
        self.figure_ = axes[0].figure
        return self

    def _draw(
        self,
        ax: Any,
        values: Sequence[Float64Array],
        line_kw: dict[str, Any] | None,
    ) -> list[Any]:
        """Lines of all pairs; those of one class share its colour and its place in the legend."""
        from matplotlib.ticker import MaxNLocator

        colour_of = dict(zip(self.labels, colours(len(self.labels)), strict=True))
        lines: list[Any] = []
        named: set[str] = set()
        for own, label, refitted in zip(values, self.pair_labels, self.refitted, strict=True):
            style = {"color": colour_of[label], "marker": "o", "markersize": 4}
            style["label"] = "_" if label in named else label
            named.add(label)
            (line,) = ax.plot(np.arange(len(own)), own, **line_style(style, line_kw))
            lines.append(line)
            if refitted:
                hollow = {"marker": "o", "markersize": 6, "markerfacecolor": "white"}
                (marker,) = ax.plot(
                    len(own) - 1, own[-1], linestyle="", color=line.get_color(), **hollow
                )
                self.refit_markers_.append(marker)
        if any(self.refitted):
            self.refit_markers_[-1].set_label("final fit of u")  # the last, to end the legend
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        return lines

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        ax: Any = None,
        which: Which = "objective",
        labels: Sequence[str] | None = None,
        line_kw: dict[str, Any] | None = None,
    ) -> Self:
        """Draw what a fitted estimator minimised.

        Parameters
        ----------
        estimator : fitted classifier
            SFMClassifier, ProteinClassifier or another with `pairs_`; or one that holds such a
            one as `best_estimator_`, like SFMClassifierCV.
        ax : matplotlib Axes, or sequence of two for "both", default=None
            None for a new figure.
        which : {"objective", "bound", "both"}, default="objective"
        labels : sequence of str, default=None
            Names of the classes in the legend, one for each class against the rest; of two
            classes only the second is told from its rest. None for those of the estimator.
        line_kw : dict, default=None
            Keywords of matplotlib's `plot` for all lines.

        Returns
        -------
        ObjectiveDisplay

        Raises
        ------
        ImportError
            If matplotlib is missing.
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If `labels` does not fit the classes, or as :meth:`plot`.
        """
        require_matplotlib("ObjectiveDisplay.from_estimator")
        check_is_fitted(estimator)
        model = getattr(estimator, "best_estimator_", estimator)
        check_is_fitted(model, "pairs_")
        targets = model.classes_[1:] if len(model.classes_) == 2 else model.classes_
        names = [str(label) for label in (targets.tolist() if labels is None else labels)]
        if len(names) != len(targets) or len(set(names)) != len(names):
            raise ValueError(f"labels must name {len(targets)} classes, each its own: got {names}")
        display = cls(
            [np.array(pair.objective) for pair in model.pairs_],
            None if model.weighted_ else [np.array(pair.bound) for pair in model.pairs_],
            labels=names,
            # One value before the iterations, and one for each of them: of exact features none.
            refitted=[
                len(pair.objective) > 1 + (0 if pair.n_draws == "exact" else pair.n_iter)
                for pair in model.pairs_
            ],
        )
        return display.plot(ax, which=which, line_kw=line_kw)


def _parts(which: str) -> list[str]:
    parts = {"objective": ["objective"], "bound": ["bound"], "both": ["objective", "bound"]}
    if which not in parts:
        raise ValueError(f"which must be 'objective', 'bound' or 'both', got {which!r}")
    return parts[which]
