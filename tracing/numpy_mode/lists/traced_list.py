"""Lists of the graph of which all items are known."""

from __future__ import annotations

from typing import Any

from ....autograph.operators.raising import Retrace
from ..refusal import How, OfCode, RefusedError
from ..storage import Storage
from ..traced_array import TracedArray
from ..traced_scalar import NumPyOperand, TracedScalar

_CHANGES = {"append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"}


class TracedList(NumPyOperand):
    """A list of numbers of one type, or of arrays of one shape, which a comprehension made; nothing
    changes it, or else it is one that grows.

    levels    0, or how many lists of lists an item is
    held      stands for the items that are arrays: these cannot change any more
    is_known  whether something else may have such an item
    is_tuple  tells lists of tuples
    changes   counts those of a list that grows
    made_by   the code of the comprehension, which makes one that grows if something changes it
    """

    _noun = "list"
    is_tuple = is_guess = is_known = False
    changes = 0
    made_by = None
    row_layout: Any = None  # how a name that leads to it is carried

    def __init__(self, array: TracedArray, python: type | None, levels: int = 0):
        self.stacked = array
        self.python = python
        self.levels = levels
        self.held = Storage(None)

    @property
    def home(self):
        """The graph where the list was made."""
        return self.stacked.storage.scope

    length: Any = property(lambda self: len(self.stacked))

    def to_array(self) -> TracedArray:
        """The array that `np.array` makes of the list."""
        return self.stacked

    def at(self, index):
        item = self.stacked[index]
        if isinstance(index, slice):
            part = TracedList(item.copy(), self.python, self.levels)
            part.held.copy_of += [self.held] * self.has_arrays
            return part
        if type(item) is TracedScalar:
            return item if self.python is None else TracedScalar(item.tensor, self.python)
        kept = TracedArray(Storage(item.read(), copy_of=[self.held]))
        if not self.levels:
            return kept
        inner = TracedList(kept, self.python, self.levels - 1)
        inner.made_by = self.made_by
        return inner

    @property
    def has_arrays(self) -> bool:
        """Whether the items are arrays, or lists of lists."""
        return self.stacked.ndim > 1

    def hold(self, item) -> None:
        """Take an array, or a list of arrays, as an item."""
        array = item.stacked if isinstance(item, TracedList) else item
        if type(array) is TracedArray:
            self.is_known = self.is_known or array.storage.is_known_elsewhere()
            array.storage.hold(self.held)

    __getitem__ = at

    def __len__(self) -> int:
        return len(self.stacked)

    def __iter__(self):
        raise RefusedError("Python goes over a list of computed items")

    def _missing(self, name: str):
        if name in _CHANGES and type(self) is TracedList:
            self.refuse_change()
        raise RefusedError(f"{self._noun}.{name}")

    def may_take(self, other, loop) -> bool:
        """Whether a loop of these options may give the list the items of another one."""
        return False

    def refuse_change(self, *_) -> None:
        if self.made_by is not None:
            raise Retrace(OfCode(How.GROWN, self.made_by))
        raise RefusedError("a list of known items changes")

    __setitem__ = __delitem__ = __iadd__ = __imul__ = refuse_change
    __contains__ = __lt__ = __le__ = __gt__ = __ge__ = NumPyOperand.__eq__


class ListWithoutArray(TracedList):
    """A list of numbers, or of tuples of numbers, that no array of the graph holds. `at` gives an
    item, `called` is its name in refusals.
    """

    has_arrays = False
    python = None
    levels = 0
    called: str

    @property
    def stacked(self):
        raise RefusedError(self.called)

    def __getitem__(self, index):
        return self.at(index)
