"""The paper's Tables 1 to 3 and Figure 1, side by side with other methods, on the real data."""
