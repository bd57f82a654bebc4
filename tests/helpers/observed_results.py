"""The types of what public functions return in the examples of the documents.

python tests/helpers/observed_results.py    # adds what is new to tools/result_types.txt
"""

import contextlib
import doctest
import importlib
import inspect
import sys
import types
from collections import defaultdict
from pathlib import Path

import numpy as np

import allograph
from allograph.tools import reference, result_types

sys.path.insert(0, str(Path(__file__).parents[1] / "house"))
import test_doctests  # noqa: E402 - the list of modules with examples


class Observed:
    """A namespace that notes, by public name, the type of each result of its functions."""

    def __init__(self, namespace, types_by_name, prefix=""):
        vars(self).update(_namespace=namespace, _types=types_by_name, _prefix=prefix)

    def __getattr__(self, name):
        thing, full = getattr(self._namespace, name), self._prefix + name
        if type(thing).__name__ == "Namespace":
            return Observed(thing, self._types, f"{full}.")
        is_plain = inspect.isclass(thing) or isinstance(thing, types.ModuleType)
        return thing if is_plain or not callable(thing) else Call(thing, self._types[full])

    def __setattr__(self, name, value):
        setattr(self._namespace, name, value)

    def __dir__(self):
        return dir(self._namespace)


class Call:
    """A function that notes the types of its results."""

    def __init__(self, function, noted):
        self.function, self.noted = function, noted

    def __call__(self, *args, **kwargs):
        args = [getattr(x, "function", x) if type(x) is Call else x for x in args]
        kwargs = {key: x.function if type(x) is Call else x for key, x in kwargs.items()}
        result = self.function(*args, **kwargs)
        self.noted.add(expression_of(result))
        return result

    def __getattr__(self, name):
        return getattr(self.function, name)

    def __eq__(self, other):
        return self.function == (other.function if type(other) is Call else other)

    def __hash__(self):
        return hash(self.function)


def expression_of(value) -> str:
    """The type of a value in terms of public names; "Any" where it has no such name.

    >>> expression_of([(allograph.constant(1), 2.5)])
    'list[tuple[Tensor, float]]'
    """
    if isinstance(value, allograph.Tensor):
        return "Tensor"
    kind = type(value)
    if kind in (list, tuple):
        items = [expression_of(item) for item in value]
        if kind is tuple:
            return f"tuple[{', '.join(items)}]" if items else "tuple[()]"
        return f"list[{items[0]}]" if len(set(items)) == 1 else "list[Any]"
    return result_types.name_of(kind)


def examples():
    """Those of docstrings, and those beside names."""
    yield from reference_examples()
    for name in test_doctests.MODULES:
        with contextlib.suppress(ImportError):
            yield from test_doctests.examples_of(importlib.import_module(name))


def reference_examples():
    parse = doctest.DocTestParser().get_doctest
    for name, text in reference.examples().items():
        yield parse(text, {"np": np, "__name__": "__main__"}, name, "", 0)


def observed() -> dict[str, set[str]]:
    """The types of the results of all examples, by public name. What they print is not compared."""
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    types_by_name = defaultdict(set)
    for example in examples():
        example.globs["ag"] = Observed(allograph, types_by_name)
        runner.run(example, out=lambda text: None)
    return types_by_name


if __name__ == "__main__":
    new = {name: kinds.pop() for name, kinds in observed().items() if len(kinds) == 1}
    result_types.write(new | result_types.table())
