"""Reasons for an image's label: evidence of its patches, as numbers and as a picture."""
