"""The commands, a module for each, so that none imports what only the others need.

Each module has a function of its own name, which takes the parsed options and returns how many
inputs it left out.
"""
