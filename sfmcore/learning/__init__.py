"""Algorithm 1: learning pairs of models and their Gibbs classifiers (docs/theory.md, section 6).

::

    Task                items, signs, and which of them each part may learn from     (task)
      | prepare         EM of both models, conditioning, kernel, features, u_0       (prepare)
    Prepared
      | solve           u and C; with draws, turns that update the models too        (algorithm)
    Pair                a feature map with N(u, I), and how it votes                 (pair, vote)

``settings`` holds the options; ``starts`` and ``search`` find the minimum of J(u); ``coupling``
draws from Q_i, by enumeration or by ``rejection_sampling``. ``one_vs_rest`` makes a task of each
class against the rest of a ``problem`` and learns all pairs, in every way of its ``members``; or
``shared`` learns one map for all classes (``mapping``), and each one's u from ``least_squares`` on
the ``active_rows``. Everything but the pair that is being learnt is a frozen value.
"""
