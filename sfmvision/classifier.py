"""The scene classifier: images in, labels out."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sklearn.utils import Tags

from sfmcore import SFMClassifier
from sfmcore.estimators.composition import Model, with_parameters_of
from sfmcore.explaining.explanation import Explanation
from sfmcore.models.lda import LatentDirichletAllocation
from sfmcore.parallel.threads import effective_threads
from sfmvision.explaining import patches
from sfmvision.preparation import ScenePreparation
from sfmvision.presets import PRESETS


class SceneClassifier(SFMClassifier):
    """Classify images by pairs of topic models over visual words.

    Dense SIFT descriptors are quantised to words by k-means. For each class one latent Dirichlet
    allocation is fitted to the words of its images and one to those of the rest. An image becomes
    the features of its topics under both. Beside them stand the moments of its descriptors and of
    its colours under Gaussian mixtures (Fisher vectors), and a histogram of where its words stand.
    A Gibbs classifier over these minimises a PAC-Bayes risk bound.

    It is :class:`sfmcore.SFMClassifier` with another model, preparation and defaults; the
    parameters that are not listed here are described there.

    Parameters
    ----------
    model : GenerativeModel or list of them, default=None
        None: ``LatentDirichletAllocation(25)``.
    prepare : Preparation, default=None
        None: ``ScenePreparation()``.
    C : float or "bound", default=200.0
        Weight of the risk in J(u), or learnt by minimising the bound.
    **parameters
        Further parameters of :class:`sfmcore.SFMClassifier`, and short names: `n_topics`,
        `n_sweeps` and `alpha` of the topic models; and every parameter of
        :class:`sfmvision.preparation.ScenePreparation`, such as `n_words` and `cache`.

    Attributes
    ----------
    classes_, pairs_, n_iter_, weighted_, certificate_
        As of :class:`sfmcore.SFMClassifier`; the `preparation` of a pair holds the codebook.

    References
    ----------
    X. Li, T. S. Lee, Y. Liu, "Stochastic Feature Mapping for PAC-Bayes Classification",
    arXiv:1204.2609.

    Examples
    --------
    >>> import numpy as np
    >>> random = np.random.default_rng(0)
    >>> ramp = np.linspace(0, 1, 64)
    >>> across = [np.outer(np.ones(64), ramp) * random.uniform(0.5, 1) for _ in range(4)]
    >>> images = across + [image.T for image in across]
    >>> model = SceneClassifier(n_words=4, n_topics=2, random_state=0)
    >>> model = model.fit(images, ["across"] * 4 + ["down"] * 4)
    >>> model.predict([images[0], images[4]]).tolist()
    ['across', 'down']
    """

    kind: ClassVar[str] = "scene classifier"
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = PRESETS
    short_names: ClassVar[Mapping[str, str]] = {
        "n_topics": "model__n_topics",
        "n_sweeps": "model__n_sweeps",
        "alpha": "model__alpha",
        **{name: f"prepare__{name}" for name in ScenePreparation().get_params()},
    }

    @with_parameters_of(SFMClassifier)
    def __init__(
        self,
        model: Model | Sequence[Model] | None = None,
        prepare: ScenePreparation | None = None,
        *,
        C: Any = 200.0,
        **parameters: Any,
    ) -> None:
        super().__init__(model, prepare, C=C, **parameters)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags

    def explain(self, X: Any) -> Explanation:
        """Say how much every patch speaks for its image's label, against the runner-up.

        Parameters
        ----------
        X : inputs

        Returns
        -------
        Explanation
            Of patches: dense descriptors in their order, then colour patches. `kinds` are topics,
            texture, colour and layout.

        Raises
        ------
        ValueError
            If an input can't be used, or the models are no topic models.
        """
        return self.explain_patches(X)[0]

    def explain_patches(self, X: Any) -> tuple[Explanation, "list[patches.Patches]"]:
        """Result of :meth:`explain`, and the places of the patches.

        Parameters
        ----------
        X : inputs
        """
        self.check_fitted()
        batch = self.preparation.encode(X, self)
        threads = effective_threads(self.n_jobs)
        made = self.prepared(batch)
        return patches.explain_patches(self.pairs_, self.classes_, batch, made, threads)

    def default_model(self) -> LatentDirichletAllocation:
        """Latent Dirichlet allocation of 25 topics."""
        return LatentDirichletAllocation(25, n_sweeps=50)

    def default_preparation(self) -> ScenePreparation:
        """Dense descriptors, 200 words, and Fisher vectors beside them."""
        return ScenePreparation()
