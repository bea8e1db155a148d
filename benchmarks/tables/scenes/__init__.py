"""Table 2: eight classes of scenes."""
