"""Write `__init__.pyi`, the type stubs of the public names, for editors and type checkers, those of
the modules of `extend`, and `runtime/core/public_index.txt`, the module of each public name.

    python -m allograph.tools.stubs          # rewrites them

The names are found at run time, so the stub is made from the same table that serves them; a test
holds it against that table. The library finds names by the index too: a module that moves takes its
line there along, by hand.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import importlib
import inspect
import pathlib
import re
import sys
import types
from typing import Any

import allograph
from allograph import loading

from ..runtime.core.public_names import index
from . import result_types

HEADER = '''"""The public vocabulary, for editors and type checkers (see allograph.tools.stubs)."""

import builtins
from collections.abc import Callable
from typing import Any, Concatenate, Generic, ParamSpec, TypeAlias, TypeVar, overload

import numpy as np

_P = ParamSpec("_P")
_Q = ParamSpec("_Q")
_R = TypeVar("_R")

__version__: str
newaxis: None

'''
DECORATED = '''
class _{name}(Generic[_P, _R]):
    """{about}"""

    __name__: str
    __wrapped__: Callable[_P, _R]
    python_function: Callable[_P, _R]
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...
    @overload
    def __get__(self, instance: None, owner: Any = ...) -> _{name}[_P, _R]: ...
    @overload
    def __get__(
        self: _{name}[Concatenate[Any, _Q], _R], instance: object, owner: Any = ...
    ) -> _{name}[_Q, _R]: ...
{members}
'''
# The members of decorated functions that are documented, by the decorator.
FUNCTIONS = {
    "function": "name function_spec function_type input_signature clear "
    "get_concrete_function experimental_get_tracing_count explain_retraces precompile traces "
    "pretty_printed_concrete_signatures traces_made as_cfunc",
    "jit": "inspect explain_retraces kernels as_cfunc",
}
ALIAS = re.compile(r"\b_as_\w+")
# Functions that return what they are given, or a form of it: the types of `func` and of the result.
DECORATORS = {
    "function": "_PolymorphicFunction[_P, _R]",
    "jit": "_JitFunction[_P, _R]",
    "debug": "Callable[_P, _R]",
}


def stub() -> str:
    """The content of `__init__.pyi`: functions with their parameters, classes, namespaces.

    >>> "class math:" in stub()
    True
    """
    members = _members(allograph, "")
    content = "\n".join([*map(_decorated, FUNCTIONS), *members])
    aliases = sorted(set(ALIAS.findall(content)))
    return HEADER + "\n".join(_import_of(alias) for alias in aliases) + "\n" + content + "\n"


def _decorated(decorator: str) -> str:
    """The class of what a decorator returns, with the members that users call."""
    function = getattr(allograph, decorator)(lambda: None)
    cls = type(function)
    rows = [
        _attribute(name, inspect.getattr_static(cls, name, getattr(function, name)))
        for name in FUNCTIONS[decorator].split()
    ]
    about = (inspect.getdoc(cls) or "").partition("\n")[0]
    return DECORATED.format(name=cls.__name__, about=about, members="\n".join(rows))


def _attribute(name: str, thing) -> str:
    """A member of a class, as a property or a method with its types."""
    if inspect.isfunction(thing):
        return f"    def {name}{_parameters(thing)} -> {_result(thing)}: {_about(thing)}"
    annotation = _result(thing.fget) if isinstance(thing, property) else _name_of(type(thing))
    return f"    {name}: {annotation}"


def _result(thing, name: str = "") -> str:
    """The type that a function returns, with the classes by the names that the stub gives them."""
    annotation = result_types.annotation_of(thing) or result_types.table().get(
        _first_name(thing, name)
    )
    if annotation is None and type(thing).__name__ == "Operation" and not thing.several:
        annotation = "Tensor"
    return result_types.WORD.sub(lambda match: _alias(match[0]), annotation or "Any")


def _about(thing) -> str:
    """The body of a function in the stub: the first paragraph of its docstring, for hover."""
    content = " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split())
    escaped = content.replace("\\", "\\\\").replace('"', "'")
    return f'"""{escaped}"""' if content else "..."


def _name_of(cls: type) -> str:
    return _alias(result_types.name_of(cls))


def _alias(name: str) -> str:
    """The name, in the stub, of a class with a public name."""
    if name in result_types.PLAIN:
        return f"builtins.{name}" if hasattr(builtins, name) and name != "None" else name
    return f"_as_{name.replace('.', '__')}"


def _import_of(alias: str) -> str:
    cls: Any = functools.reduce(getattr, alias.removeprefix("_as_").split("__"), allograph)
    module = _home(cls).removeprefix(allograph.__name__)
    return f"from {module} import {cls.__name__} as {alias}"


def _home(cls: type) -> str:
    """The module with a file that defines a class; "" where none has it under its name."""
    registering = index().get(result_types.name_of(cls), "")
    homes = cls.__module__, f"{allograph.__name__}.{registering}"
    return next((name for name in homes if _defines(sys.modules.get(name), cls)), "")


def _defines(module, cls: type) -> bool:
    """Whether a module has a `class` statement for a class, which a checker takes for a type."""
    file = getattr(module, "__file__", None)
    if file is None or vars(module).get(cls.__name__) is not cls:
        return False
    return f"class {cls.__name__}" in _classes_in(file)


@functools.cache
def _classes_in(file: str) -> set[str]:
    content = pathlib.Path(file).read_text("utf-8")
    return set(re.findall(r"^ *(class \w+)", content, re.MULTILINE))


def _members(holder, prefix: str) -> list[str]:
    lines = []
    for name in dir(holder) if prefix else sorted(loading.all_names()):
        if not name.startswith("_") and name.isidentifier():
            lines += _member(name, getattr(holder, name), prefix)
    return lines


def _member(name: str, thing, prefix: str) -> list[str]:
    depth, full = prefix.count("."), prefix + name
    indent = "    " * depth
    if type(thing) is types.ModuleType:
        return [f"{indent}from . import {name} as {name}"]
    if type(thing).__name__ == "Namespace":
        return [f"{indent}class {name}:", *_members(thing, f"{full}.")]
    if inspect.isclass(thing):
        return [f"{indent}{row}" for row in _class(name, full, thing)]
    if callable(thing):
        if not depth and name in DECORATORS:
            return _decorator(name, thing)
        static = indent + "@staticmethod\n" if depth else ""
        result = _result(thing, full)
        return [f"{static}{indent}def {name}{_parameters(thing)} -> {result}: {_about(thing)}"]
    cls = type(thing)
    return [f"{indent}{name}: {_name_of(cls)}"]


def _class(name: str, full: str, cls: type) -> list[str]:
    """A class: imported at the root, and under its name there in namespaces."""
    if full == "types.experimental.PolymorphicFunction":
        return [f"{name}: TypeAlias = _{cls.__name__}"]
    home = _home(cls)
    if not home.startswith(allograph.__name__):
        bases = (base for base in cls.__mro__ if _home(base).startswith(allograph.__name__))
        base = next((result_types.name_of(base) for base in bases), "Any")
        return [f"{name}: {'Any' if base == 'Any' else f'type[{_alias(base)}]'}"]
    if full == name:
        return _imported(name, cls.__name__, home.removeprefix(allograph.__name__))
    return [f"{name}: TypeAlias = {_name_of(cls)}"]


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
        return [f"def {name}({taken}) -> {result}: {_about(function)}"]
    left = ", ".join([f"{first.name}: None = ...", *rows])
    made = f"Callable[[Callable[_P, _R]], {result}]"
    return [
        "@overload",
        f"def {name}({taken}) -> {result}: {_about(function)}",
        "@overload",
        f"def {name}({left}) -> {made}: {_about(function)}",
    ]


@functools.cache
def _first_names() -> dict[int, str]:
    """The first public name of each function, by identity: its other names have the same type."""
    names: dict[int, str] = {}
    for name in result_types.table():
        with contextlib.suppress(AttributeError):
            thing = functools.reduce(getattr, name.split("."), allograph)
            names.setdefault(id(thing), name)
    return names


def _first_name(thing, name: str) -> str:
    return name if name in result_types.table() else _first_names().get(id(thing), name)


def _parameters(function) -> str:
    """A signature of bare names: `(x, *, name=...)`."""
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
