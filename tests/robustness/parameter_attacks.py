"""Attacks by parameters: values that constraints allow, scalars of NumPy, contexts."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import warnings
from contextlib import contextmanager, nullcontext
from functools import partial
from numbers import Integral
from random import Random

import numpy as np
import torch
from sklearn.base import BaseEstimator, clone
from sklearn.utils._param_validation import Interval, Options, make_constraint
from subjects import NAMES, TEXTS, fitted, fitting_data, say

import skparaphrase
from skparaphrase import losses
from skparaphrase.optimizers import Optimizer
from skparaphrase.text import NgramTokenizer

LOSSES = [getattr(losses, name) for name in losses.__all__ if name != "Loss"]
# Parameters that depend on the machine, take long, or have a special type
LEFT_OUT = "device", "verbose", "max_epochs", "learning_rate", "random_state"


def drawn(constraint, random):
    """Values that a constraint allows, if it is known."""
    constraint = make_constraint(constraint)
    if isinstance(constraint, Interval):
        low, high = constraint.left, constraint.right
        if issubclass(constraint.type, Integral):
            return [low + step for step in (0, 1, 2, 5, 100)]
        high = low + 2.0 if high is None else high
        values = low, low + 1e-3, low + 0.1, high
        return [each for each in values if each in constraint]
    if isinstance(constraint, Options):
        return sorted(constraint.options, key=str)
    kind = getattr(constraint, "class_", None)
    if kind is NgramTokenizer:
        orders = sorted([random.choice([1, 2, 3, 100]), random.choice([2, 4, 100])])
        return [NgramTokenizer(ngram_range=tuple(orders))]
    if kind in (Optimizer, losses.BaseLoss):
        chosen = random.choice(LOSSES) if kind is losses.BaseLoss else Optimizer
        return [chosen(**some_parameters(chosen, random))]
    return [each for each in (None, True, False) if constraint.is_satisfied_by(each)]


def some_parameters(owner, random):
    constraints = owner._parameter_constraints
    names = sorted({*owner._get_param_names()} & constraints.keys() - {*LEFT_OUT})
    given = {}
    for name in random.sample(names, min(len(names), random.randint(1, 3))):
        if values := drawn(random.choice(constraints[name]), random):
            given[name] = random.choice(values)
    return given


def of_numpy(value, random):
    """Replace Python scalars by NumPy scalars."""
    if isinstance(value, BaseEstimator) and not hasattr(value, "fit"):
        params = value.get_params(deep=False).items()
        return type(value)(**{name: of_numpy(each, random) for name, each in params})
    if isinstance(value, (tuple, list)):
        return type(value)(of_numpy(each, random) for each in value)
    if isinstance(value, bool):
        return np.bool_(value)
    if isinstance(value, int) and 0 <= value < 128:
        return random.choice([np.int8, np.uint8, np.int16, np.int64])(value)
    return {str: np.str_, float: np.float64}.get(type(value), lambda same: same)(value)


def fit(model, name):
    with warnings.catch_warnings():  # of parameters that change nothing, say
        warnings.simplefilter("ignore", UserWarning)
        return model.fit(*fitting_data(name, TEXTS))


def give_parameters(name, seed, folder):
    """A model has the same outputs after `load`, and with NumPy scalars."""
    random = Random(seed)
    model = clone(random.choice(fitted(name)))
    given = some_parameters(type(model), random)
    model.set_params(**given)
    try:
        fit(model, name)
    except ValueError as error:  # which cannot be combined
        assert any(part in str(error) for part in [*given, "a teacher's"]), error
        return
    expected = [*say(name, model, TEXTS)]
    model.save(folder / "model")
    loaded = skparaphrase.load(folder / "model", trusted=True)
    for row, wanted in zip(say(name, loaded, TEXTS), expected, strict=True):
        np.testing.assert_array_equal(row, wanted)
    other = clone(model).set_params(
        **{k: of_numpy(v, random) for k, v in model.get_params(deep=False).items()}
    )
    fit(other, name).save(folder / "model")
    loaded = skparaphrase.load(folder / "model", trusted=True)
    for row, wanted in zip(say(name, loaded, TEXTS), expected, strict=True):
        np.testing.assert_allclose(row, wanted, rtol=1e-4, atol=1e-4)


@contextmanager
def default_dtype():
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(torch.float32)


CONTEXTS = [
    torch.inference_mode,
    torch.no_grad,
    default_dtype,
    partial(torch.autocast, "cpu"),
    partial(torch.device, "meta"),
    partial(np.errstate, all="raise"),
]


def use_in_contexts(name, seed, folder):
    """A context of another library around a model changes nothing."""
    random = Random(seed)
    model = fitted(name)[-1]
    expected = [*say(name, model, TEXTS)]
    context, other = random.choice(CONTEXTS), clone(model)
    with context():
        found = say(name, model, TEXTS)
        fit(other, name)
    with random.choice([context, nullcontext])():
        again = say(name, other, TEXTS)
    plain = say(name, fit(clone(model), name), TEXTS)
    for row, wanted in zip([*found, *again], [*expected, *plain], strict=True):
        np.testing.assert_allclose(row, wanted, rtol=1e-4, atol=1e-5)


FITTED = [name for name in NAMES if name not in ("make_pipeline", "load_pretrained")]
PARAMETER_ATTACKS = {give_parameters: FITTED, use_in_contexts: FITTED}
