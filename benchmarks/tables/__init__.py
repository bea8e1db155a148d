"""The paper's eight UCI data sets over random halves; runs with ``python -m benchmarks.uci``."""
