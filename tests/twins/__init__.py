"""Plain NumPy twins of the kernels, which property tests compare them with."""
