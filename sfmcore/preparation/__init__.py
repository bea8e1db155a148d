"""What is done with items before a generative model sees them, learnt from training items."""
