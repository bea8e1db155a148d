"""Estimators that are made of a generative model and a preparation."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, clone

from sfmcore.data.checks import check_whole
from sfmcore.features.column_kernel import ColumnKernel
from sfmcore.models.base import EMModel, GenerativeModel
from sfmcore.models.gmm import DiagonalGMM
from sfmcore.preparation.as_given import AsGiven
from sfmcore.preparation.base import Preparation
from sfmcore.preparation.columns import Columns

Model = GenerativeModel | ColumnKernel
Init = TypeVar("Init", bound=Callable[..., None])

_MODEL, _PREPARE = "model", "prepare"


class ComposedEstimator(BaseEstimator):
    """An estimator with the parameters `model` and `prepare`, which may be left at None.

    Their own parameters are set as ``model__n_components``, or by the short names that the class
    lists, in the constructor and in `set_params`. `model` may be a list, whose models then all take
    part; a parameter of models is set in all of them, or, given a list or tuple of values, to each
    value in one model. Models that are equal in all parameters count once.
    """

    short_names: ClassVar[Mapping[str, str]] = {
        "n_components": "model__n_components",
        "n_init": "model__n_init",
        "em_max_iter": "model__max_iter",
        "em_tol": "model__tol",
        "scaling": "prepare__scaling",
    }
    """Parameters of the model and the preparation by the names that they may be set by."""

    model: Any
    prepare: Any

    def default_model(self) -> Model | list[Model]:
        """Return the default model, or models, for None."""
        return DiagonalGMM(4, n_init=2, max_iter=200, tol=1e-4)

    def default_preparation(self) -> Preparation:
        """Return the default preparation for None, by the kind of data of the models."""
        # What is no model is refused when fitted, and not where parameters are read or set.
        for model in self.models:
            if isinstance(model, Model) and model.kind_of_data != "columns":
                return AsGiven(model.kind_of_data)
        return Columns()

    @property
    def models(self) -> list[Model]:
        """The models, each once; a new list of those given, or of the default."""
        given = self.default_model() if self.model is None else self.model
        return _distinct(given if isinstance(given, list | tuple) else [given])

    @property
    def preparation(self) -> Preparation:
        """The preparation that was given, or the default."""
        return self.default_preparation() if self.prepare is None else self.prepare

    def check_parts(self) -> None:
        """Refuse a model or a preparation that is none, or has parameters out of range.

        Raises
        ------
        ValueError
            The text names the parameter as the user would set it.
        """
        self._check_types()
        for model in self.models:
            if isinstance(model, EMModel):
                # A model by itself may stay at its start; a classifier's must be learnt.
                check_whole(self._short(f"{_MODEL}__max_iter"), model.max_iter, 1)
            self._check(_MODEL, model)
        self._check(_PREPARE, self.preparation)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name; with `deep` those of the model and the preparation too.

        Parameters
        ----------
        deep : bool, default=True
            Of several models, a parameter in which they differ is the list of its values.
        """
        params: dict[str, Any] = super().get_params(deep=False)
        if deep:
            models = [model.get_params() for model in self.models if isinstance(model, Model)]
            names = set.intersection(*map(set, models)) if models else set()
            for name in sorted(names):
                values = [own[name] for own in models]
                same = all(_same(value, values[0]) for value in values)
                params[f"{_MODEL}__{name}"] = values[0] if same else values
            if isinstance(self.preparation, Preparation):
                own = self.preparation.get_params()
                params |= {f"{_PREPARE}__{name}": value for name, value in own.items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, those of the model and the preparation as ``model__name`` or short.

        Parameters
        ----------
        **params
            Values by name.

        Raises
        ------
        ValueError
            If there is no parameter of a name.
        """
        own: dict[str, Any] = {}
        nested: dict[str, dict[str, Any]] = {_MODEL: {}, _PREPARE: {}}
        for name, value in params.items():
            part, _, rest = self.short_names.get(name, name).partition("__")
            if rest and part in nested:
                nested[part][rest] = value
            else:
                own[name] = value
        super().set_params(**own)
        if any(nested.values()):
            self._check_types()
        if nested[_MODEL]:
            for model in self.models:
                self._check_names(_MODEL, model, nested[_MODEL], params)
            for name, value in nested[_MODEL].items():
                if not _several(value):
                    raise ValueError(
                        f"{self._short(f'{_MODEL}__{name}')} must hold at least one value"
                    )
            models = _changed(self.models, nested[_MODEL])
            self.model = models[0] if len(models) == 1 else models
        if nested[_PREPARE]:
            self._check_names(_PREPARE, self.preparation, nested[_PREPARE], params)
            self.prepare = clone(self.preparation).set_params(**nested[_PREPARE])
        return self

    def _check_names(
        self,
        part: str,
        changed: Model | Preparation,
        values: Mapping[str, Any],
        given: Mapping[str, Any],
    ) -> None:
        """Refuse what a part has no parameter for, by the name it was given by."""
        known = changed.get_params(deep=False)
        for name in values:
            if name.partition("__")[0] not in known:
                long = f"{part}__{name}"
                shown = name if long in given else self._short(long)
                raise ValueError(
                    f"Invalid parameter {shown!r} for estimator "
                    f"{changed}. Valid parameters are: {sorted(known)!r}."
                )

    def take_keywords(self, keywords: Mapping[str, Any]) -> None:
        """Take further keywords of the constructor: short names and ``model__name``.

        Parameters
        ----------
        keywords : mapping

        Raises
        ------
        TypeError
            If one is neither, as for every constructor.
        """
        for name in keywords:
            if name not in self.short_names and "__" not in name:
                raise TypeError(
                    f"{type(self).__name__}() got an unexpected keyword argument {name!r}"
                )
        if keywords:
            self.set_params(**keywords)

    def short_params(self) -> dict[str, Any]:
        """All parameters in one flat dictionary, those of the parts by their short names."""
        params = self.get_params()
        own = {
            n: v for n, v in super().get_params(deep=False).items() if n not in (_MODEL, _PREPARE)
        }
        return own | {n: params[long] for n, long in self.short_names.items() if long in params}

    def kept_params(self) -> dict[str, Any]:
        """Those of :meth:`short_params` that do not belong to the machine."""
        machine = {f"{_PREPARE}__{name}" for name in self.preparation.machine_parameters}
        left_out = {"n_jobs", "verbose"} | {n for n, v in self.short_names.items() if v in machine}
        return {n: value for n, value in self.short_params().items() if n not in left_out}

    def _check_types(self) -> None:
        """Refuse a model or a preparation that is none."""
        models = self.models
        if not models:
            raise ValueError("model must hold at least one model")
        for model in models:
            if not isinstance(model, Model):
                raise ValueError(
                    f"model must be a generative model such as DiagonalGMM(), got {model!r}"
                )
        kinds = {model.kind_of_data for model in models}
        if len(kinds) > 1:
            raise ValueError(f"model must be models of the same kind of data, got {self.model!r}")
        if not isinstance(self.preparation, Preparation):
            raise ValueError(
                f"prepare must be a preparation such as Columns(), got {self.prepare!r}"
            )
        made = self.preparation.makes_codes
        if made is not None and made != (kinds == {"codes"}):
            raise ValueError(
                f"model must be of the data that {self.preparation!r} makes, got {self.model!r}"
            )

    def _check(self, part: str, checked: Model | Preparation) -> None:
        """Check a part's parameters, and name one that is refused as the user would set it."""
        try:
            checked.check_parameters()
        except ValueError as error:
            name, _, rest = str(error).partition(" ")
            if name not in checked.get_params():
                raise
            raise ValueError(f"{self._short(f'{part}__{name}')} {rest}") from error

    def _short(self, long: str) -> str:
        """The short name of a parameter of a part, or the long one if it has none."""
        return next((short for short, name in self.short_names.items() if name == long), long)


def without_keywords(init: Init) -> Init:
    """Leave `**keywords` out of the signature: scikit-learn's checks set all that it shows."""
    shown = inspect.signature(init)
    named = [p for p in shown.parameters.values() if p.kind is not p.VAR_KEYWORD]
    init.__signature__ = shown.replace(parameters=named)  # type: ignore[attr-defined]
    return init


def with_parameters_of(base: type) -> Callable[[Init], Init]:
    """Let a constructor that passes `**parameters` on show those of its base in its signature.

    scikit-learn and `help` read the signature; the constructor itself names only the parameters
    whose defaults it changes.
    """

    def decorate(init: Init) -> Init:
        own = inspect.signature(init).parameters
        inherited = inspect.signature(base.__init__).parameters  # type: ignore[misc]
        every = {**inherited, **own}.values()  # in the order of the base, then its own
        merged = [p for p in every if p.kind is not p.VAR_KEYWORD]
        init.__signature__ = inspect.Signature(merged)  # type: ignore[attr-defined]
        return init

    return decorate


def _changed(models: Sequence[Model], values: Mapping[str, Any]) -> list[Model]:
    """Copies of the models with other parameters; a list of values gives a model for each."""
    changed = [clone(model) for model in models]
    for name, value in values.items():
        changed = [
            clone(model).set_params(**{name: one}) for one in _several(value) for model in changed
        ]
    return _distinct(changed)


def _several(value: Any) -> list[Any]:
    """Values of a parameter of models; a single one becomes a list of one.

    An array of whole numbers is several values; others are one, such as variances of columns.
    """
    if isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.ndim == 1:
        return value.tolist()
    return list(value) if isinstance(value, list | tuple | range) else [value]


def _distinct(models: Sequence[Model]) -> list[Model]:
    """The models, without those that equal an earlier one."""
    kept: list[Model] = []
    for model in models:
        if not any(_equal(model, other) for other in kept):
            kept.append(model)
    return kept


def _equal(first: Any, second: Any) -> bool:
    if type(first) is not type(second) or not isinstance(first, BaseEstimator):
        return first is second
    one, other = first.get_params(), second.get_params()
    return all(_same(one[name], other[name]) for name in one)


def _same(first: Any, second: Any) -> bool:
    """Whether two values of a parameter are the same; arrays only if they are one object."""
    try:
        return first is second or bool(first == second)
    except ValueError:
        return False
