"""Records of a training set whose label is likely wrong.

``out_of_fold`` gives every item probabilities by classifiers that did not learn from it, and
``one_fit`` cheaper ones by held-out votes;
``noise`` makes of them how probably its label is wrong; ``conflicts`` finds equal and nearly equal
items under different labels. ``finding`` puts it together and ranks the items; ``answered`` does so
for items that an evaluation, or a test, has answers about.
"""

from sfmcore.suspects.finding import Suspects, find_suspects

__all__ = ["Suspects", "find_suspects"]
