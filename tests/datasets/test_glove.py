"""GloVe vectors in their published format."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest

from skparaphrase.datasets import fetch_glove

GLOVE = (
    b"the 0.1 -0.2 3\n. . . 1 2 3\nat name@domain.com 4 5 6\nna\xc3\xafve 7 8 9e-3\n"
)


def test_glove(tmp_path, archive):
    path = archive(
        tmp_path / "glove" / "glove.6B.zip",
        {"glove.6B.50d.txt": GLOVE, "glove.6B.100d.txt": b"the 1 2\n"},
    )
    vectors = fetch_glove("6B.50d", data_home=tmp_path)
    assert list(vectors.words) == ["the", ". . .", "at name@domain.com", "na\u00efve"]
    np.testing.assert_allclose(vectors["na\u00efve"], [7, 8, 9e-3])
    path.unlink()
    few = fetch_glove(
        "6B.50d", limit=3, vocabulary=["the", "x"], dtype="float16", data_home=tmp_path
    )
    assert list(few.words) == ["the"] and few.dtype == np.float16
    with pytest.raises(OSError, match=r"glove\.6B\.zip is missing"):
        fetch_glove("6B.100d", data_home=tmp_path, download_if_missing=False)
    with pytest.raises(ValueError, match="name must be one of"):
        fetch_glove("6B.299d", data_home=tmp_path)
