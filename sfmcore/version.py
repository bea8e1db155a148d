"""The version, which every model file names."""

__version__ = "0.1.0"
