"""Public docstrings: each parameter is described by name, in the section Parameters."""

from __future__ import annotations

import inspect
import re

import pytest

import corollary as co

PUBLIC = {name: getattr(co, name) for name in co.__all__}
#: Warnings and errors are raised by Corollary, and `plot` is a module.
CALLED = {
    name: thing
    for name, thing in PUBLIC.items()
    if (inspect.isfunction(thing) or inspect.isclass(thing))
    and not (inspect.isclass(thing) and issubclass(thing, BaseException))
}
#: Inherited methods too, but not those of scikit-learn.
METHODS = {
    f"{name}.{method.__name__}": method
    for name, thing in CALLED.items()
    if inspect.isclass(thing)
    for _, of in inspect.getmembers(thing)
    if inspect.isfunction(method := getattr(of, "__func__", of))
    and method.__module__.startswith("corollary.")
    and not method.__name__.startswith("_")
}


def described(text: str, *sections: str) -> set[str]:
    """Names in the sections of a docstring; `a, b : int` describes two."""
    found = set()
    for section in sections:
        part = re.search(rf"^{section}\n-+\n(.*?)(?=^\w[\w ]*\n-{{3,}}\n|\Z)", text, re.M | re.S)
        for line in (part[1] if part else "").splitlines():
            if line and not line.startswith(" "):
                found |= {one.strip(" *") for one in line.partition(":")[0].split(",")}
    return found


def parameters(called: object) -> set[str]:
    names = inspect.signature(called.__init__ if inspect.isclass(called) else called).parameters
    return {name for name in names if name not in ("self", "cls") and not name.startswith("_")}


@pytest.mark.parametrize("name", CALLED)
def test_each_parameter_is_described(name):
    text = inspect.getdoc(CALLED[name]) or ""
    assert parameters(CALLED[name]) <= described(text, "Parameters", "Attributes")


@pytest.mark.parametrize("name", METHODS)
def test_each_parameter_of_a_method_is_described(name):
    text = inspect.getdoc(METHODS[name]) or ""
    assert parameters(METHODS[name]) <= described(text, "Parameters")
