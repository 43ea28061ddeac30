"""Fixtures for token batches."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest


@pytest.fixture(scope="session")
def as_lists():
    """Take a batch apart, after a check of its dtypes and bounds."""

    def convert(batch):
        assert batch.ids.dtype == np.int32 and batch.offsets.dtype == np.int64
        assert batch.offsets[0] == 0 and batch.offsets[-1] == len(batch.ids)
        return [batch[i].tolist() for i in range(len(batch))]

    return convert
