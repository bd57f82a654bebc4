"""The examples in docstrings are true."""

import doctest
import importlib
import inspect
from pathlib import Path

import pytest
from source_tree import ROOMS

import allograph

ROOT = Path(allograph.__file__).parent
MODULES = sorted(
    ".".join(["allograph", *path.relative_to(ROOT).with_suffix("").parts])
    for folder in ROOMS
    for path in (ROOT / folder).rglob("*.py")
    if not path.name.startswith("__") and ">>> " in path.read_text(encoding="utf-8")
)


def examples_of(module):
    """Those of functions and classes, and of declared objects such as operations.

    They run under a name of their own: code of the package itself is never converted.
    """
    scope = {**vars(module), "ag": allograph, "__name__": "__main__"}
    yield from doctest.DocTestFinder(exclude_empty=True).find(module, globs=scope)
    for name, thing in list(vars(module).items()):
        if inspect.isclass(thing) or inspect.isroutine(thing) or not is_declared_in(module, thing):
            continue
        yield doctest.DocTestParser().get_doctest(
            thing.__doc__, dict(scope), f"{module.__name__}.{name}", module.__file__, 0
        )


def is_declared_in(module, thing):
    own = isinstance(thing.__doc__, str) and thing.__doc__ != type(thing).__doc__
    return own and getattr(thing, "__module__", None) == module.__name__


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_true(name):
    if name.startswith("allograph.backends.jax"):
        pytest.importorskip("jax", reason="JAX is not installed")
    module = importlib.import_module(name)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    report = []
    for example in examples_of(module):
        runner.run(example, out=report.append)
    assert not runner.failures, "".join(report)
