"""How data sets are handed out."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

Columns = dict[str, NDArray[Any]]


def make_bunch(
    columns: Columns,
    *,
    data: list[str],
    target: str | None,
    descr: str,
    return_X_y: bool,
    as_frame: bool,
    query: NDArray[Any] | None = None,
) -> Any:
    """A `Bunch` of `data`, `target` and `DESCR`, or `(data, target)`.

    `columns` holds arrays of one length; `data` names those of the text, `target` that
    of the labels or scores, None if there are none. `query`, of the same length, is
    handed out as it is, as a series beside a frame.
    """
    texts: Any = columns[data[0]]
    if len(data) > 1:
        texts = np.stack([columns[name] for name in data], axis=1)
    labels: Any = None if target is None else columns[target]
    frame = None
    if as_frame:
        import pandas as pd

        frame = pd.DataFrame(columns)
        texts = frame[data] if len(data) > 1 else frame[data[0]]
        labels = None if target is None else frame[target]
        query = None if query is None else pd.Series(query, name="query")
    if return_X_y:
        return texts, labels
    bunch = Bunch(
        data=texts,
        target=labels,
        frame=frame,
        feature_names=data,
        target_names=target,
        DESCR=descr,
    )
    if query is not None:
        bunch["query"] = query
    return bunch
