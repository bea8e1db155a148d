"""Physico-chemical properties of sequences: composition, charge, hydrophobic moments."""
