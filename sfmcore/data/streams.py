"""Purposes of random streams: what tells apart the streams that one seed has for an item.

A stream is keyed by (seed, purpose, item); see :func:`sfmcore.kernels._random.stream_keys`. Models
that sweep, such as latent Dirichlet allocation, have seeds of their own and number their sweeps
from 0.
"""

# The values are part of every result: same seed, same bits.
PREDICTION = 1
"""Draws of an item that is predicted, keyed by its content."""
TRANSFORMATION = 2
"""Draws of :class:`sfmcore.StochasticFeatureMap`; those of further mappings follow."""
DESCRIPTOR_SAMPLE = 0x5A
"""Which descriptors of an image its codebook is learnt from."""
PROPOSAL_CHOICE = 1 << 32
"""Which proposal, or value of the hidden variables, is taken from Q_i."""
ITERATION = 1 << 33
"""Draws in training; those of further iterations follow."""
LANDMARKS = 1 << 34
"""The order in which rows become landmarks."""
WORD_SAMPLE = 1 << 35
"""The order in which sequences are taken for the principal words."""
REFERENCE_SAMPLE = 1 << 38
"""The order in which sequences become references of alignments."""
FURTHER_MODEL = 1 << 36
"""Draws of the third model of a feature map, and those after it."""
MAP_SAMPLE = 1 << 37
"""Which items a feature map is learnt from, where there are very many."""
HELD_OUT = 1 << 39
"""The order in which items are dealt to the parts that are held out in turn."""
TRAINING_SAMPLE = 1 << 40
"""Which records a model is trained on, where the files hold more than it takes."""

# Of NumPy's generators, which take the purpose as a second seed.
KEPT_FROM_MODELS = 0x5B
"""Which labelled items are kept from the models, for a certificate."""
SHARED_MODELS = 0x5E
"""Models that all classes share."""
ROWS_OF_FIT = 0x5C
"""Which rows a classifier that chooses its settings is fitted on, where there are very many."""
ROWS_OF_SEARCH = 0x5D
"""Which of them its settings are chosen on."""
