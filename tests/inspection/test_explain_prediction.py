"""Contributions of words to predictions, against sums and loops written out."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from numpy.testing import assert_allclose
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    Ridge,
    RidgeClassifier,
)
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    Normalizer,
    OneHotEncoder,
    StandardScaler,
)
from sklearn.svm import SVC, LinearSVC

from skparaphrase import load_pretrained
from skparaphrase.datasets import load_entailment, load_faq, load_graded_pairs
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder, LSTMEncoder, SIFEncoder
from skparaphrase.inspection import PredictionExplanationDisplay, explain_prediction
from skparaphrase.pairs import PairFeatures
from skparaphrase.supervised import (
    PairClassifier,
    SimilarityRegressor,
    TextClassifier,
)
from skparaphrase.vectors import WordVectors

TABLE = WordVectors(["a", "cat", "dog"], [[1, 0], [0, 2], [3, 4]])
TEXT = "How long do I boil the well-known potatoes, the potatoes?"
FAST = {"max_epochs": 1, "random_state": 0, "device": "cpu"}


@pytest.fixture(scope="module")
def topics():
    faq = load_faq()
    some = np.isin(faq.target, ["recipes", "shop", "bank"])
    return faq.data[some], faq.target[some]


def check_sum(found, value):
    assert found.attrs["is_sum"]
    assert found.attrs["value"] == pytest.approx(value, rel=1e-4, abs=1e-5)
    total = found.attrs["intercept"] + found.sum()
    assert total == pytest.approx(value, rel=1e-4, abs=1e-5)


def test_a_linear_model_by_hand():
    texts, y = ["a cat", "a dog", "dog dog", "cat cat a"], [0, 1, 1, 2]
    model = make_pipeline(AverageEncoder(TABLE), LogisticRegression()).fit(texts, y)
    found = explain_prediction(model, "A dog, a cat", target=2)
    coef = model[-1].coef_[2]
    words = [[1, 0], [3, 4], [1, 0], [0, 2]]  # the table has no comma
    expected = [np.dot(word, coef) / 4 for word in words]
    assert found.index.tolist() == ["a", "dog", ",", "a", "cat"]
    assert_allclose(found, [*expected[:2], 0, *expected[2:]], atol=1e-7)
    assert found.attrs["intercept"] == pytest.approx(model[-1].intercept_[2])
    check_sum(found, model.decision_function(["A dog, a cat"])[0, 2])
    assert found.name == 2
    likeliest = explain_prediction(model, "A dog, a cat")
    assert likeliest.name == model.predict(["A dog, a cat"])[0]


def test_scaled_and_normalized_vectors_by_hand(topics):
    steps = SIFEncoder(), StandardScaler(), Normalizer(), Ridge()
    X = topics[0]
    model = make_pipeline(*steps).fit(X, np.char.str_len(X.astype(str)))
    sif, scaler, _, ridge = (step for _, step in model.steps)
    words = TEXT.lower().replace(",", " ,").replace("?", " ?").split()
    words[5:7] = ["the", "well-known"]
    table, rows, owners = sif._static_parts()[0], [], []
    for i, word in enumerate(words):
        parts = [word] if word in table else word.split("-")
        rows += [table[part] * sif.weights_[table.index[part]] for part in parts]
        owners += [i] * len(parts)
    scaled = np.array(rows) / len(rows) / scaler.scale_
    start = -scaler.mean_ / scaler.scale_
    length = np.linalg.norm(start + scaled.sum(axis=0))
    expected = np.bincount(owners, scaled @ ridge.coef_ / length)
    found = explain_prediction(model, TEXT)
    assert found.index.tolist() == words
    assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    start_value = ridge.intercept_ + start @ ridge.coef_ / length
    assert found.attrs["intercept"] == pytest.approx(start_value, rel=1e-4)
    check_sum(found, model.predict([TEXT])[0])


@pytest.mark.parametrize(
    "between",
    [
        [],
        [CommonComponentRemoval(2), Normalizer()],
        [StandardScaler(), PCA(20), Normalizer("max"), StandardScaler()],
        [make_pipeline(Normalizer(), "passthrough"), StandardScaler()],
    ],
)
@pytest.mark.parametrize(
    "last", [LogisticRegression(), LinearSVC(), RidgeClassifier(), SVC(kernel="linear")]
)
def test_contributions_add_up_to_the_decision(topics, between, last):
    X, y = topics
    model = make_pipeline(load_pretrained(), *between, last).fit(X, y)
    values = model.decision_function([TEXT])[0]
    for column, label in enumerate(model.classes_):
        found = explain_prediction(model, TEXT, label)
        if isinstance(last, SVC):  # votes of pairs of classes
            assert not found.attrs["is_sum"]
        else:
            check_sum(found, values[column])
    if not isinstance(last, SVC):
        assert explain_prediction(model, TEXT).idxmax() in ("boil", "potatoes")


def test_two_classes(topics):
    X, y = topics
    y = y == "recipes"
    model = make_pipeline(load_pretrained(), LogisticRegression()).fit(X, y)
    (value,) = model.decision_function([TEXT])
    yes, no = (explain_prediction(model, TEXT, label) for label in (True, False))
    check_sum(yes, value)
    check_sum(no, -value)
    assert_allclose(yes, -no)


def test_estimators_around_a_pipeline(topics):
    plain = make_pipeline(load_pretrained(), LogisticRegression())
    expected = explain_prediction(plain.fit(*topics), TEXT)
    grid = {"logisticregression__C": [1.0]}
    encoder = make_pipeline(FrozenEstimator(plain[0]), "passthrough")
    for model in (
        FrozenEstimator(plain),
        GridSearchCV(plain, grid, cv=2).fit(*topics),
        make_pipeline(encoder, plain[1]),
    ):
        found = explain_prediction(model, TEXT)
        assert_allclose(found, expected, atol=1e-9)
        assert found.attrs["is_sum"]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("text_norm", [2.0, None])
def test_sentence_classifier_on_averages(topics, n_classes, text_norm):
    X, y = topics
    y = np.where(y == "bank", "shop", y) if n_classes == 2 else y
    encoder = make_pipeline(load_pretrained(), CommonComponentRemoval())
    for model in (
        TextClassifier(text_norm=text_norm, **FAST),
        TextClassifier(encoder, freeze="encoder", text_norm=text_norm, **FAST),
    ):
        model.fit(X, y)
        logs = model.predict_log_proba([TEXT])[0]
        for column, label in enumerate(model.classes_):
            others = np.delete(logs, column)
            found = explain_prediction(model, TEXT, label)
            check_sum(found, logs[column] - others.mean())
        assert explain_prediction(model, TEXT).name == model.predict([TEXT])[0]


def test_several_labels_a_text(topics):
    X, y = topics
    labels = np.stack(
        [y == "bank", y == "recipes", np.char.find(X.astype(str), "I") >= 0]
    )
    y = pd.DataFrame(labels.T.astype(int), columns=["bank", "recipes", "I"])
    encoder = FrozenEstimator(load_pretrained())
    model = TextClassifier(encoder, **FAST).fit(X, y)
    odds = model.predict_proba([TEXT])[0]
    odds = np.log(odds / (1 - odds))
    for label, name in enumerate(y.columns):
        found = explain_prediction(model, TEXT, name)
        check_sum(found, odds[label])
        assert found.name == name
    assert explain_prediction(model, TEXT).name == y.columns[odds.argmax()]
    with pytest.raises(ValueError, match=r"one of \['bank', 'recipes', 'I'\]; got 1"):
        explain_prediction(model, TEXT, 1)
    unnamed = TextClassifier(encoder, **FAST).fit(X, y.to_numpy())
    assert_allclose(explain_prediction(unnamed, TEXT, 2), found)
    with pytest.raises(ValueError, match=r"one of \[0, 1, 2\]; got 'I'"):
        explain_prediction(unnamed, TEXT, "I")


def slow_deletions(values, words):
    """Values of all words minus those without a word, of a function of texts."""
    whole = values(" ".join(words))
    return [
        whole - values(" ".join(words[:i] + words[i + 1 :])) for i in range(len(words))
    ]


def log_odds(model, X, column):
    logs = model.predict_log_proba(X)[0]
    return logs[column] - np.delete(logs, column).mean()


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(load_pretrained(), RandomForestClassifier(20, random_state=0)),
        make_pipeline(load_pretrained(), CalibratedClassifierCV(LinearSVC(), cv=2)),
        CalibratedClassifierCV(make_pipeline(load_pretrained(), LinearSVC()), cv=2),
        make_pipeline(TfidfVectorizer(), LogisticRegression()),
        make_pipeline(LSTMEncoder(vectors=TABLE, dim=4, **FAST), LogisticRegression()),
        TextClassifier(hidden_dim=4, **FAST),
    ],
)
def test_words_are_deleted_where_there_is_no_sum(topics, model):
    X, y = topics
    if "lstm" in str(model).lower():
        model[0].set_params(vectors=load_pretrained().vectors)
    model.fit(X, y)

    def values(text):
        if isinstance(model, TextClassifier):
            return log_odds(model, [text], 1)
        if hasattr(model, "decision_function"):
            return model.decision_function([text])[0, 1]
        return model.predict_proba([text])[0, 1]

    found = explain_prediction(model, "Boil rice, boil the rice", model.classes_[1])
    words = ["boil", "rice", ",", "boil", "the", "rice"]
    assert found.index.tolist() == words
    assert_allclose(found, slow_deletions(values, words), atol=1e-5)
    assert not found.attrs["is_sum"] and found.attrs["intercept"] is None
    expected = values("Boil rice, boil the rice")
    assert found.attrs["value"] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("kind", ["features", "classifier", "regressor"])
def test_pairs(kind):
    load = load_graded_pairs if kind == "regressor" else load_entailment
    pairs, y = load(return_X_y=True)
    model = {
        "features": make_pipeline(
            load_pretrained(), PairFeatures(), LogisticRegression()
        ),
        "classifier": PairClassifier(**FAST),
        "regressor": SimilarityRegressor(**FAST),
    }[kind].fit(pairs, y)
    a, b = ["a", "cat", "sleeps"], ["no", "cat", "runs"]

    def value(first, second):
        X = [(" ".join(first), " ".join(second))]
        if kind == "features":
            return model.decision_function(X)[0, 1]
        return log_odds(model, X, 1) if kind == "classifier" else model.predict(X)[0]

    expected = [value(a, b) - value(a[:i] + a[i + 1 :], b) for i in range(3)]
    expected += [value(a, b) - value(a, b[:i] + b[i + 1 :]) for i in range(3)]
    target = None if kind == "regressor" else model.classes_[1]
    for pair in (("A cat sleeps", "No cat runs"), ["A cat sleeps", "No cat runs"]):
        found = explain_prediction(model, pair, target)
        assert found.index.tolist() == [("a", w) for w in a] + [("b", w) for w in b]
        assert_allclose(found, expected, atol=1e-5)
        assert found.attrs["value"] == pytest.approx(value(*map(str.split, pair)))
    assert found["b"].index.tolist() == b


def test_a_regressor(topics):
    lengths = np.char.str_len(topics[0].astype(str))
    model = make_pipeline(FrozenEstimator(load_pretrained()), LinearRegression())
    model.fit(topics[0], lengths)
    found = explain_prediction(model, TEXT)
    check_sum(found, model.predict([TEXT])[0])
    assert found.name == "prediction"


def test_a_step_that_cleans_texts(topics):
    X, y = topics
    clean = FunctionTransformer(lambda texts: np.char.lstrip(texts.astype(str), "#> "))
    plain = make_pipeline(load_pretrained(), LogisticRegression()).fit(X, y)
    sentences = TextClassifier(load_pretrained(), freeze="encoder", **FAST)
    for estimator in (plain[-1], plain, sentences):
        steps = [plain[0], plain[1]] if estimator is plain[-1] else [estimator]
        model = make_pipeline(clean, *steps).fit(X, y)
        found = explain_prediction(model, f"#> {TEXT}")
        assert_allclose(found, explain_prediction(model, TEXT))
        assert found.attrs["is_sum"] and "#" not in found.index


@pytest.mark.parametrize(
    ("last", "text", "target", "error", "message"),
    [
        (None, "", None, ValueError, "text has no words: ''"),
        (None, TEXT, "zoo", ValueError, r"one of \['bank', .*; got 'zoo'"),
        (None, 3, None, TypeError, "entry at index 0 is 3 .int."),
        (None, [TEXT], None, ValueError, "Expected pairs of texts"),
        (None, (TEXT, None), None, ValueError, r"index \(0, 1\) is None"),
        ("passthrough", TEXT, None, TypeError, "for each class, or a regressor"),
        (KMeans(2, n_init=1), TEXT, None, TypeError, "or a regressor of one output"),
        (LinearRegression(), TEXT, None, TypeError, "or a regressor of one output"),
        (RandomForestClassifier(5), TEXT, None, TypeError, "a value for each class"),
    ],
)
def test_refused(topics, last, text, target, error, message):
    X, y = topics
    targets = y if last is None else np.eye(3)[np.arange(len(y)) % 3]
    last = LogisticRegression() if last is None else last
    model = make_pipeline(load_pretrained(), last).fit(X, targets)
    with pytest.raises(error, match=message):
        explain_prediction(model, text, target)


def test_a_pipeline_that_is_not_fitted():
    model = make_pipeline(load_pretrained(), LogisticRegression())
    with pytest.raises(NotFittedError, match="Pipeline instance is not fitted yet"):
        explain_prediction(model, TEXT)
    with pytest.raises(TypeError, match="Pass the fitted model first, then the text"):
        explain_prediction(TEXT, model)


# Rows of frames


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "subject": ["a cat", "a dog", "dog dog", "cat cat a", "cat", "a a dog"],
            "body": ["dog", "", "a cat dog", "a", "dog a", "cat"],
            "size": [1.0, 2.0, 4.0, 3.0, 5.0, 0.0],
            "age": [3.0, 1.0, 2.0, 2.0, 0.0, 1.0],
            "kind": list("xyzxyz"),
            "rest": [3.0, 1.0, 2.0, 5.0, 0.0, 1.0],
        }
    )


def of_columns(last, *steps):
    columns = ColumnTransformer(
        [
            ("subject", AverageEncoder(TABLE), "subject"),
            ("body", make_pipeline(AverageEncoder(TABLE), StandardScaler()), ["body"]),
            ("numbers", StandardScaler(), [2, 3]),
            ("kind", OneHotEncoder(), ["kind"]),
        ],
        remainder="passthrough",
        transformer_weights={"subject": 2.0},
    )
    return make_pipeline(columns, *steps, last)


def test_a_row_by_hand(frame):
    model = of_columns(Ridge()).fit(frame, [0.0, 1, 5, 2, 4, 3])
    columns, ridge = model[0], model[-1]
    found = explain_prediction(model, frame.iloc[[3]])
    coef = ridge.coef_
    scaler = columns.named_transformers_["body"][-1]
    numbers = columns.transform(frame)[3, 4:6]
    cat, a = np.array([0, 2]), np.array([1, 0])
    expected = {
        ("subject", "cat"): 2 * cat @ coef[:2] / 3,
        ("subject", "a"): 2 * a @ coef[:2] / 3,
        ("body", "a"): (a / scaler.scale_) @ coef[2:4],
        ("size", ""): numbers[0] * coef[4],
        ("age", ""): numbers[1] * coef[5],
        ("kind", ""): coef[6],
        ("rest", ""): 5 * coef[9],
    }
    words = [("subject", "cat"), *expected]
    assert found.index.tolist() == words
    assert_allclose(found, [expected[word] for word in words], atol=1e-6)
    start = ridge.intercept_ - (scaler.mean_ / scaler.scale_) @ coef[2:4]
    assert found.attrs["intercept"] == pytest.approx(start, abs=1e-6)
    check_sum(found, model.predict(frame)[3])


def test_rows_with_tfidf_empty_texts_and_later_steps(frame):
    model = of_columns(LogisticRegression(), MaxAbsScaler(), StandardScaler())
    tfidf = TfidfVectorizer(token_pattern=r"\w+")
    model[0].transformers.append(("words", tfidf, "subject"))
    y = ["one", "two", "three"] * 2
    model.fit(frame, y)
    values = model.decision_function(frame)
    for row in range(len(frame)):
        for column, label in enumerate(model.classes_):
            found = explain_prediction(model, frame.iloc[[row]], label)
            check_sum(found, values[row, column])
        assert (("body", "") in found.index) == (not frame["body"][row])
    mixed = explain_prediction(model, frame.iloc[[0]])
    assert ("subject", "") in mixed.index  # tf-idf is not a sum over words


def test_rows_that_are_refused(frame):
    model = of_columns(Ridge()).fit(frame, range(6))
    for row in (frame, frame.iloc[0], "a cat"):
        with pytest.raises(ValueError, match="pass one row of a pandas DataFrame"):
            explain_prediction(model, row)
    for forest in (of_columns(RandomForestClassifier(3)), of_columns(SVC())):
        forest.fit(frame, [0, 1] * 3)
        with pytest.raises(TypeError, match="Explaining a row needs a linear model"):
            explain_prediction(forest, frame.iloc[[0]])


def test_display(topics, frame):
    model = make_pipeline(load_pretrained(), LogisticRegression()).fit(*topics)
    display = PredictionExplanationDisplay.from_estimator(
        model, TEXT, "recipes", name="topics", max_words=4
    )
    words = explain_prediction(model, TEXT, "recipes")
    words = words.iloc[np.argsort(-words.abs(), kind="stable")[:4]]
    assert_allclose(display.bars_.datavalues, words)
    labels = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert labels == words.index.tolist()
    colors = {
        (to_hex(bar.get_facecolor()), bar.get_width() > 0) for bar in display.bars_
    }
    assert colors == {("#b2182b", True), ("#2166ac", False)}
    value = words.attrs["value"]
    assert display.ax_.get_title() == f"topics: recipes, value {value:.2f}"
    model = of_columns(Ridge()).fit(frame, range(6))
    display = PredictionExplanationDisplay.from_estimator(
        model, frame.iloc[[1]], color="grey"
    )
    labels = {text.get_text() for text in display.ax_.get_yticklabels()}
    columns = {"body", "size", "age", "kind", "rest"}
    assert labels == {"subject: a", "subject: dog", *columns}
