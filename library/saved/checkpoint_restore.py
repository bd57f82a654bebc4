"""Matching the objects of a checkpoint with those of the program, now and as they come to be."""

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
    """The content of a checkpoint: objects, whose children are numbers of others, and arrays."""

    path: str
    rows: list[dict]
    arrays: dict[str, np.ndarray]


class Restoration:
    """One call of `restore`: what is matched, and what waits for its variable."""

    def __init__(self, stored: Stored, root, children: Callable):
        self.stored = stored
        self.root = root
        self.children = children
        self.places: dict[Cell, int] = {}  # the stored object that a variable was given
        self.matched: set[int] = set()
        self.match_all()

    def match_all(self) -> None:
        """Match everything that there is below the root."""
        self.match([(0, self.root)])

    def match(self, waiting: list) -> None:
        """Walk stored and live objects together; all values are checked before any is set."""
        found: list[tuple[Variable, np.ndarray]] = []
        seen = set()
        while waiting:
            place, thing = waiting.pop(0)
            if (place, identity(thing)) in seen:
                continue
            seen.add((place, identity(thing)))
            row = self.stored.rows[place]
            if isinstance(thing, Variable):
                if "tensor" in row and place not in self.matched:
                    found.append((thing, self.stored.arrays[row["tensor"]]))
                    self.places[thing.handle] = place
                continue
            names = row.get("children", {})
            live = self.children(thing)
            waiting += [(names[name], live[name]) for name in names if name in live]
            if isinstance(thing, Module):
                self.wait(place, thing)
        for variable, array in found:
            _check(variable, array)
        for variable, array in found:
            _set(variable, array)
            self.matched.add(self.places[variable.handle])

    def wait(self, place: int, module: Module) -> None:
        """Match the parts that a module is given later."""
        names = self.stored.rows[place].get("children", {})
        missing = names.keys() - self.children(module).keys()

        def match_later(name: str, thing) -> None:
            if name in missing and name in self.children(module):
                self.match([(names[name], thing)])

        when_set(module, identity(self.root), match_later if missing else None)

    # ---- what became of it ---------------------------------------------------------------

    def live_variables(self) -> list[tuple[str, Variable]]:
        rows = walk(self.root, self.children)
        return [(path, thing) for path, thing in rows if isinstance(thing, Variable)]

    def left_in_file(self) -> list[str]:
        """Values that no variable was given."""
        rows = enumerate(self.stored.rows)
        return [
            row["tensor"] for place, row in rows if "tensor" in row and place not in self.matched
        ]

    def left_in_program(self) -> list[str]:
        """Variables that got no value."""
        return [path for path, thing in self.live_variables() if thing.handle not in self.places]


def _check(variable: Variable, array: np.ndarray) -> None:
    dtype = FROM_NUMPY[array.dtype]
    if dtype is not variable.dtype or not is_compatible(array.shape, variable.dims):
        raise InvalidArgumentError(
            f"cannot restore '{variable.name}', of {variable.dtype.name} and shape "
            f"{show(variable.dims)}: the checkpoint has {dtype.name} of shape {show(array.shape)}"
        )


def _set(variable: Variable, array: np.ndarray) -> None:
    """Give a variable its value, in place of the initial one if that is not computed yet."""
    variable.handle.array = array.copy()
    creation = CREATION.get()
    if creation is not None:
        creation.made[:] = [
            (cell, None if cell is variable.handle else start) for cell, start in creation.made
        ]


class Status:
    """What `restore` gives back: ask it whether everything found its place.

    Each question returns the status itself, or raises AssertionError with the names.
    """

    def __init__(self, restoration: Restoration):
        self._restoration = restoration

    def assert_consumed(self) -> Status:
        """Every value went to a variable, and every variable got a value."""
        self.assert_existing_objects_matched()
        left = self._restoration.left_in_file()
        if left:
            raise AssertionError(
                f"values in the checkpoint '{self._restoration.stored.path}' that no variable was "
                f"given: {', '.join(left)}"
            )
        return self

    def assert_existing_objects_matched(self) -> Status:
        """Every variable that exists got a value."""
        self._restoration.match_all()
        left = self._restoration.left_in_program()
        if left:
            raise AssertionError(
                f"variables without a value in the checkpoint '{self._restoration.stored.path}': "
                f"{', '.join(left)}"
            )
        return self

    def assert_nontrivial_match(self) -> Status:
        """At least one variable, besides the counter of checkpoints, got a value."""
        self._restoration.match_all()
        rows = self._restoration.stored.rows
        names = {rows[place]["tensor"] for place in self._restoration.matched}
        if not names - {"save_counter"}:
            raise AssertionError(
                f"nothing in the checkpoint '{self._restoration.stored.path}' fits the objects"
            )
        return self

    def expect_partial(self) -> Status:
        """Say that what is left over is meant to be: the same status."""
        return self

    def initialize_or_restore(self, session=None) -> None:
        """Nothing: values are restored at once."""

    run_restore_ops = initialize_or_restore
