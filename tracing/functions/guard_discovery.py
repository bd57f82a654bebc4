"""Find what a trace depends on: the functions it calls, and the Python state they may read."""

from __future__ import annotations

import builtins
import enum
import functools
import types
import weakref
from collections import deque
from collections.abc import Iterator

import numpy as np

from ...autograph.current_trace import TRACE
from ...autograph.names_in_bytecode import loaded_names
from ...autograph.operators.calls import converted_form, is_user_code
from ...runtime.core.dtypes import DType
from ...runtime.ops.state.variables import Variable
from ...runtime.tensors.tensor import Tensor
from ..structures import nest
from .fronts import Called
from .guards import ATOMS, MISSING, Guards, Location, entry_of, state_of

OWN = ("allograph", "numpy")  # packages whose objects are values, not state of the user
OPERATORS = "allograph.autograph."  # modules that converted code alone reads
VALUES = (Tensor, Variable, DType, types.BuiltinFunctionType, np.generic)
WATCHED: tuple = (*ATOMS, *VALUES, list, deque, tuple, dict, set, frozenset, range, np.ndarray)
WATCHED += (np.dtype, type, types.GenericAlias, types.UnionType, types.ModuleType, enum.Enum)
GIVES_ITEMS = ("__next__", "__iter__", "__getitem__", "__len__")
# Special methods that calls do not run, or that show an object.
NOT_READING = {"__init__", "__new__", "__del__", "__repr__", "__str__", "__setattr__", "__reduce__"}


class GuardDiscovery:
    """Collects what one trace calls; `guards` finds the locations that these calls may read."""

    def __init__(self, of_globals: bool = False, of_objects: bool = False):
        self.of_globals = of_globals
        self.of_objects = of_objects
        self.calls: list[tuple[str, object]] = []  # arguments by name
        self.functions: dict[types.FunctionType, bool] = {}  # whether all its calls are noted
        self.by_reference: set[int] = set()  # arrays whose elements are read in each call
        self.made: list = []  # objects that the trace makes: each call makes others
        self.asked: set[str] = set()  # names of attributes that are asked for while tracing
        self.hidden: list = []  # objects whose items no guard sees
        self._inherited: list[Location] = []

    def note(self, function: types.FunctionType, args=(), kwargs=None) -> None:
        """Note a call of a user's function."""
        if self.of_objects:
            named = zip(function.__code__.co_varnames, args, strict=False)
            rows = [*named, *(kwargs or {}).items()]
            self.calls += [row for row in rows if not isinstance(row[1], VALUES)]
        self.read(function, converted_form(function) is not function)

    def read(self, function: types.FunctionType, converted: bool) -> None:
        """Note that the code of a function runs.

        Calls inside code that is not converted go unnoticed, so every function that such code
        names counts as called.
        """
        wrapped = function.__dict__.get("__wrapped__")
        if isinstance(wrapped, types.FunctionType):
            self.read(wrapped, converted)
        if not _is_of_user(function.__module__ or ""):
            return
        before = self.functions.get(function)
        self.functions[function] = converted and before is not False
        if not converted and before is not False:
            for value in _outer_values(function):
                if isinstance(value, types.FunctionType):
                    self.read(value, False)

    def inherit(self, guards: Guards) -> None:
        """Adopt the guards of a function that the trace calls."""
        self._inherited += guards.locations

    def note_root(self, function, args) -> None:
        """The watched function itself, where nothing converts and so notes it."""
        while not isinstance(function, types.FunctionType):
            inner = getattr(function, "__func__", None) or getattr(function, "func", None)
            if inner is None:
                args = (function, *args)
                inner = getattr(type(function), "__call__", None)  # noqa: B004 - of the class
                if not isinstance(inner, types.FunctionType):
                    return
            elif isinstance(function, types.MethodType):
                args = (function.__self__, *args)
            function = inner
        self.read(function, False)
        self.note(function, args)

    def guards(self) -> Guards | None:
        """Guards for all locations read, with their present values; None if there are none."""
        locations = {_identity(location): location for location in self._inherited}
        if self.of_globals or self.of_objects:
            locations.update((_identity(location), location) for location in self.locations())
        return Guards(locations.values()) if locations else None

    def locations(self) -> list[Location]:
        """All that the calls may read, by what is in it now."""
        count, seen = -1, []
        while count < len(self.functions):  # locations may hold more functions
            count = len(self.functions)
            seen = list(_Walk(self).locations())
        return seen


def discover_guards(discovery: GuardDiscovery) -> None:
    """Note the calls of the present trace."""
    trace = TRACE.get()
    trace.guards = discovery
    trace.on_call = discovery.note if discovery.of_globals or discovery.of_objects else None


def inherit(guards: Guards) -> None:
    """Pass guards on to the trace being made, if there is one."""
    discovery = TRACE.get().guards
    if discovery is not None:
        discovery.inherit(guards)


def _identity(location: Location) -> tuple:
    return location.form, id(location.holder), location.key


def hides_items(value) -> bool:
    """Whether an object has items, or makes them, that guards do not see: an iterator, a view, an
    array that is none of NumPy's.
    """
    # `float64[:]` is another type, `r_[a, b]` a new array
    is_constant = _module_of(value).startswith(("numba.core.types.", "numpy.lib."))
    if isinstance(value, WATCHED) or is_constant or getattr(type(value), "is_graph_value", False):
        return False
    methods = (getattr(type(value), name, None) for name in GIVES_ITEMS)
    return not all(
        method is None or (isinstance(method, types.FunctionType) and is_user_code(method))
        for method in methods
    )


def hidden_values(function: types.FunctionType) -> list:
    """The objects that a function may read by names, and whose items no guard sees."""
    discovery = GuardDiscovery(True, True)
    discovery.read(function, True)
    deque(_Walk(discovery).locations(), maxlen=0)
    return discovery.hidden


def reached_by_attributes(function: types.FunctionType, args: tuple, own: list) -> list[Location]:
    """What a function may reach through attributes, and not by names alone; nothing of the trace's
    `own` objects.
    """
    discovery = GuardDiscovery(True, True)
    discovery.made = own
    discovery.note(function, args)
    discovery.calls = [(f"argument.{name}", value) for name, value in discovery.calls]
    return [location for location in discovery.locations() if "." in location.label]


def _outer_values(function: types.FunctionType) -> Iterator:
    reads = loaded_names(function.__code__)
    for name in reads.globals:
        yield function.__globals__.get(name)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        if name in reads.cells:
            yield Location("cell", cell, None, name).read()


class _Walk:
    """Every location that the noted functions may have read, from the names in their code."""

    def __init__(self, discovery: GuardDiscovery):
        self.discovery = discovery
        self.functions = discovery.functions
        reads = [loaded_names(function.__code__) for function in self.functions]
        self.asked = discovery.asked.union(*(names.asked for names in reads))
        self.names = self.asked.union(*(names.attributes for names in reads))
        self.seen: dict[tuple, object] = {}  # by id; held so that no id is used twice

    def locations(self) -> Iterator[Location]:
        for function in tuple(self.functions):  # it grows meanwhile
            yield from self.names_of(function)
        for name, arg in self.discovery.calls:
            for leaf in nest.flatten(arg):
                yield from self.inside(leaf, name)

    def names_of(self, function: types.FunctionType) -> Iterator[Location]:
        """The code and defaults of a function, and the globals and closure values that it reads."""
        code, locations = function.__code__, []
        if self.discovery.of_globals:
            yield from state_of(function)
        reads = loaded_names(code)
        table = getattr(function.__globals__, "original", function.__globals__)
        for name in sorted(reads.globals):
            locations.append(entry_of(table, name, f"global {name}"))  # which may hide a builtin
            if name not in table and name in vars(builtins):
                locations.append(entry_of(vars(builtins), name, f"builtin {name}"))
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            if name in reads.cells:
                locations.append(Location("cell", cell, None, f"outer variable {name}"))
        for location in locations:
            if self.discovery.of_globals:
                yield location
            yield from self.inside(
                location.read(), location.label.split()[-1], self.discovery.of_globals
            )

    def inside(self, value, label: str, named: bool = False) -> Iterator[Location]:
        """The locations inside a value: contents of containers, attributes of modules and objects.

        `named` says that the value is reached by names alone, not through an object.
        """
        way = id(value), "." in label  # names and attributes reach what a trace treats otherwise
        if isinstance(value, (*ATOMS, *VALUES)) or value is MISSING or way in self.seen:
            return
        self.seen[way] = value
        if hides_items(value):
            self.discovery.hidden.append(value)
        elif isinstance(value, (list, deque, tuple, dict, set)):
            yield from self.content(value, label, named)
        elif isinstance(value, np.ndarray) and id(value) in self.discovery.by_reference:
            return
        elif isinstance(value, np.ndarray):
            yield Location("array", value, None, label)
        elif isinstance(value, types.ModuleType):
            if named and not value.__name__.startswith(OPERATORS):
                yield from self.attributes(vars(value), label, named)
        elif isinstance(value, (types.FunctionType, Called)):
            yield from self.attributes(vars(value), label, named)
        elif isinstance(value, functools.partial):
            yield from self.content((value.args, value.keywords), f"{label}.args", named)
        elif any(value is new_object for new_object in self.discovery.made):
            yield from self.classes(type(value))
        elif self.discovery.of_objects and _is_of_user(_module_of(value)):
            yield from self.state(value, label)

    def classes(self, cls: type) -> Iterator[Location]:
        """All that a class and its bases hold, methods included."""
        for base in cls.__mro__[:-1]:
            yield Location("pairs", vars(base), None, base.__qualname__)
        yield from self.inside(cls, cls.__qualname__)

    def content(self, value, label: str, named: bool) -> Iterator[Location]:
        """A container: what it holds, and what is inside that."""
        if isinstance(value, dict):
            yield Location("pairs", value, None, label)
            items = [(f"{label}[{key!r}]", item) for key, item in value.items()]
        elif isinstance(value, set):
            yield Location("members", value, None, label)
            items = []
        else:
            if not isinstance(value, tuple):
                yield Location("items", value, None, label)
            items = [(f"{label}[{index}]", item) for index, item in enumerate(value)]
        for location, item in items:
            yield from self.inside(item, location, named)

    def attributes(self, table: dict, label: str, named: bool) -> Iterator[Location]:
        """Entries of a table that functions read, or that it lacks where they ask by a string."""
        for name in sorted(self.names & table.keys() | self.asked):
            yield entry_of(table, name, f"{label}.{name}")
            yield from self.inside(table.get(name, MISSING), f"{label}.{name}", named)

    def state(self, thing, label: str) -> Iterator[Location]:
        """The attributes of an object, those of its class that are data among them."""
        own = {} if isinstance(thing, type) else getattr(thing, "__dict__", {})
        yield from self.attributes(own, label, False)
        cls = thing if isinstance(thing, type) else type(thing)
        if cls is not thing:
            self.read_special_methods(cls)
        mro = (*cls.__mro__, *(type(cls).__mro__ if cls is thing else ()))
        for name in sorted(self.names - own.keys()):
            attribute = next((vars(base)[name] for base in mro if name in vars(base)), MISSING)
            if isinstance(attribute, property) and isinstance(attribute.fget, types.FunctionType):
                self.discovery.read(attribute.fget, False)
            elif isinstance(attribute, (types.FunctionType, staticmethod)):  # may be replaced
                yield entry_of(own, name, f"{label}.{name}")
                yield Location("attribute", cls, name, f"{cls.__qualname__}.{name}")
            elif attribute is not MISSING and not _is_computed(attribute):
                location = _attribute(thing, name, f"{label}.{name}")
                yield location
                yield from self.inside(location.read(), location.label)
            elif attribute is MISSING and name in self.asked:
                yield from (entry_of(vars(base), name, f"{label}.{name}") for base in mro)

    def read_special_methods(self, cls: type) -> None:
        """Operators and builtins may run any of them: `len(x)`, `x[0]`, `x + 1`."""
        for name, method in (row for base in cls.__mro__ for row in vars(base).items()):
            if (
                isinstance(method, types.FunctionType)
                and name.startswith("__")
                and name not in NOT_READING
                and method.__code__.co_filename != "<string>"  # those of data classes compare
                and is_user_code(method)
            ):
                self.discovery.read(method, False)


def _attribute(thing, name: str, label: str) -> Location:
    """An attribute of an object that the guard does not keep alive."""
    try:
        return Location("weak", weakref.ref(thing), name, label)
    except TypeError:  # an instance of a class with __slots__
        return Location("attribute", thing, name, label)


def _is_computed(attribute) -> bool:
    """Whether reading an attribute of a class runs code: methods and other descriptors."""
    slot = isinstance(attribute, types.MemberDescriptorType)
    return not slot and hasattr(type(attribute), "__get__")


def _module_of(thing) -> str:
    return getattr(thing if isinstance(thing, type) else type(thing), "__module__", None) or ""


def _is_of_user(module: str) -> bool:
    return module.split(".")[0] not in OWN
