"""Basic types: batches of items, labels, array types, errors.

``arrays`` names the types of arrays; ``ragged`` is the one kind of ragged batch, for sequences
and documents alike, and ``with_vectors`` a batch with an extra vector for each item; ``rows`` holds
feature rows, dense or sparse; ``names`` keeps ids and labels fit for output; ``targets`` turns
labels into class numbers; ``checks`` refuses parameters by name; ``errors`` are those that a user
caused; ``streams`` lists the purposes of random streams.
"""
