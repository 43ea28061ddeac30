"""The members of a union: checks, fits, scaled results."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, normalize
from sklearn.utils import Tags, assert_all_finite, get_tags
from sklearn.utils.extmath import row_norms

from skparaphrase._compat import print_elapsed_time
from skparaphrase.pairs._last_axis import LastAxis

_ALL = (
    "one_d_array",
    "two_d_array",
    "three_d_array",
    "sparse",
    "string",
    "allow_nan",
)


def kept(X: Any) -> Any:
    """Input that all members can read."""
    return list(X) if isinstance(X, Iterator) else X


def is_word(member: Any, word: str) -> bool:
    return isinstance(member, str) and member == word


def identity() -> LastAxis:
    return LastAxis(FunctionTransformer(feature_names_out="one-to-one"))


def check_members(transformers: Sequence[Any]) -> None:
    """Names with transformers, "drop" or "passthrough"; one at least not dropped."""
    for item in transformers:
        if (
            not isinstance(item, (tuple, list))
            or len(item) != 2
            or not isinstance(item[0], str)
        ):
            raise TypeError(
                f"transformers must hold tuples (name, transformer); got {item!r}."
            )
        name, member = item
        if is_word(member, "drop") or is_word(member, "passthrough"):
            continue
        if isinstance(member, type):
            raise TypeError(
                f"Member {name!r} must be an instance, {member.__name__}(), not the "
                "class."
            )
        if not hasattr(member, "fit") or not hasattr(member, "transform"):
            raise TypeError(
                f"Member {name!r} must have fit and transform, or be 'drop' or "
                f"'passthrough'; got {member!r} ({type(member).__name__})."
            )
    if all(is_word(member, "drop") for _, member in transformers):
        raise ValueError("transformers must hold a member that is not dropped.")


def check_weights(weights: Any, names: list[str]) -> dict[str, float]:
    """A weight for every name."""
    weights = {} if weights is None else weights
    if not isinstance(weights, Mapping):
        if len(weights) != len(names):
            raise ValueError(
                f"weights holds {len(weights)} numbers for {len(names)} members."
            )
        weights = dict(zip(names, weights, strict=True))
    for name, weight in weights.items():
        if name not in names:
            raise ValueError(
                f"weights names {name!r}, which is none of the members {names}."
            )
        number = isinstance(weight, (int, float, np.number))
        if not number or not 0 <= weight < np.inf:
            raise ValueError(
                f"The weight of member {name!r} must be a number of at least 0; got "
                f"{weight!r}."
            )
    return {name: float(weights.get(name, 1)) for name in names}


def set_tags(tags: Tags, members: list[Any]) -> None:
    """What all members take, and what one of them needs."""
    inputs = [get_tags(_first_step(member)).input_tags for member in members]
    others = [get_tags(member) for member in members]
    for name in _ALL:
        setattr(tags.input_tags, name, all(getattr(i, name) for i in inputs))
    for name in ("positive_only", "categorical"):
        setattr(tags.input_tags, name, any(getattr(i, name) for i in inputs))
    tags.target_tags.required = any(other.target_tags.required for other in others)
    tags.non_deterministic = any(other.non_deterministic for other in others)
    assert tags.transformer_tags is not None
    tags.transformer_tags.preserves_dtype = [
        dtype
        for dtype in ("float64", "float32")
        if all(
            other.transformer_tags is not None
            and dtype in other.transformer_tags.preserves_dtype
            for other in others
        )
    ]


def _first_step(member: Any) -> Any:
    """What gets the input: pipelines do not have all tags of their first step."""
    while isinstance(member, Pipeline) and member.steps:
        member = member.steps[0][1]
    return identity() if is_word(member, "passthrough") else member


def of_one_column(member: Any) -> bool:
    """Whether skrub gives a member one column at a time: it asks for the name only."""
    return hasattr(_first_step(member), "__single_column_transformer__")


def fit_member(
    method: str,
    name: str,
    member: Any,
    X: Any,
    y: Any,
    params: Mapping[str, Mapping[str, Any]],
    *,
    keep: bool,
    message: str | None,
) -> tuple[Any, Any]:
    with noted(name), print_elapsed_time("LastAxisUnion", message):
        if method == "fit_transform" and hasattr(member, method):
            return member, member.fit_transform(X, y, **params["fit_transform"])
        member = member.fit(X, y, **params["fit"])
        return member, member.transform(X) if keep else None


def transform_member(name: str, member: Any, X: Any) -> Any:
    with noted(name):
        return member.transform(X)


@contextmanager
def noted(name: str) -> Iterator[None]:
    """Errors with a note that names the member."""
    try:
        yield
    except Exception as error:
        error.add_note(f"In member {name!r} of LastAxisUnion.")
        raise


def check_shapes(names: list[str], results: list[Any]) -> None:
    for name, result in zip(names, results, strict=True):
        if result.ndim < 2:
            raise ValueError(
                f"Member {name!r} gives an array of shape {result.shape}, which holds "
                "no vectors."
            )
        if result.shape[:-1] != results[0].shape[:-1]:
            raise ValueError(
                f"Members must agree in all axes but the last; {names[0]!r} gives "
                f"shape {results[0].shape} and {name!r} {result.shape}."
            )


def check_floats(name: str, result: Any) -> Any:
    """Finite numbers of at least single precision."""
    if not sparse.issparse(result):
        result = np.asarray(result)
    with noted(name):
        if result.dtype.kind != "f":
            result = result.astype(np.float64)
        elif result.dtype.itemsize < 4:
            result = result.astype(np.float32)
        assert_all_finite(result)
    return result


def unit(result: Any, length: float) -> Any:
    """Vectors of the given length; zero ones stay zero."""
    if sparse.issparse(result):
        return normalize(result) * length
    # Divided by the largest entry first, squares neither overflow nor vanish.
    largest = np.abs(result).max(axis=-1, keepdims=True, initial=0)
    result = result / np.where(largest > 0, largest, 1)
    lengths = np.sqrt(np.einsum("...d,...d->...", result, result))[..., np.newaxis]
    result *= length / np.where(lengths > 0, lengths, 1)
    return result


def root_mean_square(result: Any) -> float:
    """Root mean square of the lengths of vectors."""
    if not sparse.issparse(result):
        result = result.reshape(-1, result.shape[-1])
    return float(np.sqrt(row_norms(result, squared=True).mean(dtype=np.float64)))
