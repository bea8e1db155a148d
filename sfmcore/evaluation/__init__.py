"""Measuring: random halves (``halves``), folds, and learning curves."""
