"""Extra data besides the hidden states of a sequence (``beside_states``), and its weights."""
