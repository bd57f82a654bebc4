"""How a staged statement carries what names hold: arrays of pytrees, and a flag for a name that
some paths leave unset. The type of an array is JAX's own, which `jax.typeof` gives.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...autograph.current_trace import unsupported
from ...autograph.operators.undefined import MaybeSet, Undefined, UndefinedReturnValue
from ...runtime.core.classes import NamedTuple

PLAIN = (bool, int, float, complex, str, bytes)
ARRAYS = (jax.Array, np.ndarray, np.generic, bool, int, float, complex)
Type = type(jax.typeof(0))
UNITS = {"i": 1, "f": 1.0, "c": 1.0 + 0j}  # of the weak types, which Python's numbers have
UNKNOWN = object()  # the value of a leaf that paths may change
UNSET = object()  # the leaves of a name without a value
NO_VALUE = jax.tree.structure({UNSET: ()})  # its structure, which no value has


class Leaf(NamedTuple):
    """A leaf of what a name holds: the type in which it is carried, or None if it is not; and its
    value, if that is the same on all paths.
    """

    type: Any
    value: Any = UNKNOWN


def type_of(leaf) -> Any:
    """The type that a leaf has as an array; None if it is no number."""
    if type(leaf) is Leaf:
        return leaf.type or type_of(leaf.value)
    return jax.typeof(leaf) if isinstance(leaf, ARRAYS) else None


def leaves_of(value) -> tuple[list, Any]:
    """The leaves of what a name holds and, last, whether it is set; and their structure."""
    is_set = value.is_set if isinstance(value, MaybeSet) else not isinstance(value, Undefined)
    if is_set is False:
        return [False], NO_VALUE
    leaves, structure = jax.tree.flatten(value.value if isinstance(value, MaybeSet) else value)
    return [*leaves, is_set], structure


def in_order(first, value) -> Any:
    """A pytree, with the keys of its dictionaries in the order that they have in another one."""

    def part(first, value):
        if type(first) is not dict:
            return value
        return {key: in_order(first[key], value[key]) for key in first}

    return jax.tree.map(part, first, value, is_leaf=lambda node: type(node) is dict)


def cast(leaf, to):
    """A leaf as an array of another type."""
    if jax.typeof(leaf) == to:
        return leaf
    array = leaf * UNITS[np.dtype(to.dtype).kind] if to.weak_type else leaf
    if jax.typeof(array).dtype != to.dtype or not to.weak_type:
        array = jnp.asarray(leaf, to.dtype)
    axes = to.manual_axis_type.varying - jax.typeof(array).manual_axis_type.varying
    return jax.lax.pcast(array, tuple(axes), to="varying") if axes else jnp.asarray(array)


class Carried(NamedTuple):
    """How a name is carried, by its leaves."""

    name: str
    paths: str  # what the values come from, for messages
    first: Any  # one of its values, or an Undefined
    leaves: tuple[Leaf, ...]
    structure: Any

    @classmethod
    def of(cls, name: str, value, paths: str) -> Carried:
        """That of a name with one value, which is not carried."""
        leaves, structure = leaves_of(value)
        first = value.value if isinstance(value, MaybeSet) else value
        return cls(name, paths, first, tuple(Leaf(None, leaf) for leaf in leaves), structure)

    def owned(self, known: tuple = ()) -> Carried:
        """The same, where all numbers are carried. The values of some classes are `known`."""
        *leaves, flag = self.leaves
        flags = [flag] if isinstance(flag.value, jax.Array) else []
        carried = [
            leaf if type_of(leaf) is None
            else Leaf(type_of(leaf), leaf.value if isinstance(leaf.value, known) else UNKNOWN)
            for leaf in (*leaves, *flags)
        ]  # fmt: skip
        return self._with(carried if flags else [*carried, flag])

    def joined(self, value, before=UNSET) -> Carried:
        """That of a name which may also have this value; self if it is the same. Leaves that are
        those of `before` do not count.
        """
        leaves, structure = leaves_of(value)
        if self.structure == NO_VALUE:
            if structure == NO_VALUE:
                return self
            return self.of(self.name, value, self.paths).joined(self.first)
        if structure == NO_VALUE:  # what a function has not returned is never read
            leaves = [UNSET] * (len(self.leaves) - 1) + [isinstance(value, UndefinedReturnValue)]
        elif structure != self.structure:
            raise self._differs(_words(self.structure, self.leaves), _words(structure, leaves))
        kept, its_structure = leaves_of(before)
        if before is UNSET or its_structure == NO_VALUE or its_structure != structure:
            kept = [UNKNOWN] * len(leaves)
        rows = zip(self.leaves, leaves, kept, strict=True)
        return self._with(
            leaf if other is same else self._joined(leaf, other) for leaf, other, same in rows
        )

    def _with(self, leaves) -> Carried:
        return self._replace(leaves=tuple(leaves))

    def _joined(self, leaf: Leaf, other) -> Leaf:
        if other is UNSET:
            return Leaf(type_of(leaf)) if isinstance(leaf.value, jax.Array) else leaf
        if is_same(leaf.value, other):
            return leaf
        types = [type_of(leaf), type_of(other)]
        if None in types or types[0].shape != types[1].shape:
            raise self._differs(_Word(leaf), _Word(other))
        if types[0] != types[1]:
            try:
                types = [joined_type(*types, jax.config.jax_enable_x64)]
            except Exception:  # such as for shardings that differ
                raise self._differs(_Word(leaf), _Word(other)) from None
        return Leaf(types[0])

    def _differs(self, first, second) -> Exception:
        name = "the result" if self.name.startswith("retval_") else f"'{self.name}'"
        return unsupported(
            f"{name} is {first} and {second} {self.paths}",
            "Give it one structure and one shape on all paths.",
        )

    def takes(self, other: Carried, weakly: bool = False) -> bool:
        """Whether another layout carries the same leaves in the same types, which may be less
        `weakly` typed than here: JAX takes both for the sides of a choice.
        """
        return self.structure == other.structure and all(
            leaf.type == its.type
            or (weakly and leaf.type and its.type and leaf.type.strip_weak_type() == its.type)
            for leaf, its in zip(self.leaves, other.leaves, strict=True)
        )

    def arrays(self, value) -> list:
        """What is carried of a value."""
        leaves, structure = leaves_of(value)
        types = [leaf.type for leaf in self.leaves]
        if structure == NO_VALUE:
            leaves = [to and jnp.zeros(to.shape, to.dtype) for to in types]
        return [cast(leaf, to) for leaf, to in zip(leaves, types, strict=False) if to is not None]

    def value(self, arrays: Iterator) -> Any:
        """The value of the name, made of the next arrays."""
        if self.structure == NO_VALUE:
            return self.first
        pairs = [(leaf.value, leaf.type and cast(next(arrays), leaf.type)) for leaf in self.leaves]
        *leaves, is_set = (array if value is UNKNOWN else value for value, array in pairs)
        if jax.tree_util.treedef_is_leaf(self.structure):
            (value,) = leaves
        else:
            value = in_order(self.first, jax.tree.unflatten(self.structure, leaves))
        reason = "a staged statement sets it on some of its paths"
        return value if is_set is True else MaybeSet(self.name, reason, value, is_set)


@functools.cache
def joined_type(first, second, is_wide: bool):
    """The type that two have in common. It also depends on whether numbers may have 64 bits."""
    return jax.make_jaxpr(jnp.where)(True, first, second).out_avals[0]


def is_same(own, other) -> bool:
    """Whether a value is that of a leaf which stays the same."""
    is_plain = type(own) is type(other) and isinstance(own, PLAIN)
    return own is other or (is_plain and repr(own) == repr(other))


class _Word(str):
    """A leaf as messages show it, without quotes in a structure."""

    def __new__(cls, leaf):
        type_ = type_of(leaf)
        value = leaf.value if type(leaf) is Leaf else leaf
        return super().__new__(cls, type_.strip_weak_type().str_short() if type_ else repr(value))

    __repr__ = str.__str__


def _words(structure, leaves) -> Any:
    return jax.tree.unflatten(structure, map(_Word, leaves[:-1]))


def arrays_of(layouts: Sequence[Carried], state) -> list:
    """What is carried of a state."""
    rows = zip(layouts, state, strict=True)
    return [array for layout, value in rows for array in layout.arrays(value)]


def state_of(layouts: Sequence[Carried], arrays) -> tuple:
    """The state that carried arrays stand for."""
    arrays = iter(arrays)
    return tuple(layout.value(arrays) for layout in layouts)
