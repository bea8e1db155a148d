"""Evaluation: random halves, folds, cross-validation over settings, and learning curves.

``halves`` is the paper's protocol, or uses folds of ``cross_validation`` instead;
``measures`` has the measures of a test part. ``folds`` splits the labelled items of a fit;
``selection`` tries candidates on folds, with models fitted once for all that share them;
``learning_curve`` compares fits with and without unlabelled items.
"""
