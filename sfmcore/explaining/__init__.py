"""Reasons for a score: from the decision back to the rows, and from rows to counts and columns.

``decision`` is the score of a label against the runner-up as a function of the votes, ``path`` its
integrated gradients over the rows of the feature maps, ``rows`` the share of an item's counts in
single columns of these rows, ``vectors`` the same for inputs that are columns, and ``explanation``
the result for users.
"""
