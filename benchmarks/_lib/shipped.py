"""The bundled encoder, and data for scoring it."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import statistics
from collections.abc import Mapping
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import Any

from sklearn.preprocessing import normalize

import skparaphrase
from _lib.pages import Row
from _lib.papers import Data
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder
from skparaphrase.metrics import STSScorer
from skparaphrase.vectors import WordVectors, fit_subwords

PACKAGE = Path(skparaphrase.__file__).parent
TESTS = ("sts/201[2-5].*.tsv", "sick/test.tsv")
YEARS = ("2012", "2013", "2014", "2015")
UNKNOWN = (None, "subword")


class Material(Data):
    """Data and encoders, read or made on first use."""

    @cached_property
    def shipped(self) -> Any:
        return with_unknown(skparaphrase.load_pretrained(), "subword")

    @cached_property
    def pretrained(self) -> dict[str, Any]:
        """The bundled and the large encoder, with both poolings."""
        load, found = skparaphrase.load_pretrained, {}
        for name, path in (("shipped", "english"), ("large", self.args.large)):
            if path is not None:
                found[f'{name}, pooling="mean"'] = load(path, pooling="mean")
                found[name] = load(path)
        return found

    @cached_property
    def variants(self) -> dict[str, Any]:
        """The shipped encoder with each policy for unknown words."""
        return {called("shipped", u): with_unknown(self.shipped, u) for u in UNKNOWN}

    @cached_property
    def equal_words(self) -> AverageEncoder:
        """The shipped encoder with words of equal lengths, which undoes the weights."""
        table = self.shipped.vectors
        rows = normalize(table.rows())
        return AverageEncoder(fit_subwords(WordVectors(table.words, rows), factor=1.0))


def called(name: str, unknown: str | None) -> str:
    return f"{name}, unknown=" + ("None" if unknown is None else f'"{unknown}"')


def with_unknown(encoder: Any, unknown: str | None) -> Any:
    """The same encoder with another policy for unknown words."""
    vectors, found = encoder.vectors, copy(encoder)
    if vectors.unknown == unknown:
        return encoder
    if unknown == "subword":
        found.vectors = fit_subwords(vectors)
    else:
        found.vectors = WordVectors(
            vectors.words, vectors.matrix, scale=vectors.scale, unknown=unknown
        )
    return found


def year_means(encoder: Any, sets: Mapping[str, Any], n_components: int = 0) -> Row:
    """Pearson x 100: means over the sets of each year, over the years, and SICK."""
    scores = STSScorer(sets, postprocess=CommonComponentRemoval(n_components))(encoder)
    years = {
        year: 100 * statistics.mean(s for n, s in scores.items() if f"-{year}." in n)
        for year in YEARS
    }
    mean = statistics.mean(years.values())
    return {**years, "mean": mean, "SICK": 100 * scores["sick-test"]}
