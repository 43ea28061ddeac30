"""Every public argument that takes an array takes all types and layouts of numbers."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest

import skparaphrase
from skparaphrase import metrics
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder, DistilledEncoder, SIFEncoder
from skparaphrase.pairs import LastAxis, PairFeatures, PairSimilarity
from skparaphrase.search import SemanticSearch
from skparaphrase.supervised import SimilarityRegressor
from skparaphrase.vectors import (
    WordFrequencies,
    WordVectors,
    apply_sif_weights,
    fit_subwords,
    remove_mean,
    save_word_vectors,
)
from skparaphrase.vectors._subwords import Subwords

WORDS = "the", "cat", "sat", "on", "mats", "here"
TEXTS = ["the cat sat", "on mats here", "the mats", "cat here", "sat on", "here"]
PAIRS = [*zip(TEXTS, TEXTS[1:] + TEXTS[:1], strict=True)]
NUMBERS = np.random.default_rng(0).integers(1, 100, (6, 4)).astype(np.float64)
QUANTISED = NUMBERS.astype(np.int8)


def unaligned(array):
    raw = np.zeros(array.nbytes + 1, np.uint8)
    found = raw[1:].view(array.dtype).reshape(array.shape)
    found[...] = array
    assert not found.flags.aligned
    return found


def strided(array):
    return np.repeat(array, 2, axis=-1)[..., ::2]


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def reversed_twice(array):
    return array[::-1].copy()[::-1]


LAYOUTS = {
    "Fortran order": np.asfortranarray,
    "strided": strided,
    "negative strides": reversed_twice,
    "unaligned": unaligned,
    "read-only": read_only,
    "masked, without a missing number": np.ma.array,
}
KINDS = {
    **{name: lambda a, name=name: a.astype(name) for name in (">f2 >f4 >f8".split())},
    **{name: lambda a, name=name: a.astype(name) for name in ("u1 i2 >i4 u8".split())},
    "longdouble": lambda a: a.astype(np.longdouble),
    **{
        f"{name}, {dtype}": lambda a, layout=layout, dtype=dtype: layout(
            a.astype(dtype)
        )
        for name, layout in LAYOUTS.items()
        for dtype in ("f4", "f2", "f8")
    },
}
FREQUENCIES = WordFrequencies({word: i + 1 for i, word in enumerate(WORDS)})


def embed(vectors):
    return AverageEncoder(vectors).transform(TEXTS)


def vectors_of_a_search(array):
    search = SemanticSearch().fit(array)
    return search.search(array, k=2).score


def regress(y):
    model = SimilarityRegressor(max_epochs=2, batch_size=2, random_state=0)
    return model.fit(PAIRS, y).predict(PAIRS)


def replace_rows(array):
    table = WordVectors(WORDS, NUMBERS)
    return table.with_rows([0, 2], array[:2]).matrix


COLUMN = slice(None), 0
CALLS = {  # functions of an array of NUMBERS
    "WordVectors": lambda a: embed(WordVectors(WORDS, a)),
    "SIFEncoder": lambda a: (
        SIFEncoder(WordVectors(WORDS, a), frequencies=FREQUENCIES)
        .fit(TEXTS)
        .transform(TEXTS)
    ),
    "WordVectors(scale=)": lambda a: embed(
        WordVectors(WORDS, QUANTISED, scale=a[COLUMN])
    ),
    "with_rows": replace_rows,
    "remove_mean": lambda a: remove_mean(WordVectors(WORDS, a)).rows(),
    "apply_sif_weights": lambda a: apply_sif_weights(
        WordVectors(WORDS, a), FREQUENCIES
    ).rows(),
    "fit_subwords": lambda a: fit_subwords(WordVectors(WORDS, a), n_rows=8)["cats"],
    "Subwords": lambda a: Subwords(a).vectors(WORDS),
    "Subwords(scale=)": lambda a: Subwords(QUANTISED, scale=a[COLUMN]).vectors(WORDS),
    "Subwords(shift=)": lambda a: Subwords(NUMBERS, shift=a[0]).vectors(WORDS),
    "DistilledEncoder": lambda a: (
        DistilledEncoder(WordVectors(WORDS, NUMBERS), dim=2, n_subwords=None)
        .fit(TEXTS, a)
        .transform(TEXTS)
    ),
    "SemanticSearch": vectors_of_a_search,
    "CommonComponentRemoval": lambda a: CommonComponentRemoval().fit_transform(a),
    "PairSimilarity": lambda a: PairSimilarity().predict(a.reshape(3, 2, 4)),
    "PairFeatures": lambda a: PairFeatures().fit_transform(a.reshape(3, 2, 4)),
    "LastAxis": lambda a: LastAxis(CommonComponentRemoval()).fit_transform(
        a.reshape(3, 2, 4)
    ),
    "pearson_score": lambda a: metrics.pearson_score(a[COLUMN], NUMBERS[:, 1]),
    "spearman_score": lambda a: metrics.spearman_score(a[COLUMN], NUMBERS[:, 1]),
    "map_score": lambda a: metrics.map_score(
        [0, 1, 1, 0, 1, 0], a[COLUMN], [1, 1, 1, 2, 2, 2]
    ),
    "y": lambda a: regress(a[COLUMN]),
}


@pytest.mark.filterwarnings("ignore:.*fewer texts than dimensions:UserWarning")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_types_and_layouts(call):
    expected = call(NUMBERS.copy())
    for name, convert in KINDS.items():
        array = convert(NUMBERS)
        np.testing.assert_allclose(call(array), expected, rtol=1e-3, err_msg=name)
        np.testing.assert_array_equal(array, NUMBERS, err_msg=f"{name} was changed")


@pytest.mark.parametrize("dtype", [">f4", ">f2", "i4"])
def test_tables_are_loaded_as_they_were_saved(dtype, tmp_path):
    table = WordVectors(WORDS, NUMBERS.astype(dtype))
    save_word_vectors(table, tmp_path / "table")
    loaded = skparaphrase.load(tmp_path / "table")
    np.testing.assert_array_equal(loaded.rows(), NUMBERS)


def test_a_mapped_table_stays_mapped(tmp_path):
    np.save(tmp_path / "matrix.npy", NUMBERS.astype(np.float32))
    mapped = np.load(tmp_path / "matrix.npy", mmap_mode="r")
    assert isinstance(WordVectors(WORDS, mapped).matrix, np.memmap)
    assert isinstance(Subwords(mapped).matrix, np.memmap)


@pytest.mark.parametrize("make", [lambda a: WordVectors(WORDS, a), Subwords])
def test_other_numbers_are_refused(make):
    for dtype in ("c16", "S4", "U4", "M8[s]", object):
        with pytest.raises(
            TypeError, match=r"matrix must hold real numbers; got dtype"
        ):
            make(np.ones((6, 4)).astype(dtype))
    hidden = np.zeros((6, 4), bool)
    hidden[2, 1] = True
    with pytest.raises(ValueError, match=r"matrix has a masked number in row 2\."):
        make(np.ma.array(NUMBERS, mask=hidden))
