"""Cross-validated error against C."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sfmcore.data.arrays import Float64Array
from sfmcore.data.checks import check_choice, check_whole
from sfmcore.plots.drawing import (
    band_style,
    colours,
    line_style,
    log_axis,
    new_axes,
    require_matplotlib,
)

_STYLES = ("-", "--", "-.", ":")


class RiskAgainstCDisplay:
    """Cross-validated error against C, a line for each combination of the other parameters.

    :meth:`from_estimator` makes one and draws it. All parameters are stored as attributes.

    Parameters
    ----------
    settings : list of dict
        Parameters but C of each line, in the order in which lines are drawn: the chosen ones
        first, then those of smaller error.
    Cs : list of ndarray of shape (n_Cs,)
        Values of C of each line, rising.
    errors : list of ndarray of shape (n_Cs,)
        1 - accuracy, over the items of all folds.
    deviations : list of ndarray of shape (n_Cs,)
        Standard deviation of the accuracy over the folds.
    chosen_C : float
        The C that was chosen, on the first line.

    Attributes
    ----------
    lines_ : list of matplotlib Line2D
        One for each combination that was drawn.
    fill_between_ : list of matplotlib PolyCollection, or None
        The bands; None without.
    chosen_ : matplotlib Line2D
        The mark at what was chosen.
    n_left_out_ : int
        Combinations that were not drawn.
    ax_ : matplotlib Axes
        Axes with the lines.
    figure_ : matplotlib Figure
        Holds the axes.

    Examples
    --------
    >>> display = RiskAgainstCDisplay(
    ...     settings=[{"n_components": 2, "coupling": 0.0}, {"n_components": 1, "coupling": 0.0}],
    ...     Cs=[np.array([2.0, 8.0])] * 2,
    ...     errors=[np.array([0.2, 0.1]), np.array([0.3, 0.2])],
    ...     deviations=[np.array([0.05, 0.04])] * 2,
    ...     chosen_C=8.0,
    ... )
    >>> display.names
    ['n_components=2', 'n_components=1']
    >>> display.plot()  # doctest: +SKIP
    """

    def __init__(
        self,
        *,
        settings: Sequence[Mapping[str, Any]],
        Cs: Sequence[Float64Array],
        errors: Sequence[Float64Array],
        deviations: Sequence[Float64Array],
        chosen_C: float,
    ) -> None:
        self.settings = settings
        self.Cs = Cs
        self.errors = errors
        self.deviations = deviations
        self.chosen_C = chosen_C

    @property
    def names(self) -> list[str]:
        """Legend labels that distinguish the lines."""
        # Mixtures and kernels on the columns do not have all parameters in common.
        every = dict.fromkeys(name for setting in self.settings for name in setting)
        first = self.settings[0]
        varying = [n for n in every if any(one.get(n) != first.get(n) for one in self.settings)]
        if not varying:
            return ["cross-validated error"] * len(self.settings)
        return [
            ", ".join(f"{n}={setting[n]}" for n in varying if n in setting)
            for setting in self.settings
        ]

    def plot(
        self,
        ax: Any = None,
        *,
        max_lines: int = 8,
        spread: Literal["std"] | None = None,
        line_kw: dict[str, Any] | None = None,
        fill_between_kw: dict[str, Any] | None = None,
    ) -> Self:
        """Draw the best lines.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None for a new figure.
        max_lines : int, default=8
            Combinations that are drawn at most; the legend says how many are left out.
        spread : "std" or None, default=None
            Draw a band of one standard deviation over the folds.
        line_kw : dict, default=None
            Keywords of matplotlib's `plot` for all lines.
        fill_between_kw : dict, default=None
            Keywords of matplotlib's `fill_between` for all bands.

        Returns
        -------
        self : RiskAgainstCDisplay

        Raises
        ------
        ImportError
            If matplotlib is missing.
        ValueError
            If `max_lines` or `spread` can't be used.
        """
        require_matplotlib("RiskAgainstCDisplay.plot")
        check_whole("max_lines", max_lines, 1)
        check_choice("spread", spread, ("std", None))
        if ax is None:
            ax = new_axes()
        count = min(max_lines, len(self.settings))
        self.lines_: list[Any] = []
        self.fill_between_: list[Any] | None = [] if spread == "std" else None
        for k, colour in enumerate(colours(count)):
            style = {"color": colour, "marker": "o", "markersize": 4, "label": self.names[k]}
            # Candidates often do equally well: a dashed line shows the one below it.
            style["linestyle"] = _STYLES[k % len(_STYLES)]
            (line,) = ax.plot(self.Cs[k], self.errors[k], **line_style(style, line_kw))
            self.lines_.append(line)
            if self.fill_between_ is not None:
                low, high = (self.errors[k] + sign * self.deviations[k] for sign in (-1, 1))
                style = {"color": line.get_color(), "alpha": 0.15, "linewidth": 0}
                band = ax.fill_between(self.Cs[k], low, high, **band_style(style, fill_between_kw))
                self.fill_between_.append(band)
        (self.chosen_,) = ax.plot(
            self.chosen_C,
            self.errors[0][self.Cs[0] == self.chosen_C][0],
            linestyle="",
            marker="*",
            markersize=13,
            markeredgecolor="black",
            color=self.lines_[0].get_color(),
            zorder=5,  # the lines of equally good candidates must not hide it
            label=f"chosen: C = {self.chosen_C:g}",
        )
        self.n_left_out_ = len(self.settings) - count
        title = None
        if self.n_left_out_:
            title = f"the best {count}, {self.n_left_out_} left out"
        log_axis(ax, np.concatenate(self.Cs[:count]))
        ax.set(xlabel="C", ylabel="cross-validated error (1 - accuracy)")
        ax.legend(title=title, fontsize="small")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    @classmethod
    def from_estimator(
        cls,
        cv_estimator: Any,
        *,
        ax: Any = None,
        max_lines: int = 8,
        spread: Literal["std"] | None = None,
        line_kw: dict[str, Any] | None = None,
        fill_between_kw: dict[str, Any] | None = None,
    ) -> Self:
        """Draw what cross-validation found.

        Parameters
        ----------
        cv_estimator : fitted SFMClassifierCV
        ax : matplotlib Axes, default=None
            None for a new figure.
        max_lines : int, default=8
            Combinations that are drawn at most; the legend says how many are left out.
        spread : "std" or None, default=None
            Draw a band of one standard deviation over the folds.
        line_kw : dict, default=None
            Keywords of matplotlib's `plot` for all lines.
        fill_between_kw : dict, default=None
            Keywords of matplotlib's `fill_between` for all bands.

        Returns
        -------
        RiskAgainstCDisplay

        Raises
        ------
        ImportError
            If matplotlib is missing.
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If nothing could be cross-validated.
        """
        require_matplotlib("RiskAgainstCDisplay.from_estimator")
        check_is_fitted(cv_estimator, "cv_results_")
        results, best = cv_estimator.cv_results_, cv_estimator.best_params_
        errors = 1.0 - np.asarray(results["mean_test_accuracy"], dtype=float)
        if not np.isfinite(errors).all():
            raise ValueError("nothing was cross-validated: there is no error to draw")
        deviations = np.asarray(results["std_test_accuracy"], dtype=float)
        chosen = _line_of(best)
        lines: dict[tuple[tuple[str, Any], ...], list[int]] = {}
        for number, candidate in enumerate(results["params"]):
            lines.setdefault(_line_of(candidate), []).append(number)
        # Stable: of equally good lines the simpler stays first.
        order = sorted(lines, key=lambda line: (line != chosen, errors[lines[line]].min()))
        Cs = np.array([float(candidate["C"]) for candidate in results["params"]])
        rows = [np.array(lines[line])[np.argsort(Cs[lines[line]])] for line in order]
        display = cls(
            settings=[dict(line) for line in order],
            Cs=[Cs[row] for row in rows],
            errors=[errors[row] for row in rows],
            deviations=[deviations[row] for row in rows],
            chosen_C=float(best["C"]),
        )
        return display.plot(
            ax,
            max_lines=max_lines,
            spread=spread,
            line_kw=line_kw,
            fill_between_kw=fill_between_kw,
        )


def _line_of(candidate: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Parameters but C."""
    return tuple((name, value) for name, value in candidate.items() if name != "C")
