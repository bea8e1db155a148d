"""Inputs of no class that was learnt: how well p-values and other scores find them."""
