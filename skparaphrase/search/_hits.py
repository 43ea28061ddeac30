"""The hits of a search."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from html import escape
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from skparaphrase._frames import encodable
from skparaphrase._lazy import import_for
from skparaphrase._math import Cosines
from skparaphrase._nearest import lower_bound
from skparaphrase._typing import Indices
from skparaphrase.search._columns import Column
from skparaphrase.search._state import State

_LINES, _WIDTH = 10, 48  # number of displayed lines, and of characters of a value


class Hits(Bunch):
    """The hits of a search; see :meth:`SemanticSearch.search`."""

    def _lines(self) -> dict[str, Any]:
        """Columns with one line per hit, and one line for a query without hits."""
        columns = {name: x for name, x in self.items() if np.ndim(x) == 2}
        if not self.score.size:
            missing: dict[str, Any] = {"row": -1, "score": np.nan}
            shape = len(self.query), 1
            columns = {name: np.full(shape, missing.get(name)) for name in columns}
        is_shown = columns["row"] >= 0
        is_shown[:, 0] = True
        query_row = np.nonzero(is_shown)[0]
        lines = {name: column[is_shown] for name, column in columns.items()}
        return {"query_row": query_row, "query": self.query[query_row], **lines}

    def to_frame(self) -> Any:
        """A pandas frame with the index of the queries."""
        pandas = import_for("as_frame=True", "pandas", "pandas")

        def column(values: Column, dtype: Any = None) -> Any:
            series = pandas.Series(values, dtype=dtype)
            return series.infer_objects() if dtype is None else series

        lines = self._lines()
        index = encodable(pandas.Index, self.query_id)[lines["query_row"]]
        frame = pandas.DataFrame({k: encodable(column, x) for k, x in lines.items()})
        return frame.set_axis(index)

    def _table(self) -> list[list[str]]:
        lines = self._lines()
        del lines["query_row"], lines["row"]
        cells = zip(*(x[:_LINES].tolist() for x in lines.values()), strict=True)
        rows = [[_cell(value) for value in row] for row in cells]
        if n_left := len(lines["query"]) - len(rows):
            rows.append([f"... {n_left} more", *[""] * (len(lines) - 1)])
        return [[*lines], *rows]

    def __repr__(self) -> str:
        table = self._table()
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in table)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        lines = [["<tr>", *map(escape, row)] for row in self._table()]
        cells = ("<th>".join(lines[0]), *map("<td>".join, lines[1:]))
        return f"<table>{''.join(cells)}</table>"


def make_hits(
    state: State,
    query_id: Any,
    queries: Column,
    score: Cosines,
    row: Indices,
    threshold: float | None,
) -> Hits:
    """Make hits from scores and positions in a state, the best first."""
    is_hit = score > -np.inf
    if threshold is not None:
        is_hit = score > lower_bound(threshold)
        n_hits = int(is_hit.sum(axis=1).max(initial=0))
        score, row, is_hit = score[:, :n_hits], row[:, :n_hits], is_hit[:, :n_hits]
    rows = state.rows[row]
    columns = {name: state.take(name, rows) for name in state.names}
    if not is_hit.all():
        score[~is_hit], row[~is_hit], nothing = np.nan, -1, np.array(None)
        columns = {name: np.where(is_hit, x, nothing) for name, x in columns.items()}
    hits = {"id": columns.pop("id"), "row": row, **columns, "score": score}
    return Hits(query_id=query_id, query=queries, **hits)


def _cell(value: Any) -> str:
    text = f"{value:.3f}" if isinstance(value, float) else str(value)
    text = " ".join(text.encode(errors="backslashreplace").decode().split())
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."
