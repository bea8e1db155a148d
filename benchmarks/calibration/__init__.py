"""Is the confidence a probability? Calibration error, log loss and sets of labels on real data."""
