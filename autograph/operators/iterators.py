"""Iterators whose position would depend on a tensor: advancing them is refused.

numbers = iter([1, 2, 3])
if x > 0:
    n = next(numbers)           # how far it gets is known only when the graph runs
"""

from __future__ import annotations

from ..current_trace import TRACE, unsupported
from ..forms import at_end, form_of
from ..forwarding_lists import ForwardingList, ListIterator

_EMPTY: tuple = ((), [], {}, {}.values(), {}.items(), range(0), "", set(), b"")
PLAIN_SOURCES: set[type] = {
    *(list, tuple, range, str, int, dict, type(None), ForwardingList, ListIterator),
    *(type(iter(one)) for one in _EMPTY),
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
    return [source for one in parts if one is not value for source in sources_of(one)]


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
