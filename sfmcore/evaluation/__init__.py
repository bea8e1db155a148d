"""Measuring: random halves, folds, cross-validation over settings, and learning curves.

``halves`` is the paper's protocol, with folds of ``cross_validation`` in its place if asked for;
``measures`` says how a test part came out. ``folds`` splits the labelled items of a fit;
``selection`` tries candidates on folds, with models fitted once for all that share them;
``learning_curve`` compares fits with and without unlabelled items.
"""
