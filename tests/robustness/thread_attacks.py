"""Threads that add, replace, remove, save and search in one index."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import pickle
import threading
from itertools import count
from random import Random
from unittest.mock import patch

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.neighbors import NearestNeighbors

import skparaphrase
from skparaphrase.datasets import load_graded_pairs
from skparaphrase.search import SemanticSearch, _state

SENTENCES = load_graded_pairs().data.ravel().tolist()
INDEXES = {
    "exact": None,
    "fitted again": NearestNeighbors(),
    "words": None,
}
TOGETHER = 3  # texts of a thread that are always replaced together


def in_threads(works):
    """Run functions in a thread each, and raise the error of one of them."""
    errors = []

    def run(work):
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


class User:
    """A thread's texts, and its operations on the shared search."""

    def __init__(self, search, number, seed, folder):
        self.search = search
        self.number = number
        self.random = Random(f"{seed} {number}")
        self.folder = folder
        self.mine = {}  # texts by id
        self.names = (f"{number}/{i}" for i in count(TOGETHER))
        self.versions = count()
        self.replace_together()

    def new_texts(self, names, version=None):
        version = next(self.versions) if version is None else version
        return {name: f"{self.random.choice(SENTENCES)} {version}" for name in names}

    def give(self, method, texts):
        """Add or replace texts; the payload repeats id and version."""
        payload = {
            "owner": [self.number] * len(texts),
            "name": list(texts),
            "version": [int(text.split()[-1]) for text in texts.values()],
        }
        getattr(self.search, method)(
            list(texts.values()), ids=list(texts), payload=payload
        )
        self.mine |= texts

    def replace_together(self):
        self.give("upsert", self.new_texts([f"{self.number}/{i}" for i in range(3)]))

    def add(self):
        n_texts = self.random.randint(1, 4)
        self.give(
            "partial_fit", self.new_texts(next(self.names) for _ in range(n_texts))
        )

    def replace(self):
        names = self.random.sample([*self.mine][TOGETHER:], min(2, len(self.mine) - 3))
        self.give("upsert", self.new_texts([*names, next(self.names)]))

    def remove(self):
        names = [*self.mine][TOGETHER:]
        gone = self.random.sample(names, self.random.randint(0, len(names) // 2))
        self.search.remove(gone)
        for name in gone:
            del self.mine[name]

    def find(self):
        query = self.random.choice(SENTENCES)
        hits = self.search.search(query, k=self.random.randint(1, 20))
        check(hits, self.search, query)
        for name, text in zip(hits.id[0], hits.text[0], strict=True):
            if name.startswith(f"{self.number}/"):
                assert self.mine[name] == text

    def find_mine(self):
        """Each text of this thread exists once."""
        hits = self.search.search(
            "a cat", k=10_000, mask=lambda columns: columns["owner"] == self.number
        )
        assert dict(zip(hits.id[0], hits.text[0], strict=True)) == self.mine
        assert hits.id.size == len(self.mine)

    def find_together(self):
        """Texts that another thread always replaces together have one version."""
        other = self.random.choice([int(i) for i in set(self.search.payload_["owner"])])
        names = [f"{other}/{i}" for i in range(TOGETHER)]
        hits = self.search.search(
            "a cat", mask=lambda columns: np.isin(columns["id"], names)
        )
        assert sorted(hits.id[0]) == names
        assert len({*hits.version[0]}) == 1

    def save(self):
        loaded = stored(self.search, self.folder / str(self.number))
        hits = loaded.search("a cat", k=len(loaded), mask=everything)
        check(hits, loaded, "a cat")
        is_mine = hits.owner[0] == self.number
        found = dict(zip(hits.id[0, is_mine], hits.text[0, is_mine], strict=True))
        assert found == self.mine

    def act(self):
        actions = {
            self.find: 10,
            self.find_mine: 1,
            self.find_together: 2,
            self.add: 3,
            self.replace: 2,
            self.replace_together: 2,
            self.remove: 1,
            self.save: 0.1,
        }
        (action,) = self.random.choices([*actions], [*actions.values()])
        action()


def new_search(kind):
    """A search of a kind; with words, it has a vectorizer that is fitted once."""
    lexical = TfidfVectorizer(analyzer="char_wb") if kind == "words" else None
    return SemanticSearch(neighbors=INDEXES[kind], lexical=lexical)


def everything(columns):
    """A mask, with which a search is exact."""
    return columns["id"] != ""


def stored(search, folder):
    """The search, saved and loaded, or pickled if its index cannot be saved."""
    if isinstance(search.neighbors, NearestNeighbors):
        return pickle.loads(pickle.dumps(search))
    search.save(folder)
    return skparaphrase.load(folder)


def check(hits, search, query):
    """Id, text, payload and vector of each hit belong together, without repetition."""
    texts = hits.text[0].tolist()
    assert len({*hits.id[0]}) == len(texts)
    assert hits.name[0].tolist() == hits.id[0].tolist()
    assert [name.split("/")[0] for name in hits.name[0]] == [*map(str, hits.owner[0])]
    assert [text.split()[-1] for text in texts] == [*map(str, hits.version[0])]
    scores = cosine_similarity(search.encoder_.transform([query, *texts]))[0, 1:]
    if search.lexical_ is not None:
        words = search.lexical_.transform([query, *texts])
        scores = (scores + cosine_similarity(words)[0, 1:]) / 2
    np.testing.assert_allclose(hits.score[0], scores, atol=1e-5)
    assert (np.diff(hits.score[0]) < 1e-5).all()


@patch.object(_state, "_BLOCK", 50)
def use_in_threads(kind, seed, folder):
    """Nothing is lost or misaligned while threads update."""
    search = new_search(kind).fit(SENTENCES[:60] if kind == "words" else [])
    search.remove(search.ids_)
    users = [User(search, number, seed, folder) for number in range(16)]

    def work(user):
        for _ in range(12):
            user.act()

    in_threads([lambda user=user: work(user) for user in users])
    expected = {name: text for user in users for name, text in user.mine.items()}
    for each in (search, stored(search, folder / "last")):
        assert len(each) == len(each.ids_) == len(each.vectors_) == len(expected)
        assert dict(zip(each.ids_, each.texts_, strict=True)) == expected
        hits = each.search("a cat", k=len(each), mask=everything)
        check(hits, each, "a cat")
        np.testing.assert_array_equal(each.vectors_, search.vectors_)
        np.testing.assert_equal(each.payload_, search.payload_)


THREAD_ATTACKS = {use_in_threads: [*INDEXES]}
