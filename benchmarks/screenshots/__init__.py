"""Pages of the programs in a headless browser: checked, and drawn for the docs."""
