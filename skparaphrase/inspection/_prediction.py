"""Which words of a text make a prediction."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit
from sklearn.base import is_classifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputRegressor

from skparaphrase._lazy import import_for
from skparaphrase.inspection._contributions import (
    Function,
    Sum,
    clean,
    read_words,
    step_functions,
    without_each,
    word_sum,
)
from skparaphrase.inspection._estimators import flat_steps, split_at_encoder
from skparaphrase.supervised import PairClassifier, TextClassifier
from skparaphrase.text._check import describe

if TYPE_CHECKING:
    from pandas import Series


def explain_prediction(
    estimator: Any, text: str | tuple[str, str], target: Any = None
) -> "Series":
    r"""Contribution of each word of a text to a prediction.

    A linear model on an average of word vectors adds up its words: the decision value
    of a class, or the prediction of a regressor, is the intercept plus a contribution
    of each word. This holds for :class:`~skparaphrase.supervised.TextClassifier` on
    averages and for pipelines that begin with one and end with a linear model, also
    through steps such as `StandardScaler`, `PCA`, `Normalizer` and
    :class:`~skparaphrase.decomposition.CommonComponentRemoval`.

    For all other models and for pairs of texts, words are deleted: the contribution of
    a word is the value for the text minus the value for the text without it. These
    contributions do not add up.

    Parameters
    ----------
    estimator : estimator
        A fitted classifier or regressor of texts or pairs of texts, such as a pipeline
        that begins with an encoder, or a search over one.
    text : str or tuple of two str
        The text, or the pair.
    target : label or int, default=None
        The class, or the output of a regressor that has several. None takes the class
        of the highest value, also where a text may have several labels: these are the
        `classes_` of a :class:`~skparaphrase.supervised.TextClassifier`, otherwise
        the indices of the columns of `y`.

    Returns
    -------
    contributions : Series of length n_words
        Indexed by the words in their order, for a pair by "a" or "b" and the word; its
        name is the target. `contributions.attrs` holds

        - "value": the decision value of the class (its probability if the model has no
          `decision_function`; of :class:`~skparaphrase.supervised.TextClassifier`
          and :class:`~skparaphrase.supervised.PairClassifier` its log-probability minus
          the mean of those of the other classes, which for two classes, and for each
          of several labels of a text, are the log-odds), or the prediction of a
          regressor.
        - "is_sum": True if the contributions add up to "value" minus "intercept".
        - "intercept": the part of "value" that no word contributes; None without a sum.

    Raises
    ------
    TypeError
        If the estimator predicts nothing, or `text` is neither a text nor a pair.
    ValueError
        If a text has no words, or there is no such target.

    See Also
    --------
    explain_similarity : Shares of words in the cosine of two texts.

    Notes
    -----
    A word is deleted once: if it is repeated, the others stay.

    References
    ----------
    J. Li, W. Monroe, D. Jurafsky, "Understanding Neural Networks through Representation
    Erasure", arXiv:1612.08220, 2016.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from skparaphrase import load_pretrained
    >>> from skparaphrase.datasets import load_faq
    >>> from skparaphrase.inspection import explain_prediction
    >>> faq = load_faq()
    >>> model = make_pipeline(load_pretrained(), LogisticRegression())
    >>> model = model.fit(faq.data, faq.target)
    >>> words = explain_prediction(model, "How long do I boil the potatoes?")
    >>> words.name, words.idxmax()
    ('recipes', 'boil')
    >>> total = words.attrs["intercept"] + words.sum()
    >>> bool(abs(total - words.attrs["value"]) < 1e-5)
    True
    """
    pandas = import_for("explain_prediction", "pandas", "pandas")
    *others, model = flat_steps(estimator)
    X = _check_text(text)
    values = _values(estimator, model, X)[0]
    name, column = _find_target(estimator, values, target)
    before, encoder, after = split_at_encoder(
        [*others, *flat_steps(getattr(model, "encoder_", model))]
    )
    texts = [clean(before, each, "text") for each in X.ravel()]
    words = [read_words(encoder, each, "text") for each in texts]
    found: Sum | None = None
    last = _linear_functions(model)
    if len(texts) == 1 and last:
        steps = step_functions(step for step in after if step is not model)
        found = word_sum(
            encoder,
            texts[0],
            words[0],
            [*steps, *last],
            is_inside=encoder is getattr(model, "encoder_", None),
        )
    index: Any = words[0]
    if len(texts) == 2:
        sides = [
            (side, word)
            for side, each in zip("ab", words, strict=True)
            for word in each
        ]
        index = pandas.MultiIndex.from_tuples(sides, names=["text", "word"])
    if found is not None:
        contributions = found[1][:, column]
    else:
        rows = _deletions(X, words)
        deleted = _values(estimator, model, rows)[:, column]
        contributions = deleted[0] - deleted[1:]
    series = pandas.Series(contributions, index=index, name=name)
    intercept = None if found is None else float(found[0][column])
    series.attrs.update(
        value=float(values[column]), intercept=intercept, is_sum=found is not None
    )
    return series


def _check_text(text: Any) -> NDArray[np.object_]:
    """The text or the pair as the only sample."""
    texts = [text] if isinstance(text, str) else text
    if not (
        isinstance(texts, (list, tuple, np.ndarray))
        and len(texts) == (1 if isinstance(text, str) else 2)
        and all(isinstance(each, str) for each in texts)
    ):
        raise TypeError(
            f"text must be a text or a pair of texts; got {describe(text)}."
        )
    return np.array([*texts], dtype=object).reshape((1, 2)[: len(texts)])


def _values(estimator: Any, model: Any, X: Any) -> NDArray[np.float64]:
    """What is explained, shape (n_samples, n_targets), of an estimator with a model."""
    if isinstance(model, (PairClassifier, TextClassifier)):
        if getattr(model, "multilabel_", False):
            return logit(estimator.predict_proba(X))
        return _log_odds(estimator.predict_log_proba(X))
    if not is_classifier(estimator):
        predicted = np.asarray(
            estimator.predict(X) if hasattr(estimator, "predict") else []
        )
        if len(predicted) != len(X) or predicted.dtype.kind != "f":
            raise TypeError(
                "Expected a classifier or regressor; got "
                f"{type(estimator).__name__}, which predicts no numbers."
            )
        return predicted.astype(np.float64).reshape(len(X), -1)
    for method in ("decision_function", "predict_proba"):
        if hasattr(estimator, method):
            given = getattr(estimator, method)(X)
            if isinstance(given, list):  # a distribution for each label of a text
                return _probabilities_of_one(given, estimator.classes_)
            values = np.asarray(given, np.float64)
            if values.ndim == 1:
                values = np.stack([-values, values], axis=1)
            if values.shape[1:] == (len(estimator.classes_),):
                return values
    raise TypeError(
        f"{type(model).__name__} has neither a decision_function nor a predict_proba "
        "with a value for each class."
    )


def _probabilities_of_one(
    given: list[NDArray[np.float64]], classes: list[NDArray[Any]]
) -> NDArray[np.float64]:
    """Probabilities of labels, given those of the values of each, 0 and 1."""
    if not all(np.isin(values, (0, 1)).all() for values in classes):
        raise TypeError(
            "Of several outputs, each must be 0 or 1; they have the classes "
            f"{[np.asarray(values).tolist() for values in classes]}."
        )
    columns = zip(given, classes, strict=True)
    return np.column_stack([rows @ values for rows, values in columns])


def _log_odds(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logits of each class minus the mean of those of the others."""
    n_classes = logits.shape[1]
    centered = logits - logits.mean(axis=1, keepdims=True)
    return centered * (n_classes / max(n_classes - 1, 1))


def _find_target(
    estimator: Any, values: NDArray[np.float64], target: Any
) -> tuple[Any, int]:
    """The target and its column among the values."""
    is_regressor = not is_classifier(estimator)
    names: list[Any] = [*range(len(values))]
    if not is_regressor and not isinstance(estimator.classes_, list):
        names = np.asarray(estimator.classes_).tolist()
    if target is None and not (is_regressor and len(names) > 1):
        column = int(values.argmax())
        return names[column], column
    if target not in names:
        raise ValueError(f"target must be one of {names}; got {target!r}.")
    return target, names.index(target)


def _linear_functions(model: Any) -> list[Function]:
    """Functions from vectors to the values of a linear model; none of another model."""
    if isinstance(model, TextClassifier):
        head = model.head_
        if "hidden.weight" in head:
            return []
        weight, bias = head["output.weight"], head["output.bias"]
        functions: list[Function] = [
            partial(model._features, head=head),
            lambda rows: rows @ weight + bias,
        ]
        return functions if model.multilabel_ else [*functions, _log_odds]
    several = isinstance(model, (OneVsRestClassifier, MultiOutputRegressor))
    models = model.estimators_ if several else [model]
    if not any(hasattr(each, "coef_") for each in models):
        return []
    return [lambda rows: _values(model, model, rows)]


def _deletions(X: NDArray[np.object_], words: list[list[str]]) -> NDArray[np.object_]:
    """The text or pair of all words, then those without one of them."""
    whole = [" ".join(each) for each in words]
    rows = [whole]
    for side, each in enumerate(words):
        for text in without_each(each)[1:]:
            rows.append([*whole[:side], text, *whole[side + 1 :]])
    return np.array(rows, dtype=object).reshape(-1, *X.shape[1:])
