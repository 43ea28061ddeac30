"""The service of the user guide, with a thousand requests at once."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from skparaphrase.datasets import load_faq

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")
pytestmark = pytest.mark.integration

PAGE = Path(__file__).parents[2] / "docs/user_guide/service.rst"
FAQ = load_faq()
N_THREADS, N_ROUNDS = 16, 30  # of two or four requests


@pytest.fixture
def app(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)  # the page does not install it
    code = re.search(r"code-block:: python\n\n(.*?)\n\S", PAGE.read_text("utf-8"), re.S)
    names = {}
    exec(textwrap.dedent(code[1]), names)
    return names


def use(client, number):
    """One client replaces, finds and deletes a text that nobody else changes."""
    name = f"text {number}"
    for row in range(N_ROUNDS):
        params = {"text": f"{FAQ.data[row]} {name}", "topic": FAQ.topics[row]}
        assert client.put(f"/texts/{name}", params=params).json() >= 1
        query = {"query": params["text"], "k": 20}
        hits = client.get("/search", params=query).json()
        assert len({hit["id"] for hit in hits}) == len(hits)
        assert all(hit["text"].endswith(hit["id"]) for hit in hits)
        assert hits[0].pop("score") > 0.999
        assert hits[0] == {"id": name, **params}
        if row % 3 == 0:
            assert client.delete(f"/texts/{name}").status_code == 200
            assert client.delete(f"/texts/{name}").status_code == 404
    return name, params


def test_a_thousand_requests(app):
    from fastapi.testclient import TestClient

    with TestClient(app["app"]) as client:
        assert client.get("/search", params={"query": "a parcel"}).json() == []
        none = client.get("/search", params={"query": "a parcel", "k": 0})
        assert none.status_code == 422
        hits = app["index"].search("bike", mask=lambda c: c["topic"] == "shop")
        assert hits.text.shape == (1, 0)
        with ThreadPoolExecutor(N_THREADS) as pool:
            expected = dict(pool.map(partial(use, client), range(N_THREADS)))
    index = app["index"]
    found = zip(index.ids_, index.texts_, index.payload_["topic"], strict=True)
    assert {name: {"text": text, "topic": topic} for name, text, topic in found} == (
        expected
    )
