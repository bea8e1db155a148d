"""Reasons for a protein's label: evidence of its residues, and the records that it is like.

``residues`` puts together what states (``states``), words and ends (``words``) and relatives
(``relatives``) say of every residue; ``resting`` sums it up by state and by word; ``table`` writes
it, and ``page`` shows it as HTML.
"""
