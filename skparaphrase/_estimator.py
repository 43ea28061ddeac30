"""Shared by all estimators: stored parameters, links to docs, warnings."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
import warnings
from copy import deepcopy
from typing import Any, ClassVar, Self

HOME = "https://skparaphrase.readthedocs.io/en/latest"
_WITHIN = {"skparaphrase", "sklearn", "joblib", "contextlib"}


class DocumentedOnline:
    """Mixin for estimators whose HTML diagrams link to our documentation.

    It must precede `BaseEstimator` among the bases, which links to scikit-learn.
    Classes of other packages that derive from ours have no link.
    """

    _doc_link_module = "skparaphrase"
    _doc_link_template = (
        f"{HOME}/api/generated/{{estimator_module}}.{{estimator_name}}.html"
    )


#: Parameters by the name of a setting, the default first.
Settings = dict[str, dict[str, Any]]


class PaperSettings:
    """Mixin for models with settings of their papers' tables.

    A class lists all parameters that determine the training of its paper. An encoder
    also lists values that equal its defaults, so a setting does not change if defaults
    do. Every value comes from the text of a paper, its tables, or the scripts that its
    authors released. All papers train with dense updates. The papers' lambda_w,
    lambda_c and lambda_s are `vectors_penalty`, `composition_penalty` and
    `head_penalty` of the optimizer, halved as in the authors' code.
    """

    _paper_settings: ClassVar[Settings] = {}

    @classmethod
    def paper(cls, setting: str | None = None, /, **params: Any) -> Self:
        """Create an estimator with a setting of its paper.

        Parameters
        ----------
        setting : str, default=None
            Name of the setting. Settings are listed in the notes of the class; the
            first is the default.
        **params : dict
            Other parameters, such as `vectors` or `random_state`, and parameters that
            override the setting. Nested parameters are written as in `set_params`:
            `encoder__vectors`, `optimizer__name`.

        Returns
        -------
        estimator : estimator instance

        Raises
        ------
        ValueError
            If there is no such setting.
        """
        settings = cls._paper_settings
        if setting is None:
            setting = next(iter(settings), None)
        if setting not in settings:
            raise ValueError(
                f"{cls.__name__} has no setting {setting!r}; available: "
                f"{sorted(settings)}."
            )
        nested = {name: params.pop(name) for name in list(params) if "__" in name}
        estimator = cls(**{**deepcopy(settings[setting]), **params})
        estimator.set_params(**nested)  # type: ignore[attr-defined]
        estimator._start_as_in_paper({*params, *nested})
        return estimator

    def _start_as_in_paper(self, given: set[str]) -> None:
        """Set the initial vectors of papers, unless they are given."""


def store_parameters(estimator: Any, arguments: dict[str, Any]) -> None:
    """Store the arguments of `__init__`, given `self` and `locals()`."""
    arguments = {name: value for name, value in arguments.items() if name != "self"}
    vars(estimator).update(arguments)


def is_called_directly() -> bool:
    """Whether a `fit` is not called by a pipeline, search or other estimator."""
    frame: Any = sys._getframe(2)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.startswith("sklearn.") and name != "sklearn.base":  # around each `fit`
            return False
        frame = frame.f_back
    return True


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn with the line of the caller outside this package and scikit-learn.

    `skip_file_prefixes` of Python 3.12 does the same.
    """
    level, frame = 1, sys._getframe()
    while frame.f_back:
        if frame.f_globals.get("__name__", "").partition(".")[0] not in _WITHIN:
            break
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
