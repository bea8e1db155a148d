"""Whether reasons are right: what happens when residues go, planted motifs, signal peptides."""
