"""Losses that encoders are trained with, and the base for a loss of your own."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from abc import ABC, abstractmethod
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

from sklearn.base import BaseEstimator

from skparaphrase._compat import Interval, StrOptions
from skparaphrase._estimator import DocumentedOnline, store_parameters
from skparaphrase._lazy import nn

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["DistillationLoss", "InfoNCELoss", "Loss", "MarginLoss"]


class Loss(DocumentedOnline, BaseEstimator, ABC):
    """Base class of losses. A loss of your own defines :meth:`compute`.

    Parameters of `__init__` can be searched, as in `{"loss__margin": [0.4, 0.6]}`.

    Attributes
    ----------
    needs_targets : bool
        Class attribute. False: examples are paraphrase pairs. True: examples are texts
        with the vectors of a teacher, `fit(texts, vectors)`.
    """

    needs_targets: ClassVar[bool] = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    @abstractmethod
    def compute(self, unit: "Tensor", batch: "nn.LossBatch") -> "Tensor":
        """The mean loss of an example.

        Parameters
        ----------
        unit : Tensor of shape (n_texts, dim)
            Vectors of length 1, or 0 for a text without tokens. The texts of pair `i`
            are in rows `2 * i` and `2 * i + 1`.
        batch : LossBatch
            With attributes `identities`, an ndarray of shape (n_texts,) with equal
            numbers for equal strings; `random_state`, the source of all random choices;
            and `targets`, a Tensor of shape (n_texts, dim) if the loss `needs_targets`.

        Returns
        -------
        loss : Tensor, a scalar
            Differentiable with respect to `unit`.
        """


class MarginLoss(Loss):
    r"""Margin loss of Wieting et al. (2016), equation 1.

    The mean over pairs of :math:`\max(0, \delta - \cos(x_1, x_2) + \cos(x_1, t_1)) +
    \max(0, \delta - \cos(x_1, x_2) + \cos(x_2, t_2))`, where :math:`t_1` and
    :math:`t_2` are negative examples from the other pairs of the batch, chosen under
    the current parameters.

    Parameters
    ----------
    margin : float, default=0.4
        :math:`\delta`.
    negatives : {"max", "mix", "random"}, default="max"
        "max": the most similar text. "mix": that or a random text, by a fair coin.
        "random": a random text. As in the paper's code, a random text may belong to the
        same pair, unless `mask_identical`.
    pool : {"both", "first"}, default="both"
        Take negatives from both texts of the other pairs, as in the paper's code, or
        only from the first texts, as in its equation.
    mask_identical : bool, default=False
        Never choose a negative whose string equals the text or its partner. The paper's
        code does not check this.

    References
    ----------
    J. Wieting, M. Bansal, K. Gimpel, K. Livescu, "Towards Universal Paraphrastic
    Sentence Embeddings", ICLR 2016.

    Examples
    --------
    >>> from skparaphrase.encoders import ParagramEncoder
    >>> from skparaphrase.losses import MarginLoss
    >>> encoder = ParagramEncoder(loss=MarginLoss(margin=0.6, negatives="mix"))
    >>> encoder.set_params(loss__margin=0.5).loss.margin
    0.5
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "margin": [Interval(Real, 0, None, closed="left")],
        "negatives": [StrOptions({"max", "mix", "random"})],
        "pool": [StrOptions({"both", "first"})],
        "mask_identical": ["boolean"],
    }

    def __init__(
        self,
        margin: float = 0.4,
        *,
        negatives: str = "max",
        pool: str = "both",
        mask_identical: bool = False,
    ) -> None:
        store_parameters(self, locals())

    def compute(self, unit: "Tensor", batch: "nn.LossBatch") -> "Tensor":
        """The mean loss of a pair; see :meth:`Loss.compute`.

        Parameters
        ----------
        unit : Tensor of shape (n_texts, dim)
        batch : LossBatch

        Returns
        -------
        loss : Tensor, a scalar
        """
        return self.compare(unit, *self.choose(unit.detach(), batch))

    def choose(self, unit: "Tensor", batch: "nn.LossBatch") -> "tuple[Tensor, Tensor]":
        """The negative example of each text.

        The trainer calls this method where texts are embedded twice: without word
        dropout to choose negatives, and with it to compare.

        Parameters
        ----------
        unit : Tensor of shape (n_texts, dim)
        batch : LossBatch

        Returns
        -------
        chosen : Tensor of shape (n_texts,), int64
            Rows of `unit`.
        found : Tensor of shape (n_texts,), bool
            False for a text without any candidate, which adds no loss.
        """
        return nn.choose_negatives(
            unit,
            batch.identities,
            how=self.negatives,
            pool=self.pool,
            mask_identical=self.mask_identical,
            random_state=batch.random_state,
        )

    def compare(self, unit: "Tensor", chosen: "Tensor", found: "Tensor") -> "Tensor":
        """The mean loss of a pair, given the negatives.

        Parameters
        ----------
        unit : Tensor of shape (n_rows, dim)
            The texts of the batch, and then negatives that were embedded once more.
        chosen, found : Tensor of shape (n_texts,)
            As returned by :meth:`choose`.

        Returns
        -------
        loss : Tensor, a scalar
        """
        return nn.margin_loss(unit, chosen, found, self.margin)


class InfoNCELoss(Loss):
    """Cross-entropy of finding the partner in the batch, averaged over both directions.

    Not in the papers; van den Oord et al. (2018). The first text of each pair is
    classified among all second texts of the batch, and the second among the first.

    Parameters
    ----------
    temperature : float, default=0.1
        Divides the cosines.
    mask_identical : bool, default=False
        Exclude candidates whose string equals the text or its partner.

    References
    ----------
    A. van den Oord, Y. Li, O. Vinyals, "Representation Learning with Contrastive
    Predictive Coding", 2018.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "temperature": [Interval(Real, 0, None, closed="neither")],
        "mask_identical": ["boolean"],
    }

    def __init__(
        self, temperature: float = 0.1, *, mask_identical: bool = False
    ) -> None:
        store_parameters(self, locals())

    def compute(self, unit: "Tensor", batch: "nn.LossBatch") -> "Tensor":
        """The mean loss of a pair; see :meth:`Loss.compute`.

        Parameters
        ----------
        unit : Tensor of shape (n_texts, dim)
        batch : LossBatch

        Returns
        -------
        loss : Tensor, a scalar
        """
        return nn.infonce_loss(
            unit,
            batch.identities,
            temperature=self.temperature,
            mask_identical=self.mask_identical,
        )


class DistillationLoss(Loss):
    """Mean of 1 - cosine between the vectors of texts and those of a teacher.

    The encoder is fitted with `fit(texts, vectors)`.
    """

    needs_targets = True

    def compute(self, unit: "Tensor", batch: "nn.LossBatch") -> "Tensor":
        """The mean loss of a text; see :meth:`Loss.compute`.

        Parameters
        ----------
        unit : Tensor of shape (n_texts, dim)
        batch : LossBatch
            Its `targets` are the teacher's unit vectors.

        Returns
        -------
        loss : Tensor, a scalar
        """
        assert batch.targets is not None
        return 1 - (unit * batch.targets).sum() / len(unit)


#: Constraint of the parameter `loss`.
LOSS = [StrOptions({"margin", "infonce", "distillation"}), Loss]


def check_loss(loss: str | Loss, margin_loss: MarginLoss) -> Loss:
    """The object that the parameter `loss` stands for.

    `margin_loss` is what "margin" means for the encoder, the setting of its paper.
    """
    if loss == "margin":
        loss = margin_loss
    elif isinstance(loss, str):
        loss = InfoNCELoss() if loss == "infonce" else DistillationLoss()
    loss._validate_params()
    return loss
