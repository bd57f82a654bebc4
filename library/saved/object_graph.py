"""The object graph of a module: the objects that are saved, with their attribute paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ... import Variable
from ...extend import nest
from ...extend.tracing import ConcreteFunction, GenericFunction, PolymorphicFunction
from ..module import Module

FUNCTIONS = (GenericFunction, ConcreteFunction)


def is_leaf(obj) -> bool:
    return isinstance(obj, (Variable, *FUNCTIONS))


def has_state(obj) -> bool:
    """Whether an object is a leaf of checkpoints: it has a value, or a position as iterators do."""
    return is_leaf(obj) or hasattr(type(obj), "checkpointed")


def children_of(obj, is_leaf=is_leaf) -> dict[str, object]:
    """The children of a module or container that contain state or functions, by name."""
    if isinstance(obj, Mapping):
        items = {name: obj[key] for name, key in named_keys(obj).items()}
    elif isinstance(obj, (list, tuple)):
        items = {str(index): item for index, item in enumerate(obj)}
    elif is_leaf(obj) or not hasattr(obj, "__dict__"):
        return {}
    else:
        items = methods_of(obj) | dict(sorted(vars(obj).items()))
    return {name: item for name, item in items.items() if is_tracked(item, is_leaf)}


def named_keys(mapping: Mapping) -> dict[str, object]:
    """Distinct names for the keys of a mapping.

    >>> named_keys({0: "a", "0": "b"})
    {'0': 0, "'0'": '0'}
    """
    names: dict[str, object] = {}
    for key in mapping:
        names[repr(key) if str(key) in names else str(key)] = key
    return names


def state_of(obj) -> dict[str, object]:
    """The children that contain variables or positions, without functions."""
    items = children_of(obj, has_state).items()
    return {name: item for name, item in items if not isinstance(item, FUNCTIONS)}


def methods_of(obj) -> dict[str, object]:
    """The decorated methods of the class of an object, bound to it."""
    methods = {}
    for cls in reversed(type(obj).__mro__):
        for name, item in vars(cls).items():
            if isinstance(item, PolymorphicFunction):
                methods[name] = item.__get__(obj, type(obj))
            else:
                methods.pop(name, None)  # overridden by something else
    return methods


def is_tracked(obj, is_leaf=is_leaf) -> bool:
    """Whether a value is or contains a variable, function or module."""
    return _is_tracked(obj, is_leaf, set())


def _is_tracked(obj, is_leaf, seen: set[int]) -> bool:
    if is_leaf(obj) or isinstance(obj, Module):
        return True
    container = nest.container_type(obj)
    if id(obj) in seen or container is None:
        return False
    seen.add(id(obj))
    items = container.children(obj, container.keys(obj))
    return any(_is_tracked(item, is_leaf, seen) for item in items)


def walk(root, children=children_of) -> Iterator[tuple[str, object]]:
    """Pairs of path and object, each object once, in breadth-first order from the root.

    The path of the root is empty.

    >>> import allograph as ag
    >>> root = Module()
    >>> root.layers = [ag.Variable(1.0), ag.Variable(2.0)]
    >>> [path for path, _ in walk(root)]
    ['', 'layers', 'layers/0', 'layers/1']
    """
    waiting = [("", root)]
    seen: dict[object, object] = {}
    while waiting:
        path, obj = waiting.pop(0)
        if identity(obj) in seen:
            continue
        seen[identity(obj)] = obj
        yield path, obj
        for name, item in children(obj).items():
            component = name.replace("%", "%25").replace(
                "/", "%2F"
            )  # so that paths are unambiguous
            waiting.append((f"{path}/{component}" if path else component, item))


def identity(obj):
    """A key that identifies an object. Bound methods are created on each access, but are equal."""
    return obj if isinstance(obj, GenericFunction) else id(obj)
