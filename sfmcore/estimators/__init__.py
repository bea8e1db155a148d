"""The scikit-learn estimators.

``classifier`` is :class:`sfmcore.SFMClassifier`, the one constructor with the parameters of
Algorithm 1; its predictions are in ``fitted`` (``judged`` holds them), its bounds in ``certified``
and ``certifying``, its model files in ``persistence``. ``composition`` is what it shares with
``transformer``: a model and a preparation as parameters. ``classifier_cv`` tries the settings of
``grids`` by cross-validation.
"""
