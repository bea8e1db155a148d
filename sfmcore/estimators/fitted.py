"""Predictions of a fitted classifier: scores, labels, probabilities, sets and typicality."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from sfmcore.bounds.certificate_report import CertificateReport
from sfmcore.data.arrays import BoolArray, Float64Array, UInt64Array
from sfmcore.data.known_items import KnownItems
from sfmcore.data.with_vectors import similarities_of, without_similarities
from sfmcore.estimators.confidence import Confidence
from sfmcore.estimators.judged import Judged
from sfmcore.explaining import vectors
from sfmcore.explaining.explanation import Explanation
from sfmcore.learning.pair import Pair
from sfmcore.learning.vote import class_shares, decide, team_votes
from sfmcore.novelty.learning import typicality_of
from sfmcore.parallel.threads import effective_threads
from sfmcore.preparation.base import Preparation, applied


class FittedClassifier(ClassifierMixin):
    """The side of a classifier that needs nothing but learnt pairs and a preparation."""

    n_jobs: int | None
    preparation: Preparation
    """Encoder of a user's X."""
    classes_: npt.NDArray[Any]
    pairs_: list[Pair]

    def restore(
        self,
        classes: npt.NDArray[Any],
        pairs: list[Pair],
        *,
        weighted: bool = False,
        certificate: CertificateReport | None = None,
        known: KnownItems | None = None,
        confidence: Confidence | None = None,
    ) -> None:
        """Become a fitted classifier of pairs, just learnt or from a model file.

        Parameters
        ----------
        classes : ndarray of shape (n_classes,)
        pairs : list of Pair
        weighted : bool, default=False
        certificate : CertificateReport, optional
        known : KnownItems, optional
            The items that it was learnt from; None where that is not known.
        confidence : Confidence, optional
            What makes probabilities of the votes; without it their shares are all there is.
        """
        self.classes_ = classes
        self.pairs_ = pairs
        self.n_iter_ = max(pair.n_iter for pair in pairs)
        self.weighted_ = weighted
        self._certificate = certificate
        self.known_items_ = known
        self.take_confidence(Confidence() if confidence is None else confidence)

    def take_confidence(self, confidence: Confidence) -> None:
        """Make probabilities of votes as told.

        Parameters
        ----------
        confidence : Confidence
        """
        self.weighing_ = confidence.weighing
        self.calibration_ = confidence.calibration
        self.label_sets_ = confidence.sets
        self.typicality_ = confidence.typicality

    def become(self, other: "FittedClassifier") -> None:
        """Say what another fitted classifier says."""
        self.classes_, self.pairs_, self.n_iter_ = other.classes_, other.pairs_, other.n_iter_
        self.weighted_, self._certificate = other.weighted_, other._certificate
        self.known_items_ = other.known_items_
        self.weighing_, self.calibration_ = other.weighing_, other.calibration_
        self.label_sets_, self.typicality_ = other.label_sets_, other.typicality_

    def votes(
        self, items: Any, made: Sequence[Any] | None = None
    ) -> tuple[list[Float64Array], list[Float64Array]]:
        """What every row of every pair says of encoded items; see :func:`team_votes`.

        Parameters
        ----------
        items : batch of items
            As the preparation encodes them.
        made : sequence of batch of items, optional
            What :meth:`prepared` made of them, where it was called before.
        """
        if made is None:
            made = self.prepared(items)
        if self.weighing_ is not None:
            made = [without_similarities(own) for own in made]
        # As many pairs vote as were learnt, and in the way that was learnt, whatever the
        # parameters have been set to since.
        threads = effective_threads(self.n_jobs)
        return team_votes(self.pairs_, self.n_targets, items, threads, made)

    def prepared(self, items: Any) -> list[Any]:
        """Encoded items as the preparation of each pair makes them, for :meth:`judge`.

        Parameters
        ----------
        items : batch of items
            As the preparation encodes them.
        """
        return applied([pair.preparation for pair in self.pairs_], items)

    def judge(self, items: Any, made: Sequence[Any] | None = None) -> Judged:
        """Scores, probabilities and votes of encoded items.

        Parameters
        ----------
        items : batch of items
            As the preparation encodes them.
        made : sequence of batch of items, optional
            What :meth:`prepared` made of them, where it was called before.

        Returns
        -------
        Judged
        """
        if made is None:
            made = self.prepared(items)
        margins, each = self.votes(items, made)
        votes = self._scores(each)
        if self.weighing_ is None:
            if self.calibration_ is None:
                return Judged(votes, class_shares(margins), votes, margins)
            shares = self.calibration_.probabilities(votes)
            return Judged(votes, shares, votes, margins)
        similar = similarities_of(made[0])
        assert similar is not None
        scores = self.weighing_.scores(votes, similar)
        # Log-odds of one class against all others.
        return Judged(scores, self.weighing_.probabilities(scores), votes, margins)

    def typicality_of(self, made: Sequence[Any], judged: Judged) -> Float64Array:
        """P-values of :meth:`typicality`, of items that were judged.

        Parameters
        ----------
        made : sequence of batch of items
            What :meth:`prepared` made of them.
        judged : Judged
            What :meth:`judge` said of them.
        """
        return typicality_of(
            self.typicality_,
            made[0],
            judged.votes,
            judged.scores,
            n_threads=effective_threads(self.n_jobs),
        )

    @property
    def n_targets(self) -> int:
        """Number of one-versus-rest problems: 1 for two classes, else the number of classes."""
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _scores(self, each: list[Float64Array]) -> Float64Array:
        vote = self.pairs_[0].vote
        scores = np.column_stack([decide(rows, vote) for rows in each])
        return scores[:, 0] if len(each) == 1 else scores

    def _said(self, X: Any) -> Judged:
        self.check_fitted()
        return self.judge(self.preparation.encode(X, self))

    def check_fitted(self) -> None:
        """Refuse to go on unfitted, or with parameters that were set to misfitting values since.

        Raises
        ------
        NotFittedError, ValueError
        """
        check_is_fitted(self, "pairs_")
        self.preparation.check_fits(self.pairs_[0].preparation)

    def decision_function(self, X: Any) -> Float64Array:
        """Score of each class against the rest; above 0 if the vote is for the class.

        With one pair and exact features it is u . phi, otherwise it depends on `vote`. If relatives
        are weighed against the votes (`weighing_` is not None), it is the log-odds of the class
        against all others.

        Parameters
        ----------
        X : inputs

        Returns
        -------
        ndarray of shape (n_items,) for two classes, else (n_items, n_classes)
        """
        return self._said(X).scores

    def predict_proba(self, X: Any) -> Float64Array:
        """Probability of each class.

        It is calibrated on held-out votes (`calibration_`; docs/theory.md, section 10). If
        relatives are weighed against the votes (`weighing_` is not None), it is the probability
        from both (Eq. 12c). With neither, for models of earlier versions or with
        ``calibrate=False``, it is :meth:`vote_shares`.

        Parameters
        ----------
        X : inputs

        Returns
        -------
        ndarray of shape (n_items, n_classes)
        """
        return self._said(X).shares

    def predict_set(self, X: Any, *, coverage: float = 0.9) -> BoolArray:
        """Set of all labels that can't be excluded, which contains the true one with `coverage`.

        Parameters
        ----------
        X : inputs
            Drawn like the training items: from the same groups, unless `fit` was given groups.
        coverage : float, default=0.9
            Minimum probability that the set contains the true label of a new item, also within
            each class with at least 20 held-out items; smaller classes are merged.

        Returns
        -------
        ndarray of shape (n_items, n_classes), bool
            A column for each of `classes_`.

        Raises
        ------
        ValueError
            If the coverage is not between 0 and 1, or nothing was held out: with
            ``calibrate=False``, or in a model that an earlier version learnt.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from sfmcore import SFMClassifier
        >>> X, y = load_wine(return_X_y=True)
        >>> model = SFMClassifier(random_state=0).fit(X[::2], y[::2])
        >>> model.predict_set(X[1::2], coverage=0.8)[0].tolist()
        [True, False, False]
        """
        return self.sets_of(self._said(X).shares, coverage)

    def sets_of(self, shares: Float64Array, coverage: float) -> BoolArray:
        """Sets of labels of items whose probabilities are known; see :meth:`predict_set`.

        Parameters
        ----------
        shares : ndarray of shape (n_items, n_classes)
        coverage : float
        """
        if self.label_sets_ is None:
            raise ValueError(
                "sets of labels need held-out items: fit with calibrate=True and this version"
            )
        return self.label_sets_.sets(shares, coverage)

    def vote_shares(self, X: Any) -> Float64Array:
        """Share of the Gibbs classifiers that vote for each class.

        For more than two classes the one-versus-rest shares are divided by their sum. Relatives
        that are weighed against the votes do not affect them.

        Parameters
        ----------
        X : inputs

        Returns
        -------
        ndarray of shape (n_items, n_classes)
        """
        self.check_fitted()
        return class_shares(self.votes(self.preparation.encode(X, self))[0])

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Label of every item: the class of the largest score.

        Parameters
        ----------
        X : inputs

        Returns
        -------
        ndarray of shape (n_items,)
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return self.classes_[(scores > 0).astype(int)]
        return self.classes_[scores.argmax(1)]

    def typicality(self, X: Any) -> Float64Array:
        """P-value of every item for the hypothesis that it is like the training items.

        About a fraction p of inputs drawn like the training items has a p-value of p or less, so
        an item below 0.01 is stranger than 99 % of them (docs/theory.md, section 12). With
        `certificate_fraction` by counting this is exact, since it uses the withheld items.

        Parameters
        ----------
        X : inputs

        Returns
        -------
        ndarray of shape (n_items,)
            Above 0, at most 1.

        Raises
        ------
        ValueError
            If it is not available: `typicality_` is None.

        Examples
        --------
        >>> from sfmcore import SFMClassifier
        >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0], [6]], 30, axis=0)
        >>> model = SFMClassifier(n_components=1, random_state=0).fit(X, np.repeat([0, 1], 30))
        >>> p = model.typicality([[6.0, 6.0], [50.0, -50.0]])
        >>> bool(p[0] > 0.05), bool(p[1] < 0.02)
        (True, True)
        """
        self.check_fitted()
        items = self.preparation.encode(X, self)
        made = self.prepared(items)
        return self.typicality_of(made, self.judge(items, made))

    def explain(self, X: Any) -> Explanation:
        """Say how much every column speaks for each item's label, against the runner-up.

        Integrated gradients from the mean of the training rows: the evidence of the columns, a
        baseline and a small remainder add up to the score.

        Parameters
        ----------
        X : inputs

        Returns
        -------
        Explanation

        Raises
        ------
        ValueError
            If an input can't be used, a model is no Gaussian mixture, or features are drawn.
        """
        self.check_fitted()
        made = self.prepared(self.preparation.encode(X, self))
        threads = effective_threads(self.n_jobs)
        return vectors.explain_columns(self.pairs_, self.classes_, made, threads)

    def keys_of(self, items: Any, pairs: Sequence[Pair] | None = None) -> UInt64Array:
        """Digests of encoded items, which equal items share.

        Parameters
        ----------
        items : batch of items
        pairs : sequence of Pair, optional
            Those of a classifier that is not fitted yet.
        """
        keys = self.preparation.content_keys(items)
        if keys is not None:
            return keys
        pair = self.pairs_[0] if pairs is None else pairs[0]
        return pair.mapping.content_keys(pair.preparation.apply(items))
