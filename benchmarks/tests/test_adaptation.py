"""The benchmark of fits: its samples, scores and verdicts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import importlib
import warnings
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import pearsonr
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import normalize

from skparaphrase import load_pretrained
from skparaphrase.datasets import load_faq, load_graded_pairs, load_paraphrases

FOLDER = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def folder(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.syspath_prepend(str(FOLDER / "quality"))


@pytest.fixture
def fits():
    return importlib.import_module("_lib.fits")


@pytest.fixture
def script():
    return importlib.import_module("adaptation")


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A folder with the bundled data in place of the public data."""
    root = tmp_path_factory.mktemp("shared")
    faq = load_faq()
    rows = list(zip(faq.topics, faq.data, strict=True))
    write_tsv(root, "intents/train", "intent text", rows[::2])
    write_tsv(root, "intents/test", "intent text", rows[1::2])
    pairs = load_paraphrases().data[:600].tolist()
    rows = [(number // 3, *pair) for number, pair in enumerate(pairs)]
    write_tsv(root, "paraphrase/flickr8k", "group sentence1 sentence2", rows)
    pairs, scores = load_graded_pairs(return_X_y=True)
    rows = [(score, *pair) for score, pair in zip(scores, pairs, strict=True)]
    sets = ["2012.a", "2012.b", "2013.a", "2014.a", "2015.a"]
    for first, name in enumerate([*(f"sts/{of}" for of in sets), "sick/test"]):
        write_tsv(root, name, "score sentence1 sentence2", rows[first::6])
    return root


def write_tsv(root, name, head, rows):
    path = root / f"data/{name}.tsv"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [head.split(), *rows]
    text = "\n".join("\t".join(map(str, line)) for line in lines)
    path.write_text(text + "\n", encoding="utf-8")


@pytest.fixture
def data(root, monkeypatch):
    module = importlib.import_module("_lib.adaptation_data")
    monkeypatch.setattr(module, "N_TEST", 50)
    return module.AdaptationData(Namespace(data=root, quick=False, seeds=1))


def unit(texts):
    return normalize(load_pretrained().transform(texts))


def nearest(known, asked):
    model = KNeighborsClassifier(1, metric="cosine", algorithm="brute")
    return 100 * model.fit(unit(known[0]), known[1]).score(unit(asked[0]), asked[1])


def test_a_seed_draws_as_many_texts_of_each_intent(data):
    X, y = data.few_texts(3, 0)
    assert set(np.unique_counts(y).counts) == {3}
    known = dict(zip(*data.intents("train"), strict=True))
    assert [known[text] for text in X] == y.tolist()
    assert data.few_texts(3, 0)[0].tolist() == X.tolist()
    assert data.few_texts(3, 1)[0].tolist() != X.tolist()


def test_pairs_of_a_class_contain_every_text_twice(data):
    pairs = importlib.import_module("_lib.adaptation_data").class_pairs
    X, y = data.few_texts(4, 0)
    found = pairs(X, y, 0)
    labels = dict(zip(X, y, strict=True))
    assert all(labels[a] == labels[b] and a != b for a, b in found)
    assert sorted(found.ravel()) == sorted([*X, *X])


def test_captions_of_a_picture_are_on_one_side(data):
    train, held_out = data.captions.train, data.captions.test.pairs
    pairs = load_paraphrases().data[:600].tolist()
    pictures = [
        {pairs.index(pair) // 3 for pair in part.tolist()} for part in (train, held_out)
    ]
    assert len(train) == 510 and not pictures[0] & pictures[1]


def test_general_quality_is_the_mean_of_years(data):
    found = data.general(load_pretrained())
    pairs, scores = load_graded_pairs(return_X_y=True)
    vectors = load_pretrained().transform(pairs)
    cosines = np.sum(normalize(vectors[:, 0]) * normalize(vectors[:, 1]), axis=1)
    r = [100 * pearsonr(cosines[n::6], scores[n::6])[0] for n in range(6)]
    assert found["STS"] == pytest.approx(((r[0] + r[1]) / 2 + sum(r[2:5])) / 4)
    assert found["SICK"] == pytest.approx(r[5])


def test_scores_of_labels(fits, data):
    known, asked = data.few_texts(5, 0), data.intents("test")
    found = fits.neighbour(load_pretrained(), known, asked)
    assert found == pytest.approx(nearest(known, asked))
    classifier = LogisticRegression(C=10, max_iter=1000, tol=1e-6)
    classifier.fit(unit(known[0]), known[1])
    score = 100 * classifier.score(unit(asked[0]), asked[1])
    # The scale of the vectors, and so the end of the solver, may differ a little.
    found = fits.logistic(load_pretrained(), known, asked)
    assert found == pytest.approx(score, abs=100 * 2 / len(asked[0]))


def test_a_blend_lies_between_start_and_end(fits, data):
    encoder = fits.trained(data.captions.train, seed=0).estimator
    texts = ["a dog runs through the qwertyish grass", *data.captions.train[:9, 0]]
    plain = clone(encoder).set_params(pooling="mean", norm=None)
    vars(plain).update(vectors_=encoder.vectors_, parameters_={})
    start = load_pretrained(pooling="mean", norm=None).transform(texts)
    end = plain.transform(texts)
    assert np.abs(end - start).max() > 0.01
    for share in (0.0, 0.6, 1.0):
        blend = fits.blend(encoder, share)
        assert (blend.pooling, blend.norm) == ("distinct", "l2")
        found = blend.set_params(pooling="mean", norm=None).transform(texts)
        expected = (1 - share) * start + share * end
        np.testing.assert_allclose(found, expected, atol=1e-5)


class Warner(BaseEstimator):
    def fit(self, X, y=None):
        warnings.warn("No progress.", ConvergenceWarning, stacklevel=1)
        warnings.warn("Not counted.", UserWarning, stacklevel=1)
        return self


def test_warnings_are_counted_and_the_same_seed_gives_the_same_fit(fits, data):
    assert fits.timed(Warner(), [""]).n_warnings == 1
    X, y = data.few_texts(5, 0)
    one, other = (fits.trained(X, y, seed=7) for _ in range(2))
    assert one.n_warnings == 0
    vectors = [fit.estimator.transform(X[:9]) for fit in (one, other)]
    np.testing.assert_array_equal(*vectors)


def test_section_of_intents(script, data, monkeypatch):
    monkeypatch.setattr(script, "TEXTS_PER_INTENT", (5,))
    pairs, row = script.intents(data)
    assert [pairs[""], row[""]] == ["50 pairs", "5 texts an intent"]
    start = nearest(data.few_texts(5, 0), data.intents("test"))
    assert row["neighbour, start"] == [pytest.approx(start)]
    assert row["neighbour"][0] > start
    assert row["STS, start"] == [data.general(load_pretrained())["STS"]]
    found = script.cells({"intents": [pairs, row]})
    assert f"| 5 texts an intent | {start:.1f} |" in "\n".join(found["intents"])
    assert found["few"] == ["(not measured)"]


def test_warnings_are_a_column_if_there_are_any(script):
    rows = [{"": "fit", "MRR": [1.0, 2.0, 4.0], "warnings": [0, 0, 0]}]
    assert script.medians(rows)[::2] == ["|  | MRR |", "| fit | 2.0 |"]
    rows[0]["warnings"] = [0, 1, 1]
    assert script.medians(rows)[::2] == ["|  | MRR | warnings |", "| fit | 2.0 | 1 |"]
    assert script.cells({"captions": rows})["n_warnings"] == 2


def test_figures_below_their_start_are_listed(script):
    rows = [{"": "fit", "MRR, start": [3.0, 4.0, 5.0], "MRR": [3.5, 4.5, 4.9]}]
    rows[0] |= {"STS, start": [5.0] * 3, "STS": [4.0] * 3}
    found = script.cells({"captions": rows})
    assert found["n_compared"] == 1
    assert found["below"][2:] == ["| captions: fit, MRR | 4.00 | 4.50 | 1 of 3 |"]
