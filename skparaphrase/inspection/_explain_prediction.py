"""Contributions of words to a prediction."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit
from sklearn.base import is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.utils.validation import check_is_fitted

from skparaphrase._frames import encodable
from skparaphrase._lazy import import_for
from skparaphrase.inspection._columns import column_sums
from skparaphrase.inspection._pipelines import flat_steps, split_at_encoder
from skparaphrase.inspection._word_sums import (
    Function,
    Sum,
    clean,
    read_words,
    step_functions,
    without_each,
    word_sum,
)
from skparaphrase.supervised import PairClassifier, TextClassifier
from skparaphrase.text import check_pairs, check_texts

if TYPE_CHECKING:
    from pandas import DataFrame, Series

_METHODS = ["decision_function", "predict_proba"]


def explain_prediction(
    estimator: Any, text: "str | tuple[str, str] | DataFrame", target: Any = None
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

    A row of a frame is explained for a pipeline that begins with a
    :class:`~sklearn.compose.ColumnTransformer` and ends with a linear model. The words
    of each column of texts and the other columns add up. The contribution of a column
    that is not text is that of the features made of it, compared with zeros.

    Parameters
    ----------
    estimator : estimator
        A fitted classifier or regressor of texts or pairs of texts, such as a pipeline
        that begins with an encoder, or a search over one.
    text : str, tuple of two str, or DataFrame of one row
        The text, the pair, or the row, such as ``frame.iloc[[0]]``.
    target : label, default=None
        The class; None takes the class of the highest value, also where a text may
        have several labels.

    Returns
    -------
    contributions : Series of length n_words
        Indexed by the words in their order, for a pair by "a" or "b" and the word, for
        a row by the column and the word, which is "" where a column is not text or
        its vector is not a sum of words; several columns of one transformer may have
        one entry. Its name is the target, or "prediction" for a regressor.
        `contributions.attrs` holds

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
        If the estimator has no value for each class, or is a regressor of several
        outputs, or is not linear, which explaining a row requires.
    ValueError
        If `text` is neither a text nor a pair, or a text has no words, or if there is
        no such target.

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
    if isinstance(estimator, str):
        raise TypeError("Pass the fitted model first, then the text.")
    *others, model = flat_steps(estimator)
    if others and isinstance(others[0], ColumnTransformer):
        X: Any = _check_row(text)
    else:
        X = check_texts([text]) if isinstance(text, str) else check_pairs([text])
    values = _values(estimator, model, X)[0]
    name, column = _find_target(estimator, values, target)
    last = _linear_functions(model)
    if X is text:
        functions = [*step_functions(others[1:]), *last]
        labels, sums = column_sums(others[0], X, functions)
        if not last or sums is None:
            raise TypeError(
                "Explaining a row needs a linear model; got "
                f"{type(model).__name__}. For its columns, see "
                "sklearn.inspection.permutation_importance."
            )
        index: Any = pandas.MultiIndex.from_tuples(labels, names=["column", "word"])
        return _series(index, name, values, column, sums)
    before, encoder, after = split_at_encoder(
        [*others, *flat_steps(getattr(model, "encoder_", model))]
    )
    texts = [clean(before, part, "text") for part in X.ravel()]
    words = [read_words(encoder, part, "text") for part in texts]
    sums = None
    if len(texts) == 1 and last:
        sums = word_sum(
            encoder,
            texts[0],
            words[0],
            [*step_functions(step for step in after if step is not model), *last],
            is_inside=encoder is getattr(model, "encoder_", None),
        )
    index = encodable(pandas.Index, [*chain.from_iterable(words)])
    if len(texts) == 2:
        sides = [*["a"] * len(words[0]), *["b"] * len(words[1])]
        index = pandas.MultiIndex.from_arrays([sides, index], names=["text", "word"])
    if sums is not None:
        return _series(index, name, values, column, sums)
    without = _values(estimator, model, _deletions(X, words))[:, column]
    return _series(index, name, values, column, without[0] - without[1:])


def _check_row(row: Any) -> Any:
    """Refuse anything but a pandas frame of one row."""
    if not hasattr(row, "iloc") or np.shape(row)[:1] != (1,) or np.ndim(row) != 2:
        raise ValueError(
            "The model reads a table: pass one row of a pandas DataFrame, such as "
            f"frame.iloc[[0]]; got {type(row).__name__} of shape {np.shape(row)}."
        )
    return row


def _series(
    index: Any,
    name: Any,
    values: NDArray[np.float64],
    column: int,
    sums: Sum | NDArray[np.float64],
) -> "Series":
    """The contributions in a sum, or those of deletions."""
    pandas = import_for("explain_prediction", "pandas", "pandas")
    is_sum = isinstance(sums, tuple)
    contributions = sums[1][:, column] if is_sum else sums
    series = pandas.Series(contributions, index=index, name=name)
    series.attrs.update(
        value=float(values[column]),
        intercept=float(sums[0][column]) if is_sum else None,
        is_sum=is_sum,
    )
    return series


def _values(estimator: Any, model: Any, X: Any) -> NDArray[np.float64]:
    """The values to explain, shape (n_samples, n_classes), or (n_samples, 1)."""
    if isinstance(model, (PairClassifier, TextClassifier)):
        if getattr(model, "multilabel_", False):
            return logit(estimator.predict_proba(X))
        return _log_odds(estimator.predict_log_proba(X))
    n_columns, methods = 1, ["predict"]
    if is_classifier(estimator):
        check_is_fitted(estimator, "classes_")
        n_columns, methods = len(estimator.classes_), _METHODS
    for method in methods:
        if not hasattr(estimator, method):
            continue
        given = getattr(estimator, method)(X)
        # Several outputs have a list of probabilities.
        values = np.empty(0) if isinstance(given, list) else np.asarray(given)
        if values.ndim == 1 and n_columns == 2:
            values = np.stack([-values, values], axis=1)
        if values.dtype.kind == "f" and values.size == len(X) * n_columns:
            return values.reshape(len(X), n_columns).astype(np.float64)
    raise TypeError(
        "Expected a classifier that has a decision_function or predict_proba with a "
        "value for each class, or a regressor of one output; got "
        f"{type(estimator).__name__}."
    )


def _log_odds(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logits of each class minus the mean of those of the others."""
    n_classes = logits.shape[1]
    centered = logits - logits.mean(axis=1, keepdims=True)
    return centered * (n_classes / max(n_classes - 1, 1))


def _find_target(
    estimator: Any, values: NDArray[np.float64], target: Any
) -> tuple[Any, int]:
    """The target and its column among the values."""
    names: list[Any] = ["prediction"]
    if is_classifier(estimator):
        names = np.asarray(estimator.classes_).tolist()
    if target is None:
        target = names[values.argmax()]
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
    return [lambda rows: _values(model, model, rows)] if hasattr(model, "coef_") else []


def _deletions(X: NDArray[np.object_], words: list[list[str]]) -> NDArray[np.object_]:
    """The text or pair of all words, then those without one of them."""
    whole = [" ".join(side) for side in words]
    rows = [whole]
    for side, words_of_side in enumerate(words):
        for text in without_each(words_of_side)[1:]:
            rows.append([*whole[:side], text, *whole[side + 1 :]])
    return np.array(rows, dtype=object).reshape(-1, *X.shape[1:])
