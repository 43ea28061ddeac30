"""The whole state of training, as JSON and arrays, and back."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from copy import copy
from types import SimpleNamespace
from typing import Any

import numpy as np

from skparaphrase.callback._folder import Arrays
from skparaphrase.vectors import WordVectors

State = dict[str, Any]

_CURVES = ("loss_curve_", "n_epochs_", "validation_scores_", "best_epoch_")


def capture(estimator: Any, trainer: Any) -> tuple[dict[str, Any], Arrays]:
    """Everything that decides how a fit goes on.

    Parameters
    ----------
    estimator : FitsByEpochs
        Between two epochs.

    trainer : Loop

    Returns
    -------
    content : dict
        For JSON.

    arrays : dict of str to ndarray
        They share memory with what is trained.
    """
    arrays: Arrays = {}
    if not trainer.table.frozen:
        arrays["vectors"] = trainer.table.numpy()
    for name, parameter in trainer.module.named_parameters():
        arrays[f"module/{name}"] = parameter.detach().cpu().numpy()
    numbers: dict[str, Any] = {}
    for name, memory in trainer.optimizer.numpy().items():
        numbers[name] = {}
        for key, value in memory.items():
            if isinstance(value, np.ndarray):
                arrays[f"optimizer/{name}/{key}"] = value
            else:
                numbers[name][key] = value
    drawn = estimator._random_state.get_state(legacy=False)
    arrays["random"] = drawn["state"]["key"]
    best = getattr(estimator, "_best", None)
    if best is not None and best.epoch != estimator.n_epochs_:
        _put_state(arrays, "best", best.state, estimator, trainer)
    callbacks = {}
    for key, callback in _callbacks(estimator):
        callbacks[key], state = callback._get_state(estimator)
        if state is not None:
            _put_state(arrays, f"callback/{key}", state, estimator, trainer)
    content = {
        "attributes": {
            name: _plain(getattr(estimator, name))
            for name in _CURVES
            if hasattr(estimator, name)
        },
        "best": None
        if best is None
        else {
            "score": _plain(best.score),
            "epoch": best.epoch,
            "since": best.since,
        },
        "optimizer": numbers,
        "random": {
            "pos": drawn["state"]["pos"],
            "has_gauss": drawn["has_gauss"],
            "gauss": drawn["gauss"],
        },
        "callbacks": _plain(callbacks),
    }
    return content, arrays


def restore(
    estimator: Any,
    trainer: Any,
    state: Callable[[], State],
    best: Callable[..., Any],
    content: dict[str, Any],
    arrays: Arrays,
) -> None:
    """Bring estimator, trainer and callbacks to where :func:`capture` saw them.

    Parameters
    ----------
    estimator : FitsByEpochs
        At the beginning of the same fit.

    trainer : Loop

    state : callable
        Gives the fitted state of what the trainer has.

    best : callable
        Makes the record of the best epoch from its parts, given by name.

    content, arrays
        Those of `capture`.

    Raises
    ------
    KeyError, RuntimeError, ValueError
        If they do not fit.
    """
    import torch

    with torch.no_grad():
        if not trainer.table.frozen:
            trainer.table.weight.copy_(torch.from_numpy(arrays["vectors"]))
        for name, parameter in trainer.module.named_parameters():
            parameter.copy_(torch.from_numpy(arrays[f"module/{name}"]))
    memories: dict[str, Any] = {}
    for name, numbers in content["optimizer"].items():
        found = _below(arrays, f"optimizer/{name}/")
        if sys.platform == "win32":  # deletes no file that is mapped
            found = {key: array.copy() for key, array in found.items()}
        memories[name] = {**numbers, **found}
    trainer.optimizer.load(memories, trainer.table.weight.device)
    drawn = content["random"]
    estimator._random_state.set_state(
        {
            "bit_generator": "MT19937",
            "state": {"key": arrays["random"], "pos": drawn["pos"]},
            "has_gauss": drawn["has_gauss"],
            "gauss": drawn["gauss"],
        }
    )
    for name in _CURVES:
        estimator.__dict__.pop(name, None)
    estimator.__dict__.update(content["attributes"])
    if content["best"] is not None:
        found = _get_state(arrays, "best", state())
        estimator._best = best(**content["best"], state=found)
    for key, callback in _callbacks(estimator):
        if key in content["callbacks"]:
            found = _get_state(arrays, f"callback/{key}", state())
            callback._set_state(content["callbacks"][key], SimpleNamespace(**found))


def _callbacks(estimator: Any) -> Iterator[tuple[str, Any]]:
    """Callbacks that remember, with names that tell them apart."""
    seen: Counter[str] = Counter()
    for callback in getattr(estimator, "_skl_callbacks", []):
        name = type(callback).__name__
        if hasattr(callback, "_get_state"):
            yield f"{name}-{seen[name]}", callback
            seen[name] += 1


def _put_state(
    arrays: Arrays, prefix: str, state: State, estimator: Any, trainer: Any
) -> None:
    """Add the arrays of a fitted state; what is never trained is left out."""
    for name, value in state.items():
        if value is getattr(estimator, name, None):
            continue
        parts = {name: value}
        if hasattr(value, "parameters_"):  # an encoder
            parts = {f"{name}.vectors_": value.vectors_, name: value.parameters_}
        for key, part in parts.items():
            if isinstance(part, WordVectors):
                if not trainer.table.frozen:
                    arrays[f"{prefix}/{key}"] = part.matrix
            else:
                arrays.update({f"{prefix}/{key}/{k}": part[k] for k in part})


def _get_state(arrays: Arrays, prefix: str, current: State) -> State:
    """The fitted state that was put there, copied; without one, the current state."""
    if not _below(arrays, f"{prefix}/"):
        return current
    found: State = {}
    for name, value in current.items():
        place = f"{prefix}/{name}"
        parameters = _below(arrays, f"{place}/")
        matrix = arrays.get(f"{place}.vectors_")
        if isinstance(value, WordVectors):
            found[name] = _with_matrix(value, arrays.get(place))
        elif isinstance(value, dict):
            found[name] = {key: part.copy() for key, part in parameters.items()}
        elif parameters or matrix is not None:  # an encoder that is trained
            encoder = found[name] = copy(value)
            encoder.vectors_ = _with_matrix(value.vectors_, matrix)
            encoder.parameters_ = {k: part.copy() for k, part in parameters.items()}
        else:
            found[name] = value
    return found


def _with_matrix(vectors: WordVectors, matrix: Any) -> WordVectors:
    return vectors if matrix is None else vectors.replace(matrix.copy())


def _below(arrays: Arrays, prefix: str) -> Arrays:
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def _plain(value: Any) -> Any:
    """Numbers as JSON has them."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    return value.item() if isinstance(value, np.generic) else value
