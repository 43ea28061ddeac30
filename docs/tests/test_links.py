"""Links from the HTML representation of an estimator to its page."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import importlib
import inspect
import re

import pytest
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skparaphrase
from skparaphrase._estimator import HOME
from skparaphrase.datasets import load_paraphrases
from skparaphrase.encoders import ParaphraseEncoder, SIFEncoder
from skparaphrase.pairs import EncoderUnion, LastAxis, PairSimilarity

REQUIRED = {
    LastAxis: {"transformer": StandardScaler()},
    EncoderUnion: {"transformer_list": [("sif", SIFEncoder())]},
}


def estimators():
    for room in sorted(skparaphrase._SUBMODULES):
        module = importlib.import_module(f"skparaphrase.{room}")
        for owner in map(vars(module).get, module.__all__):
            is_one = isinstance(owner, type) and issubclass(owner, BaseEstimator)
            if is_one and not inspect.isabstract(owner):
                yield room, owner


@pytest.mark.parametrize(
    ("room", "owner"),
    list(estimators()),
    ids=lambda part: getattr(part, "__name__", part),
)
def test_pages_of_estimators(room, owner):
    estimator = owner(**REQUIRED.get(owner, {}))
    link = f"{HOME}/api/generated/skparaphrase.{room}.{owner.__name__}.html"
    assert estimator._get_doc_link() == link
    page = estimator._repr_html_()
    assert f'href="{link}">' in page
    if owner in REQUIRED:
        return
    for name in estimator.get_params(deep=False):
        assert f'href="{link}#:~:text={name},-' in page, name
        described = re.search(rf'--doc-link-{name};">\s*{name}: [^<]+<br><br>', page)
        assert described, name


def test_pages_within_a_pipeline():
    page = make_pipeline(SIFEncoder(), PairSimilarity())._repr_html_()
    for part in ("encoders.SIFEncoder", "pairs.PairSimilarity"):
        assert f"{HOME}/api/generated/skparaphrase.{part}.html" in page


def test_fitted_attributes_have_pages_and_short_values():
    encoder = ParaphraseEncoder(max_epochs=1, random_state=0).fit(
        load_paraphrases().data[:20]
    )
    page = encoder._repr_html_()
    assert "ParaphraseEncoder.html#:~:text=vectors_,-" in page
    assert re.search(r"<td>WordVectors\([^<]{,40}\)</td>", page)
    assert len(page) < 100_000


class Derived(SIFEncoder):
    """An encoder of another package."""


def test_classes_of_others_have_no_page():
    assert Derived()._get_doc_link() == ""
    assert HOME not in Derived()._repr_html_()
