"""Structured arrays of the caller: each field is an array of its own, a view of theirs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...structures import argument_structures
from ..refusal import RefusedError, WithoutText
from ..traced_array import TracedArray


class TracedRecords(WithoutText):
    """A structured array, or a record of one: `fields` are its arrays, or numbers, by name.

    key  of a record: its index, by which the arrays are read and set
    cls  of NumPy's: fields of a `recarray` are attributes, too
    """

    _noun = "structured array"
    is_graph_value = True

    def __init__(self, dtype: np.dtype, fields: dict, key: Any = None, cls: type = np.ndarray):
        self.dtype = dtype
        self.fields = fields
        self.key = key
        self.cls = cls

    @property
    def first(self) -> TracedArray:
        return next(iter(self.fields.values()))

    def _field(self, name: str) -> TracedArray:
        if name not in self.fields:
            raise ValueError(f"no field of name {name}")
        return self.fields[name]

    def __getitem__(self, key):
        if type(key) is str:
            field = self._field(key)
            return field if self.key is None else field[self.key]
        if isinstance(key, list) or self.key is not None:
            raise RefusedError("several fields of a structured array, or a field by its number")
        views = {name: column[key] for name, column in self.fields.items()}
        if all(type(column) is TracedArray for column in views.values()):
            return TracedRecords(self.dtype, views, None, self.cls)
        return TracedRecords(self.dtype, self.fields, key, self.cls)

    def __setitem__(self, key, value):
        if type(key) is str:
            self._field(key)[... if self.key is None else self.key] = value
            return
        if self.key is not None:
            raise RefusedError("a field of a record by its number")
        for name, field_value in zip(self.fields, self._values(value), strict=True):
            self.fields[name][key] = field_value

    def _values(self, value) -> tuple:
        """The values for the fields of a record."""
        if type(value) is tuple and len(value) == len(self.fields):
            return value
        is_record = type(value) is TracedRecords and value.key is not None
        if is_record and value.dtype == self.dtype:
            return tuple(value[name] for name in value.fields)
        raise RefusedError("a record is assigned from other things than tuples and records")

    @property
    def shape(self) -> tuple:
        return self.first.shape if self.key is None else ()

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: self.first.size if self.key is None else 1)

    def __len__(self) -> int:
        return len(self.first)

    def __iter__(self):
        raise RefusedError("Python goes over a structured array")

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        if self.cls is np.recarray and name in self.fields and not hasattr(np.recarray, name):
            return self[name]
        raise RefusedError(f"the attribute {name!r} of a structured array")


argument_structures.RECORDS.make = lambda dtype, values, cls: TracedRecords(
    dtype, dict(zip(dtype.names, values, strict=True)), None, cls
)
