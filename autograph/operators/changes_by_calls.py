"""What a block of a staged statement changes through the functions that it calls.

    def add(stats, x):
        stats["sum"] += x

    if x > 0:
        add(stats, x)           # the `if` itself assigns nothing

Nothing in the text of the block tells, so the containers, arrays and objects in local variables of
all functions that are being traced are compared after each run of it.
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..conversion.display_names import OUTLINED
from ..stager import CURRENT
from .checked_values import Checked
from .comprehensions import Postponed
from .containers import REFILLS, Snapshot, is_record_class
from .items import ldu, put_item

PACKAGE = __name__.partition(".")[0]
OUTSIDE = (f"{PACKAGE}.autograph.api", f"{PACKAGE}.tracing.functions")  # a trace begins in these
LIBRARIES = {*sys.stdlib_module_names, PACKAGE, "numpy"} - {"__main__"}
MISSING = object()
CONTAINER, ARRAY, ITERATOR, OBJECT = 1, 2, 3, 4


class Place(NamedTuple):
    """A container, or an attribute of an object, that becomes state of a statement."""

    name: str
    get: Callable
    put: Callable


class Watch:
    """The content of what lies in local variables beside the state of a statement."""

    def __init__(self, lists):
        """`lists` names variables of the statement itself that may change while it is traced."""
        self.containers, self.objects, self.arrays, self.iterators = _found(lists)

    def begin(self, state) -> None:
        """Note the content of everything but the values of `state`."""
        mine = set(map(id, state))
        self.snapshots = [
            (name, value, Snapshot([value], arrays=False))
            for name, value in self.containers
            if id(value) not in mine
        ]
        self.attributes = [(name, one, dict(vars(one))) for name, one in self.objects]
        self.locked = [one for one in self.arrays if id(one) not in mine and one.flags.writeable]

    def name_of(self, container) -> str | None:
        """The name of a container that a variable held before the statement."""
        return next((name for name, one in self.containers if one is container), None)

    def lock(self, locked: bool) -> None:
        """Make the arrays read-only: one cannot be compared as fast as it can be locked."""
        for array in self.locked:
            array.flags.writeable = not locked

    def changes(self) -> list[Place]:
        """What was changed."""
        places = [
            Place(name, lambda one=value: one, lambda new: None)
            for name, value, snapshot in self.snapshots
            if snapshot.changed()
        ]
        for name, one, before in self.attributes:
            for key in _changed(before, vars(one)):
                if isinstance(getattr(type(one), key, None), functools.cached_property):
                    del vars(one)[key]  # it is computed again where it is wanted
                else:
                    places.append(_attribute(f"{name}.{key}", vars(one), key))
        return places

    def restore(self) -> None:
        for _, _, snapshot in self.snapshots:
            snapshot.restore()
        for _, one, before in self.attributes:
            for key in _changed(before, vars(one)):
                if key in before:
                    vars(one)[key] = before[key]
                else:
                    del vars(one)[key]


def _attribute(name: str, attributes: dict, key: str) -> Place:
    return Place(
        name,
        lambda: ldu(lambda: attributes[key], name),
        lambda value: put_item(attributes, key, value),
    )


def _changed(before: dict, now: dict) -> list[str]:
    """The attributes that were changed. An object that gets variables or layers builds itself, and
    what it notes about that stays.
    """
    keys = [
        key for key in {**before, **now} if before.get(key, MISSING) is not now.get(key, MISSING)
    ]
    if any(_is_built(now.get(key)) for key in keys):
        return [key for key in keys if CURRENT.stager.is_tensor(now.get(key))]
    return keys


def _is_built(value) -> bool:
    is_ours = type(value).__module__.partition(".")[0] == PACKAGE
    return is_ours and type(value) is not Checked and not CURRENT.stager.is_tensor(value)


def _found(lists) -> tuple[list, list, list, list]:
    """What lies in variables of the functions that are being traced: the containers and objects,
    with their names, the arrays, and the iterators.
    """
    containers: dict[int, tuple] = {}
    objects: dict[int, tuple] = {}
    arrays: dict[int, np.ndarray] = {}
    iterators = []
    for name, value in _variables(lists):
        role = _role(type(value))
        if role == CONTAINER:
            containers.setdefault(id(value), (name, value))
        elif role == ARRAY:
            arrays[id(value)] = value
        elif role == ITERATOR:
            iterators.append(value)
        elif role == OBJECT:
            objects.setdefault(id(value), (name, value))
            for key, one in vars(value).items():
                if _role(type(one)) == CONTAINER:
                    containers.setdefault(id(one), (f"{name}.{key}", one))
    return list(containers.values()), list(objects.values()), list(arrays.values()), iterators


def _variables(lists):
    """The local variables of the functions that are being traced, the innermost first."""
    frame, is_own = inspect.currentframe(), True
    while frame is not None:
        module = frame.f_globals.get("__name__") or ""
        if module.startswith(OUTSIDE):
            return
        if module.partition(".")[0] not in LIBRARIES:
            code = frame.f_code
            local = _names_of_locals(code)
            for name, value in frame.f_locals.items():
                if _role(type(value)) and name in local and not (is_own and name in lists):
                    yield name, value
            is_own = is_own and bool(OUTLINED.get(code))
        frame = frame.f_back


@functools.lru_cache(512)
def _names_of_locals(code) -> frozenset[str]:
    """The variables of a function, without those of the functions around it."""
    return frozenset((*code.co_varnames, *code.co_cellvars))


@functools.lru_cache(512)
def _role(cls) -> int:
    """What the objects of a class are to a watch; 0 if they do not matter."""
    if cls in (int, float, str, bool, tuple, type(None), types.FunctionType):
        return 0
    if issubclass(cls, (list, dict)) or cls in REFILLS or is_record_class(cls):
        return CONTAINER
    if issubclass(cls, np.ndarray):
        return ARRAY
    if issubclass(cls, (type, types.ModuleType, BaseException)):
        return 0
    roots = [base.__module__.partition(".")[0] for base in cls.__mro__]
    if hasattr(cls, "__next__"):
        return ITERATOR if cls is Postponed or PACKAGE not in roots else 0
    is_plain = cls.__dictoffset__ != 0 and roots[0] not in LIBRARIES and PACKAGE not in roots
    return OBJECT if is_plain else 0
