"""Rounding and compression of the bundled tables."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import zlib
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
from numpy.typing import NDArray

from skparaphrase.vectors import WordVectors

STEP = 0.8  # of the rounding, in median lengths of the rows
# For words, STEP is multiplied by a power of their shares
STEP_RANGE, GROWTH = (0.1, 2.0), 0.35


def quantised(
    matrix: NDArray[np.float32], steps: Any = STEP
) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """Whole numbers, and the scale of each row.

    A scale is `steps` times the median length of the rows, as a root mean square.
    Coordinates on weak axes become 0, which costs little when compressed.
    """
    length = np.median(np.sqrt(np.mean(np.square(matrix), axis=1)))
    scale = np.broadcast_to(steps * length, len(matrix)).astype(np.float16)
    numbers = np.round(matrix / scale[:, np.newaxis].astype(np.float32))
    return np.clip(numbers, -127, 127).astype(np.int8), scale


def write_compressed(path: Path, arrays: dict[str, NDArray[Any]]) -> None:
    """Write a file for `np.load`; whole numbers are compressed with Huffman codes only.

    Deflate also encodes repeated bytes, which occur in rounded vectors by chance only,
    and so needs longer codes.
    """
    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=9) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as file:
                if array.dtype == np.int8:
                    # zipfile has no public way to choose the strategy of zlib.
                    file._compressor = zlib.compressobj(  # type: ignore[attr-defined]
                        9, zlib.DEFLATED, -15, 9, zlib.Z_HUFFMAN_ONLY
                    )
                np.lib.format.write_array(file, array)


def save_table(
    path: Path,
    vectors: WordVectors,
    shares: NDArray[np.float64],
    **others: NDArray[Any],
) -> None:
    """Write words, and vectors and n-grams as whole numbers with a scale for each.

    Parameters
    ----------
    path : Path
    vectors : WordVectors
        With n-grams for other words.
    shares : ndarray of shape (n_words,)
        Shares of the words among all tokens: rare words are rounded more.
    **others : dict of ndarray
        Further arrays of the file.
    """
    assert vectors.subwords is not None
    matrix, scale = quantised(vectors.rows(), STEP * steps_of_words(shares))
    rows, ngrams_scale = quantised(vectors.subwords.matrix)
    arrays = {
        "words": np.frombuffer("\n".join(vectors.words).encode(), np.uint8),
        **others,
        "ngram_range": np.array(vectors.subwords.ngram_range),
        "factor": np.array(vectors.subwords.factor),
        "scale": scale,
        "ngrams_scale": ngrams_scale,
        # Axis by axis, because the spread differs between axes.
        "matrix": np.asfortranarray(matrix),
        "ngrams": np.asfortranarray(rows),
    }
    write_compressed(path, arrays)


def steps_of_words(shares: NDArray[np.float64]) -> NDArray[np.float32]:
    """Steps of the rounding, as multiples of STEP."""
    logs = np.log(shares)
    steps = np.clip(np.exp(-GROWTH * (logs - logs.mean())), *STEP_RANGE)
    return np.float32(2 ** (np.round(4 * np.log2(steps)) / 4))
