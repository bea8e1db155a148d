"""Reasons for a score: from the decision back to the rows, and from rows to counts and columns.

``decision`` is the score of a label against the runner-up as a function of the votes, ``path`` its
integrated gradients over the rows of the feature maps, ``rows`` what single columns of these rows
owe to counts of an item, ``vectors`` the same for inputs that are columns, and ``explanation`` what
a user gets.
"""
