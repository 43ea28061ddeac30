"""The encoder inside a supervised model: where it begins, and what pulls it back."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from skparaphrase.encoders import ParagramEncoder
from skparaphrase.encoders._parameters import check_parameters
from skparaphrase.encoders._paraphrase import ParaphraseEncoder
from skparaphrase.encoders._trainable import (
    thawed,
    trained,
    untrained,
    warn_if_fitted,
)
from skparaphrase.text import TokenBatch

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from skparaphrase.nn import Composition, WordTable


@dataclass(frozen=True)
class Material:
    """What a trainer is made of.

    Attributes
    ----------
    texts : TokenBatch
        Of `table`'s rows.
    table : WordTable
    composition : Composition
    prior : dict of str to Tensor, or None
        What pulls the composition's parameters; None is what the composition says.
    """

    texts: TokenBatch
    table: "WordTable"
    composition: "Composition"
    prior: "dict[str, Tensor] | None" = None


def begin_encoder(
    encoder: Any,
    texts: NDArray[np.object_],
    random_state: np.random.RandomState,
    *,
    freeze: str | None,
    universal: bool,
) -> Any:
    """The encoder as training begins; the one that was given is left as it is.

    Parameters
    ----------
    encoder : encoder or None
        None: averages of the bundled vectors.

    texts : ndarray of shape (n_samples,) or (n_samples, 2)

    random_state : RandomState
        Of initial parameters.

    freeze : {"vectors", "encoder"} or None

    universal : bool
        Begin with the fitted state.

    Returns
    -------
    encoder : fitted transformer of texts
        A :class:`ParaphraseEncoder`, unless it is frozen.
    """
    if encoder is None:
        encoder = ParagramEncoder()
    if universal:
        return trained(encoder)
    if isinstance(encoder, FrozenEstimator):
        check_is_fitted(encoder)
        return thawed(encoder)
    warn_if_fitted(encoder, "prior='universal'")
    if freeze == "encoder" and not isinstance(encoder, ParaphraseEncoder):
        return clone(encoder).fit(texts.ravel())
    return untrained(encoder, texts, random_state)


def frozen_material(encoder: Any, texts: list[str], device: "torch.device") -> Material:
    """Vectors of whole texts, computed once: the average of one token each."""
    from skparaphrase.nn import Average, WordTable

    vectors = text_vectors(encoder, texts)
    numbers = np.arange(len(texts) + 1)
    return Material(
        TokenBatch(numbers[:-1].astype(np.int32), numbers),
        WordTable(vectors, initial=None, sparse=True, device=device, frozen=True),
        Average(vectors.shape[1]),
    )


def trainable_material(
    encoder: ParaphraseEncoder,
    texts: list[str],
    device: "torch.device",
    *,
    prior: ParaphraseEncoder | None,
    frozen_vectors: bool,
    sparse_updates: bool,
    scale: float,
    penalised: bool,
) -> Material:
    """Tokens of texts and all parameters of a fitted encoder.

    Parameters
    ----------
    encoder : ParaphraseEncoder
    texts : list of str
    device : torch.device
    prior : ParaphraseEncoder, or None
        The penalties pull to its vectors and parameters. None: the vectors to where
        they began, the parameters to what the composition says.
    frozen_vectors : bool
    sparse_updates : bool
    scale : float
        Of the vectors that training began with.
    penalised : bool
        Whether anything pulls the vectors.

    Raises
    ------
    TypeError
        If nothing in the encoder could be trained.
    ValueError
        If no token of the texts has a vector, or if the prior is of another shape.
    """
    import torch

    from skparaphrase.nn import WordTable

    if not isinstance(encoder, ParaphraseEncoder):
        raise TypeError(
            f"Training began with a frozen {type(encoder).__name__}, which cannot be "
            "trained. Fit a clone to start anew."
        )
    vectors = encoder.vectors_
    composition = encoder._fitted_composition().to(device)
    if prior is not None:
        if prior.vectors_.words != vectors.words:
            raise ValueError(
                "Training goes on with the words it began with, but `encoder` now "
                "has others. Fit a clone to start anew."
            )
        check_parameters(composition, prior.parameters_, "encoder")
    batch = encoder._encode_known(texts, vectors)
    initial = None
    if penalised and prior is not None:
        initial = prior.vectors_.rows(slice(None))
    elif penalised:
        initial = encoder._penalty_target()
        initial = initial if initial is None else initial * np.float32(scale)
    table = WordTable(
        vectors.rows(slice(None)),
        initial=initial,
        sparse=sparse_updates,
        device=device,
        frozen=frozen_vectors,
    )
    anchors = None
    if prior is not None:
        anchors = {k: torch.tensor(v) for k, v in prior.parameters_.items()}
    return Material(batch, table, composition, anchors)


def text_vectors(encoder: Any, texts: list[str]) -> NDArray[np.float32]:
    """Vectors of texts through a fitted transformer, shape (n_texts, dim).

    Raises
    ------
    TypeError
        If they come in another form than a dense table.
    ValueError
        If there are more or fewer than texts, or values that are not finite.
    """
    vectors = encoder.transform(texts)
    shape = getattr(vectors, "shape", ())
    if hasattr(vectors, "toarray") or len(shape) != 2:
        raise TypeError(
            f"The encoder must give dense vectors, one row a text; {encoder!r} gave "
            f"{type(vectors).__name__} of shape {shape}."
        )
    found = np.ascontiguousarray(vectors, dtype=np.float32)
    if len(found) != len(texts) or not np.isfinite(found).all():
        raise ValueError(
            f"{len(texts)} texts must get as many finite vectors; {encoder!r} gave "
            f"{len(found)}, of which {np.isfinite(found).all(axis=1).sum()} are finite."
        )
    return found
