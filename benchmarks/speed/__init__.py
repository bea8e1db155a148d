"""Speed of the kernels against peers; each module runs with ``python -m``."""
