"""How a staged statement carries what names hold: leaf by leaf of JAX's pytrees."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...autograph.current_trace import unsupported
from ...autograph.operators.containers import same_literal
from ...autograph.operators.undefined import MaybeSet, Undefined, UndefinedReturnValue

PLAIN = (bool, int, float, complex, str, bytes)
ARRAYS = (jax.Array, np.ndarray, np.generic, bool, int, float, complex)
Type = type(jax.typeof(0))
UNSET = object()  # a leaf of a name without a value
Word = type("Word", (str,), {"__repr__": str.__str__})  # has no quotes in messages
UNSET_CLASSES = {Undefined, *Undefined.__subclasses__()}
SORTED = (dict, defaultdict)  # whose keys JAX sorts


def _unflattened(name: str, parts: tuple) -> Any:
    reason = "a staged statement sets it on some of its paths. Give it a value before"
    return parts[0] if parts[1] is True else MaybeSet(name, reason, *parts)


# A name that some paths leave unset is a node with its value and a flag.
jax.tree_util.register_pytree_node(
    MaybeSet, lambda variable: ((variable.value, variable.is_set), variable.name), _unflattened
)


class Layout:
    """The leaves of a state, with types (those of `jax.typeof`) for the ones that are carried."""

    def __init__(self, state: tuple, leaves: list | None = None):
        own, self.tree = jax.tree.flatten(state)
        self.like, self.leaves = state, own if leaves is None else leaves

    def typed(self) -> Layout:
        """The layout that carries each number and array."""
        return Layout(self.like, list(map(typed, self.leaves)))

    def state(self, leaves: list | None = None) -> tuple:
        """The state of these leaves, or its own, with the keys of dictionaries in their order."""
        state = jax.tree.unflatten(self.tree, self.leaves if leaves is None else leaves)
        return _in_order(self.like, state) if _has_keys(self.tree) else state

    def filled(self, arrays) -> list:
        """The leaves, with what is carried in the place of types."""
        rest = iter(arrays)
        return [next(rest) if type(leaf) is Type else leaf for leaf in self.leaves]

    def after(self, carried: Layout, arrays) -> tuple:
        """The state after a statement that has carried `arrays` in another layout."""
        rest = carried.filled(arrays)
        rows = zip(self.leaves, rest, strict=True)
        return self.state([cast(leaf, to) if type(to) is Type else to for to, leaf in rows])

    def agrees(self, other: Layout, weakly: bool = True) -> bool:
        """Whether another carries the same, in types that are the same to JAX's statements, as a
        `weakly` typed number is to an array.
        """
        pairs = zip(self.leaves, other.leaves, strict=False)
        return self.tree == other.tree and all(_is_alike(*pair, weakly) for pair in pairs)


@functools.cache
def _has_keys(structure) -> bool:
    return any(word in str(structure) for word in ("{", "defaultdict"))


def _in_order(first, tree) -> Any:
    find = functools.partial(jax.tree.leaves, is_leaf=lambda node: type(node) in SORTED)
    parts = ([node for node in find(each) if type(node) in SORTED] for each in (first, tree))
    for like, own in zip(*parts, strict=True):
        items = {key: _in_order(like[key], own[key]) for key in like}
        own.clear()
        own.update(items)
    return tree


def typed(leaf) -> Any:
    """The type that a leaf has as an array; the leaf itself if it is no number."""
    return jax.typeof(leaf) if isinstance(leaf, ARRAYS) else leaf


def is_same(own, other) -> bool:
    """Whether two leaves surely have one value."""
    are_unset = isinstance(own, Undefined) and isinstance(other, Undefined)
    return own is other or are_unset or same_literal(own, other)


def _is_alike(own, other, weakly: bool) -> bool:
    if type(own) is Type and type(other) is Type:
        return own == other or (weakly and own.strip_weak_type() == other.strip_weak_type())
    return is_same(own, other)


def aligned(own: Layout, other: Layout) -> tuple:
    """Two layouts in one structure: with flags, where a name may be unset in one of them."""
    if own.tree == other.tree and UNSET_CLASSES.isdisjoint(map(type, (*own.leaves, *other.leaves))):
        return own, other
    rows = list(map(_in_one_structure, own.state(), other.state()))
    return Layout(tuple(row[0] for row in rows)), Layout(tuple(row[1] for row in rows))


def _in_one_structure(value, other) -> tuple:
    unset = [each for each in (value, other) if isinstance(each, Undefined)]
    rows = list(map(_content, (value, other)))
    contents = [content for content, _ in rows if content is not UNSET]
    if not unset or not contents:
        return value, other
    like = Layout(contents[0])
    blank = like.state([UNSET] * len(like.leaves))
    rows = [(blank if content is UNSET else content, is_set) for content, is_set in rows]
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


def joined(names: Sequence[str], own: Layout, other: Layout, paths: str, before=None) -> Layout:
    """The layout of what is on two paths, which `paths` names: with types where that differs. The
    leaves that another path keeps from the layout `before` do not count.
    """
    first, second = aligned(own, other)
    if first.tree == second.tree:
        is_kept = before is not None and before.tree == second.tree
        kept = before.leaves if is_kept else [UNSET] * len(second.leaves)
        leaves = list(map(_joined, first.leaves, second.leaves, kept))
        if not any(leaf is UNSET for leaf in leaves):
            return Layout(first.like, leaves)
    for name, *pair in zip(names, own.state(), other.state(), strict=True):
        if len(names) == 1:
            raise _differing(name, _in_one_structure(*pair), paths)
        joined([name], Layout((pair[0],)), Layout((pair[1],)), paths)
    raise AssertionError("of names that can be joined one by one")


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


def _differing(name: str, pair: tuple, paths: str) -> Exception:
    def word(leaf) -> Any:
        leaf = typed(leaf)
        return Word(leaf.strip_weak_type().str_short() if type(leaf) is Type else repr(leaf))

    name = "the result" if name.startswith("retval_") else f"'{name}'"
    first, second = jax.tree.map(word, pair)
    return unsupported(
        f"{name} is {first} and {second} {paths}",
        "Give it one structure and one shape on all paths.",
    )


def cast(leaf, to):
    """A leaf as an array of another type; of a name without a value, zeros."""
    leaf = jnp.zeros(to.shape, to.dtype) if leaf is UNSET else leaf
    own = jax.typeof(leaf)
    if own == to or own == to.strip_weak_type():
        return leaf
    array = leaf * to.dtype.type(1).item() if to.weak_type else leaf  # a number of Python's
    if jax.typeof(array).dtype != to.dtype or not to.weak_type:
        array = jnp.asarray(leaf, to.dtype)
    axes = to.manual_axis_type.varying - jax.typeof(array).manual_axis_type.varying
    return jax.lax.pcast(array, tuple(axes), to="varying") if axes else jnp.asarray(array)


def arrays_of(layout: Layout, own: Layout, known: Layout | None = None, before=None) -> list:
    """What is carried of a state: leaves that are `known` have their arrays from `before`."""
    leaves = aligned(layout, own)[1].leaves
    rows = zip(layout.leaves, leaves, (known or layout).leaves, before or leaves, strict=True)
    return [
        cast(leaf, to) if type(its) is Type else old
        for to, leaf, its, old in rows
        if type(to) is Type
    ]
