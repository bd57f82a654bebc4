"""Nested structures: one table of container types, and what is built on it.

A structure is a list, tuple, named tuple, mapping, dataclass or attrs object of structures, or an
object with `__tf_flatten__` and `__tf_unflatten__`; everything else is a leaf. Mappings are walked
in the order of their sorted keys (of insertion where keys cannot be sorted), so two dictionaries
with the same keys have the same structure.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...runtime.core.classes import NamedTuple, class_of
from ...runtime.core.public_names import public
from ...runtime.ir.graph import Entry, Node


class ContainerType(NamedTuple):
    """How containers of one type are taken apart and rebuilt."""

    matches: Callable[[Any], bool]
    keys: Callable[[Any], tuple]
    children: Callable[[Any, tuple], list]
    rebuild: Callable[[Any, tuple, list], Any]


def _is_record(value) -> bool:
    cls = type(value)
    return (dataclasses.is_dataclass(cls) or hasattr(cls, "__attrs_attrs__")) and not isinstance(
        value, (type, Node, Entry)
    )


def _record_fields(value) -> tuple:
    if dataclasses.is_dataclass(value):
        return tuple(field.name for field in dataclasses.fields(value))
    return tuple(field.name for field in value.__attrs_attrs__)


def _rebuild_record(like, keys, children):
    record = object.__new__(type(like))
    for key, child in zip(keys, children, strict=True):
        object.__setattr__(record, key, child)
    return record


def _sorted_keys(mapping) -> tuple:
    try:
        return tuple(sorted(mapping))
    except TypeError:
        return tuple(mapping)


def _rebuild_mapping(like, keys, children):
    by_key = dict(zip(keys, children, strict=True))
    ordered = {key: by_key[key] for key in like}
    cls = type(like)
    if cls is dict:
        return ordered
    return cls(like.default_factory, ordered) if isinstance(like, defaultdict) else cls(ordered)


NAMED_TUPLE = ContainerType(
    lambda value: isinstance(value, tuple) and hasattr(type(value), "_fields"),
    lambda value: value._fields,
    lambda value, keys: list(value),
    lambda like, keys, children: type(like)(*children),
)
RECORD = ContainerType(
    _is_record,
    _record_fields,
    lambda value, keys: [getattr(value, key) for key in keys],
    _rebuild_record,
)
MAPPING = ContainerType(
    lambda value: isinstance(value, Mapping),
    _sorted_keys,
    lambda value, keys: [value[key] for key in keys],
    _rebuild_mapping,
)
CONTAINER_TYPES = (
    ContainerType(  # `__tf_flatten__() -> (metadata, components)` and `__tf_unflatten__`
        lambda value: hasattr(type(value), "__tf_flatten__"),
        lambda value: value.__tf_flatten__()[0],
        lambda value, keys: list(value.__tf_flatten__()[1]),
        lambda like, keys, children: type(like).__tf_unflatten__(keys, tuple(children)),
    ),
    NAMED_TUPLE,
    ContainerType(
        lambda value: isinstance(value, (list, tuple)),
        lambda value: (len(value),),
        lambda value, keys: list(value),
        lambda like, keys, children: type(like)(children),
    ),
    MAPPING,
    RECORD,
)


def container_type(value) -> ContainerType | None:
    """The entry of CONTAINER_TYPES for a container, None for a leaf."""
    for container in CONTAINER_TYPES:  # a generator would take as long again, for each leaf
        if container.matches(value):
            return container
    return None


def user_container_type(value) -> ContainerType | None:
    """The same for users, to whom objects of this package, such as a dataset, are leaves."""
    return None if getattr(type(value), "__tf_composite__", False) else container_type(value)


def sequence_like(like, items):
    """`items` in a list, tuple or named tuple of the type of `like`."""
    container = container_type(like)
    return container.rebuild(like, container.keys(like), items)


def is_nested(structure) -> bool:
    """Whether `structure` is a container rather than a leaf."""
    return container_type(structure) is not None


# Below, `classify` is one of the two functions above: it decides what is a container.


def flatten(structure, classify=container_type) -> list:
    """The leaves, in order.

    >>> ag.nest.flatten({"b": [1, (2,)], "a": 3})
    [3, 1, 2]
    """
    container = classify(structure)
    if container is None:
        return [structure]
    children = container.children(structure, container.keys(structure))
    return [leaf for child in children for leaf in flatten(child, classify)]


def pack_sequence_as(structure, flat_sequence, classify=container_type):
    """The leaves in `flat_sequence`, arranged like `structure`; ValueError when the count
    differs.
    """
    leaves = iter(flat_sequence)
    try:
        packed = _pack(structure, leaves, classify)
    except StopIteration:
        raise ValueError(f"too few leaves for {structure!r}") from None
    if next(leaves, leaves) is not leaves:
        raise ValueError(f"too many leaves for {structure!r}")
    return packed


def _pack(structure, leaves, classify):
    container = classify(structure)
    if container is None:
        return next(leaves)
    keys = container.keys(structure)
    children = [_pack(child, leaves, classify) for child in container.children(structure, keys)]
    return container.rebuild(structure, keys, children)


def packer(structure, slots: Iterator[bool]) -> Callable[[Iterator], Any]:
    """A function that packs leaves like `structure`, again and again, which is walked only once.

    `slots` says of each leaf whether it is to be replaced; the other ones stay.

    >>> pack = packer({"a": 1, "b": [2, 3]}, iter([True, False, True]))
    >>> pack(iter("xy"))
    {'a': 'x', 'b': [2, 'y']}
    """
    container = container_type(structure)
    if container is None:
        return next if next(slots) else lambda leaves: structure
    keys, rebuild = container.keys(structure), container.rebuild
    packers = [packer(child, slots) for child in container.children(structure, keys)]
    if type(structure) is list:
        return lambda leaves: [pack(leaves) for pack in packers]
    if type(structure) is tuple:
        return lambda leaves: tuple([pack(leaves) for pack in packers])
    return lambda leaves: rebuild(structure, keys, [pack(leaves) for pack in packers])


def map_structure(function, *structures, classify=container_type, check_types=True):
    """Apply `function` to corresponding leaves.

    >>> map_structure(lambda a, b: a + b, {"x": [1, 2]}, {"x": [10, 20]})
    {'x': [11, 22]}
    """
    for other in structures[1:]:
        assert_same_structure(structures[0], other, classify, check_types)
    rows = zip(*(flatten(structure, classify) for structure in structures), strict=True)
    return pack_sequence_as(structures[0], [function(*row) for row in rows], classify)


def assert_same_structure(first, y, classify=container_type, check_types=True) -> None:
    """Raise TypeError or ValueError unless both have the same containers in the same positions.

    Without `check_types` a list may stand where the other has a tuple, and so on.
    """
    container, like = classify(first), classify(y)
    if (container is None) != (like is None) or (
        check_types and not _alike(first, y, container, like)
    ):
        raise TypeError(f"the structures differ: {first!r} and {y!r}")
    if container is None:
        return
    keys, other_keys = container.keys(first), like.keys(y)
    if keys != other_keys:
        raise ValueError(f"the structures differ: {first!r} and {y!r}")
    for a, b in zip(container.children(first, keys), like.children(y, other_keys), strict=True):
        assert_same_structure(a, b, classify, check_types)


def _alike(left, right, container, like) -> bool:
    if container is not like:
        return False
    return container is None or class_of(left) is class_of(right) or isinstance(left, Mapping)


def same_structure(first, second) -> bool:
    """Whether `assert_same_structure` would pass."""
    try:
        assert_same_structure(first, second)
    except (TypeError, ValueError):
        return False
    return True


# ---- for users ---------------------------------------------------------------------------------


def _classifier(expand_composites: bool):
    return container_type if expand_composites else user_container_type


@public("nest.map_structure")
def mapped_structure(func, *structure, check_types: bool = True, expand_composites: bool = False):
    """Apply `func` to corresponding leaves; without `check_types`, of lists and tuples alike.

    >>> ag.nest.map_structure(lambda a, b: a + b, {"x": [1, 2]}, {"x": [10, 20]})
    {'x': [11, 22]}
    """
    classify = _classifier(expand_composites)
    return map_structure(func, *structure, classify=classify, check_types=check_types)
