"""Precision, recall, F1 and Matthews correlation by class, against scikit-learn item by item."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix, f1_score, matthews_corrcoef

from sfmcore.evaluation.class_measures import class_measures

NUMBERS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40)


@given(NUMBERS)
def test_each_class_is_measured_against_the_rest(pairs):
    truth, predicted = np.array(pairs).T
    found = class_measures(confusion_matrix(truth, predicted, labels=range(4)))
    for number in range(4):
        own, said = truth == number, predicted == number
        right = np.sum(own & said)
        recall = right / own.sum() if own.any() else np.nan
        precision = right / said.sum() if said.any() else np.nan
        assert found["recall"][number] == pytest.approx(recall, nan_ok=True)
        assert found["precision"][number] == pytest.approx(precision, nan_ok=True)
        f1 = f1_score(own, said) if (own | said).any() else np.nan
        assert found["f1"][number] == pytest.approx(f1, nan_ok=True)
        together = matthews_corrcoef(own, said) if 0 < own.sum() < len(own) else np.nan
        assert found["matthews"][number] == pytest.approx(together, nan_ok=True)
