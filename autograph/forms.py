"""Python's syntax as functions, where Python itself has none: the keys of `Stager.form` beside the
builtins, the functions of `operator` and those of libraries.

Each does what Python does, or what the few methods of the stager say. A stager may give a form of
it that accepts staged values, or does it better.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Collection
from typing import Any

from .current_trace import TRACE, UNTRACED, unsupported


def form_of(function: Callable) -> Callable:
    """The form of a function for staged values, or else the function itself."""
    trace = TRACE.get()
    return function if trace is UNTRACED else trace.stager.form(function) or function


def compared(compare: Callable, left, right) -> Any:
    """`left < right`, where `compare` is `operator.lt`, of two tuples or two lists. Their items may
    be staged.
    """
    return compare(left, right)


def matched(value) -> Any:
    """A value that Python itself matches with a pattern of a sequence, a mapping or a class."""
    return value


def with_item(target, key, value) -> Any:
    """`target` after `target[key] = value`: of a tensor, another tensor; of a list whose `key` is
    staged, the list of its items.
    """
    return target.__with_item__(key, value)


def new_list(items: list) -> list:
    """The list that a display, a comprehension or `list` makes of these items."""
    return items


def constant(value, *operands) -> Any:
    """The replacement of a value, such as a NumPy array, an item of which is assigned where
    `operands`, the key and the item, may be staged; None: it changes in place.
    """
    return None


def unpacked(value, pattern: tuple) -> Any:
    """The items of a staged value that is unpacked to names, with a pattern as `unpack` has it."""
    return value


def shown(value) -> Any:
    """The stand-in that an f-string formats for a value, by which `string` knows what it shows."""
    return value


def string(shown: str) -> str:
    """A string that an f-string has made: one that shows staged values, or itself."""
    return shown


def formatted(function: Callable, *args, **kwargs) -> str:
    """The string that a function, such as `str.format`, makes of values that may be staged."""
    return function(*args, **kwargs)


def displayed(value, directive: str) -> str:
    """`directive % value` for a staged value; inside `deferred`, a reference to it."""
    return directive % (value,)


def deferred(make: Callable) -> tuple:
    """The exception `make()` that a staged block raises, with references to staged values in its
    strings; and what has a method `fail(error)` that records it, and one `as_traced(error)` for a
    handler in the same block. The block then ends with a `StagedRaise`, which `cond` catches.
    """
    raise unsupported("an exception that is raised where a staged value decides", "Return a value.")


def asserted(test, message: Callable) -> None:
    """`assert test, message()` of a staged test."""
    raise unsupported("the test of an `assert` is known only when the graph runs", "Leave it out.")


def at_end(check: Callable, of_function: bool = False) -> None:
    """Call `check()` when the present block, or the outermost function, has been recorded."""
    TRACE.get().checks.append(check)


# ---- loops over staged items ------------------------------------------------------------------


def for_each(items, body: Callable, extra_test: Callable | None, state, names, options) -> tuple:
    """The state after `body(item, *state)` for each staged item, as long as `extra_test(*state)`
    holds (None: always). By default a counted loop, with `len` and `operator.getitem` of the items.
    """
    count, item_of = form_of(len)(items), form_of(operator.getitem)
    at = functools.partial(item_of, items)
    return counted_for(0, count, at, body, extra_test, state, names, options)


def counted_for(start, count, at: Callable, body: Callable, extra_test, *loop) -> tuple:
    """The state after `body(at(index), *state)` for each index from `start` to before `count`."""
    state, names, options = loop

    def test(index, *values):
        inside = index < count
        if extra_test is None:
            return inside
        return form_of(both_hold)(inside, lambda: extra_test(*values))

    def step(index, *values) -> tuple:
        item = at(index)
        return (index + 1, *body(item, *values))

    state, names = (start, *state), ("loop counter", *names)
    return TRACE.get().stager.while_loop(test, step, state, names, options)[1:]


def both_hold(test, other: Callable) -> Any:
    """Whether a staged test of a loop and `other()` hold."""
    sides = (lambda: (other(),), lambda: (test,))
    return TRACE.get().stager.cond(test, *sides, ("the test of the loop",), 1)[0]


def collected(items, build: Callable) -> Any:
    """The list `build(items)`, for a comprehension `build` over staged items."""
    raise unsupported(
        "how many items a comprehension makes is known only when the graph runs", "Use a loop."
    )


def collected_each(items, build: Callable, taken: list, first) -> Any:
    """The same over plain items, where a test of the comprehension is staged. Before them come
    those `taken`, and `first.value()` if `first.test` holds.
    """
    return collected(items, build)


def each(items, test, rows: Callable, build: Callable, source: str) -> Any:
    """The items that one iteration of `... for x in items if test for y in rows() ...` yields:
    `build(rows())` is what stands inside. `items` may be a CollectedItem, or a Single.
    """
    return build(rows()) if known(test, source) else ()


def known(test, source: str):
    """A test of a comprehension in Python's own hands, which may not be staged."""
    if TRACE.get().stager.is_staged(test):
        raise unsupported(
            f"a tensor decides which items `{source}` has",
            "Make a list, with one `for` and one `if`, or keep all items and choose their values: "
            "ag.where(test, a, b).",
        )
    return test


def gathered(build: Callable, items, make: type) -> Any:
    """The set or dictionary that `build(items, add)` fills."""
    target = make()
    build(items, target.add if make is set else target.__setitem__)
    return target


def taken_once(items, origin) -> Any:
    """An iterator over a staged list, which a generator expression has made of another iterable."""
    return items


def escaped_list(name: str) -> Any:
    """The stand-in for a list after a staged loop whose body changes it."""
    raise unsupported(f"the list '{name}' changes in a loop that is traced once", "Use an array.")


# ---- variables that a staged statement sets on some of its paths -------------------------------


def read_checked(variable) -> Any:
    """The value of such a variable (a MaybeSet). An error when the graph runs if it has none."""
    raise variable.error()


def require_set(variable) -> None:
    """An error when the graph runs if such a variable has no value."""
    raise variable.error()


# ---- memory that NumPy's arrays would share ----------------------------------------------------


def memory_of(tensor) -> list:
    """The value of a tensor in its graph, and that of which it is a view, as `x[1:]` of `x`."""
    return []


def is_computed_from(tensor, arrays: Collection[int], others: dict[int, tuple]) -> bool:
    """Whether a tensor is computed from any of `arrays`, which `memory_of` has given, by identity.
    `others` remembers what is not.
    """
    return False
