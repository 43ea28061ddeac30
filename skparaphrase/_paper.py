"""Models with the settings of papers, by name."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from copy import deepcopy
from typing import Any, ClassVar, Self

Settings = dict[str, dict[str, Any]]  # parameters by name, the default first


class PaperSettings:
    """Base of estimators that know the settings of their paper."""

    _settings: ClassVar[dict[str, Settings]]  # by class

    @classmethod
    def paper(cls, setting: str | None = None, /, **params: Any) -> Self:
        """An estimator with a setting of its paper.

        Parameters
        ----------
        setting : str, default=None
            Its name; the settings of a class are listed in its docstring, the first
            of them is the default.

        **params : dict
            Further parameters, such as `vectors` or `random_state`, and those that
            shall differ from the paper.

        Returns
        -------
        estimator : estimator instance

        Raises
        ------
        ValueError
            If there is no setting of that name.
        """
        names = (base.__name__ for base in cls.__mro__)
        known = next((cls._settings[n] for n in names if n in cls._settings), {})
        if setting is None and known:
            setting = next(iter(known))
        if setting not in known:
            raise ValueError(
                f"{cls.__name__} has no setting {setting!r}; there are {sorted(known)}."
            )
        return cls(**{**deepcopy(known[setting]), **params})
