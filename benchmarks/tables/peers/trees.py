"""Trees on counts of one and two residues."""

from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

from benchmarks.tables.answers import answers
from benchmarks.tables.dataset import Half, Method, Outcome
from benchmarks.tables.peers.words import counts_of_one_and_two
from benchmarks.tables.timing import timed


def on_counts(estimator: type[Any], **parameters: Any) -> Method:
    """Make a method of a classifier of vectors that gives probabilities."""

    def method(half: Half) -> Outcome:
        with timed() as training:
            model = estimator(**parameters, random_state=half.seed % 2**31)
            model.fit(counts_of_one_and_two(half.X), half.y)
        shares = model.predict_proba(counts_of_one_and_two(half.X_test))
        return answers(half, shares, model.classes_, training=training)

    return method


def forest() -> Method:
    """Random forest of 500 trees."""
    return on_counts(RandomForestClassifier, n_estimators=500, n_jobs=1)


def boosting(n_rounds: int = 100) -> Method:
    """Gradient boosting over histograms, otherwise as scikit-learn has it."""
    return on_counts(HistGradientBoostingClassifier, max_iter=n_rounds, early_stopping=False)
