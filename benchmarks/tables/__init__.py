"""The paper's Tables 1 to 3 and Figure 1 beside other methods, and Tables 4 to 8 of proteins."""
