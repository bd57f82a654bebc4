"""How a staged statement carries what names hold: pytrees of arrays, flags of names that some paths
leave unset, and objects that stay what they are.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ...autograph.current_trace import unsupported
from ...autograph.operators.undefined import MaybeSet, Undefined, UndefinedReturnValue
from .installed_jax import jax, jex, jnp

NUMBERS = (bool, int, float, complex, np.number, np.bool_, np.ndarray)


class Spec(NamedTuple):
    """The type of an array that is carried."""

    shape: tuple
    dtype: Any
    weak: bool


class Same(NamedTuple):
    """A leaf that no path changes, which is not carried."""

    value: Any


def flatten(value) -> tuple[Any, list]:
    """The structure of a pytree, and its leaves. Dictionaries keep the order of their keys."""
    parts, tree = jax.tree.flatten(value, is_leaf=lambda part: type(part) is dict)
    inner: list = []
    leaves: list = []
    for part in parts:
        if type(part) is dict:
            below, below_leaves = flatten(list(part.values()))
            inner.append((tuple(part), below))
            leaves += below_leaves
        else:
            inner.append(None)
            leaves.append(part)
    return (tree, tuple(inner)), leaves


def unflatten(structure, leaves: Iterator) -> Any:
    """The pytree of a structure, made of the next leaves."""
    tree, inner = structure
    parts = [
        next(leaves) if keyed is None else dict(zip(keyed[0], unflatten(keyed[1], leaves)))  # noqa: B905
        for keyed in inner
    ]
    return jax.tree.unflatten(tree, parts)


def parts_of(value) -> tuple[Any, Any]:
    """Whether a name is set, and its value."""
    if isinstance(value, MaybeSet):
        return value.is_set, value.value
    return (False, None) if isinstance(value, Undefined) else (True, value)


def is_array(leaf) -> bool:
    return isinstance(leaf, (jax.Array, *NUMBERS))


def spec_of(leaf) -> Spec:
    aval = jax.typeof(leaf)
    return Spec(aval.shape, aval.dtype, aval.weak_type)


def struct(spec: Spec):
    return jax.ShapeDtypeStruct(spec.shape, spec.dtype, weak_type=spec.weak)


def cast(leaf, spec: Spec):
    """A leaf as an array of the type that is carried."""
    own = spec_of(leaf)
    if own == spec:
        return jnp.asarray(leaf)
    if spec.weak:
        unit = {"i": 1, "f": 1.0, "c": 1.0 + 0j}.get(np.dtype(spec.dtype).kind, True)
        array = jnp.asarray(leaf * unit)
        if spec_of(array) == spec:
            return array
    return jnp.asarray(leaf, spec.dtype)


def _is_same(left, right) -> bool:
    if left is right:
        return True
    plain = (bool, int, float, complex, str, bytes)
    return type(left) is type(right) and isinstance(left, plain) and repr(left) == repr(right)


@dataclass(frozen=True, eq=False)
class Carried:
    """How a name is carried. Without a structure it has never had a value."""

    name: str
    paths: str  # what the values come from, for messages
    like: Undefined | None = None
    flag: bool = False
    structure: Any = None
    leaves: tuple = ()

    @classmethod
    def of(cls, name: str, value, paths: str) -> Carried:
        """That of a name with one value."""
        start = cls(name, paths)
        if isinstance(value, Undefined) and not isinstance(value, MaybeSet):
            return replace(start, like=value)
        is_set, value = parts_of(value)
        structure, leaves = flatten(value)
        kept = tuple(Same(leaf) if is_set is True else _own(leaf) for leaf in leaves)
        return replace(start, structure=structure, leaves=kept, flag=is_set is not True)

    def joined(self, value) -> Carried:
        """That of a name which may also have this value; self if it is the same."""
        is_set, inner = parts_of(value)
        if isinstance(value, Undefined) and not isinstance(value, MaybeSet):
            if self.structure is None:
                return self
            own = tuple(_own(leaf.value) if type(leaf) is Same else leaf for leaf in self.leaves)
            has_news = self.like is None or not self.flag
            news = replace(self, like=value, flag=True, leaves=own)
            return news if has_news else self
        structure, leaves = flatten(inner)
        if self.structure is None:
            own = tuple(map(_own, leaves))
            return replace(self, structure=structure, leaves=own, flag=True)
        if structure != self.structure:
            raise self._differs(_words(self.structure, self.leaves), _words(structure, leaves))
        joined = tuple(map(self._joined_leaf, self.leaves, leaves))
        flag = self.flag or is_set is not True
        if flag == self.flag and all(map(operator.is_, joined, self.leaves)):
            return self
        return replace(self, leaves=joined, flag=flag)

    def _joined_leaf(self, leaf, other):
        if type(leaf) is Same:
            if _is_same(leaf.value, other):
                return leaf
            if not is_array(leaf.value) or not is_array(other):
                raise self._differs(_shown(leaf.value), _shown(other))
            spec = spec_of(leaf.value)
        elif is_array(other):
            spec = leaf
        else:
            raise self._differs(_shown(leaf), _shown(other))
        second = spec_of(other)
        if spec.shape != second.shape:
            raise self._differs(_shown(spec), _shown(second))
        if spec != second:
            try:
                both = jax.eval_shape(jnp.where, True, struct(spec), struct(second))
            except (TypeError, ValueError):
                raise self._differs(_shown(spec), _shown(second)) from None
            spec = Spec(both.shape, both.dtype, both.weak_type)
        return leaf if type(leaf) is Spec and leaf == spec else spec

    def _differs(self, first: str, second: str) -> Exception:
        name = "the result" if self.name.startswith("retval_") else f"'{self.name}'"
        return unsupported(
            f"{name} is {first} and {second} {self.paths}",
            "Give it one structure and one shape on all paths.",
        )

    @property
    def has_flag(self) -> bool:
        """Whether an array says if the name is set. What is not returned is never read."""
        return self.flag and not isinstance(self.like, UndefinedReturnValue)

    def specs(self) -> list[Spec]:
        flag = [Spec((), np.dtype(bool), False)] if self.has_flag else []
        return [leaf for leaf in self.leaves if type(leaf) is Spec] + flag

    def arrays(self, value) -> list:
        """What is carried of a value."""
        if self.structure is None:
            return []
        is_set, value = parts_of(value)
        if is_set is False:
            arrays = [
                jnp.zeros(leaf.shape, leaf.dtype) for leaf in self.leaves if type(leaf) is Spec
            ]
        else:
            rows = zip(flatten(value)[1], self.leaves, strict=True)
            arrays = [cast(leaf, spec) for leaf, spec in rows if type(spec) is Spec]
        return [*arrays, *([jnp.asarray(is_set, bool)] if self.has_flag else [])]

    def value(self, arrays: Iterator) -> Any:
        """The value of the name, made of the next arrays."""
        if self.structure is None:
            return self.like
        leaves = [next(arrays) if type(leaf) is Spec else leaf.value for leaf in self.leaves]
        value = unflatten(self.structure, iter(leaves))
        if not self.has_flag:
            return value
        reason = "a staged statement sets it on some of its paths"
        return MaybeSet(self.name, reason, value, next(arrays))


def _own(leaf):
    """A leaf that has no other value yet: tracers may belong to the block, and are carried."""
    return spec_of(leaf) if isinstance(leaf, jax.Array) else Same(leaf)


def _shown(leaf) -> str:
    if isinstance(leaf, Spec) or is_array(leaf):
        shape, dtype, _ = leaf if isinstance(leaf, Spec) else spec_of(leaf)
        return f"{dtype}[{','.join(map(str, shape))}]"
    return repr(leaf)


def _words(structure, leaves) -> str:
    rows = [leaf.value if type(leaf) is Same else leaf for leaf in leaves]
    return str(unflatten(structure, iter([_Word(_shown(row)) for row in rows])))


class _Word(str):
    """A word that is shown without quotes in a structure."""

    __repr__ = str.__str__


# ---- states of several names ---------------------------------------------------------------------


def arrays_of(layouts: list[Carried], state: tuple) -> list:
    """What is carried of a state."""
    rows = zip(layouts, state, strict=True)
    return [array for layout, value in rows for array in layout.arrays(value)]


def state_of(layouts: list[Carried], arrays) -> tuple:
    """The state that carried arrays stand for."""
    arrays = iter(arrays)
    return tuple(layout.value(arrays) for layout in layouts)


class Block:
    """A block that is traced once: its state, whose tracers tell types alone, and a jaxpr."""

    def __init__(self, run: Callable[[tuple], tuple], specs=()):
        def block(*arrays):
            self.state = run(arrays)
            self.rows = [_flat(value) for value in self.state]
            return [leaf for _, _, leaves in self.rows for leaf in leaves if _is_tracer(leaf)]

        self.call = jex.jaxpr_as_fun(jax.make_jaxpr(block)(*map(struct, specs)))

    def arrays(self, layouts: list[Carried], *arrays) -> list:
        """What is carried after the block, recorded where it is called."""
        results, state = iter(self.call(*arrays)), []
        for value, structure, leaves in self.rows:
            row = [next(results) if _is_tracer(leaf) else leaf for leaf in leaves]
            if structure is None:
                state.append(value)
                continue
            *row, is_set = row
            inner = unflatten(structure, iter(row))
            state.append(value.holding(inner, is_set) if isinstance(value, MaybeSet) else inner)
        return arrays_of(layouts, tuple(state))


def _flat(value) -> tuple:
    """A value, its structure (None if it has no value), and its leaves with whether it is set."""
    if isinstance(value, Undefined) and not isinstance(value, MaybeSet):
        return value, None, []
    is_set, inner = parts_of(value)
    structure, leaves = flatten(inner)
    return value, structure, [*leaves, is_set]


def _is_tracer(leaf) -> bool:
    return isinstance(leaf, jax.core.Tracer)
