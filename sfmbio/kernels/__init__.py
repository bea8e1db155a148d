"""Compiled kernels: typed memoryviews in, arrays out, no policy and no defaults."""
