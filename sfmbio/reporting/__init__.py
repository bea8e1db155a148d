"""What a report shows of sequences: the most confident mistakes, with their residues in colours."""
