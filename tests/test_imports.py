"""What imports bring along, and what public names keep."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import importlib
import inspect
import pkgutil
import subprocess
import sys

import pytest
from sklearn.base import BaseEstimator, clone

import skparaphrase

PUBLIC = [
    "skparaphrase",
    *(
        module.name
        for module in pkgutil.walk_packages(skparaphrase.__path__, "skparaphrase.")
        if not any(part.startswith("_") for part in module.name.split("."))
    ),
]
HEAVY = (
    "torch",
    "matplotlib",
    "pandas",
    "polars",
    "pyarrow",
    "rich",
    "pooch",
    "tokenizers",
    "model2vec",
    "sentence_transformers",
    "spacy",
    "gensim",
)

IMPORT = "import skparaphrase"
PIPELINE = """
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from skparaphrase.datasets import load_similarity
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder, SIFEncoder, TfidfEncoder
from skparaphrase.metrics import STSScorer, pearson_scorer
from skparaphrase.model_selection import pair_groups
from skparaphrase.pairs import LastAxis, PairFeatures, PairSimilarity

pairs, gold = load_similarity(return_X_y=True)
for encoder in (AverageEncoder(), TfidfEncoder(), SIFEncoder()):
    pipe = make_pipeline(encoder, CommonComponentRemoval(), PairSimilarity())
    assert pipe.fit(pairs, gold).predict(pairs).shape == (len(pairs),)
grid = {"commoncomponentremoval__n_components": [1]}
search = GridSearchCV(pipe, grid, scoring=pearson_scorer, cv=2).fit(pairs, gold)
assert search.best_estimator_[:-1].transform(["A cat sleeps."]).shape == (1, 128)
STSScorer((pairs, gold))(pipe)
pair_groups(pairs)
"""
EVERYTHING_ELSE = "\n".join(
    f"import {name}" for name in PUBLIC if "skparaphrase.nn" not in name
)
UNTRAINED = """
import pickle
from sklearn.base import clone
from skparaphrase import encoders
for name in encoders.__all__:
    owner = getattr(encoders, name)
    encoder = owner.paper() if hasattr(owner, "paper") else owner()
    encoder = pickle.loads(pickle.dumps(clone(encoder)))
    repr(encoder), encoder._repr_html_(), encoder.get_params()
"""


def loaded_after(code):
    """Heavy packages that `code` loads, beyond those that scikit-learn does."""
    code = f"""
import sys
import sklearn.callback, sklearn.compose, sklearn.model_selection, sklearn.pipeline
before = set(sys.modules)
{code}
print([name for name in {HEAVY} if name in sys.modules.keys() - before])
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().splitlines()[-1]


@pytest.mark.parametrize(
    "code",
    [IMPORT, PIPELINE, EVERYTHING_ELSE, UNTRAINED],
    ids=["import", "pipeline", "every module", "untrained"],
)
def test_nothing_heavy_is_imported(code):
    assert loaded_after(code) == "[]"


def test_nn_imports_torch():
    assert loaded_after("import skparaphrase.nn") == "['torch']"


@pytest.mark.parametrize("name", PUBLIC)
def test_public_modules_list_documented_names(name):
    module = importlib.import_module(name)
    assert inspect.getdoc(module)
    assert len(module.__all__) == len(set(module.__all__))
    for public in module.__all__:
        value = getattr(module, public)
        if callable(value):
            assert inspect.getdoc(value), public


def test_every_public_class_documents_its_methods():
    for owner in classes():
        for name, member in vars(owner).items():
            if name.startswith("_") or not inspect.isfunction(member):
                continue
            assert inspect.getdoc(member), f"{owner.__name__}.{name}"


def classes():
    found = {}
    for name in PUBLIC:
        module = importlib.import_module(name)
        for public in module.__all__:
            value = getattr(module, public)
            if inspect.isclass(value):
                found[value.__qualname__] = value
    return list(found.values())


def estimators():
    return [owner for owner in classes() if issubclass(owner, BaseEstimator)]


def test_estimators_are_found():
    names = {owner.__name__ for owner in estimators()}
    assert {"AverageEncoder", "ParagramEncoder", "PairSimilarity", "LastAxis"} <= names
    assert sum(name.endswith("Encoder") for name in names) == 13


@pytest.mark.parametrize("owner", estimators(), ids=lambda owner: owner.__name__)
def test_init_only_stores(owner):
    parameters = inspect.signature(owner).parameters
    assert all(
        parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        for parameter in parameters.values()
    )
    values = {name: object() for name in parameters}
    estimator = owner(**values)
    assert vars(estimator) == values
    assert estimator.get_params(deep=False) == values


@pytest.mark.parametrize("owner", estimators(), ids=lambda owner: owner.__name__)
def test_defaults_are_those_of_the_signature(owner):
    parameters = inspect.signature(owner).parameters
    required = {
        name: clone(BaseEstimator())
        for name, parameter in parameters.items()
        if parameter.default is parameter.empty
    }
    found = owner(**required).get_params(deep=False)
    assert found.keys() == parameters.keys()
    for name, value in found.items():
        assert value is required.get(name, parameters[name].default), name


@pytest.mark.parametrize("owner", estimators(), ids=lambda owner: owner.__name__)
def test_parameters_are_documented_in_the_order_of_the_signature(owner):
    lines = inspect.getdoc(owner).splitlines()
    start = lines.index("Parameters") + 2
    below = [i for i, line in enumerate(lines) if line.startswith("---")]
    stop = next((i - 1 for i in below if i > start), len(lines))
    documented = [
        line.partition(" : ")[0]
        for line in lines[start:stop]
        if line and not line.startswith(" ")
    ]
    assert documented == list(inspect.signature(owner).parameters)


@pytest.mark.parametrize("owner", estimators(), ids=lambda owner: owner.__name__)
def test_every_parameter_is_documented_with_its_default(owner):
    doc = inspect.getdoc(owner)
    for name, parameter in inspect.signature(owner).parameters.items():
        line = next(row for row in doc.splitlines() if row.startswith(f"{name} : "))
        if parameter.default is parameter.empty:
            continue
        written = line.rpartition("default=")[2]
        default = parameter.default
        if isinstance(default, float):
            assert float(written) == default, line
        else:
            assert written == repr(default).replace("'", '"'), line
