"""Methods that the paper compares with on sequences: frequencies of k-mers (``kmers``)."""
