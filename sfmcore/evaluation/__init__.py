"""Measuring: random halves, folds, cross-validation over settings, and learning curves.

``halves`` is the paper's protocol; ``folds`` splits labelled items; ``selection`` tries
candidates on folds, with models fitted once for all candidates that share them;
``learning_curve`` compares fits with and without unlabelled items.
"""
