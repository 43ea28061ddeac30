"""Pairwise word interaction: states, similarity cube, focus and shortcut."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import torch
from numpy.random import RandomState
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from skparaphrase.networks._cells import Packing, read_tokens, run_lstm
from skparaphrase.networks._compositions import (
    Layer,
    Network,
    new_parameter,
    uniform_,
)
from skparaphrase.networks._convolutions import GridNetwork
from skparaphrase.networks._table import Ints, pool, to_device, unit_vectors

N_CHANNELS = 13
COSINE = 9  # channel of the concatenated states, from 0, followed by the distance
SUM_COSINE = 6  # channel of the sums
UNFOCUSED = 0.1  # factor of the cells that are not selected
_DROPOUT = 0.3  # dropout rate that the paper's code defines but does not use

_EPSILON = 1e-6  # added to a distance that divides a gradient, as in the code
_TINY = 1e-30  # vectors with a smaller squared length have cosine 0
_LEAST_VARIANCE = 0.05  # of levels; with less, logits become a step function
_NOISE = 1e-13  # rounding error of a squared distance, relative to the squared lengths


def similarity_cube(
    first: tuple[Tensor, Tensor], second: tuple[Tensor, Tensor], real: Tensor
) -> Tensor:
    r"""Cosine, negative Euclidean distance and dot product of each pair of words.

    Similarity cube of He & Lin (2016). Each word has four vectors: its forward state,
    its backward state, their sum and their concatenation. The channels follow the
    paper's code: three measures each of forward states, backward states, sums and
    concatenations, and one channel that is 1 in real cells.

    Parameters
    ----------
    first : tuple of two Tensor of shape (n_pairs, length1, dim)
        Forward and backward states of the first sentences, with arbitrary values after
        their ends.
    second : tuple of two Tensor of shape (n_pairs, length2, dim)
    real : Tensor of shape (n_pairs, length1, length2), bool
        True for cells within both sentences.

    Returns
    -------
    cube : Tensor of shape (n_pairs, 13, length1, length2), float64
        Zero outside of real cells.

    Notes
    -----
    In double precision, dot products give the distances without loss, and the focus
    does not depend on the layout of the batch.
    """
    n1, n2 = first[0].shape[1], second[0].shape[1]
    one, two = torch.cat(first, dim=1).double(), torch.cat(second, dim=1).double()
    products = one @ two.transpose(1, 2)
    ff, fb = products[:, :n1, :n2], products[:, :n1, n2:]
    bf, bb = products[:, n1:, :n2], products[:, n1:, n2:]
    dots = torch.stack([ff, bb, ff + bb + fb + bf, ff + bb], dim=1)
    squares1 = _squared_lengths(one[:, :n1], one[:, n1:])[..., :, None]
    squares2 = _squared_lengths(two[:, :n2], two[:, n2:])[..., None, :]
    lengths = (squares1.clamp(min=_TINY) * squares2.clamp(min=_TINY)).sqrt()
    sums = squares1 + squares2
    squares = sums - 2 * dots
    distances = _square_root(squares.masked_fill(squares < _NOISE * sums, 0))
    # The cosine of a zero vector is constant: its direction must not diverge.
    nonzero = (squares1 > _TINY) & (squares2 > _TINY)
    cosines = (dots / lengths).masked_fill(~nonzero, 0)
    triples = torch.stack([cosines, -distances, dots], dim=2)
    cells = real[:, None]
    cube = triples.flatten(1, 2).masked_fill(~cells, 0)
    return torch.cat([cube, cells.to(cube.dtype)], dim=1)


def _square_root(squares: Tensor) -> Tensor:
    """Square root with the slope 1 / (2 (sqrt(x) + 1e-6)), which is finite at zero."""
    with torch.no_grad():
        roots = squares.sqrt()
    half = squares / (2 * (roots + _EPSILON))  # has the slope; the rest is constant
    return half + (roots - half).detach()


def _squared_lengths(forwards: Tensor, backwards: Tensor) -> Tensor:
    """Squared lengths of the four vectors of each word, (n_pairs, 4, length)."""
    f, b = forwards.square().sum(dim=2), backwards.square().sum(dim=2)
    s = (forwards + backwards).square().sum(dim=2)
    return torch.stack([f, b, s, f + b], dim=1)


@torch.no_grad()
def focus_mask(cube: Tensor, focus: str = "matching") -> Tensor:
    """Cells that the focus layer selects.

    Focus layer of He & Lin (2016). As in their code, the two words with the highest
    cosine (of concatenated states) are matched, then the next two unmatched words,
    until all words of one sentence are matched. The same is repeated with distances,
    and cells in either matching are selected. Ties are broken by reading order.

    Parameters
    ----------
    cube : Tensor of shape (n_pairs, 13, length1, length2)
        Result of `similarity_cube`.
    focus : str, default="matching"
        "paper" is algorithm 2 as printed: the states are the sums, which are channels
        10 and 11 in the order of the paper, and a matching ends after the best
        length1 + length2 cells, even if words remain unmatched.

    Returns
    -------
    picked : Tensor of shape (n_pairs, length1, length2), bool
        For each pair, between min(length1, length2) and twice as many cells, with the
        lengths of the sentences; with "paper" possibly fewer.

    Notes
    -----
    Values that differ only by rounding are equal. The states of a word that is repeated
    dozens of times are nearly equal, so rounding may break ties between them.
    """
    first = SUM_COSINE if focus == "paper" else COSINE
    # Rounded, so that equal words tie in every layout of the batch.
    planes = cube[:, first : first + 2].float()
    planes = planes.masked_fill(cube[:, -1:] == 0, -torch.inf).flatten(0, 1)
    n_rows, n_columns = planes.shape[1:]
    if focus == "paper":
        real = cube[:, -1] != 0
        lengths = real.any(dim=1).sum(dim=1) + real.any(dim=2).sum(dim=1)
        order = planes.flatten(1).argsort(dim=1, descending=True, stable=True)
        late = order.argsort(dim=1) >= lengths.repeat_interleave(2)[:, None]
        planes = planes.masked_fill(late.view_as(planes), -torch.inf)
    picked = torch.zeros_like(planes, dtype=torch.bool)
    every = torch.arange(len(planes), device=cube.device)
    for _ in range(min(n_rows, n_columns)):
        values, cells = planes.flatten(1).max(dim=1)
        rows, columns = cells // n_columns, cells % n_columns
        picked[every, rows, columns] |= values > -torch.inf
        planes[every, rows] = -torch.inf
        planes[every, :, columns] = -torch.inf
    return picked.view(len(cube), 2, n_rows, n_columns).any(dim=1)


def focus_weights(picked: Tensor, focus: str = "matching") -> Tensor:
    """Factors of the cells, (n_pairs, 13, length1, length2): 1 if picked, else 0.1.

    With "paper", the last channel is not weighted.
    """
    weights = torch.where(picked, 1.0, UNFOCUSED).float()[:, None]
    weights = weights.expand(-1, N_CHANNELS, -1, -1)
    if focus != "paper":
        return weights
    return torch.cat([weights[:, :-1], torch.ones_like(weights[:, :1])], dim=1)


# Number of pairs of similar length that share a corner of the grid.
_GROUP = {"cpu": 8, "cuda": 64}


class LSTMLayer(Layer):
    """Long short-term memory without peepholes, with two biases for each gate.

    As in the code of He & Lin (2016), all parameters are drawn from U(-r, r), with
    r = 1 / sqrt(dim_in) for `W_x` and `b_x`, and r = 1 / sqrt(dim) for `W_h` and `b_h`.

    They hold blocks for i, f, c and o: `W_x` of shape (4 * dim, dim_in), `W_h` of shape
    (4 * dim, dim), `b_x` and `b_h` of shape (4 * dim,).
    """

    def __init__(self, dim_in: int, dim: int) -> None:
        super().__init__()
        dim = int(dim)  # products of small integers of NumPy overflow
        self.W_x = new_parameter(4 * dim, dim_in)
        self.W_h = new_parameter(4 * dim, dim)
        self.b_x = new_parameter(4 * dim)
        self.b_h = new_parameter(4 * dim)

    def reset(self, random_state: RandomState) -> None:
        """Draw all parameters."""
        for weight, bias in ((self.W_x, self.b_x), (self.W_h, self.b_h)):
            for values in (weight, bias):
                uniform_(values, random_state, weight.shape[1] ** -0.5)

    def forward(self, table: Tensor, rows: Tensor, packing: Packing) -> Tensor:
        """Return the packed states of all tokens, of shape (n_tokens, dim)."""
        bias = self.b_x + self.b_h
        return run_lstm(table, rows, self.W_x, self.W_h, bias, None, packing)


class Shortcut(Layer):
    """Logits that are linear in one similarity of two sentences.

    This is an addition to the model of He & Lin (2016), which then learns the part that
    the similarity does not explain.
    """

    def __init__(self, n_outputs: int) -> None:
        super().__init__()
        self.weight = new_parameter(n_outputs)

    def reset(self, random_state: RandomState) -> None:
        """Set the parameters to zero; see :meth:`Interaction.start_from`."""
        nn.init.zeros_(self.weight)

    def forward(self, similarities: Tensor) -> Tensor:
        """Return the logits, of shape (n_pairs, n_outputs)."""
        return similarities[:, None] * self.weight


def cosines(table: Tensor, ids: Tensor, offsets: Ints, pairs: Ints) -> Tensor:
    """Cosine of the averages of two texts' word vectors, for each of `pairs`.

    Parameters as in :meth:`Interaction.forward`; 0 for pairs with an empty text.
    """
    units = unit_vectors(pool(table, ids, offsets, "mean"))
    first, second = (to_device(texts, table.device) for texts in pairs.T)
    return (units[first] * units[second]).sum(dim=1)


def coverages(
    table: Tensor, ids: Tensor, offsets: Ints, pairs: Ints, max_words: int
) -> Tensor:
    r"""Coverage of the words of the first text by the words of the second.

    Directed similarity of Mihalcea, Corley & Strapparava (2006), with the lengths of
    the word vectors :math:`a_i, b_j` instead of idf weights: :math:`\sum_i |a_i|
    \max(0, \max_j \cos(a_i, b_j)) / \sum_i |a_i|`.

    Parameters as in :meth:`Interaction.forward`; only the first `max_words` of each
    text are used. 0 for pairs with an empty text.
    """
    vectors = table[ids]
    units = unit_vectors(vectors)
    lengths = (vectors * units).sum(dim=1)
    (first, real1), (second, real2) = (
        _padded_tokens(offsets, texts, max_words, table.device) for texts in pairs.T
    )
    products = units[first] @ units[second].transpose(1, 2)
    # There is an additional word whose cosine is 0.
    best = F.pad(products * real2[:, None], (0, 1)).amax(dim=2)
    weights = lengths[first] * real1
    return (weights * best).sum(dim=1) / weights.sum(dim=1).clamp_min(_TINY)


def _padded_tokens(
    offsets: Ints, texts: Ints, max_words: int, device: torch.device
) -> tuple[Tensor, Tensor]:
    """Positions of the first tokens of texts, and a mask of existing tokens."""
    lengths = np.minimum(offsets[texts + 1] - offsets[texts], max_words)
    positions = np.arange(lengths.max(initial=0))
    real = positions < lengths[:, None]
    tokens = np.where(real, offsets[texts][:, None] + positions, 0)
    return to_device(tokens, device), to_device(real, device)


class Interaction(Network):
    """Pairwise word interaction model (PWIM) of He & Lin (2016).

    Parameters
    ----------
    dim_in : int
        Length of the word vectors.
    dim : int or None
        Length of the states of one direction. None compares word vectors instead of
        states.
    n_outputs : int
    max_words : {32, 48, 64}
        Only the first words of a sentence are compared; the LSTM reads all words.
    focus : {"matching", "paper", "dropout", "none"}, default="matching"
        Down-weighting of cells: by the focus layer (as in the code, or as printed), by
        dropout of 30 % of the cube in training, or none.
    similarity : {"cosine", "coverage"} or None, default=None
        Input of a :class:`Shortcut`; not in the paper.
    """

    def __init__(
        self,
        dim_in: int,
        dim: int | None,
        n_outputs: int,
        *,
        max_words: int,
        focus: str = "matching",
        similarity: str | None = None,
    ) -> None:
        super().__init__()
        self.max_words = max_words
        self.focus = focus
        self.context = None if dim is None else LSTMLayer(dim_in, dim)
        self.grid = GridNetwork(N_CHANNELS, max_words, n_outputs)
        self.similarity = similarity
        self.shortcut = None if similarity is None else Shortcut(n_outputs)

    def similarities(
        self, table: Tensor, ids: Tensor, offsets: Ints, pairs: Ints
    ) -> Tensor:
        """Return the similarity of each pair for the shortcut, (n_pairs,)."""
        if self.similarity == "coverage":
            return coverages(table, ids, offsets, pairs, self.max_words)
        return cosines(table, ids, offsets, pairs)

    @torch.no_grad()
    def start_from(
        self,
        similarities: NDArray[np.float64],
        targets: NDArray[np.float64],
        weights: NDArray[np.float64] | None = None,
    ) -> None:
        r"""Set the logits to a regression on the similarity alone.

        The level, from 0 to K - 1, is predicted by a line :math:`t(s)`: weighted least
        squares with the penalty :math:`(b - K + 1)^2` on its slope `b`. With few
        examples, the line thus runs from the lowest level at 0 to the highest at 1.
        Logits follow a normal distribution around it, :math:`-(k - t(s))^2 / 2 v` with
        the mean squared error `v`. The output layer of the grid starts at zero.

        Parameters
        ----------
        similarities : ndarray of shape (n_pairs,)
        targets : ndarray of shape (n_pairs, n_outputs)
            Distributions over the levels.
        weights : ndarray of shape (n_pairs,), default=None
        """
        assert self.shortcut is not None
        levels = np.arange(targets.shape[1])
        w = np.ones(len(targets)) if weights is None else weights / weights.mean()
        s, t = (np.average(x, weights=w) for x in (similarities, targets @ levels))
        centred = similarities - s
        slope = (w * centred) @ (targets @ levels - t) + levels[-1]
        slope /= (w * centred) @ centred + 1
        line = t + slope * centred
        errors = (targets * (levels - line[:, None]) ** 2).sum(axis=1)
        variance = max(np.average(errors, weights=w), _LEAST_VARIANCE)
        biases = (levels * (t - slope * s) - levels**2 / 2) / variance
        self.shortcut.weight.copy_(torch.from_numpy(levels * slope / variance))
        self.grid.output.weight.zero_()
        self.grid.output.bias.copy_(torch.from_numpy(biases))

    def states(
        self, table: Tensor, ids: Tensor, offsets: Ints
    ) -> tuple[Tensor, Tensor]:
        """Return forward and backward states of all tokens, (n_tokens, dim) each.

        One LSTM reads in both directions, as in the paper's code (section 4).
        """
        if self.context is None:
            vectors = table[ids]
            return vectors, vectors
        # Both directions at once: every text is read a second time, reversed.
        n = len(ids)
        mirror = np.repeat(offsets[:-1] + offsets[1:] - 1, np.diff(offsets))
        reverse = to_device(mirror - np.arange(n), table.device)
        twice = torch.cat([ids, ids[reverse]]), np.append(offsets, offsets[1:] + n)
        states = read_tokens(self.context, table, *twice)
        return states[:n], states[n:][reverse]

    def cube(self, states: tuple[Tensor, Tensor], offsets: Ints, pairs: Ints) -> Tensor:
        """Return the similarities of the words of pairs, before the focus.

        The result of `similarity_cube`, given the states of all tokens. Its lengths are
        the lengths of the longest sentences, at most `max_words`.
        """
        device = states[0].device
        sides, reals = [], []
        for texts in pairs.T:
            tokens, real = _padded_tokens(offsets, texts, self.max_words, device)
            sides.append((states[0][tokens], states[1][tokens]))
            reals.append(real)
        cells = reals[0][:, :, None] & reals[1][:, None, :]
        return similarity_cube(sides[0], sides[1], cells)

    def focused(self, cube: Tensor, random_state: RandomState | None) -> Tensor:
        """Return the input of the convolutions, in single precision."""
        if self.focus in {"matching", "paper"}:
            cube = cube * focus_weights(focus_mask(cube, self.focus), self.focus)
        elif self.focus == "dropout" and random_state is not None:
            kept = random_state.random_sample(tuple(cube.shape)) >= _DROPOUT
            cube = cube * to_device(kept / (1 - _DROPOUT), cube.device)
        return cube.float()

    def forward(
        self,
        table: Tensor,
        ids: Tensor,
        offsets: Ints,
        pairs: Ints,
        random_state: RandomState | None = None,
    ) -> Tensor:
        """Return the logits, of shape (n_pairs, n_outputs).

        Texts are passed as in :meth:`Composition.forward`, and `pairs`, of shape
        (n_pairs, 2), contains their indices. `random_state` draws the dropout; None
        disables it.
        """
        states = self.states(table, ids, offsets)
        backgrounds = self.grid.backgrounds()
        order = np.argsort(np.diff(offsets)[pairs].max(axis=1), kind="stable")
        size = _GROUP.get(table.device.type, 64)
        logits = []
        for group in np.array_split(order, max(round(len(order) / size), 1)):
            cube = self.cube(states, offsets, pairs[group])
            logits.append(self.grid(self.focused(cube, random_state), backgrounds))
        from_cubes = torch.cat(logits)[to_device(np.argsort(order), table.device)]
        if self.shortcut is None:
            return from_cubes
        similarities = self.similarities(table, ids, offsets, pairs)
        return from_cubes + self.shortcut(similarities)
