"""Lists that code makes while it is traced, and that stay the objects that they are.

    rows = [1.0]            # a `ForwardingList`
    other = rows
    if x > 0:
        rows.append(x)      # its items are values of the graph from here on, for all its names
    return other[-1]

Until then it is a list like others. When a staged statement moves its items into the graph, it gets
the class and the attributes of a `StoredList`, and it is a plain list again where that is undone.

How far an iterator gets does not depend on a tensor: to advance it there is refused. So is a list
that moves while a loop of Python's goes through it.
"""

from __future__ import annotations

from typing import Any

from ..current_trace import TRACE, unsupported
from ..forms import at_end, form_of

_CLASS = vars(object)["__class__"]


class ForwardingList(list):
    """A list whose items may move into the graph."""

    class_in_python: type = list

    __class__ = property(lambda self: list, _CLASS.__set__)  # type: ignore[assignment]

    def __reduce_ex__(self, protocol):
        return list, (list(self),)

    def __iter__(self):
        return ListIterator(self, 0, 1)

    def __reversed__(self):
        return ListIterator(self, len(self) - 1, -1)

    def __getitem__(self, key):
        part = super().__getitem__(key)
        return ForwardingList(part) if type(key) is slice else part

    # What these do not take is left to what Python tries next: the other operand, then `list`.

    def __add__(self, other):
        is_list = isinstance(other, list)
        return ForwardingList(super().__add__(other)) if is_list else NotImplemented

    def __mul__(self, count):
        is_int = isinstance(count, int)
        return ForwardingList(super().__mul__(count)) if is_int else NotImplemented

    __rmul__ = __mul__

    def __iadd__(self, items):
        return super().__iadd__(items)

    def __imul__(self, count):
        return super().__imul__(count)

    def copy(self):
        return ForwardingList(self)


class StoredList(ForwardingList):
    """Base of lists whose items are values of the graph. Their content is that of a record."""


class InGraph:
    """Stands in the memory of a list whose items are in the graph, for code of C that reads it."""


# In messages, and where it is asked whose objects the attributes of an object are.
ForwardingList.__name__ = ForwardingList.__qualname__ = "list"
ForwardingList.__module__ = "builtins"
InGraph.__name__ = "item that is known only when the graph runs"
LIST_CLASSES = (list, ForwardingList)


def set_content(owner: ForwardingList, content: list | dict[str, Any]) -> None:
    """Give a list other items, or the class and the attributes of a `StoredList`."""
    is_stored = isinstance(content, dict)
    vars(owner).clear()
    attributes: Any = content if is_stored else {"__class__": ForwardingList}
    for name, value in attributes.items():
        object.__setattr__(owner, name, value)
    list.__setitem__(owner, slice(None), (InGraph(),) if is_stored else content)


class OwnIterator:
    """Base of the iterators of this package that converted code advances."""


class ListIterator(OwnIterator):
    """An iterator of a list, which stays in Python as long as it goes through it."""

    def __init__(self, items, index: int, step: int):
        self.items, self.index, self.step = items, index, step

    def __iter__(self):
        return self

    def __next__(self):
        if isinstance(self.items, StoredList):
            raise unsupported(
                "a tensor decides how many items a list has that a loop goes through",
                "Go through a copy, as in `for row in list(rows)`.",
            )
        if not 0 <= self.index < len(self.items):
            self.items = ()
            raise StopIteration
        self.index += self.step
        return list.__getitem__(self.items, self.index - self.step)

    def __reduce__(self):
        return iter, (self.items,), self.index


ListIterator.__name__ = "list_iterator"


_EMPTY: tuple = ((), [], {}, {}.values(), {}.items(), range(0), "", set(), b"")
PLAIN_SOURCES: set[type] = {
    *(list, tuple, range, str, int, dict, type(None), ForwardingList, ListIterator),
    *(type(iter(empty)) for empty in _EMPTY),
}  # which make items without code of the user's
EXHAUSTED: dict[int, object] = {}  # those that a loop with a staged exit has left somewhere
BUILTIN_ITERATORS = {
    *(enumerate, zip, map, filter, reversed, type(iter([])), type(reversed([])), ListIterator)
}


def sources_of(value) -> list:
    """The iterables from which a builtin iterator takes its items; itself if it is none."""
    if type(value) not in BUILTIN_ITERATORS:
        return [value]
    _, parts, *_ = value.__reduce__()
    return [source for part in parts if part is not value for source in sources_of(part)]


def runs_code(iterator) -> bool:
    """Whether an iterator may run code of the user's to make an item."""
    return not all(type(source) in PLAIN_SOURCES for source in sources_of(iterator))


def left_by_staged_exit(iterator) -> None:
    """Refuse to advance an iterator from here on."""
    if hasattr(type(iterator), "__next__"):
        EXHAUSTED[id(iterator)] = iterator
        form_of(at_end)(lambda: EXHAUSTED.pop(id(iterator), None))


def check_advance(items) -> None:
    """Raise unless the position of an iterator is known while tracing."""
    if id(items) in TRACE.get().outside:
        raise unsupported(
            "an iterator from outside of a staged block is advanced in it, and how far it gets is "
            "known only when the graph runs",
            "Make the iterator inside the block, or use a list or a tensor and an index.",
        )
    if id(items) in EXHAUSTED and TRACE.get().stager.checkpoint() is not None:
        raise unsupported(
            "an iterator is advanced after a loop over it that a tensor may have left, and how far "
            "it got is known only when the graph runs",
            "Use a list or a tensor and an index.",
        )
