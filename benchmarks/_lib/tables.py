"""Rounding and compression of the tables that come with the package."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import zlib
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
from numpy.typing import NDArray

STEP = 0.8  # of the rounding of n-grams, in median lengths of the rows


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
