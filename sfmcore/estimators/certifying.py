"""What fitted estimators say about their own risk: the bound and the certificate."""

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from sfmcore.bounds.certificate_report import CertificateReport, certify_votes
from sfmcore.data.arrays import Float64Array, Int64Array, UInt64Array
from sfmcore.data.targets import numbered_labels
from sfmcore.learning.one_vs_rest import prepared_for
from sfmcore.learning.pair import Pair, mean_divergence


class CertifiedMixin:
    """Methods of the classifier that need nothing but its votes."""

    classes_: npt.NDArray[Any]
    pairs_: list[Pair]
    _weighted: bool

    def _encode(self, X: Any, *, first: bool = False) -> Any:
        raise NotImplementedError

    def _votes(self, items: Any) -> tuple[list[Float64Array], list[Float64Array]]:
        raise NotImplementedError

    def _scores(self, each: list[Float64Array]) -> Float64Array:
        raise NotImplementedError

    def _check_fitted(self) -> None:
        """Refuse to go on unfitted, or with parameters set since to what does not fit."""
        check_is_fitted(self, "pairs_")

    def risk_bound(self) -> Float64Array:
        """B(Q, C) of Theorems 1 and 2, as training left it: an objective, not a certificate.

        Models, conditioning and often C were learnt on the sample that B is computed on, so its
        probability 1 - delta does not hold. See :meth:`certify` for what does.

        Returns
        -------
        ndarray of shape (n_targets, n_pairs)
            A row for each class against the rest; for two classes one row.

        Raises
        ------
        ValueError
            If weights were given: the theorems speak of items drawn alike.
        """
        check_is_fitted(self, "pairs_")
        if self._weighted:
            raise ValueError("the bound is of items drawn alike: fit without sample_weight")
        values = np.array([pair.bound[-1] for pair in self.pairs_])
        return values.reshape(1 if len(self.classes_) == 2 else len(self.classes_), -1)

    @property
    def certificate_(self) -> CertificateReport:
        """Certificate on the items that `certificate_fraction` kept apart.

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
        """Upper limits of the true risks that hold with probability 1 - delta.

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
        self._check_fitted()
        items = self._encode(X)
        own, numbers = numbered_labels(y, len(items), None)
        # As Python compares them: to NumPy 1 and "1" may be equal.
        known = {label: number for number, label in enumerate(self.classes_.tolist())}
        unknown = [label for label in own.tolist() if label not in known]
        if unknown:
            raise ValueError(f"y holds labels that training did not: {unknown}")
        numbers = np.array([known[label] for label in own.tolist()], dtype=np.int64)[numbers]
        seen = getattr(self, "_fitted_keys" if fresh else "_seen_keys", None)
        if seen is not None:
            count = int(np.isin(self._keys_of(items), seen).sum())
            if count:
                what = "the models or u were" if fresh else "the models were"
                warnings.warn(
                    f"{count} of {len(items)} items equal items that {what} learnt "
                    "from: the certificate holds only if they were drawn independently",
                    UserWarning,
                    stacklevel=2,
                )
        return self._certify(items, numbers, delta, fresh=fresh)

    def _keys_of(self, items: Any) -> UInt64Array:
        """Digests of the items, which equal items share."""
        pair = self.pairs_[0]
        prepared = prepared_for([pair.inputs], items)[0]
        return pair.mapping.content_keys(prepared)

    def _certify(
        self, items: Any, numbers: Int64Array, delta: float, *, fresh: bool
    ) -> CertificateReport:
        margins, each = self._votes(items)
        size = len(self.pairs_) // len(margins)
        divergences = [
            0.0 if fresh else mean_divergence(self.pairs_[k : k + size])
            for k in range(0, len(self.pairs_), size)
        ]
        return certify_votes(
            self.classes_,
            numbers,
            margins,
            self._scores(each),
            divergences,
            delta=delta,
            fresh=fresh,
            is_majority=self.pairs_[0].vote == "majority",
        )
