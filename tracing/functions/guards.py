"""Guards: the Python state that a trace depends on, and whether it has changed.

One generated function compares all guards of a trace by identity. Only values that are other
objects are compared in detail.
"""

from __future__ import annotations

import contextlib
import operator
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from ...autograph.operators.calls import STATE
from ...autograph.operators.containers import content
from ...runtime.core.classes import NamedTuple
from ...runtime.tensors.tensor import EagerTensor
from ..type_system.trace_types import constant_key
from .retrace_history import Change

MISSING = object()
ATOMS = (bool, int, float, complex, str, bytes, type(None))
UNCHANGED = """
def unchanged():
    try:
        return {tests}
    except (AttributeError, KeyError, RuntimeError, ValueError):
        return False
"""
CURE = "Make it an argument or a Variable if it changes often."


class Form(NamedTuple):
    """How one kind of location is read, and the source of its test for an unchanged value."""

    test: str  # over the holder `h`, the key `k` and what is expected, `e`
    read: Callable[[Any, Any], Any]
    native: str = ""  # the test of `runtime/jit/entry/bound_call.py`, if there is one
    keep: Callable[[Any], Any] = lambda value: value
    put: Callable[..., object] = lambda holder, key, value: None  # gives it a value that it had


def _put(thing, name: str, old) -> None:
    delattr(thing, name) if old is MISSING else setattr(thing, name, old)


def _put_item(table: dict, key, old) -> None:
    table.pop(key, None) if old is MISSING else table.update({key: old})


def _itself(holder, key):
    return holder


def _fill(holder, key, kept) -> None:
    holder.clear()
    (holder.extend if isinstance(holder, (list, deque)) else holder.update)(kept)


def _same_items(holder, kept) -> bool:
    return len(holder) == len(kept) and all(map(operator.is_, holder, kept))


def _same_pairs(holder, kept) -> bool:
    return _same_items(holder, kept) and _same_items(holder.values(), kept.values())


def _same_bytes(array, kept) -> bool:
    return (
        array.dtype == kept.dtype
        and array.shape == kept.shape
        and (np.array_equal(array, kept) or array.tobytes() == kept.tobytes())
    )


FORMS = {
    "item": Form("{h}[{k!r}] is {e}", lambda h, k: h.get(k, MISSING), "item", put=_put_item),
    "absent": Form("{k!r} not in {h}", lambda h, k: h.get(k, MISSING), "item", put=_put_item),
    "cell": Form("{h}.cell_contents is {e}", lambda cell, key: content(cell, MISSING), "field"),
    "weak": Form(
        "{h}().{k} is {e}", lambda holder, key: getattr(holder(), key, MISSING),
        put=lambda holder, *row: _put(holder(), *row),
    ),
    "attribute": Form("{h}.{k} is {e}", lambda h, k: getattr(h, k, MISSING), "attribute", put=_put),
    "result": Form("{h}() == {e}", lambda holder, key: holder()),
    "items": Form("same_items({h}, {e})", _itself, keep=tuple, put=_fill),
    "pairs": Form("same_pairs({h}, {e})", _itself, keep=dict, put=_fill),
    "members": Form("same_items({h}, {e})", _itself, keep=tuple, put=_fill),
    "array": Form("same_bytes({h}, {e})", _itself, keep=np.array,
                  put=lambda holder, key, kept: np.copyto(holder, kept)),
}  # fmt: skip


class Location(NamedTuple):
    """Where Python keeps a value: a dictionary item, a cell, an attribute, or the content of a
    whole container.
    """

    form: str
    holder: Any
    key: Any
    label: str

    def read(self):
        return FORMS[self.form].read(self.holder, self.key)

    def kept(self):
        """The present value, or the content of a container."""
        return FORMS[self.form].keep(self.read())

    def holds(self, old) -> bool:
        """Whether the value is an earlier one; equal numbers and strings count as unchanged."""
        new = self.read()
        if self.form == "items":
            return len(old) == len(new) and all(map(same, old, new))
        if self.form == "pairs":
            are_keys = constant_key(tuple(old)) == constant_key(tuple(new))
            return are_keys and all(map(same, old.values(), new.values()))
        if self.form == "members":
            return constant_key(frozenset(old)) == constant_key(frozenset(new))
        return _same_bytes(new, old) if self.form == "array" else same(old, new)

    def restore(self, old) -> None:
        """Have an earlier value again, unless it is frozen, or gone."""
        with contextlib.suppress(AttributeError, TypeError, ValueError):
            FORMS[self.form].put(self.holder, self.key, old)


RECURSION_LIMIT = Location("result", sys.getrecursionlimit, None, "the recursion limit")


def entry_of(table: Mapping, name: str, label: str) -> Location:
    """Where a dictionary has a value for a name, or comes to have one."""
    return Location("item" if name in table else "absent", table, name, label)


def state_of(function, with_none: bool = False) -> Iterator[Location]:
    """The code and defaults of a function, which a program may set, or load again."""
    for name in STATE:
        if with_none or getattr(function, name) is not None:
            yield Location("attribute", function, name, f"{function.__qualname__}.{name}")
    code, defaults = function.__code__, function.__kwdefaults__
    if defaults is not None:
        for name in code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]:
            yield entry_of(defaults, name, f"the default of {name}")


class Guards:
    """The locations that one trace has read, and their values at that time."""

    def __init__(self, locations: Iterable[Location]):
        self.locations = tuple(locations)
        self._scope: dict[str, Any] = {
            "same_items": _same_items, "same_pairs": _same_pairs, "same_bytes": _same_bytes,
        }  # fmt: skip
        self._tests = [self._enter(index, row) for index, row in enumerate(self.locations)]
        self.unchanged = self._compiled(self._tests)

    def _compiled(self, tests: list[str]) -> Callable[[], bool]:
        source = UNCHANGED.format(tests=" and ".join(tests) or "True")
        exec(compile(source, "<allograph guards>", "exec"), self._scope)
        return self._scope["unchanged"]

    def _enter(self, index: int, location: Location) -> str:
        """The source of one comparison; the objects it names are entered into the scope."""
        self._scope[f"h{index}"] = location.holder
        self._scope[f"e{index}"] = location.kept()
        return FORMS[location.form].test.format(h=f"h{index}", e=f"e{index}", k=location.key)

    def native_tests(self) -> list[tuple]:
        """The tests of `runtime/jit/entry/bound_call.py` that compare all guards."""
        rows: list[tuple] = []
        others = []
        for at, (form, holder, key, _) in enumerate(self.locations):
            test = FORMS[form].native
            if not test or (test == "item" and type(holder) is not dict):
                others.append(self._tests[at])
            else:
                rows.append((test, holder, *[key] * (test != "field"), self._scope[f"e{at}"]))
        return [*rows, ("holds", self._compiled(others))] if others else rows

    def hold(self, rebind: Callable[[Any, Any], bool]) -> bool:
        """Whether all values are unchanged; equal numbers and strings count as unchanged.

        If a location holds another tensor, `rebind(old, new)` tells whether the trace can use it.
        """
        if self.unchanged():
            return True
        for index, location in enumerate(self.locations):
            old, new = self._scope[f"e{index}"], location.read()
            if not location.holds(old):
                tensors = isinstance(old, EagerTensor) and isinstance(new, EagerTensor)
                if not (tensors and self._moved(old, new) and rebind(old, new)):
                    return False
            if new is not old and location.form in ("item", "cell", "attribute", "weak"):
                self._scope[f"e{index}"] = new
        return True

    def _moved(self, old, new) -> bool:
        """Whether every location of the old tensor now holds the new one."""
        return all(
            location.read() is new
            for index, location in enumerate(self.locations)
            if self._scope[f"e{index}"] is old
        )

    def changes(self) -> list[Change]:
        """The locations whose values changed."""
        changed = []
        for index, location in enumerate(self.locations):
            old = self._scope[f"e{index}"]
            if not location.holds(old):
                changed.append(_change(location, old, location.read()))
        return changed


def _change(location: Location, old, new) -> Change:
    """The change of a location; for a list, of its length or of its first changed item."""
    if location.form == "items" and len(old) != len(new):
        return Change(location.label, f"{len(old)} items", f"{len(new)} items", CURE)
    if location.form == "items":
        index = next(i for i, pair in enumerate(zip(old, new, strict=True)) if not same(*pair))
        return Change(f"{location.label}[{index}]", _short(old[index]), _short(new[index]), CURE)
    return Change(location.label, _short(old), _short(new), CURE)


def same(old, new) -> bool:
    """Whether two values are the same object, or equal numbers or strings."""
    if old is new:
        return True
    if type(old) is not type(new) or not isinstance(old, ATOMS):
        return False
    return repr(old) == repr(new) if isinstance(old, (float, complex)) else old == new


def _short(value) -> str:
    if value is MISSING:
        return "gone"
    display = repr(value)
    return display if len(display) <= 60 else display[:57] + "..."
