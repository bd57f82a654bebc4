"""How a staged statement carries what names hold. Its *layout* is a state, a pytree, with types in
place of the leaves that are carried: JAX's own, which `jax.typeof` gives.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...autograph.current_trace import unsupported
from ...autograph.operators.undefined import MaybeSet, Undefined, UndefinedReturnValue

PLAIN = (bool, int, float, complex, str, bytes)
ARRAYS = (jax.Array, np.ndarray, np.generic, bool, int, float, complex)
Type = type(jax.typeof(0))
UNSET = object()  # a leaf of a name without a value
Word = type("Word", (str,), {"__repr__": str.__str__})  # has no quotes in messages
SORTED = (dict, defaultdict)  # whose keys JAX sorts


def _unflattened(name: str, parts: tuple) -> Any:
    reason = "a staged statement sets it on some of its paths"
    return parts[0] if parts[1] is True else MaybeSet(name, reason, *parts)


# A name that some paths leave unset is a node with its value and a flag.
jax.tree_util.register_pytree_node(
    MaybeSet, lambda variable: ((variable.value, variable.is_set), variable.name), _unflattened
)


def typed(leaf) -> Any:
    """The type that a leaf has as an array; the leaf itself if it is no number."""
    return jax.typeof(leaf) if isinstance(leaf, ARRAYS) else leaf


def is_type(leaf) -> bool:
    return type(leaf) is Type


def mapped(function: Callable, tree) -> Any:
    """The pytree of `function(leaf)`, with the keys of its dictionaries in their order."""
    leaves, structure = jax.tree.flatten(tree)
    return packed(tree, structure, map(function, leaves))


def packed(like, structure, leaves) -> Any:
    """The pytree of these leaves, with the keys of dictionaries in the order that they have in
    another one.
    """
    tree = jax.tree.unflatten(structure, leaves)
    has_keys = any(word in str(structure) for word in ("{", "defaultdict"))
    return _in_order(like, tree) if has_keys else tree


def _in_order(first, tree) -> Any:
    find = functools.partial(jax.tree.leaves, is_leaf=lambda node: type(node) in SORTED)
    parts = ([node for node in find(each) if type(node) in SORTED] for each in (first, tree))
    for like, own in zip(*parts, strict=True):
        items = {key: _in_order(like[key], own[key]) for key in like}
        own.clear()
        own.update(items)
    return tree


def cast(leaf, to):
    """A leaf as an array of another type; of a name without a value, zeros."""
    leaf = jnp.zeros(to.shape, to.dtype) if leaf is UNSET else leaf
    if jax.typeof(leaf) in (to, to.strip_weak_type()):
        return leaf
    array = leaf * to.dtype.type(1).item() if to.weak_type else leaf  # a number of Python's
    if jax.typeof(array).dtype != to.dtype or not to.weak_type:
        array = jnp.asarray(leaf, to.dtype)
    axes = to.manual_axis_type.varying - jax.typeof(array).manual_axis_type.varying
    return jax.lax.pcast(array, tuple(axes), to="varying") if axes else jnp.asarray(array)


def aligned(value, other) -> tuple:
    """Two values of a name in one structure: with flags, where one of them may be unset."""
    unset = [each for each in (value, other) if isinstance(each, Undefined)]
    if not unset:
        return value, other
    rows = list(map(_content, (value, other)))
    contents = [content for content, _ in rows if content is not UNSET]
    if not contents:
        return value, other
    zeros = mapped(lambda _: UNSET, contents[0])
    rows = [(zeros if content is UNSET else content, is_set) for content, is_set in rows]
    if all(is_set is True for _, is_set in rows):
        return tuple(content for content, _ in rows)
    return tuple(MaybeSet(unset[0].name, "", *row) for row in rows)


def _content(value) -> tuple:
    """The value of a name, and whether it is set. What is not returned yet is never read."""
    if isinstance(value, MaybeSet):
        return value.value, value.is_set
    if isinstance(value, Undefined):
        return UNSET, isinstance(value, UndefinedReturnValue)
    return value, True


def joined(names: Sequence[str], state, after, paths: str, before=()) -> tuple:
    """A state with types in place of the leaves that are others `after` another path; `paths` says
    what both come from. Leaves that are those of the state `before` do not count.
    """
    pairs = list(map(aligned, state, after))
    together = _together(tuple(own for own, _ in pairs), tuple(its for _, its in pairs), before)
    for name, pair in zip(names, pairs, strict=True) if together is UNSET else ():
        if _together(*pair) is UNSET:
            raise _differing(name, pair, paths)
    return together


def _together(value, other, before=()) -> Any:
    """One value for those of two paths; UNSET if there is none."""
    leaves, structure = jax.tree.flatten(value)
    others, its_structure = jax.tree.flatten(other)
    if structure != its_structure:
        return UNSET
    kept, its_structure = jax.tree.flatten(before)
    kept = kept if structure == its_structure else [UNSET] * len(leaves)
    rows = list(map(_joined, leaves, others, kept))
    return UNSET if any(leaf is UNSET for leaf in rows) else packed(value, structure, rows)


def _joined(own, other, before) -> Any:
    """A leaf of two paths, or its type if it is not the same on both; UNSET if there is none."""
    if own is UNSET or other is UNSET:
        leaf = other if own is UNSET else own
        return leaf if isinstance(leaf, PLAIN) else typed(leaf)
    if other is before or is_same(own, other):
        return own
    first, second = typed(own), typed(other)
    if not type(first) is type(second) is Type or first.shape != second.shape:
        return UNSET
    try:
        return first if first == second else joined_type(first, second, jax.config.jax_enable_x64)
    except Exception:  # such as for shardings that differ
        return UNSET


@functools.cache
def joined_type(first, second, is_wide: bool):
    """The type that two have in common. It also depends on whether numbers may have 64 bits."""
    return jax.make_jaxpr(jnp.where)(True, first, second).out_avals[0]


def is_same(own, other) -> bool:
    """Whether two leaves surely have one value."""
    if own is other or (isinstance(own, Undefined) and isinstance(other, Undefined)):
        return True
    return type(own) is type(other) and isinstance(own, PLAIN) and repr(own) == repr(other)


def agree(layout, other, weakly: bool = True) -> bool:
    """Whether two carry the same leaves in the same types. Those of Python's numbers, which are
    `weakly` typed, are to JAX those of arrays.
    """

    def is_alike(own, its) -> bool:
        if not (is_type(own) and is_type(its)):
            return is_same(own, its)
        return own == its or (weakly and own.strip_weak_type() == its.strip_weak_type())

    leaves, structure = jax.tree.flatten(layout)
    others, its_structure = jax.tree.flatten(other)
    return structure == its_structure and all(map(is_alike, leaves, others))


def _differing(name: str, pair: tuple, paths: str) -> Exception:
    def word(leaf) -> Any:
        leaf = typed(leaf)
        return Word(leaf.strip_weak_type().str_short() if is_type(leaf) else repr(leaf))

    name = "the result" if name.startswith("retval_") else f"'{name}'"
    first, second = jax.tree.map(word, pair)
    return unsupported(
        f"{name} is {first} and {second} {paths}",
        "Give it one structure and one shape on all paths.",
    )


def arrays_of(layout, state, known=None, before=None) -> list:
    """What is carried of a state: leaves that are `known` have their arrays from `before`."""
    state = tuple(aligned(*pair)[1] for pair in zip(layout, state, strict=True))
    trees = layout, state, layout if known is None else known
    rows = [row for row in zip(*map(jax.tree.leaves, trees), strict=True) if is_type(row[0])]
    olds = before or [None] * len(rows)
    return [
        cast(leaf, to) if is_type(its) else old
        for (to, leaf, its), old in zip(rows, olds, strict=True)
    ]


def state_of(layout, arrays, known=None) -> tuple:
    """The state that carried arrays stand for, with the leaves that are `known` in their place."""
    leaves, structure = jax.tree.flatten(layout)
    rest = iter(arrays)
    filled = [next(rest) if is_type(leaf) else leaf for leaf in leaves]
    pairs = zip(filled, jax.tree.leaves(layout if known is None else known), strict=True)
    return packed(layout, structure, [array if is_type(leaf) else leaf for array, leaf in pairs])
