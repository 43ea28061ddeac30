"""numpydoc's validation of every public class, method and function."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import inspect
from importlib import import_module

import pytest

import skparaphrase

validate = pytest.importorskip("numpydoc.validate")

# All checks of numpydoc but these.
NOT_ASKED_FOR = {
    "ES01",  # an extended summary: the first line may say it all
    "EX01",  # examples: classes have them, not every method
    "PR07",  # a parameter's sentence: name and type may say it all
    "RT02",  # a type alone in Returns: what is returned has a name, as in scikit-learn
    "RT03",  # a sentence about it: name and type may say it all
    "SA01",  # See Also
    "SA04",  # a sentence about each entry of See Also
    "SS05",  # no verb in -s at the start: it takes "Words" for one
}
# scikit-learn documents these, with the same parameters.
OF_SCIKIT_LEARN = {"get_params", "set_params", "get_metadata_routing"}
OF_SCIKIT_LEARN |= {"setup", "teardown", "on_fit_task_begin", "on_fit_task_end"}
# In networks and training, for contributors, one line is enough for a method whose base
# class or type hints say the rest, and the estimators document the options.
SECTIONS = {"PR01", "RT01", "YD01"}


def public_objects():
    """All public names, including our methods and properties."""
    modules = [skparaphrase]
    modules += [
        import_module(f"skparaphrase.{room}") for room in skparaphrase._SUBMODULES
    ]
    for module in modules:
        for name in module.__all__:
            found = getattr(module, name)
            full = f"{module.__name__}.{name}"
            if inspect.isclass(found):
                yield full
                for member, value in inspect.getmembers(found):
                    value = value.fget if isinstance(value, property) else value
                    home = getattr(inspect.unwrap(value), "__module__", None) or ""
                    described = callable(value) and home.startswith("skparaphrase")
                    if described and not member.startswith("_"):
                        yield f"{full}.{member}"
            elif inspect.isfunction(found):
                yield full


def complaints(name):
    found = validate.validate(name)
    of_torch = name.startswith(("skparaphrase.networks.", "skparaphrase.training."))
    one_line = of_torch and "---" not in found["docstring"]
    for code, message in found["errors"]:
        if code in NOT_ASKED_FOR or (code in SECTIONS and one_line):
            continue
        if code in SECTIONS and name.rpartition(".")[2] in OF_SCIKIT_LEARN:
            continue
        if code == "RT01" and "Yields\n" in found["docstring"]:
            continue  # it returns a generator
        yield f"{name}: {code} {message}"


@pytest.mark.parametrize("room", ["skparaphrase", *sorted(skparaphrase._SUBMODULES)])
def test_docstrings(room):
    prefix = room if room == "skparaphrase" else f"skparaphrase.{room}"
    names = [name for name in public_objects() if name.startswith(f"{prefix}.")]
    if room == "skparaphrase":
        names = [name for name in names if name.count(".") == 1]
    assert names
    assert [line for name in names for line in complaints(name)] == []


def scale(x, factor):
    """Multiply.

    Parameters
    ----------
    x : float
        what is multiplied
    """
    return factor * x


def test_what_is_wrong_is_found(monkeypatch):
    monkeypatch.setattr(skparaphrase, "scale", scale, raising=False)
    codes = {line.split()[1] for line in complaints("skparaphrase.scale")}
    assert codes == {"PR01", "PR08", "PR09", "RT01"}
