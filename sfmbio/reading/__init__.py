r"""From FASTA files and label tables to labelled records.

``sources`` lists the files that are meant, ``scanner`` cuts them into records as bytes, ``fasta``
makes these ``record``\ s and tells a ``report`` what it met; ``labels`` and ``astral`` say where
labels come from; ``datasets`` joins both, and ``sampling`` keeps a part of large inputs.
"""
