"""Matching the objects of a checkpoint with those of the program, now and when they are created."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...runtime.core.dtypes import FROM_NUMPY
from ...runtime.core.errors import InvalidArgumentError
from ...runtime.core.shapes import is_compatible, show
from ...runtime.ops.state.variables import CREATION, Cell, Variable
from ..module import Module, when_set
from .object_graph import identity, walk


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
        self.assigned: dict[Cell, int] = {}  # the stored object of each variable
        self.matched: set[int] = set()
        self.match_all()

    def match_all(self) -> None:
        """Match all objects below the root that exist."""
        self.match([(0, self.root)])

    def match(self, waiting: list) -> None:
        """Match pairs of stored and live objects; all values are checked before any is set."""
        matches: list[tuple[Variable, np.ndarray]] = []
        seen = set()
        while waiting:
            index, obj = waiting.pop(0)
            if (index, identity(obj)) in seen:
                continue
            seen.add((index, identity(obj)))
            entry = self.stored.entries[index]
            if isinstance(obj, Variable):
                if "tensor" in entry and index not in self.matched:
                    matches.append((obj, self.stored.arrays[entry["tensor"]]))
                    self.assigned[obj.handle] = index
                continue
            names = entry.get("children", {})
            live = self.children(obj)
            waiting += [(names[name], live[name]) for name in names if name in live]
            if isinstance(obj, Module):
                self.wait(index, obj)
        for variable, array in matches:
            _check(variable, array)
        for variable, array in matches:
            _set(variable, array)
            self.matched.add(self.assigned[variable.handle])

    def wait(self, index: int, module: Module) -> None:
        """Match the attributes of a module that are set later."""
        names = self.stored.entries[index].get("children", {})
        missing = names.keys() - self.children(module).keys()

        def match_later(name: str, obj) -> None:
            if name in missing and name in self.children(module):
                self.match([(names[name], obj)])

        when_set(module, identity(self.root), match_later if missing else None)

    # ---- the result ----------------------------------------------------------------------

    def live_variables(self) -> list[tuple[str, Variable]]:
        entries = walk(self.root, self.children)
        return [(path, obj) for path, obj in entries if isinstance(obj, Variable)]

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
        return [path for path, obj in self.live_variables() if obj.handle not in self.assigned]


def _check(variable: Variable, array: np.ndarray) -> None:
    dtype = FROM_NUMPY[array.dtype]
    if dtype is not variable.dtype or not is_compatible(array.shape, variable.dims):
        raise InvalidArgumentError(
            f"cannot restore '{variable.name}', of {variable.dtype.name} and shape "
            f"{show(variable.dims)}: the checkpoint has {dtype.name} of shape {show(array.shape)}"
        )


def _set(variable: Variable, array: np.ndarray) -> None:
    """Set the value of a variable, and drop its initial value if that is not computed yet."""
    variable.handle.array = array.copy()
    creation = CREATION.get()
    if creation is not None:
        creation.made[:] = [
            (cell, None if cell is variable.handle else start) for cell, start in creation.made
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
        if left:
            raise AssertionError(
                f"variables without a value in the checkpoint '{self._restoration.stored.path}': "
                f"{', '.join(left)}"
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
