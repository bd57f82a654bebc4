"""The objects that are saved: what is below a module, each once, with the path that leads to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...runtime.ops.state.variables import Variable
from ...tracing.functions.concrete_function import ConcreteFunction
from ...tracing.functions.polymorphic_function import GenericFunction, PolymorphicFunction
from ...tracing.structures import nest
from ..module import Module

FUNCTIONS = (GenericFunction, ConcreteFunction)


def children_of(thing) -> dict[str, object]:
    """The parts of a module or container that lead to state or functions, by name."""
    if isinstance(thing, Mapping):
        rows = {name: thing[key] for name, key in named_keys(thing).items()}
    elif isinstance(thing, (list, tuple)):
        rows = {str(place): item for place, item in enumerate(thing)}
    elif is_leaf(thing) or not hasattr(thing, "__dict__"):
        return {}
    else:
        rows = methods_of(thing) | dict(sorted(vars(thing).items()))
    return {name: item for name, item in rows.items() if is_tracked(item)}


def named_keys(mapping: Mapping) -> dict[str, object]:
    """The keys of a mapping under names, which are all different.

    >>> named_keys({0: "a", "0": "b"})
    {'0': 0, "'0'": '0'}
    """
    names: dict[str, object] = {}
    for key in mapping:
        names[repr(key) if str(key) in names else str(key)] = key
    return names


def state_of(thing) -> dict[str, object]:
    """The parts that lead to variables, functions left aside."""
    rows = children_of(thing).items()
    return {name: item for name, item in rows if not isinstance(item, FUNCTIONS)}


def methods_of(thing) -> dict[str, object]:
    """The decorated methods of the class of an object, bound to it."""
    found = {}
    for kind in reversed(type(thing).__mro__):
        for name, item in vars(kind).items():
            if isinstance(item, PolymorphicFunction):
                found[name] = item.__get__(thing, type(thing))
            else:
                found.pop(name, None)  # overridden by something else
    return found


def is_leaf(thing) -> bool:
    return isinstance(thing, (Variable, *FUNCTIONS))


def is_tracked(thing) -> bool:
    """Whether a value is, or holds, something to be saved."""
    return _is_tracked(thing, set())


def _is_tracked(thing, seen: set[int]) -> bool:
    if is_leaf(thing) or isinstance(thing, Module):
        return True
    kind = nest.container_type(thing)
    if id(thing) in seen or kind is None:
        return False
    seen.add(id(thing))
    items = kind.children(thing, kind.keys(thing))
    return any(_is_tracked(item, seen) for item in items)


def walk(root, children=children_of) -> Iterator[tuple[str, object]]:
    """Paths and objects, the root (under the empty path) first, each object once, near ones first.

    >>> import allograph as ag
    >>> root = Module()
    >>> root.layers = [ag.Variable(1.0), ag.Variable(2.0)]
    >>> [path for path, _ in walk(root)]
    ['', 'layers', 'layers/0', 'layers/1']
    """
    waiting = [("", root)]
    seen: dict[object, object] = {}
    while waiting:
        path, thing = waiting.pop(0)
        if identity(thing) in seen:
            continue
        seen[identity(thing)] = thing
        yield path, thing
        for name, item in children(thing).items():
            part = name.replace("%", "%25").replace("/", "%2F")  # so that no two paths are equal
            waiting.append((f"{path}/{part}" if path else part, item))


def identity(thing):
    """A key for an object; bound methods are made anew at each look, and equal one another."""
    return thing if isinstance(thing, GenericFunction) else id(thing)
