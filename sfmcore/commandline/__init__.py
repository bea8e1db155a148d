"""What the command lines of all domains share; nothing here knows a file format."""
