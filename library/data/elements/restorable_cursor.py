"""Passes over datasets whose position can be saved and restored."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from ....extend.errors import FailedPreconditionError
from .nodes import Cursor, Node, Remaining


def nodes_below(node: Node) -> Iterator[Node]:
    """A node, its sources, and the datasets that its functions capture."""
    yield node
    for value in vars(node).values():
        captured = value.args[0] if isinstance(value, partial) else value
        for item in captured if isinstance(captured, tuple) else (captured,):
            if isinstance(item, Node):
                yield from nodes_below(item)


class RestorableCursor(Cursor):
    """A pass whose position can be saved: the number of elements taken, and the random streams."""

    def __init__(self, node: Node):
        super().__init__(node.elements())
        self.node = node
        self.taken = 0
        self.passes = [seeds.passes for seeds in self._seeds()]  # where each stream began

    def _seeds(self) -> list:
        return [node.seeds for node in nodes_below(self.node) if node.seeds is not None]

    def __next__(self) -> tuple:
        with self._lock:
            item = next(self._elements)
            self.taken += 1
            return item

    def position(self) -> np.ndarray:
        """The position as numbers: elements taken; of each stream its pass and its key."""
        if any(isinstance(node, Remaining) for node in nodes_below(self.node)):
            raise FailedPreconditionError(
                "the position of an iterator over the rest of another iterator cannot be saved",
                "Save the other iterator.",
            )
        with self._lock:
            numbers = [self.taken]
            for passes, seeds in zip(self.passes, self._seeds(), strict=True):
                numbers += (passes, *seeds.key())
            return np.array(numbers, np.uint64)

    def move_to(self, position: np.ndarray) -> None:
        """Begin the pass again and take elements up to a position of `position()`."""
        taken, *numbers = position.tolist()
        with self._lock:
            for index, seeds in enumerate(self._seeds()):
                self.passes[index], *key = numbers[3 * index : 3 * index + 3]
                seeds.set(self.passes[index], tuple(key))
            self._elements, self.taken = self.node.elements(), 0
            for _ in range(taken):
                next(self, None)
