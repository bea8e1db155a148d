"""Labels that a table of predictions or a model file can't hold."""

import pytest

from sfmcore.commandline.output import refuse_strange_labels
from sfmcore.data.errors import InputError


def test_a_class_is_not_called_what_stands_for_none():
    with pytest.raises(InputError, match="'unclassified' is what `predict` prints"):
        refuse_strange_labels(["a", "unclassified"])
