"""Methods that the paper compares with on images: PHOW and a linear machine.

``phow`` is the classifier; ``pyramid`` counts words in the cells of a spatial pyramid, and
``additive`` maps histograms so that products come near the chi-square kernel.
"""
