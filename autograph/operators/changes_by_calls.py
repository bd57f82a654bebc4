"""What a block of a staged statement changes through the functions that it calls.

    def add(stats, x):
        stats["sum"] += x

    if x > 0:
        add(stats, x)           # the `if` itself assigns nothing

Nothing in the text of the block tells, so the containers, arrays, objects and closures that are
reachable from the local variables of all functions that are being traced are compared after each
run of it.
"""

from __future__ import annotations

import dis
import functools
import re
import types
from collections.abc import Callable
from typing import NamedTuple

from ..conversion.bytecode_liveness import variables_of
from ..current_trace import TRACE, unsupported
from ..forms import at_end, form_of
from ..identity_map import cached_per_object
from .checked_values import Checked, ldu, stored
from .containers import UNBOUND, Snapshot, attributes_of, content, is_fixed, is_record, slots_of
from .reachable_state import PACKAGE, Reachable
from .undefined import Undefined

MISSING = object()
UPDATE = re.compile(re.escape(bytes([dis.opmap["BINARY_OP"]])) + rb"[\x0d-\x19]")  # such as `+=`


class Place(NamedTuple):
    """A container, an attribute of an object or a closure variable that becomes state of a
    statement. A container has no `put`: it is changed, not replaced.
    """

    name: str
    get: Callable
    put: Callable | None
    key: tuple  # what it is, since several may have one name


class ReachableSnapshot:
    """The content of what lies in local variables beside the state of a statement."""

    def __init__(self, lists, set_state):
        """`lists` names variables of the statement itself that may change while it is traced, and
        `set_state` sets its state.
        """
        scan = Reachable(lists, set_state, tensors=bool(TRACE.get().notes.arrays))
        self.containers, self.objects, self.cells = scan.containers, scan.objects, scan.cells
        self.arrays, self.iterators = scan.arrays, scan.iterators
        self.reachable = scan

    def begin(self, state, contents: Snapshot) -> None:
        """Note the content of everything but the values of `state`, which `contents` holds."""
        mine = set(map(id, state))
        self.snapshots = [
            (name, value, Snapshot([value], arrays=False))
            for name, value in self.containers
            if id(value) not in mine
        ]
        self.attributes = [(name, owner, attributes_of(owner)) for name, owner in self.objects]
        self.classes = [type(owner) for _, owner in self.objects]
        self.layouts = [(array.shape, array.strides, array.dtype) for array in self.arrays]
        self.bound = [(name, cell, content(cell)) for name, cell in self.cells]
        compared = {id(array) for array, _ in contents.others}
        self.locked = [
            array for array in self.arrays if id(array) not in compared and array.flags.writeable
        ]

    def lock(self, locked: bool) -> None:
        """Make the arrays read-only: one cannot be compared as fast as it can be locked."""
        for array in self.locked:
            array.flags.writeable = not locked

    def changes(self) -> list[Place]:
        """The places whose content differs from the snapshot taken before the block."""
        self._refuse_other_forms()
        places = [
            self._place_of(name, value)
            for name, value, snapshot in self.snapshots
            if snapshot.changed()
        ]
        for name, owner, before in self.attributes:
            for key in _changed(owner, before):
                if isinstance(getattr(type(owner), key, None), functools.cached_property):
                    _forget_cached(name, owner, key, before)
                else:
                    places.append(_attribute(f"{name}.{key}", owner, key))
        places += [
            _cell(name, cell) for name, cell, before in self.bound if content(cell) is not before
        ]
        return places

    def _place_of(self, name: str, value) -> Place:
        """Where a container is: one that grows is replaced there. Variables that no function shares
        cannot be replaced.
        """
        cell = next((cell for _, cell in self.cells if content(cell) is value), None)
        if cell is not None:
            return _cell(name, cell)
        for _, part, _, again, (source, step) in self.reachable.edges:
            if part is value and not again and step.startswith("."):
                owner = next((owner for _, owner in self.objects if id(owner) == source), None)
                if owner is not None and not is_fixed(owner):
                    return _attribute(name, owner, step[1:])
        return Place(name, lambda: value, None, (id(value),))

    def _refuse_other_forms(self) -> None:
        """Refuse that an object gets another class, or an array another shape or data type."""
        place = self._other_forms()
        if place is None:
            return
        self.restore()
        raise unsupported(
            f"{place} is changed by a function that a staged statement calls",
            "Make another object, and return it.",
        )

    def _other_forms(self) -> str | None:
        for (name, owner), cls in zip(self.objects, self.classes, strict=True):
            if type(owner) is not cls:
                return f"the class of '{name}'"
        for array, layout in zip(self.arrays, self.layouts, strict=True):
            if (array.shape, array.strides, array.dtype) != layout:
                return f"the shape or the dtype of a NumPy array of shape {layout[0]}"
        return None

    def restore(self) -> None:
        for (_, owner), cls in zip(self.objects, self.classes, strict=True):
            if type(owner) is not cls:
                owner.__class__ = cls
        for array, (shape, strides, dtype) in zip(self.arrays, self.layouts, strict=True):
            if (array.shape, array.strides, array.dtype) != (shape, strides, dtype):
                array.dtype = dtype
                array.shape = shape
        for _, _, snapshot in self.snapshots:
            snapshot.restore()
        for _, owner, before in self.attributes:
            for key in _changed(owner, before):
                _put(owner, key, before.get(key, MISSING))
        for _, cell, before in self.bound:
            _bind(cell, before)


def _forget_cached(name: str, owner, key: str, before: dict) -> None:
    """Let a cached property that a block has computed be computed again where it is wanted. It
    would be another value if what it reads of the object, which was `before`, changes.
    """
    del vars(owner)[key]
    read = names_read(type(owner), getattr(type(owner), key).func.__code__, set())
    others = {other: value for other, value in before.items() if other in read}

    refusal = unsupported(
        f"'{name}.{key}', a cached property, is computed in a staged statement, and what it reads "
        f"of '{name}' changes: it would be another value when it is computed again",
        f"Read it before the statement: {name}.{key}.",
    )

    def check() -> None:
        now = attributes_of(owner)
        if any(now.get(other) is not value for other, value in others.items()):
            raise refusal

    form_of(at_end)(check, of_function=True)


def names_read(cls, code, seen: set) -> set[str]:
    """The names of attributes that code reads, also in methods and properties of a class."""
    for name in set(code.co_names) - seen:
        seen.add(name)
        attribute = getattr(cls, name, None)
        function = getattr(attribute, "fget", None) or getattr(attribute, "func", None) or attribute
        if isinstance(function, types.FunctionType):
            names_read(cls, function.__code__, seen)
    return seen


def _bind(cell, value) -> None:
    if value is UNBOUND:
        del cell.cell_contents
    else:
        cell.cell_contents = value


def _cell(name: str, cell) -> Place:
    bind = functools.partial(_bind, cell)
    return Place(name, functools.partial(content, cell), bind, (id(cell),))


def _attribute(name: str, owner, key: str) -> Place:
    def put(value) -> None:
        is_gone = isinstance(value, Undefined) and not value.reason
        _put(owner, key, MISSING if is_gone else stored(value))

    return Place(name, lambda: ldu(lambda: _read(owner, key), name), put, (id(owner), key))


def _value(owner, attributes: dict, key: str):
    """An attribute of an object, or else what its class has for all objects, or MISSING."""
    if key in attributes:
        return attributes[key]
    shared = getattr(type(owner), key, MISSING)
    return MISSING if hasattr(type(shared), "__get__") else shared


def _read(owner, key: str):
    value = _value(owner, attributes_of(owner), key)
    if value is MISSING:
        raise AttributeError(key)
    return value


def _put(owner, key: str, value) -> None:
    """Set an attribute, past the `__setattr__` of its class; MISSING deletes it."""
    attributes = None if key in slots_of(type(owner)) else vars(owner)
    if attributes is None and value is not MISSING:
        object.__setattr__(owner, key, value)
    elif value is not MISSING:
        attributes[key] = value
    elif key in attributes_of(owner):
        object.__delattr__(owner, key) if attributes is None else attributes.pop(key)


def _changed(owner, before: dict) -> list[str]:
    """The attributes that were changed. An object that gets variables or layers builds itself, and
    what it notes about that stays.
    """
    now = attributes_of(owner)
    keys = [
        key
        for key in {**before, **now}
        if _value(owner, before, key) is not _value(owner, now, key)
    ]
    if any(_is_built(now.get(key)) for key in keys):
        return [key for key in keys if TRACE.get().stager.is_tensor(now.get(key))]
    return keys


def _is_built(value) -> bool:
    """Whether a value is one of this package's objects that have a state of their own."""
    cls = type(value)
    if cls.__module__.partition(".")[0] != PACKAGE or isinstance(value, Checked):
        return False
    is_value = getattr(cls, "__tf_composite__", False) or is_record(value)
    is_value = is_value or getattr(cls, "is_graph_value", False)
    return not is_value and not TRACE.get().stager.is_tensor(value)


# ---- what a function does with the names around it, by its bytecode ----------------------


def rebound_before_read(body) -> set[str]:
    """The variables of a loop that each iteration binds anew before it reads them."""
    functions = _with_inner(body)
    read = {name for function in functions for name in variables_of(function.__code__).read_first}
    return {name for function in functions for name in function.__code__.co_freevars} - read


def updated_by(function) -> set[str]:
    """The names that a function updates, as with `+=`, or one that it calls from its closure."""
    return {name for called in _with_inner(function) for name in _updated(called.__code__)}


def _with_inner(function) -> tuple:
    """A function, and those in its closure that it calls."""
    inner = map(content, function.__closure__ or ())
    return (function, *(value for value in inner if isinstance(value, types.FunctionType)))


@cached_per_object
def _updated(code) -> frozenset[str]:
    names, update = set(), False
    steps = dis.get_instructions(code) if UPDATE.search(code.co_code) else ()
    for instruction in steps:
        if update:
            names.add(instruction.argval)
        update = instruction.opname == "BINARY_OP" and instruction.argrepr.endswith("=")
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _updated(constant)
    return frozenset(names)
