"""Allowed imports between packages, and rules for public names."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import ast
import importlib
import inspect
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
import registry  # of the folder that conftest.py adds to the path
from sklearn.base import BaseEstimator, clone

import skparaphrase
from skparaphrase.losses import BaseLoss

# Rooms

ROOT = Path(skparaphrase.__file__).parent
MODULES = {
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(
        ".__init__"
    ): ast.parse(path.read_text(encoding="utf-8"))
    for path in ROOT.rglob("*.py")
}
# Estimators use them: they pass values to them, and store their results.
BELOW_ESTIMATORS = "training", "networks", "supervision"
ESTIMATORS = {"BaseEstimator", "estimator", "get_params", "set_params"}
# Processes compare all data of a trainer, and the parameters of its Optimizer.
ALLOWED = {"training._distributed": {"vars", "get_params"}}


def imports(tree):
    """Names of the package that a module imports or mentions anywhere."""
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Constant) and "._" in str(node.value):
            names = [str(node.value)]  # of `import_module`
        yield from (name for name in names if name.startswith("skparaphrase."))


def parts(name):
    """The room of a name of the package, and the module in it."""
    module = name if name in MODULES else name.rpartition(".")[0]
    room, *inside = module.split(".")[1:] or [""]
    return room, ".".join(inside)


def shared(room):
    """Modules of a room that its `_SHARED` opens to others."""
    return getattr(importlib.import_module(f"skparaphrase.{room}"), "_SHARED", ())


def test_rooms_meet_at_their_doors():
    """They import public names, and names from modules in `_SHARED` of a room."""
    used = set()
    for name, tree in MODULES.items():
        for other in imports(tree):
            (room, inside), last = parts(other), other.rpartition(".")[2]
            if room in ("", parts(name)[0]):
                continue
            assert last == inside or last == room or last[0] != "_", (name, other)
            used |= {(room, inside)}
    rooms = {parts(name)[0] for name in MODULES} - {""}
    allowed = {(room, inside) for room in rooms for inside in ("", *shared(room))}
    assert used <= allowed
    by_name = {("vectors", "_rows")}  # imported by storage, when it needs it
    assert {door for door in allowed - used if door[1]} == by_name


def test_no_modules_import_each_other_in_a_circle():
    """Neither in functions nor for type checkers."""
    graph = {name: set() for name in MODULES}
    for name, tree in MODULES.items():
        own = parts(name)[0]
        for room, inside in map(parts, imports(tree)):
            module = ".".join(filter(None, ("skparaphrase", room, inside)))
            # Another room is imported as a whole before one of its modules.
            graph[name] |= {module, module if room == own else f"skparaphrase.{room}"}
    assert "skparaphrase.text" in graph["skparaphrase.encoders._base"]
    tuple(TopologicalSorter(graph).static_order())  # raises CycleError


def test_leaves_are_imported_by_no_room():
    for name, tree in MODULES.items():
        leaves = {"inspection", "datasets", "callback"} - {parts(name)[0]}
        assert not leaves & {parts(other)[0] for other in imports(tree)}, name


@pytest.mark.parametrize("room", BELOW_ESTIMATORS)
def test_rooms_below_estimators_see_none(room):
    modules = {
        inside: tree
        for (where, inside), tree in zip(
            map(parts, MODULES), MODULES.values(), strict=True
        )
        if where == room
    }
    assert len(modules) > 4
    for name, tree in modules.items():
        nodes = [vars(node) for node in ast.walk(tree)]
        words = {node.get(key) for node in nodes for key in ("id", "attr", "arg")}
        words -= ALLOWED.get(f"{room}.{name}", set())
        assert not words & {"__dict__", "vars", *ESTIMATORS}, name


# Public names


@pytest.mark.parametrize("name", registry.PUBLIC)
def test_public_modules_list_names_once(name):
    module = importlib.import_module(name)
    assert inspect.getdoc(module)
    assert len(module.__all__) == len(set(module.__all__))
    assert all(hasattr(module, public) for public in module.__all__)


each_estimator = pytest.mark.parametrize(
    "owner", registry.estimators(), ids=lambda owner: owner.__name__
)


OF_FEATURE_UNION = {"verbose_feature_names_out", "transformer_weights"}


@each_estimator
def test_no_other_attribute_looks_like_a_parameter(owner):
    """Before `fit`, instances have only parameters, methods and properties."""
    values = {
        name
        for name in dir(owner)
        if not name.startswith("_")
        and not callable(inspect.getattr_static(owner, name))
        and not hasattr(inspect.getattr_static(owner, name), "__get__")
    }
    if issubclass(owner, BaseLoss):  # what a class of losses can do
        values -= vars(BaseLoss).keys()
    parameters = inspect.signature(owner).parameters.keys()
    assert values - parameters - OF_FEATURE_UNION == set()


@each_estimator
def test_documented_fitted_attributes_have_types(owner):
    """Without annotations in the class, editors show `Any`."""
    docscrape = pytest.importorskip("numpydoc.docscrape")
    typed = {key for base in owner.__mro__ for key in inspect.get_annotations(base)}
    for entry in docscrape.ClassDoc(owner)["Attributes"]:
        for attribute in entry.name.split(", "):
            assert attribute in typed or hasattr(owner, attribute), attribute


@each_estimator
def test_init_only_stores(owner):
    parameters = inspect.signature(owner).parameters
    kinds = {parameter.kind for parameter in parameters.values()}
    assert kinds <= {
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        inspect.Parameter.KEYWORD_ONLY,
    }
    values = {name: object() for name in parameters}
    estimator = owner(**values)
    assert vars(estimator) == estimator.get_params(deep=False) == values
    required = {
        name: clone(BaseEstimator())
        for name, parameter in parameters.items()
        if parameter.default is parameter.empty
    }
    for name, value in owner(**required).get_params(deep=False).items():
        assert value is required.get(name, parameters[name].default), name
