"""Write `__init__.pyi`, the type stubs of the public names, for editors and type checkers, those of
the modules of `extend`, and `runtime/core/public_index.txt`, the module of each public name.

    python -m allograph.tools.stubs          # rewrites them

The names are found at run time, so the stub is made from the same table that serves them; a test
holds it against that table. The library finds names by the index too: a module that moves takes its
line there along, by hand.
"""

from __future__ import annotations

import importlib
import inspect
import pathlib
import types

import allograph
from allograph import loading

HEADER = '''"""The public vocabulary, for editors and type checkers (see allograph.tools.stubs)."""

from collections.abc import Callable
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

_P = ParamSpec("_P")
_Q = ParamSpec("_Q")
_R = TypeVar("_R")

__version__: str
newaxis: None

class _Function(Generic[_P, _R]):
    """What `function` returns: it is called as the function that it decorates."""

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...
    @overload
    def __get__(self, instance: None, owner: Any = ...) -> _Function[_P, _R]: ...
    @overload
    def __get__(
        self: _Function[Concatenate[Any, _Q], _R], instance: object, owner: Any = ...
    ) -> _Function[_Q, _R]: ...
    def __getattr__(self, name: str) -> Any: ...

'''
# Functions that return what they are given, or a form of it: the types of `func` and of the result.
DECORATORS = {
    "function": "_Function[_P, _R]",
    "jit": "_Function[_P, _R]",
    "debug": "Callable[_P, _R]",
}


def stub() -> str:
    """The content of `__init__.pyi`: functions with their parameters, classes, namespaces.

    >>> "class math:" in stub()
    True
    """
    return HEADER + "\n".join(_members(allograph, 0)) + "\n"


def _members(holder, depth: int) -> list[str]:
    lines = []
    for name in dir(holder):
        if name.startswith("_") or not name.isidentifier():
            continue
        lines += _member(name, getattr(holder, name), depth)
    return lines


def _member(name: str, thing, depth: int) -> list[str]:
    indent = "    " * depth
    if type(thing) is types.ModuleType:
        return [f"{indent}from . import {name} as {name}"]
    if type(thing).__name__ == "Namespace":
        return [f"{indent}class {name}:", *_members(thing, depth + 1)]
    if inspect.isclass(thing):
        module = thing.__module__.removeprefix(allograph.__name__)
        if depth == 0 and module != thing.__module__:
            return _imported(name, thing.__name__, module)
        return [f"{indent}{name}: Any"]
    if callable(thing):
        if depth == 0 and name in DECORATORS:
            return _decorator(name, thing)
        static = indent + "@staticmethod\n" if depth else ""
        return [f"{static}{indent}def {name}{_parameters(thing)} -> Any: ..."]
    return [f"{indent}{name}: Any"]


def _imported(name: str, own: str, module: str) -> list[str]:
    """A class under its public name. In a stub, `import A as B` would make no name for others."""
    if name == own:
        return [f"from {module} import {own} as {own}"]
    return [f"from {module} import {own} as _{name}", f"{name} = _{name}"]


def _decorator(name: str, function) -> list[str]:
    """A decorator with the types of what it takes and returns; without a function, of a partial."""
    result = DECORATORS[name]
    first = next(iter(inspect.signature(function).parameters.values()))
    rows = _parameters(function)[1:-1].split(", ")[1:]
    taken = ", ".join([f"{first.name}: Callable[_P, _R]", *rows])
    if first.default is inspect.Parameter.empty:
        return [f"def {name}({taken}) -> {result}: ..."]
    left = ", ".join([f"{first.name}: None = ...", *rows])
    made = f"Callable[[Callable[_P, _R]], {result}]"
    return [
        "@overload",
        f"def {name}({taken}) -> {result}: ...",
        "@overload",
        f"def {name}({left}) -> {made}: ...",
    ]


def _parameters(function) -> str:
    """A signature of bare names: `(x: Any, *, name: Any = ...)`."""
    try:
        rows = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return "(*args: Any, **kwargs: Any)"
    empty = inspect.Parameter.empty
    plain = [
        row.replace(annotation=empty, default=empty if row.default is empty else _DOTS)
        for row in rows
    ]
    return str(inspect.Signature(plain))


def surface_stub(table: str) -> str:
    """The content of the stub of a module of `extend`, of the table of its members.

    >>> print(surface_stub("runtime.ir.op Op TABLE=OPERATIONS"), end="")
    from ..runtime.ir.op import Op as Op
    from ..runtime.ir.op import TABLE as _OPERATIONS
    OPERATIONS = _OPERATIONS
    """
    lines = []
    for home, *names in map(str.split, table.strip().splitlines()):
        for own, _, other in (entry.partition("=") for entry in names):
            lines += _imported(other or own, own, f"..{home}")
    return "\n".join(lines) + "\n"


class _Dots:
    def __repr__(self):
        return "..."


_DOTS = _Dots()


def main() -> None:
    root = pathlib.Path(allograph.__file__).parent
    index = loading.index()  # first: it imports all modules
    (root / "runtime/core/public_index.txt").write_text(index, encoding="utf-8")
    (root / "__init__.pyi").write_text(stub(), encoding="utf-8")
    for path in (root / "extend").glob("[!_]*.py"):
        table = importlib.import_module(f"allograph.extend.{path.stem}").MEMBERS
        path.with_suffix(".pyi").write_text(surface_stub(table), encoding="utf-8")


if __name__ == "__main__":
    main()
