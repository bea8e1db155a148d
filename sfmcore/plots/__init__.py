"""Displays in scikit-learn's style; matplotlib, the extra `plot`, is loaded when one draws."""

from sfmcore.plots.learning_curve import LearningCurveDisplay
from sfmcore.plots.objective import ObjectiveDisplay
from sfmcore.plots.risk_against_c import RiskAgainstCDisplay

__all__ = ["LearningCurveDisplay", "ObjectiveDisplay", "RiskAgainstCDisplay"]
