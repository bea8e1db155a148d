"""Protein sequences as codes: the 22 symbols (``alphabet``), and batches (``encoding``)."""
