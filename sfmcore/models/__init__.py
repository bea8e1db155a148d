"""Generative models under one protocol."""
