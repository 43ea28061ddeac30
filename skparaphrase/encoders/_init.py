"""Where training begins: anew, or with a fitted encoder."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skparaphrase.encoders._parameters import check_parameters
from skparaphrase.vectors import WordVectors

if TYPE_CHECKING:
    from skparaphrase.nn import Composition


class HasInit:
    """What the parameter `init` adds to an encoder."""

    init: Any
    vectors_: WordVectors
    parameters_: dict[str, NDArray[np.float32]]

    @abstractmethod
    def _new_table(
        self, texts: Sequence[str], random_state: np.random.RandomState
    ) -> WordVectors:
        """The vectors of tokens before training on texts, without `init`."""

    @abstractmethod
    def _composition(self, vectors: WordVectors) -> "Composition":
        """The module of `nn` that is trained, with parameters of any value."""

    def _check_goes_on(self, vectors: WordVectors) -> None:
        """Raise if training cannot go on from fitted vectors."""

    def _first_table(
        self, texts: Sequence[str], random_state: np.random.RandomState
    ) -> WordVectors:
        """The vectors that training on texts begins with."""
        if self.init is None:
            return self._new_table(texts, random_state)
        vectors: WordVectors = self._check_init().vectors_
        self._check_goes_on(vectors)
        return vectors

    def _check_init(self) -> Any:
        """The fitted encoder that training starts from."""
        # Of a FrozenEstimator.
        init: Any = getattr(self.init, "estimator", self.init)
        name = type(self).__name__
        # Other classes may have parameters of the same names and shapes.
        related = isinstance(init, type(self)) or isinstance(self, type(init))
        if not related or not isinstance(init, HasInit):
            raise TypeError(
                f"init must be a fitted {name}, or one in a FrozenEstimator; got "
                f"{self.init!r}."
            )
        if not hasattr(init, "vectors_"):
            raise ValueError(
                f"init={init!r} is not fitted. Cloning an encoder (as pipelines and "
                "grid searches do) drops its fit: wrap it in "
                "sklearn.frozen.FrozenEstimator."
            )
        check_parameters(self._composition(init.vectors_), init.parameters_, "init")
        return init
