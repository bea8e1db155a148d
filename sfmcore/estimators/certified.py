"""A fitted classifier with upper bounds on its true risks."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from sfmcore.bounds.certificate_report import CertificateReport
from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.data.targets import known_numbers
from sfmcore.estimators.certifying import certify_items, warn_of_seen
from sfmcore.estimators.fitted import FittedClassifier
from sfmcore.estimators.judged import Judged


class CertifiedClassifier(FittedClassifier):
    """Predictions of a fitted classifier, and bounds on their risk."""

    def risk_bound(self) -> Float64Array:
        """B(Q, C) of Theorems 1 and 2, as training left it: an objective, not a certificate.

        Models, conditioning and often C were learnt on the sample that B is computed on, so it
        does not hold with probability 1 - delta. See :meth:`certify` for valid bounds.

        Returns
        -------
        ndarray of shape (n_targets, n_pairs)
            A row for each class against the rest; for two classes one row.

        Raises
        ------
        ValueError
            If weights were given: the theorems require equal weights.
        """
        check_is_fitted(self, "pairs_")
        if self.weighted_:
            raise ValueError("the bound requires equal weights: fit without sample_weight")
        return np.array([pair.bound[-1] for pair in self.pairs_]).reshape(self.n_targets, -1)

    @property
    def certificate_(self) -> CertificateReport:
        """Certificate on the items that `certificate_fraction` withheld.

        Raises
        ------
        AttributeError
            If there is none.
        """
        certificate: CertificateReport | None = getattr(self, "_certificate", None)
        if certificate is None:
            raise AttributeError("no certificate: fit with a certificate_fraction above 0")
        return certificate

    def certify(
        self, X: Any, y: npt.ArrayLike, *, delta: float = 0.05, fresh: bool = False
    ) -> CertificateReport:
        """Upper bounds on the true risks that hold with probability 1 - delta.

        Parameters
        ----------
        X : inputs
            Items drawn independently from the distribution that the risk is about. Models,
            conditioning and u_0 must not have seen them; u may have, unless `fresh`.
        y : array-like of shape (n_items,)
            Their labels, all of them known to the classifier.
        delta : float, default=0.05
            All limits hold together with probability at least 1 - delta.
        fresh : bool, default=False
            Not even u has seen the items (a test set): the divergence is then 0, and the vote's
            own errors count.

        Returns
        -------
        CertificateReport

        Raises
        ------
        ValueError
            If an input can't be used or a label is unknown.

        Warns
        -----
        UserWarning
            If some of the items equal items that the models were learnt from, or if `fresh`
            that anything was.
        """
        self.check_fitted()
        items = self.preparation.encode(X, self)
        numbers = known_numbers(y, len(items), self.classes_)
        if self.known_items_ is not None:
            warn_of_seen(self.known_items_.roles_of(self.keys_of(items)), fresh=fresh)
        return self.certify_encoded(items, numbers, delta, fresh=fresh)

    def certify_encoded(
        self, items: Any, numbers: Int64Array, delta: float, *, fresh: bool
    ) -> CertificateReport:
        """Certificate on encoded items; see :meth:`certify`, which looks for items seen before.

        Parameters
        ----------
        items : batch of items
        numbers : ndarray of shape (n_items,)
            True classes.
        delta : float
        fresh : bool
        """
        return self.certify_judged(self.judge(items), numbers, delta, fresh=fresh)

    def certify_judged(
        self, judged: Judged, numbers: Int64Array, delta: float, *, fresh: bool
    ) -> CertificateReport:
        """Certificate on items that were judged; see :meth:`certify`.

        Parameters
        ----------
        judged : Judged
            What :meth:`judge` said of them.
        numbers : ndarray of shape (n_items,)
            True classes.
        delta : float
        fresh : bool
        """
        return certify_items(
            self.classes_,
            self.pairs_,
            numbers,
            judged.margins,
            # On fresh items the errors of the labels count, whatever decides them.
            judged.scores if fresh else judged.votes,
            delta=delta,
            fresh=fresh,
            is_majority=self.votes_by_majority and not (fresh and self.weighing_ is not None),
        )

    @property
    def votes_by_majority(self) -> bool:
        """Whether votes are those of the majority vote, which the theorems speak of."""
        return self.pairs_[0].vote == "majority"
