"""How names are found: the module of a public name, or of a name of the surface for extensions, is
imported when the name is first used.
"""

from __future__ import annotations

import gc
import importlib
import importlib.machinery
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

SUBPACKAGES = (
    "autograph",
    "backends",
    "extend",
    "library",
    "python_library",
    "runtime",
    "tools",
    "tracing",
)


class Submodules:
    """Finds namespaces as modules, as for `from allograph.keras import layers`.

    Python asks after all other finders, so modules that are files come first.
    """

    @classmethod
    def find_spec(cls, name: str, path=None, target=None):
        parent, _, child = name.rpartition(".")
        owner = sys.modules.get(parent)
        if not _is_ours(owner) or child.startswith("__") or child in SUBPACKAGES:  # these are files
            return None
        found = getattr(owner, child, None)
        if not isinstance(found, ModuleType):
            return None
        return importlib.machinery.ModuleSpec(name, _Loader(found), is_package=True)  # type: ignore[arg-type]


class _Loader:
    """Gives an import the module that exists already."""

    def __init__(self, module: ModuleType):
        self.module = module

    def create_module(self, spec) -> ModuleType:
        return self.module

    def exec_module(self, module) -> None:
        """Do nothing: names are resolved when they are first used."""


def _is_ours(module: ModuleType | None) -> bool:
    """Whether a module is the package or one of its namespaces."""
    return module is not None and module.__name__.split(".")[0] == __package__


sys.meta_path.append(Submodules)


def find(name: str):
    """The public object called `name` (the `__getattr__` of the package)."""
    if name.startswith("_"):  # no public name: what Python, pytest and IPython ask of any object
        raise AttributeError(f"module '{__package__}' has no attribute {name!r}")
    try:
        public = without_collecting(lambda: _public_object(name))
    except AttributeError as error:
        _imported("runtime.core.tracebacks").hide_internal_frames(error)
        raise
    setattr(sys.modules[__package__], name, public)
    return public


def _public_object(name: str):
    return _imported(name) if name in SUBPACKAGES else _public_names().member("", name)


frozen: list[int] = []  # the number of objects that the program had frozen, once it had some


def without_collecting(work: Callable):
    """The result of work that imports modules or compiles. Python looks for no garbage meanwhile.

    What exists then is old for the collector, as if it had survived: modules and graphs stay, and
    to go through them takes a tenth of a first call.
    """
    collects = gc.isenabled()
    try:
        gc.disable()
        return work()
    finally:
        if collects:
            gc.enable()  # first, since an interruption may come at each call
            # A program that has frozen objects keeps them so. To count them takes time for each.
            if not frozen and (count := gc.get_freeze_count()):
                frozen.append(count)
            if not frozen:
                gc.freeze()
                gc.unfreeze()  # into the oldest generation


OLDER = {"Session", "contrib", "placeholder"}  # of TensorFlow 1: `compat.v1` shows them


def names() -> list[str]:
    """Every public name but those of older programs (the `__dir__` of the package)."""
    return sorted(all_names() - OLDER)


def all_names() -> set[str]:
    """Every public name."""
    return {"autograph", *_public_names().names_below("")}


def members(module: str, table: str) -> tuple[Callable, Callable]:
    """`__getattr__` and `__dir__` of a module whose members other modules define. Each line of the
    table is a module and the names that it gives; `name=other` is `name` there and `other` here. A
    member's module is imported when the member is first used.
    """
    homes: dict[str, tuple[str, str]] = {}
    for home, *names in map(str.split, table.strip().splitlines()):
        for name, _, other in (entry.partition("=") for entry in names):
            homes[other or name] = home, name

    def member_named(name: str):
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        home, own = homes[name]
        holder = _imported(home)
        value = getattr(holder, own) if hasattr(holder, own) else _imported(f"{home}.{own}")
        setattr(sys.modules[module], name, value)
        return value

    return member_named, lambda: sorted(homes)


def modules(*rooms: str) -> Iterator[ModuleType]:
    """Every module of some rooms, except those of a library that is not installed."""
    import pkgutil  # only for this

    for room in rooms:
        package = _imported(room)
        for row in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            try:
                yield importlib.import_module(row.name)
            except ModuleNotFoundError as error:
                if str(error.name).startswith(str(__package__)):
                    raise


def index() -> str:
    """The content of `runtime/core/public_index.txt`: each module with the names that it registers,
    and with the operations and the functions of NumPy that it declares.

    Imports every module of the package, so it is right in a process that has imported none.
    """
    table = _public_names()
    table.PUBLIC = _Registrations(table.PUBLIC)
    list(modules("runtime.ops", "runtime", "python_library", "tracing", "library", "backends"))
    rows: dict[str, list[str]] = {}
    operations, of_numpy = map(_imported, ("runtime.ir.op", "runtime.numpy_protocol.registry"))
    homes = {name: op.__module__ for name, op in operations.TABLE.items()} | of_numpy.ABSENT
    for function, row in of_numpy.FUNCTIONS.items():
        if row.implementation is not None:
            homes[of_numpy.name_of(function)] = row.implementation.__module__
    declared = {f":{name}": module for name, module in homes.items()}
    for name, module in sorted((table.PUBLIC.modules | declared).items()):
        rows.setdefault(module.removeprefix(f"{__package__}."), []).append(name)
    return "".join(f"{module} {' '.join(rows[module])}\n" for module in sorted(rows))


class _Registrations(dict):
    """A table of public names that keeps the module whose import entered each."""

    def __init__(self, names):
        super().__init__(names)
        self.modules: dict[str, str] = {}

    def setdefault(self, name, thing):
        if name not in self:
            frame = sys._getframe(1)
            while frame.f_code.co_name != "<module>":
                frame = frame.f_back
            self.modules[name] = frame.f_globals["__name__"]
        return super().setdefault(name, thing)


def _imported(module: str) -> ModuleType:
    return importlib.import_module(f"{__package__}.{module}")


def _public_names() -> Any:
    """The table of public names."""
    return _imported("runtime.core.public_names")
