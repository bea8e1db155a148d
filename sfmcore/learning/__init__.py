"""Algorithm 1: learning pairs of models and their Gibbs classifiers.

``settings`` holds the options; ``algorithm`` the turns of learning; ``coupling`` draws from Q_i,
with ``rejection_sampling``; ``search`` minimises J(u); ``pair`` is what comes out, and ``vote``
how it decides; ``one_vs_rest`` sets up one binary problem for each class.
"""
