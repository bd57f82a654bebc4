"""Objects that Python changes in place and that tensors cannot stand in for: NumPy arrays, sets,
deques, bytes that can be written, and generators of random numbers.

Their content is state of a staged statement. Each run of a block starts from the same content, and
an object that a block has changed leaves it as a copy. Two sides that differ are then an error.
"""

from __future__ import annotations

import collections
import copy
import ctypes
import functools
import operator
import pickle
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

NUMBERS = "biufc"  # dtype kinds of the arrays that tensors may stand for
WHOLE = slice(None)


class Content(NamedTuple):
    """How the content of the objects of a class is read, as something that `is_same` compares, and
    written.
    """

    read: Callable
    write: Callable
    copy: Callable = copy.copy
    is_same: Callable = operator.eq


def content_of(value) -> Content | None:
    """How to read and write the content of a value; None if it is no object of this file."""
    content = of_class(type(value))
    if content is ARRAYS and value.dtype.kind not in NUMBERS:
        return None
    return content


@functools.lru_cache(512)
def of_class(cls) -> Content | None:
    """The reader and the writer of the content of objects of a class."""
    module = cls.__module__
    if module.startswith("numpy.random"):
        return GENERATORS if hasattr(cls, "bit_generator") else STATES
    known = (ROWS.get((base.__module__, base.__name__)) for base in cls.__mro__)
    return next(filter(None, known), None)


def has_changed(value, before) -> bool:
    """Whether the content of a value is no longer what was read `before`."""
    content = of_class(type(value))
    return not content.is_same(content.read(value), before)


def restore(value, before) -> None:
    """Give a value the content that was read `before`, if it has another."""
    if has_changed(value, before):
        of_class(type(value)).write(value, before)


def copied(value):
    """A value of its own with the same content."""
    return of_class(type(value)).copy(value)


def same_objects(now: list, before: list) -> bool:
    """Whether two lists hold the same objects: tensors have no plain `==`."""
    return len(now) == len(before) and all(map(operator.is_, now, before))


def _same_bytes(now: np.ndarray, before: np.ndarray) -> bool:
    return now.tobytes() == before.tobytes()


def _write_array(value: np.ndarray, before) -> None:
    if value.flags.writeable:
        value[...] = before


def _write_set(value: set, before) -> None:
    set.clear(value)
    set.update(value, before)


def _write_deque(value: collections.deque, before) -> None:
    collections.deque.clear(value)
    collections.deque.extend(value, before)


def _write_memory(value, before: bytes) -> None:
    view = memoryview(value)
    if not view.readonly:  # and else, somebody else has changed it
        np.asarray(view)[...] = np.frombuffer(before, view.format).reshape(view.shape)


def _write_queue(value, before: int) -> None:
    """Take out what was put in. What was taken out is lost, and the trace with it."""
    kept = [value.get_nowait() for _ in range(value.qsize())][:before]
    for item in kept:
        value.put(item)


def _read_state(value) -> bytes | None:
    try:
        return pickle.dumps(value.__getstate__())
    except ValueError:  # a closed file
        return None


def _write_state(value, before: bytes | None) -> None:
    if before is not None:
        value.__setstate__(pickle.loads(before))


ARRAYS = Content(np.ndarray.copy, _write_array, np.ndarray.copy, _same_bytes)
STATES = Content(_read_state, _write_state)
GENERATORS = Content(  # of NumPy, around a generator of bits
    lambda value: _read_state(value.bit_generator),
    lambda value, before: _write_state(value.bit_generator, before),
)
ROWS: dict[tuple[str, str], Content] = {  # by module and class
    ("numpy", "ndarray"): ARRAYS,
    ("builtins", "set"): Content(set, _write_set),
    ("collections", "deque"): Content(list, _write_deque, is_same=same_objects),
    ("builtins", "bytearray"): Content(
        bytes, lambda value, before: bytearray.__setitem__(value, WHOLE, before)
    ),
    ("builtins", "memoryview"): Content(
        memoryview.tobytes, _write_memory, lambda value: memoryview(value.tobytes())
    ),
    ("_ctypes", "_CData"): Content(
        bytes, lambda value, before: ctypes.memmove(ctypes.addressof(value), before, len(before))
    ),
    ("_io", "StringIO"): STATES,
    ("_io", "BytesIO"): STATES,
    ("_random", "Random"): STATES,
    ("array", "array"): Content(
        lambda value: memoryview(value).tobytes(),
        lambda value, before: operator.setitem(value, WHOLE, type(value)(value.typecode, before)),
    ),
    ("_queue", "SimpleQueue"): Content(
        operator.methodcaller("qsize"), _write_queue, lambda value: type(value)()
    ),
}  # fmt: skip
