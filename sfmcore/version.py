"""The version, which every model file names."""

__version__ = "1.0.0"
