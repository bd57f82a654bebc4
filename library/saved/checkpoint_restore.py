"""Matching the objects of a checkpoint with those of the program, now and when they are created."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ... import Variable
from ...extend.errors import InvalidArgumentError, boundaries_of
from ...extend.specs import FROM_NUMPY, is_compatible, show
from ...extend.state import CREATION, RESTORATIONS
from ..module import Module, when_set
from .object_graph import has_state, identity, walk


class Stored(NamedTuple):
    """The content of a checkpoint: objects, whose children are indices of objects, and arrays."""

    path: str
    entries: list[dict]
    arrays: dict[str, np.ndarray]


class Restoration:
    """A call of `restore`: matched objects, and values that wait for their variables."""

    def __init__(self, stored: Stored, root, children: Callable):
        self.stored = stored
        self.root = root
        self.children = children
        self.assigned: dict[object, int] = {}  # the stored object of each cell and iterator
        self.matched: set[int] = set()
        self.unfilled: list[tuple[set[str], object]] = []  # containers, and what they lack
        self.match_all()
        RESTORATIONS.add(self)

    def match_all(self) -> None:
        """Match all objects below the root that exist."""
        self.unfilled = []
        self.match([(0, self.root)])

    def match_filled(self) -> bool:
        """Match what containers received by now, as by `append`; whether some still lack items."""
        if any(missing & self.children(container).keys() for missing, container in self.unfilled):
            self.match_all()
        return bool(self.unfilled)

    def match(self, waiting: list) -> None:
        """Match pairs of stored and live objects; all values are checked before any is set."""
        matches: list[tuple[Any, np.ndarray]] = []
        seen = set()
        while waiting:
            index, obj = waiting.pop(0)
            if (index, identity(obj)) in seen:
                continue
            seen.add((index, identity(obj)))
            entry = self.stored.entries[index]
            if has_state(obj):
                if "tensor" in entry and index not in self.matched:
                    matches.append((obj, self.stored.arrays[entry["tensor"]]))
                    self.assigned[_key(obj)] = index
                continue
            names = entry.get("children", {})
            live = self.live_children(obj, names)
            waiting += [(names[name], live[name]) for name in names if name in live]
            if isinstance(obj, Module):
                self.wait(index, obj)
            elif names.keys() - live.keys():
                self.unfilled.append((names.keys() - live.keys(), obj))
        for leaf, array in matches:
            _check(leaf, array)
        for leaf, array in matches:
            _set(leaf, array)
            self.matched.add(self.assigned[_key(leaf)])

    def live_children(self, obj, names) -> dict[str, object]:
        """The children of an object, and those of these names that are containers without state."""
        live = self.children(obj)
        for holder in (obj, vars(obj).get("_root")) if isinstance(obj, Module) else (obj,):
            items = holder if isinstance(holder, dict) else getattr(holder, "__dict__", {})
            for name in names.keys() - live.keys():
                if isinstance(items.get(name), (list, dict)):
                    live[name] = items[name]
        return live

    def wait(self, index: int, module: Module) -> None:
        """Match the attributes of a module that are set later."""
        names = self.stored.entries[index].get("children", {})
        missing = names.keys() - self.children(module).keys()

        def match_later(name: str, obj) -> None:
            if name in missing and name in self.live_children(module, names):
                self.match([(names[name], obj)])

        when_set(module, identity(self.root), match_later if missing else None)

    # ---- the result ----------------------------------------------------------------------

    def live_leaves(self) -> list[tuple[str, object]]:
        return [(path, obj) for path, obj in walk(self.root, self.children) if has_state(obj)]

    def left_in_file(self) -> list[str]:
        """The names of values that are not assigned to a variable."""
        entries = enumerate(self.stored.entries)
        return [
            entry["tensor"]
            for index, entry in entries
            if "tensor" in entry and index not in self.matched
        ]

    def left_in_program(self) -> list[str]:
        """The paths of variables without a value."""
        return [path for path, obj in self.live_leaves() if _key(obj) not in self.assigned]


def _key(leaf) -> object:
    return leaf.handle if isinstance(leaf, Variable) else leaf


def _check(variable, array: np.ndarray) -> None:
    if not isinstance(variable, Variable):
        if not variable.fits_checkpointed(array):
            raise InvalidArgumentError(
                f"cannot restore the position of {variable!r}: the checkpoint has that of an "
                "iterator over another dataset"
            )
        return
    dtype = FROM_NUMPY[array.dtype]
    if dtype is not variable.dtype or not is_compatible(array.shape, variable.dims):
        raise InvalidArgumentError(
            f"cannot restore '{variable.name}', of {variable.dtype.name} and shape "
            f"{show(variable.dims)}: the checkpoint has {dtype.name} of shape {show(array.shape)}"
        )


def _set(variable, array: np.ndarray) -> None:
    """Set the value of a variable, and drop its initial value if that is not computed yet."""
    if not isinstance(variable, Variable):
        variable.restore_checkpointed(array)
        return
    variable.handle.array = array.copy()
    creation = CREATION.get()
    if creation is not None:
        creation.made[:] = [
            (cell, None if cell is variable.handle else start, builder)
            for cell, start, builder in creation.made
        ]


class Status:
    """The result of `restore`, with assertions that values and variables are matched.

    Each assertion returns the status, or raises AssertionError with the unmatched names.
    """

    def __init__(self, restoration: Restoration):
        self._restoration = restoration

    def assert_consumed(self) -> Status:
        """Assert that every value is assigned to a variable and every variable has a value."""
        self.assert_existing_objects_matched()
        left = self._restoration.left_in_file()
        if left:
            raise AssertionError(
                f"values in the checkpoint '{self._restoration.stored.path}' that no variable was "
                f"given: {', '.join(left)}"
            )
        return self

    def assert_existing_objects_matched(self) -> Status:
        """Assert that every existing variable has a value."""
        self._restoration.match_all()
        left = self._restoration.left_in_program()
        path = self._restoration.stored.path
        if left and not path:
            raise AssertionError(
                "nothing was restored, since the path is None: latest_checkpoint found none. "
                f"Variables without a value: {', '.join(left)}"
            )
        if left:
            others = ", ".join(self._restoration.left_in_file())
            raise AssertionError(
                f"variables without a value in the checkpoint '{path}': {', '.join(left)}"
                + (f"; it has values for {others}" if others else "")
            )
        return self

    def assert_nontrivial_match(self) -> Status:
        """Assert that at least one variable other than the save counter has a value."""
        self._restoration.match_all()
        entries = self._restoration.stored.entries
        names = {entries[index]["tensor"] for index in self._restoration.matched}
        if not names - {"save_counter"}:
            raise AssertionError(
                f"nothing in the checkpoint '{self._restoration.stored.path}' fits the objects"
            )
        return self

    def expect_partial(self) -> Status:
        """Declare that unmatched values are intended; returns the status."""
        return self

    def initialize_or_restore(self, session=None) -> None:
        """Do nothing: values are restored at once."""

    run_restore_ops = initialize_or_restore


boundaries_of(Status)
