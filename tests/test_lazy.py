"""Modules that are imported on first use."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import subprocess
import sys

import pytest
import registry  # of the folder that conftest.py adds to the path

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


HEAVY = (
    *("torch", "matplotlib", "pandas", "polars", "pyarrow", "rich", "pooch"),
    *("tokenizers", "model2vec", "sentence_transformers", "spacy", "gensim"),
)
ALL_BUT_TORCH = "\n".join(
    f"import {name}"
    for name in registry.PUBLIC
    if not {"networks", "training"} & {*name.split(".")}
)
WITHOUT_TORCH = f"""
import contextlib, pickle, sys
import sklearn.compose
with contextlib.suppress(ImportError):  # before 1.9
    import sklearn.callback
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
tried = []
class LightInstall:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {HEAVY}:
            tried.append(name)
            raise ModuleNotFoundError("No module named " + repr(name), name=name)
sys.meta_path.insert(0, LightInstall())
{ALL_BUT_TORCH}
from skparaphrase import encoders, search
from skparaphrase.datasets import load_faq, load_graded_pairs
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.losses import InfoNCELoss
from skparaphrase.metrics import RetrievalScorer, STSScorer, pearson_scorer
from skparaphrase.optimizers import Optimizer
from skparaphrase.pairs import PairSimilarity
texts = list(load_faq().data[:60])
pairs, gold = load_graded_pairs(return_X_y=True)
for name in encoders.__all__:
    owner = getattr(encoders, name)
    encoder = owner.paper() if getattr(owner, "_paper_settings", 0) else owner()
    if hasattr(encoder, "loss"):
        encoder.set_params(loss=InfoNCELoss(), optimizer=Optimizer(clip_norm=1.0))
    encoder = pickle.loads(pickle.dumps(clone(encoder)))
    repr(encoder), encoder._repr_html_(), encoder.get_params()
pipe = make_pipeline(encoders.SIFEncoder(), CommonComponentRemoval(), PairSimilarity())
grid = {{"commoncomponentremoval__n_components": [1]}}
best = GridSearchCV(pipe, grid, scoring=pearson_scorer, cv=2).fit(pairs, gold)
assert best.best_estimator_[:-1].transform(["A cat sleeps."]).shape == (1, 128)
STSScorer((pairs, gold))(best.best_estimator_)
assert skparaphrase.similarity("A cat sleeps.", "The cat is asleep.") > 0.5
index = search.SemanticSearch().fit(texts).remove(0).partial_fit(["One more."])
index.save("search")
assert len(skparaphrase.load("search").search("my parcel", k=2).text[0]) == 2
search.NearDuplicates().fit(texts), search.ParaphraseMiner().fit(texts).mine(texts)
teacher = skparaphrase.load_pretrained().transform(texts)
encoders.DistilledEncoder(dim=8).fit(texts, teacher).transform(texts)
RetrievalScorer(pairs[:20])(skparaphrase.load_pretrained())
assert skparaphrase.load("trained").transform(texts).shape == (60, 256)
assert len(skparaphrase.load("model").predict(pairs[:9])) == 9
assert tried == [], tried
try:
    encoders.ParaphraseEncoder().fit(pairs)
except ModuleNotFoundError as error:
    print(error)
"""


def test_all_but_training_works_without_torch(tmp_path):
    """Other heavy modules are not imported either."""
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
    assert done.stdout.startswith("Training and networks need PyTorch: pip install")
    assert "--index-url https://download.pytorch.org/whl/cpu" in done.stdout


@pytest.mark.parametrize(
    "use",
    [
        lambda search: search.search("cats", as_frame=True),
        lambda _: load_faq(as_frame=True),
    ],
)
def test_frames_need_pandas(use, monkeypatch):
    search = SemanticSearch().fit(["A cat."])  # scikit-learn 1.6 needs a whole pandas
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="as_frame=True needs pandas: pip install p"):
        use(search)
