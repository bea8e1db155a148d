"""What the containers of images say about themselves, read without decoding a pixel."""
