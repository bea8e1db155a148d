"""Generative models P(x, h | theta) that the feature map is made of.

``base`` is the protocol; ``gmm``, ``hmm`` and ``lda`` follow it, each in a file of its own.
``em`` runs EM from several starts, ``starts`` chooses rows to start from, and ``documents``
counts the words of documents.
"""
