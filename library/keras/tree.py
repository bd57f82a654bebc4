"""`keras.tree`: nested structures and their leaves."""

from __future__ import annotations

from ...extend import nest
from ...extend.registration import expose, public

expose(nest.flatten, "keras.tree.flatten")
expose(nest.is_nested, "keras.tree.is_nested")
expose(nest.pack_sequence_as, "keras.tree.pack_sequence_as")


@public("keras.tree.map_structure")
def map_structure(func, *structures, none_is_leaf=True):
    """The structure with the results of a function of its leaves.

    >>> ag.keras.tree.map_structure(lambda x, y: x + y, {"a": 1, "b": [2]}, {"a": 3, "b": [4]})
    {'a': 4, 'b': [6]}
    """

    def call(*leaves):
        return None if leaves[0] is None and not none_is_leaf else func(*leaves)

    return nest.map_structure(call, *structures)


@public("keras.tree.assert_same_structure")
def assert_same_structure(a, b, check_types=None):
    """Raise ValueError or TypeError unless both have one structure."""
    nest.assert_same_structure(a, b, check_types=True if check_types is None else check_types)


@public("keras.tree.flatten_with_path")
def flatten_with_path(structure):
    """Pairs of a path, the keys and indices from the root, and a leaf.

    >>> ag.keras.tree.flatten_with_path({"a": [1, 2]})
    [(('a', 0), 1), (('a', 1), 2)]
    """
    if isinstance(structure, dict):
        items = [(key, structure[key]) for key in sorted(structure)]
    elif isinstance(structure, (list, tuple)):
        items = list(enumerate(structure))
    else:
        return [((), structure)]
    return [((key, *path), leaf) for key, inner in items for path, leaf in flatten_with_path(inner)]


@public("keras.tree.traverse")
def traverse(func, structure, top_down=True):
    """The structure with each part that a function gives a result for replaced by it.

    >>> ag.keras.tree.traverse(lambda x: -x if isinstance(x, int) else None, [1, (2,)])
    [-1, (-2,)]
    """
    found = func(structure) if top_down else None
    if found is not None:
        return found
    if isinstance(structure, dict):
        result = {key: traverse(func, one, top_down) for key, one in structure.items()}
    elif isinstance(structure, (list, tuple)) and not hasattr(structure, "_fields"):
        result = type(structure)(traverse(func, one, top_down) for one in structure)
    else:
        result = structure
    changed = None if top_down else func(result)
    return result if changed is None else changed


@public("keras.tree.lists_to_tuples")
def lists_to_tuples(structure):
    """The structure with its lists as tuples."""

    def convert(one):
        return tuple(one) if isinstance(one, list) else None

    return traverse(convert, structure, top_down=False)


@public("keras.tree.map_structure_up_to")
def map_structure_up_to(shallow_structure, func, *structures):
    """Like `map_structure`, with the leaves of the first structure as the places of leaves."""
    columns = [_up_to(shallow_structure, structure) for structure in structures]
    results = [func(*row) for row in zip(*columns, strict=True)]
    return nest.pack_sequence_as(shallow_structure, results)


def _up_to(shallow, deep) -> list:
    if not nest.is_nested(shallow):
        return [deep]
    if isinstance(shallow, dict):
        pairs = [(shallow[key], deep[key]) for key in sorted(shallow)]
    else:
        pairs = list(zip(shallow, deep, strict=True))
    return [leaf for one, other in pairs for leaf in _up_to(one, other)]
