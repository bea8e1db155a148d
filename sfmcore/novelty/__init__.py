"""Recognition of inputs unlike the training data: p-values of typicality.

Evidence is a few columns for every item: how similar its relatives among the training items are
(``relatives``), and where its row lies among those of the classes (``surroundings``, over the rows
of ``rows``). The weights of the columns are learnt by leaving every class out in turn, as if its
items were strangers (``weights``). A p-value is the share of held-out training items that look at
least as strange as the item (``typicality``); ``learning`` combines all of it.
"""
