"""Table 3: four classes of protein domains."""
