"""Modules that are imported at their first use."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import subprocess
import sys

import pytest

import skparaphrase.networks
from skparaphrase._lazy import networks
from skparaphrase.datasets import load_faq
from skparaphrase.encoders import ParaphraseEncoder
from skparaphrase.search import SemanticSearch
from skparaphrase.supervised import SimilarityRegressor


def test_attributes_are_those_of_the_module():
    assert networks.Head is skparaphrase.networks.Head
    assert networks.__all__ == skparaphrase.networks.__all__


def test_unknown_attributes_are_errors():
    with pytest.raises(AttributeError, match="Tail"):
        _ = networks.Tail


WITHOUT_TORCH = """
import sys
class LightInstall:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "pandas"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, LightInstall())
import skparaphrase
from skparaphrase.datasets import load_faq, load_graded_pairs
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import DistilledEncoder, ParaphraseEncoder, SIFEncoder
from skparaphrase.metrics import RetrievalScorer, pearson_scorer
from skparaphrase.search import NearDuplicates, ParaphraseMiner, SemanticSearch
texts = list(load_faq().data[:60])
pairs, gold = load_graded_pairs(return_X_y=True)
assert skparaphrase.similarity("A cat sleeps.", "The cat is asleep.") > 0.5
search = SemanticSearch().fit(texts).remove(0).partial_fit(["One more."])
search.save("search")
assert len(skparaphrase.load("search").search("my parcel", k=2).text[0]) == 2
NearDuplicates().fit(texts), ParaphraseMiner().fit(texts).mine(texts)
teacher = skparaphrase.load_pretrained().transform(texts)
DistilledEncoder(dim=8).fit(texts, teacher).transform(texts)
encoder = SIFEncoder().fit(texts)
RetrievalScorer(pairs[:20])(encoder), pearson_scorer(encoder, pairs, gold)
trained = skparaphrase.load("trained")
assert trained.transform(texts).shape == (60, 256)
assert len(skparaphrase.load("model").predict(pairs[:9])) == 9
try:
    ParaphraseEncoder().fit(pairs)
except ModuleNotFoundError as error:
    print(error)
"""


def test_all_but_training_works_without_torch(tmp_path):
    pairs = [("A cat sleeps.", "A cat is asleep."), ("A dog barks.", "It rains.")]
    ParaphraseEncoder(max_epochs=1).fit(pairs).save(tmp_path / "trained")
    SimilarityRegressor(max_epochs=1).fit(pairs, [5, 0]).save(tmp_path / "model")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", WITHOUT_TORCH],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Training, and networks, need PyTorch: pip install")
    assert "--index-url https://download.pytorch.org/whl/cpu" in done.stdout


@pytest.mark.parametrize(
    "use",
    [
        lambda: SemanticSearch().fit(["A cat."]).search("cats", as_frame=True),
        lambda: load_faq(as_frame=True),
    ],
)
def test_frames_need_pandas(use, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="as_frame=True needs pandas: pip install p"):
        use()
