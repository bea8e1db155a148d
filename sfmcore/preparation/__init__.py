"""Preparations: transformations of items before a generative model, learnt from training items.

``base`` is the protocol: a preparation encodes X, is fitted, and gives a value that is applied to
every batch. ``columns`` scales rows of numbers, by the values of ``scaling``; ``as_given`` does
nothing.
"""
