"""Python's builtins and syntax on tracers of JAX, in one table."""

from __future__ import annotations

import builtins
import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...autograph import forms
from ...autograph.current_trace import TRACE, unsupported
from ...autograph.operators.comprehensions import CollectedItem
from .carried_names import is_array
from .installed_jax import jax, jnp


def scalar_truth(test, of: str = "an `if`, a `while` or an operator"):
    """The truth of a scalar, as a bool of JAX."""
    if jnp.shape(test) != ():
        raise unsupported(
            f"an array of shape {jnp.shape(test)} decides {of}",
            "Its truth is ambiguous: use jnp.any(x) or jnp.all(x).",
        )
    return jnp.asarray(test) if test.dtype == bool else test != 0


class Items:
    """What a staged loop goes over: `count` items, of which `at` gives one by its index.

    Where the count is an int, `rows` is a pytree of arrays, and `item_of(row, index)` an item.
    `is_numbered` says that it depends on the index, which has the weak type of Python's numbers.
    """

    def __init__(self, count, at: Callable):
        self.count, self.at = count, at
        self.rows: Any = ()
        self.item_of: Callable = lambda row, index: self.at(index)
        self.is_numbered = True

    @classmethod
    def of_rows(
        cls, count: int, rows, item_of: Callable = lambda row, index: row, is_numbered=False
    ) -> Items:
        def at(index):
            return item_of(jax.tree.map(lambda array: array[index], rows), index)

        items = cls(count, at)
        items.rows, items.item_of, items.is_numbered = rows, item_of, is_numbered
        return items

    def first(self, count: int) -> Items:
        """The first of items whose number is known."""
        rows = jax.tree.map(lambda array: array[:count], self.rows)
        return Items.of_rows(count, rows, self.item_of, self.is_numbered)

    def __iter__(self):
        if not isinstance(self.count, int):
            raise unsupported(
                "the items of what is counted by a traced value are taken one by one",
                "Use a `for` loop, or an array and an index.",
            )
        return (self.at(index) for index in range(self.count))


def items_of(value) -> Items:
    if isinstance(value, Items):
        return value
    if isinstance(value, range):
        return Items(len(value), lambda index: value.start + index * value.step)
    rows = jnp.asarray(value)
    if rows.ndim == 0:
        raise TypeError("iteration over a 0-d array")
    return Items.of_rows(rows.shape[0], rows)


def _range(*bounds):
    start, stop, step = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    if isinstance(step, jax.core.Tracer):
        raise unsupported("the step of a `range` is known later", "Use an int of Python.")
    if step == 0:
        raise ValueError("range() arg 3 must not be zero")
    for bound in (start, stop):
        if jnp.shape(bound) != () or not jnp.issubdtype(jnp.result_type(bound), jnp.integer):
            raise TypeError("range() takes integers, and gets an array of another type or shape")
    start, stop = (bound if isinstance(bound, int) else _signed(bound) for bound in (start, stop))
    count = jnp.maximum(0, (stop - start + step - (1 if step > 0 else -1)) // step)
    return Items(count, lambda index: start + index * step)


def _signed(value):
    is_narrow = jnp.iinfo(value.dtype).bits < 32 or value.dtype == jnp.uint32
    return value.astype(jnp.int32) if is_narrow else value


def _zip(*iterables, strict=False):
    """Rows of arrays; beside an iterable of Python, whose items are Python's, an iterator."""
    arrays = (Items, jax.Array, np.ndarray, range)
    if not all(isinstance(source, arrays) for source in iterables):
        lists = (list(source) if isinstance(source, arrays) else source for source in iterables)
        return zip(*lists, strict=strict)
    sources = [items_of(source) for source in iterables]
    counts = [source.count for source in sources]
    if not all(isinstance(count, int) for count in counts):
        if strict:
            raise unsupported("`zip` is strict about lengths that are known later", "Leave it out.")
        count = functools.reduce(jnp.minimum, counts)
        return Items(count, lambda index: tuple(source.at(index) for source in sources))
    if strict and len(set(counts)) > 1:
        raise ValueError(f"zip() has arguments of lengths {counts}")
    sources = [source.first(min(counts)) for source in sources]

    def item_of(rows, index):
        pairs = zip(sources, rows, strict=True)
        return tuple(source.item_of(row, index) for source, row in pairs)

    rows = [source.rows for source in sources]
    is_numbered = any(source.is_numbered for source in sources)
    return Items.of_rows(min(counts), rows, item_of, is_numbered)


def _enumerate(items, start=0):
    source = items_of(items)
    return _zip(Items(source.count, lambda index: index + start), source)


def _reversed(items):
    source = items_of(items)
    if isinstance(source.count, int):
        rows, last = jax.tree.map(lambda array: array[::-1], source.rows), source.count - 1
        make = source.item_of
        return Items.of_rows(
            source.count, rows, lambda row, index: make(row, last - index), source.is_numbered
        )
    return Items(source.count, lambda index: source.at(source.count - 1 - index))


def _length(value):
    return value.count if isinstance(value, Items) else len(value)


def _extreme(name: str, is_better: Callable) -> Callable:
    """`min` or `max`, which keep the first of equal items, and of those that compare with none."""

    def call(*values, **kwargs):
        if set(kwargs) - {"default"}:
            raise unsupported(f"`{name}` of traced values has a key", "Use jnp.argmin or argmax.")
        (items,) = values if len(values) == 1 else (values,)
        if isinstance(items, jax.Array) and items.ndim == 1 and len(items):
            return _extreme_of_array(items, name)
        items = list(items)
        if not items and "default" in kwargs:
            return kwargs["default"]
        if not items:
            raise ValueError(f"{name}() iterable argument is empty")
        for item in items:
            scalar_truth(jnp.asarray(item), f"`{name}`")
        return functools.reduce(lambda a, b: jnp.where(is_better(b, a), b, a), items)

    return call


def _extreme_of_array(items, name: str):
    reduce = jnp.min if name == "min" else jnp.max
    if not jnp.issubdtype(items.dtype, jnp.floating):
        return reduce(items)
    worst = jnp.inf if name == "min" else -jnp.inf
    others = reduce(jnp.where(jnp.isnan(items), worst, items))
    return jnp.where(jnp.isnan(items[0]), items[0], others)


def _sum(items, start=0):
    if isinstance(items, jax.Array) and items.ndim:
        return start + jnp.sum(items, axis=0)
    return functools.reduce(operator.add, items, start)


def _reduced(name: str, combine: Callable) -> Callable:
    def call(items):
        tests = items if isinstance(items, jax.Array) and items.ndim == 1 else None
        if tests is not None:
            return jnp.any(tests) if name == "any" else jnp.all(tests)
        tests = [scalar_truth(jnp.asarray(item), f"`{name}`") for item in items]
        return functools.reduce(combine, tests)

    return call


def _number(cast: Callable) -> Callable:
    def call(value=0):
        if jnp.shape(value) != ():
            raise TypeError(f"an array of shape {jnp.shape(value)} is no number: use x.astype")
        return cast(value)

    return call


def _round(value, digits=None):
    if digits is None:
        return _number(lambda number: jnp.asarray(jnp.round(number), int))(value)
    return jnp.round(value, digits)


def _contains(container, item):
    if isinstance(container, jax.Array):
        return jnp.any(container == item)
    if isinstance(container, (list, tuple, range)):
        tests = [scalar_truth(jnp.asarray(part == item), "`in`") for part in container]
        return functools.reduce(jnp.logical_or, tests, jnp.asarray(False))
    raise unsupported(
        f"a traced value is looked for in a {type(container).__name__}", "Use a list."
    )


def _item(items, key):
    if isinstance(items, jax.Array):
        return items[key]
    is_sequence = isinstance(items, (list, tuple, np.ndarray)) and len(items)
    if is_sequence and all(map(is_array, items)):
        return jnp.stack([jnp.asarray(item) for item in items])[key]
    raise unsupported(
        f"a traced value is the key of a {type(items).__name__}",
        "Use an array, or a list of numbers of one shape.",
    )


def _with_item(target, key, value):
    if isinstance(target, list):
        raise unsupported("an item of a list is set at a traced index", "Use an array.")
    is_mask = isinstance(key, jax.Array) and key.dtype == bool and key.ndim
    if is_mask and jnp.shape(value) == () and target.shape[: key.ndim] == key.shape:
        mask = jnp.expand_dims(key, range(key.ndim, target.ndim))
        return jnp.where(mask, jnp.asarray(value, target.dtype), target)
    keys = key if isinstance(key, tuple) else (key,)
    for index, size in zip(keys, target.shape, strict=False):
        if type(index) is not int:
            break
        if not -size <= index < size:
            raise IndexError(f"index {index} is out of bounds for a dimension of size {size}")
    if jnp.issubdtype(jnp.result_type(value), jnp.inexact) > jnp.issubdtype(
        target.dtype, jnp.inexact
    ):
        value = jnp.asarray(value, target.dtype)  # as NumPy does
    return target.at[key].set(value)


def _constant(value, *operands):
    is_traced = TRACE.get().stager.is_staged
    if isinstance(value, np.ndarray) and any(map(is_traced, jax.tree.leaves(operands))):
        return jnp.asarray(value)
    return None


class _Item(CollectedItem):
    def add_when(self, test, value) -> None:
        raise unsupported(
            "a traced value decides how many items a comprehension has",
            "Keep all items and choose their values: jnp.where(test, a, b).",
        )


def _collected(items, build):
    return [value for item in items_of(items) for value in build(_Item(item, []))]


def _refused(what: str, cure: str) -> Callable:
    def call(*args, **kwargs):
        raise unsupported(what, cure)

    return call


_FUNCTIONALIZED = "Return a flag beside the result, or use checkify.check of jax.experimental."

TABLE: dict[Any, Callable] = {
    operator.not_: lambda value: jnp.logical_not(scalar_truth(value, "`not`")),
    operator.truth: scalar_truth,
    operator.contains: _contains,
    operator.getitem: _item,
    builtins.bool: lambda value=False: scalar_truth(value, "`bool`"),
    builtins.float: _number(lambda value: jnp.asarray(value, float)),
    builtins.int: _number(lambda value: jnp.asarray(value, int)),
    builtins.round: _round,
    builtins.len: _length,
    builtins.range: _range,
    builtins.zip: _zip,
    builtins.enumerate: _enumerate,
    builtins.reversed: _reversed,
    builtins.min: _extreme("min", operator.lt),
    builtins.max: _extreme("max", operator.gt),
    builtins.sum: _sum,
    builtins.any: _reduced("any", operator.or_),
    builtins.all: _reduced("all", operator.and_),
    builtins.sorted: _refused("`sorted` compares traced values", "Use jnp.sort(x)."),
    list.count: _refused("`count` compares traced values", "Use jnp.sum(x == v)."),
    list.index: _refused("`index` compares traced values", "Use jnp.argmax(x == v)."),
    forms.with_item: _with_item,
    forms.constant: _constant,
    forms.collected: _collected,
    forms.collected_each: _refused(
        "a traced value decides how many items a comprehension has",
        "Keep all items and choose their values: jnp.where(test, a, b).",
    ),
    forms.deferred: _refused("a traced value decides whether this `raise` runs", _FUNCTIONALIZED),
    forms.asserted: _refused("a traced value is the test of an `assert`", _FUNCTIONALIZED),
}
