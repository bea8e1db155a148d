"""Recognition of inputs unlike the training data: p-values of typicality.

Evidence is a few columns for every item: how near the relatives are that it has among the training
items (``relatives``), and where its row lies among those of the classes (``surroundings``, over
the rows of ``rows``). What each column counts is learnt by leaving every class out in turn, as if
its items were strangers (``weights``). A p-value says what share of training items, held out, look
as strange as the item or stranger (``typicality``); ``learning`` puts it all together.
"""
