"""Nested structures of users: their leaves, and comparisons."""

from __future__ import annotations

from ...extend import nest
from ...extend.registration import public


def _classifier(expand_composites: bool):
    return nest.container_type if expand_composites else nest.user_container_type


@public("nest.is_nested")
def is_nested(structure) -> bool:
    """Whether `structure` is a container rather than a leaf; datasets and the like are leaves."""
    return nest.user_container_type(structure) is not None


@public("nest.flatten")
def flatten(structure, expand_composites: bool = False) -> list:
    """The leaves, in order. Datasets and the like are leaves unless `expand_composites`.

    >>> ag.nest.flatten({"b": [1, (2,)], "a": 3})
    [3, 1, 2]
    """
    return nest.flatten(structure, _classifier(expand_composites))


@public("nest.pack_sequence_as")
def pack_sequence_as(structure, flat_sequence, expand_composites: bool = False):
    """The leaves in `flat_sequence`, arranged like `structure`; ValueError when the count
    differs.

    >>> ag.nest.pack_sequence_as({"b": 0, "a": (0, 0)}, [1, 2, 3])
    {'b': 3, 'a': (1, 2)}
    """
    return nest.pack_sequence_as(structure, flat_sequence, _classifier(expand_composites))


@public("nest.assert_same_structure")
def assert_same_structure(
    nest1, nest2, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raise TypeError or ValueError unless both have the same containers in the same positions.

    Without `check_types` a list may stand where the other has a tuple, and so on.
    """
    nest.assert_same_structure(nest1, nest2, _classifier(expand_composites), check_types)
