"""Speed of kernels and jobs against peers: ``python -m benchmarks.speed``."""
