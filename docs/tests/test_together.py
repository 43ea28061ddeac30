"""The examples with other libraries, of those that are installed."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re
import textwrap
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from skparaphrase import EmbeddingAdapter, load_pretrained
from skparaphrase.datasets import load_faq, load_graded_pairs
from skparaphrase.metrics import pearson_scorer
from skparaphrase.search import NearDuplicates

PAGE = Path(__file__).parents[1] / "user_guide/together.rst"
BLOCKS = re.findall(
    r"\.\. code-block:: python\n\n((?:   .*\n|\n)+)", PAGE.read_text("utf-8")
)
FAQ = load_faq()


@pytest.fixture
def run(monkeypatch):
    """Run the block of a page that imports a library, and return its names."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")

    def run(library):
        pytest.importorskip(library)
        wanted = f"(from|import) {library}[ .\n]"
        block = next(each for each in BLOCKS if re.search(wanted, each))
        names = {}
        exec(textwrap.dedent(block), names)
        return names

    return run


@pytest.mark.filterwarnings("ignore")
def test_bertopic(run):
    names = run("bertopic")
    assert type(names["model"].embedding_model).__name__ == "SklearnEmbedder"
    assert len({*names["topics"]}) == 25
    rng = np.random.default_rng(0)
    by_chance = adjusted_rand_score(FAQ.topics, rng.permutation(names["topics"]))
    assert adjusted_rand_score(FAQ.topics, names["topics"]) > by_chance + 0.05


@pytest.mark.filterwarnings("ignore")
def test_bertopic_does_not_recognise_an_encoder(monkeypatch):
    pytest.importorskip("bertopic")
    from bertopic.backend import _sentencetransformers, _utils

    loaded = []
    monkeypatch.setattr(
        _sentencetransformers, "SentenceTransformerBackend", loaded.append
    )
    _utils.select_backend(load_pretrained())
    assert [type(name) for name in loaded] == [str]


PARCEL = "My parcel never arrived, what happens now?"


@pytest.mark.filterwarnings("ignore")
def test_langchain(run):
    assert run("langchain_core")["hits"][0].page_content == PARCEL


@pytest.mark.filterwarnings("ignore")
def test_chromadb(run):
    assert run("chromadb")["hits"]["documents"][0][0] == PARCEL


@pytest.mark.filterwarnings("ignore")
def test_llama_index(run):
    assert run("llama_index")["hits"][0].text == PARCEL


@pytest.mark.filterwarnings("ignore")
def test_keybert(run):
    words = [word for word, _ in run("keybert")["keywords"]]
    assert len(words) == 3
    assert "parcel" in words


@pytest.mark.filterwarnings("ignore")
def test_mteb(run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (scores,) = run("mteb")["results"].task_results[0].scores["test"]
    pairs = load_graded_pairs()
    expected = pearson_scorer(load_pretrained(), pairs.data, pairs.target)
    for name in "cosine_pearson", "pearson":
        assert scores[name] == pytest.approx(expected, abs=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_mteb_retrieval(monkeypatch):
    mteb = pytest.importorskip("mteb")
    mocks = pytest.importorskip("mteb.mocks")
    results = mteb.evaluate(EmbeddingAdapter(), mocks.MockRetrievalTask(), cache=None)
    assert results.task_results[0].get_score() > 0


@pytest.mark.filterwarnings("ignore")
def test_semhash(run):
    kept = run("semhash")["kept"]
    ours = NearDuplicates(must_agree=None, threshold=0.8).fit(FAQ.data)
    assert abs(len(kept) - len(ours.representative_indices_)) < 5  # approximate
