"""Containers that a statement may change in place: lists, dictionaries and records.

A record is an object of a dataclass or attrs class that is not frozen. The content of a container
is state, and the container keeps its identity. The content of NumPy arrays, sets and the like
(`opaque_content.py`) is state too, but one that was changed is replaced by a copy. A tuple or a
frozen record does not change: a statement makes another one, with the containers of the old one.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import operator
import types
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ..current_trace import TRACE
from . import opaque_content
from .forwarding_lists import ForwardingList, StoredList, set_content
from .undefined import MaybeSet, Undefined

NO_PROGRAM = {"builtins", "numpy", "types", __name__.partition(".")[0]}  # no attributes of a user
MOST_PARTS = 1000
UNBOUND = Undefined("a closure variable")


def is_container(value) -> bool:
    return is_container_class(type(value))


@functools.lru_cache(512)
def is_container_class(cls) -> bool:
    return issubclass(cls, (list, dict)) or is_record_class(cls)


@functools.lru_cache(512)
def _has_content(cls) -> bool:
    """Whether objects of a class have, or hold something that has, a content that may change."""
    of_its_own = is_container_class(cls) or opaque_content.of_class(cls) is not None
    return of_its_own or is_fixed_class(cls) or issubclass(cls, MaybeSet)


def is_record(value) -> bool:
    return is_record_class(type(value))


@functools.lru_cache(512)
def is_record_class(cls) -> bool:
    return _has_fields(cls) and not _is_frozen(cls)


def is_fixed(value) -> bool:
    """Whether a value is a tuple or a frozen record: the values in it change, and it does not."""
    return is_fixed_class(type(value))


@functools.lru_cache(512)
def is_fixed_class(cls) -> bool:
    return issubclass(cls, tuple) or (_has_fields(cls) and _is_frozen(cls))


def _has_fields(cls) -> bool:
    return hasattr(cls, "__dataclass_params__") or hasattr(cls, "__attrs_attrs__")


def _is_frozen(cls) -> bool:
    parameters = getattr(cls, "__dataclass_params__", None)
    return "frozen" in cls.__setattr__.__name__ if parameters is None else parameters.frozen


def fields_of(record) -> dict:
    """The attributes of a record by name, without those that are unset."""
    cls = type(record)
    names = getattr(cls, "__dataclass_fields__", None)
    if names is None:
        names = [field.name for field in cls.__attrs_attrs__]
    fields = {name: getattr(record, name) for name in names if hasattr(record, name)}
    return {"__class__": cls, **fields} if isinstance(record, StoredList) else fields


def initialize_record(record, post, args: tuple, kwargs: dict) -> None:
    """Call the `__init__` of a new object of a data class, with `post` as its `__post_init__`."""

    def post_init(*rest):
        del vars(record)["__post_init__"]
        return post(record, *rest)

    vars(record)["__post_init__"] = post_init
    record.__init__(*args, **kwargs)


@functools.lru_cache(512)
def slots_of(cls) -> tuple[str, ...]:
    """The attributes that a class keeps in slots, as exceptions keep their arguments."""
    slots = (
        name
        for base in cls.__mro__
        if "__slots__" in vars(base)
        for name, member in vars(base).items()
        if type(member) is types.MemberDescriptorType
    )
    return (*slots, *(("args",) if issubclass(cls, BaseException) else ()))


def attributes_of(owner) -> dict:
    """The attributes of an object by name, those in slots too."""
    values = getattr(owner, "__dict__", None)
    values = dict(values) if isinstance(values, dict) else {}  # a proxy may give anything
    for name in slots_of(type(owner)):
        with contextlib.suppress(AttributeError):
            values[name] = object.__getattribute__(owner, name)
    return values


def children(value) -> list:
    """The values inside a container, a tuple, or a conditionally assigned variable."""
    if type(value) is MaybeSet:
        return [value.value]
    return list(items_of(value).values()) if is_container(value) or is_fixed(value) else []


def items_of(value) -> dict:
    """The values inside a container, a tuple or a frozen record, by index, key or name."""
    if is_sequence(value):
        return dict(enumerate(value))
    return dict(value) if isinstance(value, dict) else fields_of(value)


def is_sequence(value) -> bool:
    return isinstance(value, (list, tuple)) and not isinstance(value, StoredList)


def item_at(value, key):
    """The value inside another at an index, key or name; None if there is none."""
    if is_sequence(value):
        return value[key] if type(key) is int and key < len(value) else None
    return value.get(key) if isinstance(value, dict) else fields_of(value).get(key)


def parts_of(value) -> Iterator[tuple]:
    """(key, part, form) for what lies directly in a value; `path_to` names it by key and form."""
    if isinstance(value, types.MethodType):
        yield from ((None, part, "{name}") for part in (value.__self__, value.__func__))
    elif isinstance(value, functools.partial):
        parts = (value.func, *value.args, *value.keywords.values())
        yield from ((None, part, "{name}") for part in parts)
    elif isinstance(value, types.FunctionType):
        for key, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
            yield key, content(cell), "{key}"
    elif isinstance(value, (dict, types.MappingProxyType)):
        yield from ((None, key, "a key of {name}") for key in value)
        yield from ((key, part, "{name}[{key}]") for key, part in value.items())
    elif isinstance(value, np.ndarray):
        items = value.flat if value.dtype.kind == "O" else ()
        yield from ((key, part, "{name}[{key}]") for key, part in enumerate(items))
    elif isinstance(value, (set, frozenset, collections.deque)):
        yield from ((key, part, "{name}[{key}]") for key, part in enumerate(value))
    elif is_record(value):
        yield from ((key, part, "{name}.{key}") for key, part in fields_of(value).items())
    elif is_sequence(value) or type(value) is MaybeSet:
        yield from ((key, part, "{name}[{key}]") for key, part in enumerate(children(value)))
    elif not isinstance(value, type) and _package_of(type(value)) not in NO_PROGRAM:
        yield from ((key, part, "{name}.{key}") for key, part in attributes_of(value).items())


def path_to(name: str, key, form: str) -> str:
    """The name of a part of what has a name."""
    return form.format(name=name, key=key if form.endswith("key}") else shown(key))


def shown(key) -> str:
    """A key in a name. The `repr` of a class of the user's may do anything."""
    return repr(key) if type(key) in (int, str) else f"<{type(key).__name__}>"


def _package_of(cls) -> str:
    return cls.__module__.partition(".")[0]


def content(cell, otherwise=UNBOUND):
    """The value of a closure variable, or another one if it has none."""
    try:
        return cell.cell_contents
    except ValueError:
        return otherwise


def part_where(name: str, value, holds: Callable) -> str | None:
    """The name of the first part, at any depth, for which `holds(part)`; None if there is none."""
    return next((path for path, part in _below(name, value, parts_of) if holds(part)), None)


def containers_below(name: str, value, package: str) -> Iterator[tuple]:
    """(name, container) for the containers in a value, each once, the value itself included; in
    objects only where their class is of this package. Of what is large, not all.
    """

    def parts(holder) -> Iterator[tuple]:
        if not isinstance(holder, (list, tuple, dict)) or len(holder) <= MOST_PARTS:
            yield from (row for row in parts_of(holder) if _has_parts(row[1], package))

    below = _below(name, value, parts) if _has_parts(value, package) else ()
    yield from (row for row in below if is_container(row[1]))


def _below(name: str, value, parts: Callable) -> Iterator[tuple]:
    """(name, part) for a value and its parts, at any depth, each once; not without end."""
    waiting, seen = collections.deque([(name, value)]), {}
    while waiting and len(seen) < MOST_PARTS:
        name, holder = waiting.popleft()
        if id(holder) not in seen:
            yield name, holder
            seen[id(holder)] = holder
            waiting += [(path_to(name, key, form), part) for key, part, form in parts(holder)]


def _has_parts(value, package: str) -> bool:
    cls = type(value)
    return is_container_class(cls) or is_fixed_class(cls) or _package_of(cls) == package


class Snapshot:
    """The content of all that is reachable from some values and may change, to be restored."""

    def __init__(self, values, arrays: bool = True):
        self.arrays = arrays
        self.rows: list = []
        self.others: list[tuple] = []  # arrays, sets and the like, with what was read of them
        self._seen: set[int] = set()
        for value in values:
            self._note(value)

    def _note(self, value) -> None:
        if id(value) in self._seen:
            return
        if is_container(value):
            self._seen.add(id(value))
            self.rows.append((value, shallow(value)))
        elif (content := opaque_content.content_of(value)) is not None:
            self._seen.add(id(value))
            if not isinstance(value, np.ndarray) or self.arrays:
                self.others.append((value, content.read(value)))
            return
        elif not is_fixed(value) and type(value) is not MaybeSet:
            return
        for child in children(value):
            if _has_content(type(child)):
                self._note(child)

    def restore(self) -> None:
        for container, content in self.rows:
            refill(container, content)
        for value, content in self.others:
            opaque_content.restore(value, content)

    def copies(self, values) -> tuple:
        """The values with fresh containers, and a copy of each array or set that was changed."""
        others = {
            id(value): opaque_content.copied(value)
            if opaque_content.has_changed(value, content)
            else value
            for value, content in self.others
        }
        return tuple(copied(value, dict(others)) for value in values)

    def reordered(self) -> dict | None:
        """A dictionary that has the keys it had, in another order."""
        for container, content in self.rows:
            if isinstance(content, dict) and isinstance(container, dict):
                keys = list(container)
                if keys != list(content) and container.keys() == content.keys():
                    return container
        return None

    def changed(self) -> bool:
        """Whether anything was changed."""
        if not all(same_items(shallow(container), content) for container, content in self.rows):
            return True
        return any(opaque_content.has_changed(value, content) for value, content in self.others)


def same_items(now, before) -> bool:
    """Whether two lists or dictionaries hold the same objects."""
    if isinstance(now, list) or isinstance(before, list):
        return type(now) is type(before) and opaque_content.same_objects(now, before)
    items = list(now.values()), list(before.values())
    return list(now) == list(before) and opaque_content.same_objects(*items)


def shallow(container):
    """The content of a container: a list of items, or a dictionary of them."""
    if is_sequence(container):
        return list(container)
    return dict(container) if isinstance(container, dict) else fields_of(container)


def refill(container, content) -> None:
    """Set the content of a container, past the functions of its class."""
    if isinstance(container, ForwardingList):
        set_content(container, content)
    elif isinstance(container, list):
        list.__setitem__(container, slice(None), content)
    elif isinstance(container, dict):
        base = collections.OrderedDict if isinstance(container, collections.OrderedDict) else dict
        base.clear(container)
        for key, item in content.items():
            base.__setitem__(container, key, item)
    else:
        for name, value in content.items():
            object.__setattr__(container, name, value)


def copied(value, memo: dict | None = None):
    """A deep copy of the containers in a value; other objects are shared."""
    memo = {} if memo is None else memo
    if id(value) in memo:
        return memo[id(value)]
    if not is_container(value):
        if is_fixed(value):
            return remade(value, {key: copied(part, memo) for key, part in items_of(value).items()})
        if hasattr(type(value), "at_end_of_block"):  # an item that may be missing
            return value.at_end_of_block()
        return _copied_variable(value, memo) if type(value) is MaybeSet else value
    content = shallow(value)
    if isinstance(content, list):
        fresh = [copied(part, memo) for part in content]
    else:
        fresh = {key: copied(part, memo) for key, part in content.items()}
    copy_made = memo[id(value)] = _like(value, fresh)
    copies = TRACE.get().copied
    if copies is not None:
        copies[id(copy_made)] = (copy_made, value)
    return copy_made


def _copied_variable(variable: MaybeSet, memo: dict) -> MaybeSet:
    value = copied(variable.value, memo)
    return variable if value is variable.value else variable.holding(value, variable.is_set)


def _like(value, content):
    cls = type(value)
    if cls is list or cls is dict:
        return content
    cls = ForwardingList if isinstance(value, ForwardingList) else cls
    if is_record_class(cls):
        return _record(cls, content)
    container = cls(value.default_factory) if hasattr(value, "default_factory") else cls()
    refill(container, content)
    return container


def _record(cls, fields: dict):
    record = object.__new__(cls)
    refill(record, fields)
    return record


def remade(value, items: dict):
    """A tuple or frozen record of the same class with these items; the same one if they are its
    own, or if its class tells nothing of how one is made.
    """
    cls = type(value)
    if all(map(operator.is_, items_of(value).values(), items.values())):
        return value
    if cls is tuple:
        return tuple(items.values())
    if isinstance(value, tuple):
        return cls._make(items.values()) if hasattr(cls, "_make") else value
    return _record(cls, items)


def same_literal(left, right) -> bool:
    """Whether two values of Python are surely one number, one string or None."""
    is_literal = isinstance(left, (bool, int, float, complex, str, bytes, type(None)))
    return is_literal and type(left) is type(right) and repr(left) == repr(right)


def are_alike(old, new) -> bool:
    """Whether two values are tuples, or frozen records, of one class with the same keys."""
    return is_fixed(old) and type(old) is type(new) and [*items_of(old)] == [*items_of(new)]


def written_into(old, new, rebound_paths: Sequence[tuple] = ()):
    """`old` with the content of `new` where both are containers of one class, else `new`. Items of
    tuples are written into those of the old tuple. At `rebound_paths`, it has copies of `new`.
    """
    if () in rebound_paths:
        return copied(new)
    if old is new and not rebound_paths:
        return new
    if are_alike(old, new):
        return remade(new, _written_items(items_of(old), items_of(new), rebound_paths))
    is_forwarded = isinstance(old, ForwardingList) and isinstance(new, list)
    if not is_container(old) or (type(old) is not type(new) and not is_forwarded):
        return new
    before = items_of(old) if is_sequence(old) == is_sequence(new) else {}
    items = _written_items(before, items_of(new), rebound_paths)
    refill(old, list(items.values()) if is_sequence(new) else items)
    return old


def _written_items(before: dict, after: dict, rebound_paths: Sequence[tuple]) -> dict:
    return {
        key: written_into(before.get(key), value, paths_from(key, rebound_paths))
        for key, value in after.items()
    }


# ---- the containers of a variable: True for one that is kept, and the items of a tuple ----


def containers_of(value):
    """True for a container, the same of each item for a tuple or frozen record, else False."""
    if is_fixed(value):
        return {key: containers_of(item) for key, item in items_of(value).items()}
    return is_container(value)


def still_kept(kept, value, after):
    """The value that is kept if a variable that has one gets another."""
    if not isinstance(kept, dict):
        return kept and value is after
    if not are_alike(value, after):
        return False
    before, now = items_of(value), items_of(after)
    return {key: still_kept(part, before[key], now[key]) for key, part in kept.items()}


def written_where(kept, old, new, rebound_paths: Sequence[tuple]):
    """`new`, with containers of `old` in place of its own where these are kept, and not at one of
    the paths `rebound_paths`.
    """
    if not isinstance(kept, dict):
        return written_into(old, new, rebound_paths) if kept else new
    if not are_alike(old, new):
        return new
    before, after = items_of(old), items_of(new)
    items = {
        key: written_where(part, before[key], after[key], paths_from(key, rebound_paths))
        for key, part in kept.items()
    }
    return remade(new, items)


def paths_from(key, paths: Sequence[tuple]) -> list[tuple]:
    """The rest of the paths that start with a key."""
    return [path[1:] for path in paths if path and path[0] == key]


def kept_around(kept, path: tuple) -> tuple[bool, tuple]:
    """Whether the container at a path, or one around it, is kept; and the path from there."""
    for depth, key in enumerate(path):
        if not isinstance(kept, dict):
            return kept, path[depth:]
        kept = kept[key]
    return kept is True, ()
