"""Other methods that more than one table of proteins has."""
