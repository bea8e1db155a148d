"""Certificates where the true risks are known; each module runs with ``python -m``."""
