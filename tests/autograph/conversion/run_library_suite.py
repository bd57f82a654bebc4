"""Convert modules in place, function by function, and run a test suite of theirs on the result.

python run_library_suite.py textwrap,string test.test_textwrap
"""

import importlib
import io
import sys
import types
import unittest
from contextlib import redirect_stdout

import allograph as ag
from allograph.autograph.errors import ConversionError


def converted(thing):
    """A function, method or property of a module, converted; None for anything else."""
    if isinstance(thing, (classmethod, staticmethod)):
        inner = converted(thing.__func__)
        return inner and type(thing)(inner)
    if isinstance(thing, property):
        parts = [thing.fget, thing.fset, thing.fdel]
        parts = [part and (converted(part) or part) for part in parts]
        return property(*parts, thing.__doc__)
    if not isinstance(thing, types.FunctionType):
        return None
    try:
        return ag.autograph.to_graph(thing)
    except ConversionError:
        return None


def convert_all(owner, module: str) -> int:
    """Convert what a module or class defines; the number of functions that were."""
    count = 0
    for name, thing in list(vars(owner).items()):
        is_class = isinstance(thing, type) and thing.__module__ == module
        if is_class and isinstance(owner, types.ModuleType):
            count += convert_all(thing, module)
        elif getattr(thing, "__module__", module) == module:
            made = converted(thing)
            if made is not None:
                setattr(owner, name, made)
                count += 1
    return count


def main(modules: str, suite: str) -> int:
    count = 0
    for name in modules.split(","):
        module = importlib.import_module(name)
        ag.autograph.convert_package(name)
        count += convert_all(module, name)
    told = io.StringIO()
    with redirect_stdout(told):
        tests = unittest.defaultTestLoader.loadTestsFromName(suite)
        result = unittest.TextTestRunner(told, verbosity=0).run(tests)
    print(f"{count} functions converted, {result.testsRun} tests run")
    if not count or not result.testsRun or not result.wasSuccessful():
        print(told.getvalue())
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
