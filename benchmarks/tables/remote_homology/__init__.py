"""Table 4: families of SCOP that are found by other families of their superfamily."""
