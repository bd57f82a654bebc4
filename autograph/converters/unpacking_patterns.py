"""Targets of several names: what they unpack, as a pattern for `ag__.unpack`.

first, *rest = x    ->    first, *rest = ag__.unpack(x, (None, 'rest'))
                          rest = ag__.rest(rest)
"""

from __future__ import annotations

import gast

from ..syntax.templates import constant, expression, quote


def unpacking(node) -> list:
    """An assignment, its value made ready where it is unpacked to names."""
    rests: list = []
    pattern = pattern_of(node.targets[0]) if len(node.targets) == 1 else None
    if type(pattern) is tuple and not _fits(pattern, node.value):
        template = "ag__.unpack(value, pattern)"
        pattern = _with_rests(node.targets[0], rests)
        node.value = expression(template, value=node.value, pattern=as_tree(pattern))
    return [node, *rests]


def _with_rests(target, rests: list) -> tuple | str | None:
    """The pattern of a target, with "rest" for starred names; statements for these go to `rests`.

    One starred name gets a list of what remains, which may be known only when the graph runs.
    """
    if isinstance(target, (gast.Tuple, gast.List)):
        return tuple([_with_rests(element, rests) for element in target.elts])
    if not isinstance(target, gast.Starred) or not isinstance(target.value, gast.Name):
        return pattern_of(target)
    rests += quote(f"{target.value.id} = ag__.rest({target.value.id})")
    return "rest"


def pattern_of(target) -> tuple | str | None:
    """The pattern of a target: None for a name, "*" for a starred one, a tuple for several."""
    if isinstance(target, gast.Starred):
        return "*"
    if not isinstance(target, (gast.Tuple, gast.List)):
        return None
    return tuple(map(pattern_of, target.elts))


def _fits(pattern: tuple, value) -> bool:
    """Whether a value is written as a tuple with an item for each name."""
    return isinstance(value, gast.Tuple) and all(item is None for item in pattern)


def as_tree(pattern):
    if type(pattern) is tuple:
        return gast.Tuple(list(map(as_tree, pattern)), gast.Load())
    return constant(pattern)
