"""The paper's Tables 1 to 3 and Figure 1 beside other methods, and Table 5 of many classes."""
