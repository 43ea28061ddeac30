"""Similarities of the words of two sentences, and the focus on the best of them."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

N_CHANNELS = 13
COSINE, DISTANCE = 9, 10  # neighbouring channels of the concatenated states, from 0
UNFOCUSED = 0.1  # what the other cells are multiplied by

_EPSILON = 1e-6  # added to a distance where it divides a gradient, as in the code
_TINY = 1e-30  # a vector of zeros has cosine 0
_NOISE = 1e-13  # rounding errors of a squared distance, by the squared lengths


class _Root(torch.autograd.Function):
    """Square root whose slope at zero is finite: 1 / (2 (sqrt(x) + 1e-6))."""

    @staticmethod
    def forward(ctx: Any, squares: Tensor) -> Tensor:
        roots = squares.clamp(min=0).sqrt()
        ctx.save_for_backward(roots)
        return roots

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        (roots,) = ctx.saved_tensors
        return gradient / (2 * (roots + _EPSILON))


def similarity_cube(
    first: tuple[Tensor, Tensor], second: tuple[Tensor, Tensor], real: Tensor
) -> Tensor:
    r"""Cosine, negative Euclidean distance and dot product of each pair of words.

    The similarity cube of He & Lin (2016). Of each word there are four vectors: the
    forward state, the backward state, their sum and their concatenation. Channels are
    in the order of the paper's code: three measures each of forward states, backward
    states, sums and concatenations, and one that is 1 in real cells.

    Parameters
    ----------
    first : tuple of two Tensor of shape (n_pairs, length1, dim)
        Forward and backward states of the first sentences; anything behind their ends.
    second : tuple of two Tensor of shape (n_pairs, length2, dim)
    real : Tensor of shape (n_pairs, length1, length2), bool
        Cells within both sentences.

    Returns
    -------
    cube : Tensor of shape (n_pairs, 13, length1, length2), float64
        Zero outside of real cells.

    Notes
    -----
    In double precision a distance comes from dot products without loss, and the focus
    does not depend on how a batch is laid out.
    """
    n1, n2 = first[0].shape[1], second[0].shape[1]
    one, two = torch.cat(first, dim=1).double(), torch.cat(second, dim=1).double()
    products = one @ two.transpose(1, 2)
    ff, fb = products[:, :n1, :n2], products[:, :n1, n2:]
    bf, bb = products[:, n1:, :n2], products[:, n1:, n2:]
    dots = torch.stack([ff, bb, ff + bb + fb + bf, ff + bb], dim=1)
    squares1 = _squares(one[:, :n1], one[:, n1:])[..., :, None]
    squares2 = _squares(two[:, :n2], two[:, n2:])[..., None, :]
    lengths = (squares1.clamp(min=_TINY) * squares2.clamp(min=_TINY)).sqrt()
    sums = squares1 + squares2
    squares = sums - 2 * dots
    distances = _Root.apply(squares.masked_fill(squares < _NOISE * sums, 0))
    # Zero, and without a slope, where a vector is: its direction may not blow up.
    some = (squares1 > _TINY) & (squares2 > _TINY)
    cosines = (dots / lengths).masked_fill(~some, 0)
    triples = torch.stack([cosines, -distances, dots], dim=2)
    cells = real[:, None]
    cube = triples.flatten(1, 2).masked_fill(~cells, 0)
    return torch.cat([cube, cells.to(cube.dtype)], dim=1)


def _squares(forwards: Tensor, backwards: Tensor) -> Tensor:
    """Squared lengths of the four vectors of each word, (n_pairs, 4, length)."""
    f, b = forwards.square().sum(dim=2), backwards.square().sum(dim=2)
    s = (forwards + backwards).square().sum(dim=2)
    return torch.stack([f, b, s, f + b], dim=1)


def focus_mask(cube: Tensor) -> Tensor:
    """Which cells the focus layer picks.

    The focus layer of He & Lin (2016) as their code has it: the pair of words with the
    highest cosine (of concatenated states) is matched, then the next one of which
    neither word has its match, to the end; and so again by distance. Picked is what
    either matching holds. Of equal values the first in reading order comes first.

    Parameters
    ----------
    cube : Tensor of shape (n_pairs, 13, length1, length2)
        From :func:`similarity_cube`.

    Returns
    -------
    picked : Tensor of shape (n_pairs, length1, length2), bool
        Between min(length1, length2) and twice as many cells of each pair, real
        lengths meant.

    Notes
    -----
    Values that differ in rounding only tie. States of a word that is repeated dozens of
    times nearly tie, and which of them is picked may depend on rounding still.
    """
    with torch.no_grad():
        # Rounded, so that equal words tie however the batch is laid out.
        planes = cube[:, COSINE : DISTANCE + 1].float()
        planes = planes.masked_fill(cube[:, -1:] == 0, -torch.inf).flatten(0, 1)
        n_rows, n_columns = planes.shape[1:]
        picked = torch.zeros_like(planes, dtype=torch.bool)
        every = torch.arange(len(planes), device=cube.device)
        for _ in range(min(n_rows, n_columns)):
            values, cells = planes.flatten(1).max(dim=1)
            rows, columns = cells // n_columns, cells % n_columns
            picked[every, rows, columns] |= values > -torch.inf
            planes[every, rows] = -torch.inf
            planes[every, :, columns] = -torch.inf
        return picked.view(len(cube), 2, n_rows, n_columns).any(dim=1)


def focus_weights(picked: Tensor) -> Tensor:
    """What cells are multiplied by: 1 where picked, otherwise 0.1."""
    return torch.where(picked, 1.0, UNFOCUSED).float()
