"""The service of the user guide, with a thousand requests at once."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest

from skparaphrase.datasets import load_faq

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")
pytestmark = pytest.mark.integration

PAGE = Path(__file__).parents[2] / "docs/user_guide/service.rst"
FAQ = load_faq()
N_THREADS, N_REQUESTS = 16, 63  # of each


@pytest.fixture
def app(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)  # the page does not install it
    code = re.search(r"code-block:: python\n\n(.*?)\n\S", PAGE.read_text("utf-8"), re.S)
    names = {}
    exec(textwrap.dedent(code[1]), names)
    return names


def use(client, number):
    """Requests of one client, whose texts nobody else changes."""
    random, mine, versions = Random(number), {}, {}
    for request in range(N_REQUESTS):
        name = f"{number}-{random.randrange(5)}"
        action = random.choice(["put", "put", "delete", "get", "get", "get"])
        if action == "put":
            row = random.randrange(len(FAQ.data))
            params = {
                "text": f"{FAQ.data[row]} {name} {request}",
                "topic": FAQ.topics[row],
            }
            response = client.put(f"/texts/{name}", params=params)
            assert response.status_code == 200 and response.json() >= 1
            mine[name] = params
        elif action == "delete":
            response = client.delete(f"/texts/{name}")
            assert response.status_code == (200 if name in mine else 404)
            mine.pop(name, None)
        else:
            query = random.choice(
                [FAQ.data[number], *(p["text"] for p in mine.values())]
            )
            response = client.get("/search", params={"query": query, "k": 20})
            assert response.status_code == 200
            hits = response.json()
            assert len({hit["id"] for hit in hits}) == len(hits)
            for hit in hits:
                *question, owner, version = hit["text"].split(" ")
                assert owner == hit["id"]
                row = FAQ.data.tolist().index(" ".join(question))
                assert hit["topic"] == FAQ.topics[row]
                # What this client has written is there, and nothing older.
                if owner.startswith(f"{number}-"):
                    assert mine[owner] == {k: hit[k] for k in ("text", "topic")}
                assert versions.get(owner, -1) <= int(version)
                versions[owner] = int(version)
            if query in [each["text"] for each in mine.values()]:
                assert hits[0]["text"] == query and hits[0]["score"] > 0.999
    return mine


def test_a_thousand_requests(app):
    from fastapi.testclient import TestClient

    with TestClient(app["app"]) as client:
        assert client.get("/search", params={"query": "a parcel"}).json() == []
        none = client.get("/search", params={"query": "a parcel", "k": 0})
        assert none.status_code == 422
        hits = app["index"].search("bike", mask=lambda c: c["topic"] == "shop")
        assert hits.text.shape == (1, 0)
        with ThreadPoolExecutor(N_THREADS) as pool:
            work = [pool.submit(use, client, number) for number in range(N_THREADS)]
        expected = {k: v for each in work for k, v in each.result().items()}
    index = app["index"]
    texts = dict(zip(index.ids_, index.texts_, strict=True))
    assert texts == {name: each["text"] for name, each in expected.items()}
    topics = dict(zip(index.ids_, index.payload_["topic"], strict=True))
    assert topics == {name: each["topic"] for name, each in expected.items()}
