"""Estimators of texts as estimators of numbers, for scikit-learn's common checks."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from functools import wraps

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from skparaphrase.encoders import AverageEncoder
from skparaphrase.vectors import WordVectors

N_WORDS = 101
VECTORS = WordVectors(
    [f"w{i}" for i in range(N_WORDS)],
    np.random.default_rng(0).normal(size=(N_WORDS, 5)),
)
_METHODS = (
    "fit",
    "partial_fit",
    "fit_transform",
    "transform",
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "score",
)


def texts(rows):
    """Each row is a text, a word for each number and column."""
    numbers = np.rint(4 * rows).astype(int) + 31 * np.arange(rows.shape[1])
    return [" ".join(f"w{number % N_WORDS}" for number in row) for row in numbers]


def pairs(rows):
    """Each row is a text; all have the same partner."""
    return [(text, "w1 w2") for text in texts(rows)]


def longer_texts(rows):
    """Each row is a text, paraphrased by a text with another word."""
    return [(text, f"w1 {text}") for text in texts(rows)]


def tokens(rows):
    """Each row is a sentence of as many words."""
    return [[f"w{number}" for number in row] for row in np.rint(4 * rows).astype(int)]


def facade(
    Estimator, texts=texts, *, fit_texts=None, targets=None, outputs=None, vectors=False
):
    """Make a subclass of an estimator that takes rows of numbers.

    Parameters
    ----------
    texts : callable
        Converts rows of numbers to the input of the estimator.
    fit_texts : callable, default=None
        The same for `fit` and `partial_fit`, if it differs.
    targets : callable, default=None
        Converts the rows and `y` to the estimator's `y`.
    outputs : callable, default=None
        Converts predictions to one per row.
    vectors : bool, default=False
        `texts` makes arrays, and the estimator checks them and counts features.
    """
    name = f"{Estimator.__name__}Of{texts.__name__.title()}"
    if name in globals():
        return globals()[name]

    class Facade(Estimator):
        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.input_tags.two_d_array = True
            tags.input_tags.one_d_array = False
            tags.input_tags.three_d_array = False
            tags.input_tags.string = False
            for kind in (tags.classifier_tags, tags.regressor_tags):
                if kind is not None and not vectors:
                    kind.poor_score = True  # errors would name words instead of numbers
            return tags

    def wrap(method):
        original = getattr(Estimator, method)
        learns = method in ("fit", "partial_fit", "fit_transform")
        convert = (learns and fit_texts) or texts

        @wraps(original)
        def wrapped(self, X, *args, **kwargs):
            if _is_converted(X):  # one method calls another
                return original(self, X, *args, **kwargs)
            if not learns:
                check_is_fitted(self)
            if vectors:
                X = check_array(X, ensure_all_finite=False, ensure_min_samples=0)
            else:
                again = method == "partial_fit" and hasattr(self, "n_features_in_")
                X = validate_data(self, X, reset=learns and not again)
            if targets is not None and method in ("fit", "partial_fit", "score"):
                y = args[0] if args else kwargs.pop("y", None)
                args = (targets(X, y), *args[1:])
            X = convert(X) if vectors else _Converted(convert(X))
            found = original(self, X, *args, **kwargs)
            if outputs is not None and method.startswith("predict"):
                found = outputs(found)
            return found

        return wrapped

    for method in _METHODS:
        # These call `predict`, or `fit` and `transform`.
        calls_others = (vectors and method == "score") or (
            method == "fit_transform" and not issubclass(Estimator, AverageEncoder)
        )
        if hasattr(Estimator, method) and not calls_others:
            setattr(Facade, method, wrap(method))
    Facade.__name__ = Facade.__qualname__ = name
    globals()[name] = Facade  # for pickles
    return Facade


class _Converted(list):
    """The arguments that a method of a facade passes to its estimator."""


def _is_converted(X):
    """Whether these are texts or a substitute."""
    if isinstance(X, np.ndarray) and X.dtype == object:  # checked texts
        return X.size > 0 and isinstance(X.flat[0], str)
    return isinstance(X, _Converted)
