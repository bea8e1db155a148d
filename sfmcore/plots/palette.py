"""Colours and line styles that are told apart with every common kind of colour vision.

References
----------
M. Okabe, K. Ito, "Color Universal Design", 2008: https://jfly.uni-koeln.de/color/
"""

COLOURS = (
    "#0072b2", "#d55e00", "#007a5a", "#a64d79", "#000000", "#b07900", "#3a87ad", "#6b6b6b",
)  # fmt: skip
"""Okabe and Ito's, those that are too light for a thin line on white made darker."""
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (7, 2, 2, 2)))
"""A style for each colour, so that a print without colours can be read."""
FOR, AGAINST, MIDDLE = "#1f60a8", "#d66e00", "#8a8a8a"
"""Blue, orange and grey, as in pages and pictures of evidence."""
