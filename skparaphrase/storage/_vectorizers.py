"""Vectorizers of scikit-learn in folders, without pickle."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction import text

VECTORIZERS = {
    each.__name__: each
    for each in (
        text.CountVectorizer,
        text.HashingVectorizer,
        text.TfidfTransformer,
        text.TfidfVectorizer,
    )
}


def write_vectorizer(folder: Any, name: str, value: Any) -> Any:
    """Write the terms and their weights; return the class and parameters."""
    params = value.get_params(deep=False)
    if not params.get("use_idf", True):
        raise ValueError(f"{value!r} cannot be saved without pickle; use joblib.")
    terms = getattr(value, "vocabulary_", {})
    folder.write_json(name, sorted(terms, key=terms.__getitem__))
    if hasattr(value, "idf_"):
        folder.arrays[name] = value.idf_
    if "dtype" in params:
        params["dtype"] = np.dtype(params["dtype"]).name
    if params.get("vocabulary") is not None:
        params["vocabulary"] = None  # the terms are loaded
    return [type(value).__name__, {k: plain(v) for k, v in params.items()}]


def read_vectorizer(folder: Any, name: str, content: list[Any]) -> Any:
    """Load a vectorizer; a ValueError if it is not trusted."""
    kind, params = content
    default = getattr(VECTORIZERS[kind](), "token_pattern", None)
    pattern = params.get("token_pattern")
    if pattern not in (None, default) and not folder.trusted:
        raise ValueError(untrusted_pattern(folder.path, pattern))
    if params.get("input", "content") != "content":
        raise ValueError("the vectorizer reads files instead of texts")
    if "ngram_range" in params:
        params["ngram_range"] = tuple(params["ngram_range"])
    if "dtype" in params:
        params["dtype"] = np.dtype(params["dtype"]).type
    vectorizer = VECTORIZERS[kind](**params)
    terms = folder.read_json(name)
    if terms:
        vectorizer.vocabulary_ = {term: row for row, term in enumerate(terms)}
        vectorizer.fixed_vocabulary_ = False
    if name in folder.arrays:
        vectorizer.idf_ = folder.arrays[name]
    return vectorizer


def untrusted_pattern(folder: Path, pattern: str) -> str:
    return (
        f"{folder} has a tokenizer with the regular expression {pattern!r:.200}, "
        "which may run forever on some texts. If you trust its author, load it with "
        "trusted=True."
    )


def plain(value: Any) -> Any:
    """Convert a value for JSON; raise a ValueError if it is impossible."""
    if isinstance(value, (list, tuple, range)):
        return [plain(item) for item in value]
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, (str, int, float, bool, type(None))):
        raise ValueError(
            f"{value!r} ({type(value).__name__}) cannot be saved without pickle; save "
            "the model with joblib or skops instead."
        )
    return value
