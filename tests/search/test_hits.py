"""Hits as frames, joined with a table, and displayed."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
from numpy.testing import assert_array_equal

from skparaphrase.datasets import load_graded_pairs
from skparaphrase.search import SemanticSearch

TEXTS = ["Where is my parcel?", "I want my money back.", "Do you sell bikes?"]
QUERIES = load_graded_pairs().data[:40, 1]


def test_frames(search):
    frame = search.search(pd.Series(QUERIES[:3]), k=2, as_frame=True)
    hits = search.search(QUERIES[:3], k=2)
    names = ["query_row", "query", "id", "row", "text", "score"]
    assert frame.columns.tolist() == names
    assert frame["query_row"].tolist() == frame.index.tolist() == [0, 0, 1, 1, 2, 2]
    assert frame["query"].tolist() == [q for q in QUERIES[:3] for _ in range(2)]
    assert_array_equal(frame["row"], hits.row.ravel())
    assert_array_equal(frame["score"], hits.score.ravel())


def test_hits_join_the_table_of_the_queries():
    shop = pd.DataFrame(
        {"name": ["Red bike", "Blue bike", "Red bike", "qwx"], "price": [9, 8, 7, 6]},
        index=["a", "b", "c", "d"],
    )
    catalogue = pd.DataFrame({"title": ["A bicycle, red", "A tent"]}, index=[70, 71])
    search = SemanticSearch().fit(catalogue.title)
    hits = search.search(shop.name, k=1, threshold=0.4, as_frame=True)
    assert hits.index.tolist() == [*"abcd"]
    joined = shop.join(hits[["id", "score"]])
    assert len(joined) == 4
    assert joined.id[["a", "c"]].tolist() == [70, 70]
    assert joined.id.isna()["d"] and np.isnan(joined.score["d"])
    assert catalogue.loc[joined.id["a"], "title"] == "A bicycle, red"
    assert search.search(shop.name, k=1).query_id.tolist() == [*"abcd"]
    assert search.search(["a", "b"], k=1).query_id.tolist() == [0, 1]


def test_hits_are_displayed_as_a_table(search):
    texts = [*TEXTS, "A <b>long</b> text. " * 9]
    topics = {"topic": ["post", "shop", *"xy"]}
    hits = (
        SemanticSearch()
        .fit(texts, payload=topics)
        .search(["Where is my package?", "<b>"], k=2)
    )
    head, *lines = repr(hits).splitlines()
    assert head.split() == ["query", "id", "text", "topic", "score"]
    assert len(lines) == 4
    assert lines[0].startswith("Where is my package?  0   Where is my parcel?")
    assert lines[0].endswith(f"{hits.score[0, 0]:.3f}")
    assert max(map(len, lines)) < 140 and "..." in repr(hits)
    html = hits._repr_html_()
    assert (html.count("<tr>"), html.count("<th>"), html.count("<td>")) == (5, 5, 20)
    assert "<b>" not in html and "&lt;b&gt;" in html
    many = search.search(QUERIES, k=3)
    assert repr(many).splitlines()[-1] == "... 110 more"
    assert "... 110 more" in many._repr_html_()
    assert repr(search.search([], k=3)).split() == ["query", "id", "text", "score"]
    assert repr(SemanticSearch().fit([]).search("a"))
