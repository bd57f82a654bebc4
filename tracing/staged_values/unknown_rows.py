"""Lists that are empty before a loop, which puts the first item into them.

    stack = []
    for x in xs:
        while stack and stack[-1] > x:      # while tracing, nothing says what the items are
            stack.pop()
        stack.append(x)                     # an item: the loop is traced again

Until an item is appended, the list is empty, as far as is known: reading an item of it is an error
of Python. Where one is appended later in the loop, the loop is traced again with rows of its type.
"""

from __future__ import annotations

from ...autograph.operators.raising import Retrace
from ...runtime.core.errors import ShapeError
from ...runtime.core.shapes import is_static, show
from ...runtime.ir.op import TABLE
from ...runtime.ops.array.creation import zeros
from ...runtime.tensors.tensor import Tensor
from ..structures import nest
from ..structures.errors import OfLoop
from ..structures.leaves import Deferred, DeferredInLoop
from .list_operators import ListOperators


class UnknownRows(Deferred):
    """The rows of an empty list: the first item that is appended decides their type."""

    is_read = False  # whether a loop reads the list, in which it has no item so far
    item: Tensor | None = None  # the first item

    def tensor(self, shape) -> Tensor:
        if self.is_read:
            raise Retrace(ItemsOfType(self, self.dtype, shape[1:]))
        if not is_static(shape[1:]):
            raise ShapeError(
                f"the shape {show(shape[1:])} of the items of a list in a staged loop is not fully "
                "known",
                "Pad the items to one shape, or say which they have: ag.ensure_shape(item, [...]).",
            )
        return TABLE["ensure_length"](zeros((0, *shape[1:]), self.dtype), 0)


class StructuredItems(OfLoop):
    """A list that is empty before a loop gets structures in it: its rows need their form.

    `start` is what stands for its rows, `item` the first item that the loop puts into it.
    """

    def __init__(self, start, item):
        self.start = before_loops(start)
        self.item = item

    def apply(self, loop):
        """The loop with rows for each leaf of an item; None if it does not carry that list."""
        if not any(map(self._is_meant, loop.state)):
            return None
        return loop.with_state(
            [
                type(value)(unknown(self.item), value.size) if self._is_meant(value) else value
                for value in loop.state
            ]
        )

    def _is_meant(self, value) -> bool:
        return isinstance(value, ListOperators) and value.rows is self.start


class ItemsOfType(OfLoop):
    """A list that is empty before a loop has an item read before the loop puts one into it.

    So the first iteration reads none. Later ones do, once the rows, whose `start` this is, have
    the type of an item.
    """

    def __init__(self, start: UnknownRows, dtype, dims):
        self.start = start
        self.dtype, self.dims = dtype, dims

    def apply(self, loop):
        """The loop with rows of that type; None if it does not carry that list."""
        lists = [value for value in loop.state if isinstance(value, ListOperators)]
        if not any(leaf is self.start for staged in lists for leaf in nest.flatten(staged.rows)):
            return None
        return loop.with_state([self._typed(value) for value in loop.state])

    def _typed(self, value):
        if not isinstance(value, ListOperators):
            return value
        rows = nest.map_structure(
            lambda leaf: self._allocated() if leaf is self.start else leaf, value.rows
        )
        return type(value)(rows, value.size)

    def _allocated(self) -> Tensor:
        return UnknownRows().of_type(self.dtype).tensor((None, *self.dims))


def before_loops(start):
    while isinstance(start, DeferredInLoop):
        start = start.start
    return start


def kept_rows(left, right):
    """Where both stand for the rows of lists without items: what stands for those of either."""
    starts = before_loops(left), before_loops(right)
    if not all(isinstance(start, UnknownRows) for start in starts):
        return None
    return left if isinstance(left, DeferredInLoop) else right


def unknown(like):
    return nest.map_structure(lambda _: UnknownRows(), like)


def note_reading(rows) -> None:
    """Note that a list without items is read in a loop before which it is empty.

    Raises Retrace where the loop has put an item into it by now.
    """
    for leaf in nest.flatten(rows):
        if not isinstance(leaf, DeferredInLoop):
            continue
        start = before_loops(leaf)
        start.is_read = True
        if start.item is not None:
            raise Retrace(ItemsOfType(start, start.item.dtype, start.item.dims))


def note_structure(rows, like) -> None:
    """Note that a list without items meets one whose items are structures, in a loop before which
    it is empty. Raises Retrace: the loop may join the two.
    """
    if isinstance(rows, DeferredInLoop) and nest.is_nested(like):
        raise Retrace(StructuredItems(rows, like))


def settle(state) -> None:
    """Note the end of a loop with this state before it: what it has read is settled."""
    for value in state:
        if isinstance(value, ListOperators):
            for leaf in nest.flatten(value.rows):
                if isinstance(leaf, UnknownRows):
                    leaf.is_read = False


def allocated(rows, item: Tensor) -> Tensor:
    """The rows; those of an empty list are allocated for such an item."""
    if isinstance(rows, Tensor):
        return rows
    if item.dims is None:
        raise ShapeError(
            "an item of unknown rank is appended to a list that grows in a staged statement",
            "Say the rank: ag.ensure_shape(x, [None]), or an input_signature with it.",
        )
    start = before_loops(rows)
    start.item = item
    if start.is_read:
        raise Retrace(ItemsOfType(start, item.dtype, item.dims))
    return rows.of_type(item.dtype).tensor((None, *item.dims))
