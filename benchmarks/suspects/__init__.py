"""Are wrong labels found? Some are made wrong, and the ranking of all items is measured."""
