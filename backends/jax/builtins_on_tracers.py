"""Python's builtins and syntax on tracers of JAX, in one table."""

from __future__ import annotations

import builtins
import functools
import inspect
import math
import operator
import traceback
import types
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.special
import numpy as np
from jax.experimental import checkify
from jax.extend.core import get_opaque_trace_state

from ...autograph import forms
from ...autograph.compared_sequences import SequenceOrder
from ...autograph.current_trace import TRACE, unsupported
from ...autograph.operators.comprehensions import CollectedItem
from .carried_names import ARRAYS
from .items_of_loops import Items, backward, counted, enumerated, items_of, zipped

MOST_SORTED = 64  # values that are exchanged one by one


def scalar_truth(test, of: str = "an `if`, a `while` or an operator"):
    """The truth of a scalar, as a bool, also one of Python's."""
    if isinstance(test, Items):
        raise unsupported(f"what is counted by a traced value decides {of}", "Compare the value.")
    if not isinstance(test, ARRAYS):
        return bool(test)
    type_ = jax.typeof(test)
    if type_.shape != ():
        raise unsupported(
            f"an array of shape {type_.shape} decides {of}",
            "Its truth is ambiguous: use jnp.any(x) or jnp.all(x).",
        )
    return test if type_.dtype == bool else test != 0


def _is_vector(items) -> bool:
    return isinstance(items, jax.Array) and items.ndim == 1


# ---- order, and folds ----------------------------------------------------------------------------


ORDER = SequenceOrder(
    equal=lambda left, right: scalar_truth(left == right, "a comparison"),
    order=lambda compare, left, right: scalar_truth(compare(left, right), "a comparison"),
    chosen=jnp.where,
)


def _chosen(test, then, orelse):
    """One of two pytrees of numbers and arrays."""
    if isinstance(test, bool):
        return then if test else orelse
    if not all(isinstance(leaf, ARRAYS) for leaf in jax.tree.leaves((then, orelse))):
        raise unsupported("a traced value orders objects of Python", "Order indices of them.")
    return jax.tree.map(functools.partial(jnp.where, test), then, orelse)


def _pairs(items, key: Callable | None) -> list[tuple]:
    """Items, each after its key."""
    return [(item if key is None else key(item), item) for item in items]


def _sorted(items, key=None, reverse=False) -> list:
    """`sorted`, by exchanges of neighbors."""
    if key is None and _is_vector(items):
        return list(jnp.sort(items, descending=reverse))
    rows, is_before = _pairs(items, key), operator.gt if reverse else operator.lt
    if len(rows) > MOST_SORTED:
        raise unsupported(f"`sorted` compares {len(rows)} traced values", "Use jnp.sort(x).")
    for end in range(len(rows), 1, -1):
        for at in range(1, end):
            left, right = rows[at - 1 : at + 1]
            test = ORDER.compared(is_before, right[0], left[0])
            rows[at - 1 : at + 1] = _chosen(test, right, left), _chosen(test, left, right)
    return [item for _, item in rows]


def _extreme(plain: Callable, of_array: Callable, is_better: Callable) -> Callable:
    """`min` or `max`, which keep the first of equal items, and of those that compare with none."""

    def call(*values, key=None, **default):
        items = values[0] if len(values) == 1 else values
        if key is None and _is_vector(items) and len(items):
            return jnp.where(items[0] == items[0], of_array(items), items[0])
        best, *others = _pairs(list(items) or [plain((), **default)], key)
        for other in others:
            best = _chosen(ORDER.compared(is_better, other[0], best[0]), other, best)
        return best[1]

    return call


def _folded(combine: Callable, of: str) -> Callable:
    """`any` or `all` of the truths of items."""
    return lambda items: functools.reduce(combine, [scalar_truth(item, of) for item in items])


ANY, ALL = _folded(jnp.logical_or, "`any`"), _folded(jnp.logical_and, "`all`")


def _sum(items, start=0):
    if isinstance(items, jax.Array) and items.ndim:
        return start + jnp.sum(items, axis=0)
    return functools.reduce(operator.add, items, start)


def _contains(container, item):
    if isinstance(container, jax.Array):
        return jnp.any(container == item)
    if isinstance(container, (list, tuple, range)):
        return ANY([False, *(part == item for part in container)])
    what = f"a traced value is looked for in a {type(container).__name__}"
    raise unsupported(what, "Use a list.")


# ---- numbers and items ---------------------------------------------------------------------------


def _number(value=0, type_: type = float):
    if jnp.shape(value) != ():
        raise TypeError(f"an array of shape {jnp.shape(value)} is no number: use x.astype")
    return jnp.asarray(value, type_)


def _round(value, digits=None):
    return _number(jnp.round(value), int) if digits is None else jnp.round(value, digits)


def _item(items, key):
    if not isinstance(items, (list, tuple, dict, str, range, np.ndarray)):
        return items[key]
    is_row = isinstance(items, (list, tuple, np.ndarray)) and len(items)
    if is_row and all(isinstance(item, ARRAYS) for item in items):
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
    return target.at[key].set(jnp.asarray(value, target.dtype))


def _constant(value, *operands):
    is_traced = TRACE.get().stager.is_staged
    if isinstance(value, np.ndarray) and any(map(is_traced, jax.tree.leaves(operands))):
        return jnp.asarray(value)
    return None


# ---- what is refused, or checked -----------------------------------------------------------------


def _refused(what: str, cure: str, plain: Callable | None = None) -> Callable:
    """A function that gets traced values; `plain` is it for others."""

    def call(*args, **kwargs):
        leaves = jax.tree.leaves((args, kwargs))
        if plain and not any(map(TRACE.get().stager.is_staged, leaves)):
            return plain(*args, **kwargs)
        raise unsupported(what, cure)

    return call


def _cure_of(name: str) -> str:
    """What to call in place of a function of `math`. `remainder` of NumPy is another one."""
    other = {"lgamma": "gammaln", "fsum": "sum", "remainder": ""}.get(name, name)
    homes = {"jnp": jnp, "jax.scipy.special": jax.scipy.special}
    calls = [f"Use {home}.{other}." for home, module in homes.items() if hasattr(module, other)]
    return (*calls, "Compute it by functions of jnp.")[0]


class _Item(CollectedItem):
    add_when = _refused(
        "a traced value decides how many items a comprehension has",
        "Keep all items and choose their values: jnp.where(test, a, b).",
    )


def _check(test, error: BaseException, what: str) -> None:
    """A check of `checkify`, which returns it as an error."""
    file = inspect.unwrap(checkify.checkify).__code__.co_filename
    if not any(frame.f_code.co_filename == file for frame, _ in traceback.walk_stack(None)):
        cure = "Trace it by checkify.checkify, or return a flag beside the result."
        raise unsupported(what, cure) from error
    TRACE.get().stager.checked_in = get_opaque_trace_state()
    message = f"{type(error).__name__}: {error}"
    checkify.check(test, message.replace("{", "{{").replace("}", "}}"))


RAISED = types.SimpleNamespace(
    as_traced=lambda error: error,
    fail=lambda error: _check(False, error, "a traced value decides whether this `raise` runs"),
)
TABLE: dict[Any, Callable] = {
    operator.not_: lambda value: jnp.logical_not(scalar_truth(value, "`not`")),
    operator.truth: scalar_truth,
    operator.contains: _contains,
    operator.getitem: _item,
    builtins.bool: lambda value=False: scalar_truth(value, "`bool`"),
    builtins.float: _number,
    builtins.int: functools.partial(_number, type_=int),
    builtins.round: _round,
    builtins.len: lambda of: jnp.maximum(of.count, 0) if isinstance(of, Items) else len(of),
    builtins.range: counted,
    builtins.zip: zipped,
    builtins.enumerate: enumerated,
    builtins.reversed: backward,
    builtins.min: _extreme(min, jnp.nanmin, operator.lt),
    builtins.max: _extreme(max, jnp.nanmax, operator.gt),
    builtins.sum: _sum,
    builtins.any: lambda items: jnp.any(items) if _is_vector(items) else ANY(items),
    builtins.all: lambda items: jnp.all(items) if _is_vector(items) else ALL(items),
    builtins.sorted: _sorted,
    list.count: lambda method, items, value: _sum(_number(item == value, int) for item in items),
    list.index: _refused("`index` compares traced values", "Use jnp.argmax(x == v)."),
    **{
        function: _refused(f"`math.{name}` gets a traced value", _cure_of(name), function)
        for name, function in vars(math).items()
        if isinstance(function, types.BuiltinFunctionType) and name != "prod"  # it multiplies items
    },
    forms.compared: ORDER.compared,
    forms.with_item: _with_item,
    forms.constant: _constant,
    forms.collected: lambda items, build: [
        value for item in items_of(items) for value in build(_Item(item, []))
    ],
    forms.collected_each: _Item.add_when,
    forms.deferred: lambda make: (make(), RAISED),
    forms.asserted: lambda test, message: _check(
        scalar_truth(test), AssertionError(message()), "a traced value is the test of an `assert`"
    ),
}
