"""Losses for training encoders, and the base class of custom losses."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from abc import ABC, abstractmethod
from collections.abc import Iterator
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from skparaphrase._compat import Interval, StrOptions
from skparaphrase._estimator import DocumentedOnline, store_parameters
from skparaphrase._lazy import functional, networks, torch
from skparaphrase._loss_batch import LossBatch
from skparaphrase._math import text_groups

if TYPE_CHECKING:
    from torch import Tensor

__all__ = [
    "BaseLoss",
    "CoSENTLoss",
    "DistillationLoss",
    "InfoNCELoss",
    "LossBatch",
    "MarginLoss",
]

BLOCK = 1024  # texts whose cosines with all others are computed at a time


class BaseLoss(DocumentedOnline, BaseEstimator, ABC):
    """Base class of losses. Custom losses define :meth:`compute`.

    Parameters of `__init__` can be tuned, as in `{"loss__margin": [0.4, 0.6]}`.

    Attributes
    ----------
    learns_from : frozenset of str
        Class attribute: some of "pairs", "triplets", "labels", "scores" and "vectors",
        the kinds of `X` and `y` that `fit` of an encoder distinguishes. The default is
        the first three. Pairs that `y` marks with 0 and 1 are "pairs".
    takes_weights : bool
        Class attribute: whether `compute` weights the examples by `batch.weights`. If
        False, the default, `fit` raises an error for `sample_weight`.
    takes_negatives : bool
        Class attribute: whether `compute` uses pairs that `y` marks with 0. These are
        `batch.n_negative` pairs, whose texts follow the texts of the `batch.n_pairs`
        paraphrases. If False, the default, `fit` leaves them out with a warning.
    """

    learns_from: ClassVar[frozenset[str]] = frozenset({"pairs", "triplets", "labels"})
    takes_weights: ClassVar[bool] = False
    takes_negatives: ClassVar[bool] = False
    _is_contrastive: ClassVar[bool] = False  # has a known loss for equal vectors

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    @property
    def _uses_start(self) -> bool:
        """Whether `LossBatch.start` is needed."""
        return False

    @abstractmethod
    def compute(self, unit: "Tensor", batch: LossBatch) -> "Tensor":
        """Compute the mean loss per example.

        Parameters
        ----------
        unit : Tensor of shape (n_texts, dim)
            Vectors of length 1, or 0 for a text without tokens. The texts of pair `i`
            of `batch.n_pairs` are in rows `2 * i` and `2 * i + 1`; the hard negatives
            of triplets follow after all pairs, in the same order. A loss that ignores
            them reads the first `2 * batch.n_pairs` rows.
        batch : LossBatch
            Further information about the texts.

        Returns
        -------
        loss : Tensor, a scalar
            Differentiable with respect to `unit`.
        """


class MarginLoss(BaseLoss):
    r"""Margin loss with one negative example per text.

    Equation 1 of Wieting et al. (2016): the mean over pairs of :math:`\max(0, \delta -
    \cos(x_1, x_2) + \cos(x_1, t_1)) + \max(0, \delta - \cos(x_1, x_2) + \cos(x_2,
    t_2))`, where :math:`t_1` and :math:`t_2` are negative examples from the other pairs
    of the batch, chosen under the current parameters.

    Parameters
    ----------
    margin : float, default=0.4
        The margin :math:`\delta`.
    negatives : {"max", "mix", "random"}, default="max"
        "max": the most similar text. "mix": the most similar or a random text, with
        equal probability. "random": a random text. As in the paper's code, a random
        text may belong to the same pair, unless `mask_identical`.
    pool : {"both", "first"}, default="both"
        Take negatives from both texts of the other pairs, as in the paper's code, or
        only from the first texts, as in its equation. The hard negatives of triplets
        are candidates of "max" for all texts.
    mask_identical : bool, default=False
        If True, never choose a negative whose string equals the text or its partner.
        The paper's code does not check this.

    References
    ----------
    J. Wieting, M. Bansal, K. Gimpel, K. Livescu, "Towards Universal Paraphrastic
    Sentence Embeddings", ICLR 2016.

    Examples
    --------
    >>> from skparaphrase.encoders import ParaphraseEncoder
    >>> from skparaphrase.losses import MarginLoss
    >>> encoder = ParaphraseEncoder(loss=MarginLoss(margin=0.6, negatives="mix"))
    >>> encoder.set_params(loss__margin=0.5).loss.margin
    0.5
    """

    takes_weights = True
    _is_contrastive = True

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

    def compute(self, unit: "Tensor", batch: LossBatch) -> "Tensor":
        """Compute the mean loss per pair; see :meth:`BaseLoss.compute`.

        Parameters
        ----------
        unit : Tensor of shape (n_texts, dim)
        batch : LossBatch

        Returns
        -------
        loss : Tensor, a scalar
        """
        return self.compare(unit, *self.choose(unit.detach(), batch), batch.weights)

    def choose(self, unit: "Tensor", batch: LossBatch) -> "tuple[Tensor, Tensor]":
        """Choose the negative example of each text.

        A random choice draws a pair, then a side; with `mask_identical` it draws from
        the remaining candidates. The trainer calls this method if texts are embedded
        twice: first without word dropout to choose negatives, then with it to compute
        the loss.

        Parameters
        ----------
        unit : Tensor of shape (n_texts, dim)
        batch : LossBatch

        Returns
        -------
        chosen : Tensor of shape (2 * n_pairs,), int64
            Rows of `unit`.
        has_negative : Tensor of shape (2 * n_pairs,), bool
            False for a text without a candidate, which adds no loss.
        """
        if self.negatives == "max":
            return self._nearest(unit, batch)
        drawn, has_negative = self._random(unit, batch)
        if self.negatives == "random":
            return drawn, has_negative
        coin = batch.random_state.random_sample(len(drawn)) < 0.5
        nearest, has_negative = self._nearest(unit, batch)
        is_drawn = networks.to_device(coin, unit.device)
        return torch.where(is_drawn, drawn, nearest), has_negative

    def _nearest(self, unit: "Tensor", batch: LossBatch) -> "tuple[Tensor, Tensor]":
        """The most similar candidate of each text, and whether it has any."""
        parts = []
        for rows, excluded in self._excluded(batch, unit.device):
            cosines = unit[rows] @ unit.T
            if unit.device.type == "cpu":  # NumPy is ten times as fast
                np.copyto(cosines.numpy(), -np.inf, where=excluded.numpy())
                nearest = torch.from_numpy(cosines.numpy().argmax(axis=1))
            else:
                nearest = cosines.masked_fill_(excluded, -torch.inf).argmax(dim=1)
            highest = cosines.gather(1, nearest[:, None])[:, 0]
            parts.append((nearest, highest > -torch.inf))
        nearest, has_negative = map(torch.cat, zip(*parts, strict=True))
        return nearest, has_negative

    def _random(self, unit: "Tensor", batch: LossBatch) -> "tuple[Tensor, Tensor]":
        """A random candidate of each text, and whether it has any."""
        n, device = len(unit) - batch.n_hard, unit.device
        if not (self.mask_identical or batch.has_classes):
            pair = batch.random_state.randint(n // 2, size=n)
            side = batch.random_state.randint(2 if self.pool == "both" else 1, size=n)
            drawn = networks.to_device(2 * pair + side, device)
            return drawn, torch.ones_like(drawn, dtype=torch.bool)
        numbers = networks.to_device(batch.random_state.random_sample(n), device)
        parts = [
            (_draw_candidate(~excluded, numbers[rows]), ~excluded.all(dim=1))
            for rows, excluded in self._excluded(batch, device)
        ]
        drawn, has_negative = map(torch.cat, zip(*parts, strict=True))
        return drawn, has_negative

    def _excluded(
        self, batch: LossBatch, device: "torch.device"
    ) -> "Iterator[tuple[slice, Tensor]]":
        """Blocks of texts, with a mask of texts (columns) that are not candidates."""
        n, texts = len(batch.identities) - batch.n_hard, batch.identities
        for start in range(0, n, BLOCK):
            own = np.arange(start, min(start + BLOCK, n))
            rows = own - start
            excluded = np.zeros((len(rows), len(texts)), dtype=bool)
            excluded[rows, own] = excluded[rows, own ^ 1] = True  # and its partner
            if self.pool == "first":
                excluded[:, 1:n:2] = True
            if self.mask_identical or batch.has_classes:
                same = texts[own, None] == texts
                excluded |= same | same[rows ^ 1]
            yield slice(start, start + len(rows)), networks.to_device(excluded, device)

    def compare(
        self,
        unit: "Tensor",
        chosen: "Tensor",
        has_negative: "Tensor",
        weights: "Tensor | None" = None,
    ) -> "Tensor":
        """Compute the mean loss per pair, given the negatives.

        Parameters
        ----------
        unit : Tensor of shape (n_rows, dim)
            The texts of the batch, followed by negatives that were embedded again.
        chosen, has_negative : Tensor of shape (2 * n_pairs,)
            As returned by :meth:`choose`.
        weights : Tensor of shape (n_pairs,), default=None

        Returns
        -------
        loss : Tensor, a scalar
        """
        texts = unit[: len(chosen)]
        first, second = texts.view(-1, 2, unit.shape[1]).unbind(dim=1)
        positive = torch.linalg.vecdot(first, second)
        negative = torch.linalg.vecdot(texts, unit.index_select(0, chosen)).view(-1, 2)
        hinges = (self.margin - positive[:, None] + negative).relu()
        if weights is not None:
            hinges = hinges * weights[:, None]
        return (hinges * has_negative.view(-1, 2)).sum() / len(positive)


class InfoNCELoss(BaseLoss):
    r"""In-batch softmax loss (InfoNCE), in both directions.

    The loss of van den Oord et al. (2018), which is not in the papers. It is the
    cross-entropy of finding the partner of each text: the first text of a pair is
    classified among all second texts of the batch and all hard negatives, and the
    second text among the first texts.

    Pairs that `y` marks with 0 are negatives. The negative pairs of a batch, with
    cosines :math:`c_m`, are together one additional candidate of each text, with the
    logit :math:`z = \log \sum_m \exp(c_m / \tau)` at the temperature :math:`\tau`. An
    additional loss, :math:`\log(1 + \exp(z - 1 / \tau))`, compares them with a text and
    itself, so they are pushed apart even if a batch has no other pairs. Without
    candidates from the batch, this orders the pairs, like :class:`CoSENTLoss`; see the
    circle loss of Sun et al. (2020) for one softmax over both.

    Parameters
    ----------
    temperature : float, default=0.1
        Divisor of the cosines.
    keep : float, default=0.5
        Weight of soft targets (Hinton et al. 2015), which are predicted by the initial
        vectors of the fit: texts that were somewhat similar stay similar. The rest is
        the weight of the partner.
    mask_known : bool, default=True
        Exclude candidates that are not negatives, because their string equals the text
        or its partner, or because pairs of the batch connect them: with (a, b) and (b,
        c), c is not a negative of a.

    References
    ----------
    A. van den Oord, Y. Li, O. Vinyals, "Representation Learning with Contrastive
    Predictive Coding", 2018.

    G. Hinton, O. Vinyals, J. Dean, "Distilling the Knowledge in a Neural Network",
    2015.

    Y. Sun et al., "Circle Loss: A Unified Perspective of Pair Similarity Optimization",
    CVPR 2020.
    """

    takes_weights = True
    takes_negatives = True
    _is_contrastive = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "temperature": [Interval(Real, 0, None, closed="neither")],
        "keep": [Interval(Real, 0, 1, closed="left")],
        "mask_known": ["boolean"],
    }

    def __init__(
        self, temperature: float = 0.1, *, keep: float = 0.5, mask_known: bool = True
    ) -> None:
        store_parameters(self, locals())

    @property
    def _uses_start(self) -> bool:
        return self.keep > 0

    def compute(self, unit: "Tensor", batch: LossBatch) -> "Tensor":
        """Compute the mean loss per pair; see :meth:`BaseLoss.compute`.

        Parameters
        ----------
        unit : Tensor of shape (n_texts, dim)
        batch : LossBatch

        Returns
        -------
        loss : Tensor, a scalar
        """
        n_pairs, n_negative = batch.n_pairs, batch.n_negative
        weights = batch.weights
        if weights is None:
            weights = unit.new_ones(n_pairs + n_negative)
        weights, of_negatives = weights.split([n_pairs, n_negative])
        mask: Any = unit.new_zeros(())
        known = self._known(batch)
        if known is not None:  # zero times -inf would be NaN
            values = known * np.float32(-1e30)
            mask = networks.to_device(values, unit.device).to(unit)

        def compare(vectors: "Tensor") -> "list[Tensor]":
            """Logits of first texts among candidates, of second among first texts.

            With negative pairs, their logit is the last column of both, and the third
            result.
            """
            pairs, hard = vectors.split([2 * (n_pairs + n_negative), batch.n_hard])
            first, second = pairs.view(-1, 2, vectors.shape[1]).unbind(dim=1)
            candidates = second[:n_pairs]
            if batch.n_hard:
                candidates = torch.cat([candidates, hard])
            logits = torch.addmm(
                mask, first[:n_pairs], candidates.T, alpha=1 / self.temperature
            )
            both = [logits, logits[:, :n_pairs].T]
            if not n_negative:
                return both
            cosines = torch.linalg.vecdot(first[n_pairs:], second[n_pairs:])
            cosines = cosines / self.temperature + of_negatives.log()
            negative = cosines.logsumexp(dim=0)
            column = negative.expand(n_pairs, 1)
            return [*(torch.cat([each, column], dim=1) for each in both), negative]

        directions = compare(unit)
        softening: Any = None, None
        if self.keep and batch.start is not None:
            softening = compare(batch.start)[:2]
        total = unit.new_zeros(())
        for logits, start in zip(directions, softening, strict=False):
            targets = torch.eye(*logits.shape, device=unit.device, dtype=unit.dtype)
            if start is not None:
                targets.lerp_(start.softmax(dim=1), self.keep)
            losses = functional.cross_entropy(logits, targets, reduction="none")
            total = total + weights @ losses
        if n_negative:  # compared with a text and itself, of cosine 1
            margin = directions[2] - 1 / self.temperature
            total = total + 2 * functional.softplus(margin)
        return total / (2 * max(n_pairs, 1))

    def _known(self, batch: LossBatch) -> "NDArray[np.bool_] | None":
        """Mask of candidates (columns) that are not negatives of each pair, or None.

        They belong to the group of the pair's texts. Candidates are the second texts
        and the hard negatives, and also the first texts. None means that all are
        negatives.
        """
        n_pairs, texts = batch.n_pairs, batch.identities
        if batch.has_classes:
            of_pairs, of_hard = texts[0 : 2 * n_pairs : 2], texts[2 * n_pairs :]
        else:
            pairs, _, hard = np.split(texts, [2 * n_pairs, len(texts) - batch.n_hard])
            n_different = len({*pairs.tolist(), *hard.tolist()})
            if not self.mask_known or n_different == len(pairs) + len(hard):
                return None
            rows = np.concatenate([pairs.reshape(-1, 2), np.column_stack([hard] * 2)])
            of_pairs, of_hard = np.split(text_groups(rows), [n_pairs])
        same = of_pairs[:, None] == np.concatenate([of_pairs, of_hard])
        np.fill_diagonal(same, False)
        return same


class CoSENTLoss(BaseLoss):
    r"""Ranking loss for graded pairs: higher scores should have higher cosines.

    The CoSENT loss of Su (2022), which is not in the papers. With cosines :math:`c_i`
    and scores :math:`s_i` of the pairs of a batch,

    .. math::
        \log \Big( 1 + \sum_{s_i > s_j} \exp(\lambda (c_j - c_i)) \Big).

    It is used by `fit(pairs, scores)`. Only the order of scores matters, not their
    scale.

    Parameters
    ----------
    scale : float, default=5.0
        The scale :math:`\lambda`. Su uses 20 for transformers. Averages of words learn
        more with 5, and get less worse on other texts.

    References
    ----------
    J. Su, "CoSENT: a more effective sentence embedding scheme than Sentence-BERT",
    2022, https://kexue.fm/archives/8847.

    Examples
    --------
    >>> from skparaphrase.datasets import load_graded_pairs
    >>> from skparaphrase.encoders import ParaphraseEncoder
    >>> from skparaphrase.losses import CoSENTLoss
    >>> pairs, scores = load_graded_pairs(return_X_y=True)
    >>> encoder = ParaphraseEncoder(loss=CoSENTLoss(scale=10), random_state=0)
    >>> encoder.fit(pairs, scores).transform(pairs).shape[1:]
    (2, 256)
    """

    learns_from = frozenset({"scores"})
    takes_weights = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "scale": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(self, scale: float = 5.0) -> None:
        store_parameters(self, locals())

    def compute(self, unit: "Tensor", batch: LossBatch) -> "Tensor":
        """Compute the loss of a batch; see :meth:`BaseLoss.compute`.

        Parameters
        ----------
        unit : Tensor of shape (n_texts, dim)
        batch : LossBatch
            Its `targets` are the scores of the pairs.

        Returns
        -------
        loss : Tensor, a scalar
        """
        assert batch.targets is not None
        cosines = torch.linalg.vecdot(unit[0::2], unit[1::2])
        # Row i, column j: excess of the cosine of pair i, which should be lower.
        excess = self.scale * (cosines[:, None] - cosines)
        if batch.weights is not None:  # a term has the product of two weights
            logs = batch.weights.log()
            excess = excess + logs[:, None] + logs
        is_right = batch.targets[:, None] >= batch.targets
        terms = excess.masked_fill(is_right, -torch.inf).flatten()
        return torch.cat([terms.new_zeros(1), terms]).logsumexp(dim=0)


class DistillationLoss(BaseLoss):
    """Cosine distance between the vectors of texts and the vectors of a teacher.

    The loss is the mean of 1 - cosine. It is used by `fit(texts, vectors)`.
    """

    learns_from = frozenset({"vectors"})
    takes_weights = True

    def compute(self, unit: "Tensor", batch: LossBatch) -> "Tensor":
        """Compute the mean loss per text; see :meth:`BaseLoss.compute`.

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
        if batch.weights is not None:
            losses = 1 - torch.linalg.vecdot(unit, batch.targets)
            return torch.dot(losses, batch.weights) / len(unit)
        return 1 - (unit * batch.targets).sum() / len(unit)


#: Losses by the names that the parameter `loss` accepts.
LOSSES: dict[str, BaseLoss] = {
    "margin": MarginLoss(),
    "infonce": InfoNCELoss(),
    "cosent": CoSENTLoss(),
    "distillation": DistillationLoss(),
}

#: Constraint of the parameter `loss`.
LOSS = [StrOptions({"auto", *LOSSES}), BaseLoss]


def _draw_candidate(allowed: "Tensor", numbers: "Tensor") -> "Tensor":
    """A candidate of each row, given a number in [0, 1); arbitrary if there is none."""
    counts = allowed.cumsum(dim=1, dtype=torch.int32)
    rank = (numbers * counts[:, -1]).to(torch.int32) + 1
    return torch.searchsorted(counts, rank[:, None])[:, 0].clamp(max=len(counts[0]) - 1)
