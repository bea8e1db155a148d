"""Searches for the nearest relatives: alignments, and programs that find them."""
