r"""From FASTA files and label tables to labelled records.

``sources`` lists the files that are meant, ``opening`` opens them, ``scanner`` cuts them into
records as bytes, ``fasta`` makes these ``record``\ s and tells a ``report`` what it met, and
``names`` keeps every id and label fit for output; ``labels`` and ``astral`` say where labels come
from; ``datasets`` joins both.
"""
