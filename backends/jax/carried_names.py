"""How a staged statement carries what names hold: arrays of pytrees, and a flag for a name that
some paths leave unset. The type of an array is JAX's own, which `jax.typeof` gives.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.extend.core
import jax.numpy as jnp
import numpy as np

from ...autograph.current_trace import unsupported
from ...autograph.operators.raising import StagedRaise
from ...autograph.operators.undefined import MaybeSet, Undefined, UndefinedReturnValue
from ...runtime.core.classes import NamedTuple

PLAIN = (bool, int, float, complex, str, bytes)
ARRAYS = (jax.Array, np.ndarray, np.generic, bool, int, float, complex)
UNITS = {"i": 1, "f": 1.0, "c": 1.0 + 0j}  # of the weak types, which Python's numbers have
Type = type(jax.typeof(0))
UNSET = object()  # the leaves of a name without a value
FIRST = operator.itemgetter(0)  # row of an array


class Same(NamedTuple):
    """A leaf that no path changes, which is not carried."""

    value: Any


def value_of(value) -> Any:
    """What a name holds where it is set."""
    return value.value if isinstance(value, MaybeSet) else value


def leaves_of(value) -> tuple[list, Any]:
    """The leaves of what a name holds and, last, whether it is set; and their structure, which is
    None if it has no value.
    """
    is_set = value.is_set if isinstance(value, MaybeSet) else not isinstance(value, Undefined)
    if is_set is False:
        return [False], None
    leaves, structure = jax.tree.flatten(value_of(value))
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
        return jnp.asarray(leaf)
    array = leaf * UNITS[np.dtype(to.dtype).kind] if to.weak_type else leaf
    if jax.typeof(array).dtype != to.dtype or not to.weak_type:
        array = jnp.asarray(leaf, to.dtype)
    axes = to.manual_axis_type.varying - jax.typeof(array).manual_axis_type.varying
    return jax.lax.pcast(array, tuple(axes), to="varying") if axes else jnp.asarray(array)


@dataclass(frozen=True, eq=False)
class Carried:
    """How a name is carried: each leaf has a type, or stays the same. A name that never had a value
    has no structure.
    """

    name: str
    paths: str  # what the values come from, for messages
    first: Any  # one of its values, or an Undefined
    leaves: tuple
    structure: Any

    @classmethod
    def of(cls, name: str, value, paths: str) -> Carried:
        """That of a name with one value."""
        leaves, structure = leaves_of(value)
        return cls(name, paths, value_of(value), tuple(map(Same, leaves)), structure)

    def owned(self, classes: tuple = (jax.Array,)) -> Carried:
        """The same, where leaves of these classes are carried, such as the tracers of a block."""
        *leaves, flag = self.leaves
        leaves = [_owned(leaf, classes) for leaf in leaves]
        return replace(self, leaves=(*leaves, _owned(flag)))

    def keeping(self, start: Carried, before, after) -> Carried:
        """The same, where leaves are as at the start that an iteration gives back."""
        values, structure = leaves_of(after)
        if structure is None or self.structure is None or structure != self.structure:
            return self
        rows = zip(self.leaves, start.leaves, leaves_of(before)[0], values, strict=True)
        leaves = [
            first if after is before or is_same(first, after) else leaf
            for leaf, first, before, after in rows
        ]
        return self._with(leaves)

    def joined(self, value) -> Carried:
        """That of a name which may also have this value; self if it is the same."""
        leaves, structure = leaves_of(value)
        if self.structure is None:
            if structure is None:
                return self
            return self.of(self.name, value, self.paths).joined(self.first)
        if structure is None:  # what a function has not returned is never read
            leaves = [UNSET] * (len(self.leaves) - 1) + [isinstance(value, UndefinedReturnValue)]
        elif structure != self.structure:
            raise self._differs(_words(self.structure, self.leaves), _words(structure, leaves))
        return self._with(map(self._joined_leaf, self.leaves, leaves))

    def _with(self, leaves) -> Carried:
        leaves = tuple(leaves)
        return self if all(map(operator.is_, leaves, self.leaves)) else replace(self, leaves=leaves)

    def _joined_leaf(self, leaf, other):
        if is_same(leaf, other) or other is UNSET:
            return _owned(leaf) if other is UNSET else leaf
        own = leaf.value if type(leaf) is Same else leaf
        types = [_type_of(own), _type_of(other)]
        if None in types or types[0].shape != types[1].shape:
            raise self._differs(_shown(own), _shown(other))
        if types[0] != types[1]:
            try:
                types = [type_of(jnp.where, True, *types, wide=jax.config.jax_enable_x64)]
            except Exception:  # such as for shardings that differ
                raise self._differs(_shown(own), _shown(other)) from None
        return leaf if leaf == types[0] else types[0]

    def _differs(self, first: str, second: str) -> Exception:
        name = "the result" if self.name.startswith("retval_") else f"'{self.name}'"
        return unsupported(
            f"{name} is {first} and {second} {self.paths}",
            "Give it one structure and one shape on all paths.",
        )

    def types(self) -> list:
        """The types of the arrays that are carried."""
        return [leaf for leaf in self.leaves if type(leaf) is Type]

    def arrays(self, value, results: dict) -> list:
        """What is carried of a value; `results` are those of the block that it comes from."""
        leaves, structure = leaves_of(value)
        if structure is None:
            leaves = [
                None if type(to) is Same else jnp.zeros(to.shape, to.dtype) for to in self.leaves
            ]
        rows = zip(leaves, self.leaves, strict=False)
        return [cast(results.get(id(leaf), leaf), to) for leaf, to in rows if type(to) is Type]

    def value(self, arrays: Iterator) -> Any:
        """The value of the name, made of the next arrays."""
        if self.structure is None:
            return self.first
        leaves = [next(arrays) if type(leaf) is Type else leaf.value for leaf in self.leaves]
        value = in_order(self.first, jax.tree.unflatten(self.structure, leaves[:-1]))
        reason = "a staged statement sets it on some of its paths"
        return value if leaves[-1] is True else MaybeSet(self.name, reason, value, leaves[-1])


@functools.cache
def type_of(function: Callable, *types, wide: bool = False):
    """The type that a function gives; `wide` says whether numbers may become ones of 64 bits."""
    return jax.make_jaxpr(function)(*types).out_avals[0]


def is_same(leaf, other) -> bool:
    """Whether a value is that of a leaf which stays the same."""
    own = leaf.value if type(leaf) is Same else leaf
    is_plain = type(own) is type(other) and isinstance(own, PLAIN)
    return own is other or (is_plain and repr(own) == repr(other))


def _owned(leaf, classes: tuple = (jax.Array,)):
    is_own = type(leaf) is Same and isinstance(leaf.value, classes)
    return jax.typeof(leaf.value) if is_own else leaf


def _type_of(leaf):
    if type(leaf) is Type:
        return leaf
    return jax.typeof(leaf) if isinstance(leaf, ARRAYS) else None


def _shown(leaf) -> str:
    array = _type_of(leaf)
    return array.strip_weak_type().str_short() if array else repr(leaf)


def _words(structure, leaves) -> str:
    rows = [leaf.value if type(leaf) is Same else leaf for leaf in leaves[:-1]]
    return str(jax.tree.unflatten(structure, [_Word(_shown(row)) for row in rows]))


class _Word(str):
    """A word that is shown without quotes in a structure."""

    __repr__ = str.__str__


def arrays_of(layouts: list[Carried], state, results: dict | None = None) -> list:
    """What is carried of a state."""
    rows = zip(layouts, state, strict=True)
    return [array for layout, value in rows for array in layout.arrays(value, results or {})]


def state_of(layouts: list[Carried], arrays) -> tuple:
    """The state that carried arrays stand for."""
    arrays = iter(arrays)
    return tuple(layout.value(arrays) for layout in layouts)


class Block:
    """A block that is traced once, to a jaxpr. Tracers in its state tell types alone."""

    state: tuple = ()
    raises = False  # and has no state

    def __init__(self, run: Callable[[tuple], tuple], types=()):
        def block(*arrays) -> list:
            try:
                self.state = run(arrays)
            except StagedRaise:
                self.raises = True
            leaves = [leaf for value in self.state for leaf in leaves_of(value)[0]]
            self.tracers = [leaf for leaf in leaves if isinstance(leaf, jax.core.Tracer)]
            return self.tracers

        self.call = jax.extend.core.jaxpr_as_fun(jax.make_jaxpr(block)(*types))

    def arrays(self, layouts: list[Carried], *arrays) -> list:
        """What is carried after the block, recorded where it is called."""
        results = dict(zip(map(id, self.tracers), self.call(*arrays), strict=True))
        if self.raises:
            return arrays_of(layouts, [Undefined("") for _ in layouts])
        return arrays_of(layouts, self.state, results)
