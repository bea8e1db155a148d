"""Settings of learning a pair, checked before anything starts."""

from dataclasses import dataclass
from typing import Literal

from sfmcore.data.checks import check_choice, check_number, check_whole
from sfmcore.features.feature_map import Draws


@dataclass(frozen=True)
class Settings:
    """Settings of learning a pair; see :class:`sfmcore.SFMClassifier`."""

    n_draws: Draws = "exact"
    coupling: float = 0.0
    conditioning: bool | None = None
    clip: float = 2.0
    n_landmarks: int = 0
    n_shared_models: int = 0
    gamma: float = 1.0
    kernel_rank: int = 0
    C: float | Literal["bound"] = 20.0
    prior: Literal["zero", "map"] = "zero"
    prior_fraction: float = 0.0
    max_iter: int = 20
    tol: float = 1e-3
    optimizer: Literal["lbfgs", "gradient"] = "lbfgs"
    learning_rate_u: float = 1.0
    learning_rate_C: float = 1.0
    n_restarts: int = 0
    sampler: Literal["auto", "enumeration", "rejection"] = "auto"
    max_proposals: int = 50
    refit: bool = True
    vote: Literal["majority", "normalised", "raw"] = "majority"
    delta: float = 0.05
    unlabeled_weight: float = 0.1

    @property
    def first_C(self) -> float:
        """C at the start: the number itself, or 1 where the bound will choose it."""
        return 1.0 if self.C == "bound" else float(self.C)

    def __post_init__(self) -> None:
        """Refuse what can't be run, by name."""
        if self.n_draws != "exact":
            if isinstance(self.n_draws, str):
                raise ValueError(
                    f"n_draws must be a positive integer or 'exact', got {self.n_draws!r}"
                )
            check_whole("n_draws", self.n_draws, 1)
            check_number("n_draws", self.n_draws, "of at most 10000", lambda n: n <= 10_000)
        check_number("coupling", self.coupling, "from 0 to 1", lambda share: 0 <= share <= 1)
        if self.coupling > 0 and self.n_draws == "exact":
            raise ValueError(
                "coupling feeds the classifier back into the drawn hidden variables: "
                "set n_draws to an integer, or coupling to 0"
            )
        check_choice("conditioning", self.conditioning, (None, True, False))
        if self.C != "bound":
            check_number("C", self.C, "above 0, or 'bound'", lambda C: C > 0)
        check_number(
            "prior_fraction", self.prior_fraction, "from 0 to below 1", lambda share: 0 <= share < 1
        )
        check_choice("prior", self.prior, ("zero", "map"))
        if self.prior == "map" and self.prior_fraction > 0:
            raise ValueError(
                "prior_fraction learns u_0 on a part of the items: leave prior at 'zero'"
            )
        check_number(
            "unlabeled_weight",
            self.unlabeled_weight,
            "from 0 to 1",
            lambda weight: 0 <= weight <= 1,
        )
        check_number("tol", self.tol, "of at least 0", lambda tol: tol >= 0)
        for name in ("clip", "gamma", "learning_rate_u", "learning_rate_C"):
            check_number(name, getattr(self, name), "above 0", lambda size: size > 0)
        for name, least in (
            ("max_iter", 1),
            ("max_proposals", 1),
            ("n_restarts", 0),
            ("n_landmarks", 0),
            ("n_shared_models", 0),
            ("kernel_rank", 0),
        ):
            check_whole(name, getattr(self, name), least)
        check_choice("sampler", self.sampler, ("auto", "enumeration", "rejection"))
        check_choice("optimizer", self.optimizer, ("lbfgs", "gradient"))
        check_choice("refit", self.refit, (True, False))
        check_choice("vote", self.vote, ("majority", "normalised", "raw"))
        check_number("delta", self.delta, "between 0 and 1", lambda delta: 0 < delta < 1)
        if self.n_landmarks > 0 and self.prior == "map":
            raise ValueError(
                "the MAP classifier is linear in the features and not in a kernel's: leave prior "
                "at 'zero', or n_landmarks at 0"
            )
        if self.n_landmarks > 0 and self.sampler == "enumeration" and self.coupling > 0:
            raise ValueError(
                "sampler='enumeration' weighs sums over the two models, which a kernel does not "
                "keep: use 'auto' or 'rejection', or leave n_landmarks at 0"
            )

        if self.n_shared_models > 0 and self.coupling > 0:
            raise ValueError(
                "coupling feeds one classifier back into its own pair of models: leave it at 0, or "
                "n_shared_models at 0"
            )
        if self.n_shared_models > 0 and self.prior == "map":
            raise ValueError(
                "the MAP classifier is of a pair of models: leave prior at 'zero', or "
                "n_shared_models at 0"
            )

    def check_without_models(self) -> None:
        """Refuse what a kernel on the columns has no use for.

        Raises
        ------
        ValueError
            If something is to be drawn, conditioned or put under another kernel.
        """
        if self.n_draws != "exact":
            raise ValueError("without generative models nothing is drawn: leave n_draws at 'exact'")
        if self.conditioning:
            raise ValueError("a kernel's features are not conditioned: leave conditioning at None")
        if self.n_landmarks > 0:
            raise ValueError("a ColumnKernel has landmarks of its own: leave n_landmarks at 0")
        if self.n_shared_models > 0:
            raise ValueError(
                "without generative models there are none to share: leave n_shared_models at 0"
            )
        if self.prior == "map":
            raise ValueError("without generative models there is no MAP prior: leave it at 'zero'")
