"""`lookup`: tables from keys to values, of strings or integers."""

from __future__ import annotations

import os
import zlib

import numpy as np

from .. import (
    as_dtype,
    cast,
    convert_to_tensor,
    gather,
    int64,
    numpy_function,
    shape,
    string,
    where,
)
from ..extend.errors import FailedPreconditionError, InvalidArgumentError
from ..extend.operations import ANY, Spec, hidden_op
from ..extend.registration import public
from .file_io.untrusted_files import lines_of_file
from .module import Module


@hidden_op
class LookUpTokens:
    """The index of each token: `first` plus its position in `keys`, 0 for `mask`.

    Tokens that are not among the keys get the index `unknown`; they are an error if it is None.
    """

    accepts = {"x": ANY, "keys": ANY}
    alike = ("x", "keys")

    def kernel(x, keys, *, first, unknown, mask):
        indices = {key: index for index, key in enumerate(keys.tolist(), first)}
        if mask is not None:
            indices[mask] = 0
        flat = np.asarray(x).reshape(-1).tolist()
        if unknown is None and not indices.keys() >= set(flat):
            token = next(element for element in flat if element not in indices)
            raise InvalidArgumentError(
                f"the token {token!r} is not in the vocabulary",
                "Give num_oov_indices=1 for an index of all such tokens.",
            )
        found = np.array([indices.get(key, unknown) for key in flat], np.int64)
        return found.reshape(np.shape(x))

    def result(x, keys, *, first, unknown, mask):
        return Spec(int64, x.shape)


# ---- contents --------------------------------------------------------------------------------


@public("lookup.KeyValueTensorInitializer")
class KeyValueTensorInitializer:
    """The content of a table: a vector of keys, and one of their values."""

    def __init__(self, keys, values, key_dtype=None, value_dtype=None, name=None):
        self.keys = convert_to_tensor(keys, key_dtype)
        self.values = convert_to_tensor(values, value_dtype)
        if self.keys.dims != self.values.dims:
            raise InvalidArgumentError(
                f"a table of {self.keys.dims} keys has {self.values.dims} values"
            )

    @property
    def key_dtype(self):
        return self.keys.dtype

    @property
    def value_dtype(self):
        return self.values.dtype


@public("lookup.TextFileIndex")
class TextFileIndex:
    """Columns of `TextFileInitializer` that are not in the file."""

    WHOLE_LINE, LINE_NUMBER = -2, -1


@public("lookup.TextFileInitializer")
class TextFileInitializer(KeyValueTensorInitializer):
    """The content of a table, from the lines of a text file, which is read at once.

    `key_index` and `value_index` are columns, or members of `TextFileIndex`.
    """

    def __init__(
        self, filename, key_dtype, key_index, value_dtype, value_index, vocab_size=None,
        delimiter="\t", name=None, value_index_offset=0,
    ):  # fmt: skip
        lines = lines_of_file(filename)[:vocab_size]
        columns = []
        for index, given in ((key_index, key_dtype), (value_index, value_dtype)):
            dtype = as_dtype(given)
            if index == TextFileIndex.LINE_NUMBER:
                columns.append([number + value_index_offset for number in range(len(lines))])
                continue
            cells = _column(lines, index, delimiter, filename)
            columns.append(cells if dtype is string else _numbers(cells, dtype, filename))
        super().__init__(*columns, key_dtype, value_dtype)


def _column(lines: list[str], index: int, delimiter: str, path) -> list[str]:
    """A column of each line, or the line itself."""
    if index == TextFileIndex.WHOLE_LINE:
        return lines
    rows = [line.split(delimiter) for line in lines]
    for number, row in enumerate(rows, 1):
        if index >= len(row):
            raise InvalidArgumentError(
                f"line {number} of {os.fspath(path)!r} has {len(row)} columns, none at {index}",
                f"The columns are divided by {delimiter!r}, and the first is 0.",
            )
    return [row[index] for row in rows]


def _numbers(cells: list[str], dtype, path) -> list:
    """The cells of a column as numbers of a dtype."""
    results: list = []
    for number, cell in enumerate(cells, 1):
        try:
            results.append(dtype.numpy_dtype.type(int(cell) if dtype.is_integer else float(cell)))
        except (ValueError, OverflowError):
            raise InvalidArgumentError(
                f"line {number} of {os.fspath(path)!r}: {cell!r} is not a number of {dtype.name}"
            ) from None
    return results


# ---- tables ----------------------------------------------------------------------------------


@public("lookup.StaticHashTable")
class StaticHashTable(Module):
    """A table whose content does not change. Missing keys have `default_value`.

    >>> import allograph as ag
    >>> content = ag.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    >>> table = ag.lookup.StaticHashTable(content, default_value=-1)
    >>> table.lookup(ag.constant(["b", "z"])).numpy(), int(table.size())
    (array([ 2, -1], dtype=int32), 2)
    """

    def __init__(self, initializer, default_value, name=None, experimental_is_anonymous=False):
        super().__init__(name)
        self._keys, self._values = initializer.keys, initializer.values
        self._default = convert_to_tensor(default_value, self._values.dtype)

    @property
    def key_dtype(self):
        return self._keys.dtype

    @property
    def value_dtype(self):
        return self._values.dtype

    @property
    def default_value(self):
        return self._default

    def size(self, name=None):
        """The number of keys, as int64."""
        return cast(shape(self._keys)[0], int64)

    def lookup(self, keys, name=None):
        """The values of keys of any shape. Raises DTypeError for keys of another dtype."""
        keys = convert_to_tensor(keys, None if hasattr(keys, "dtype") else self.key_dtype)
        found = LookUpTokens(keys, self._keys, first=0, unknown=-1, mask=None)
        if not self._keys.dims[0]:
            return where(found < 0, self._default, self._default)
        return where(found < 0, self._default, gather(self._values, where(found < 0, 0, found)))

    __getitem__ = lookup


@hidden_op
class TokenBucket:
    """The number of a bucket for each token, by a checksum."""

    accepts = {"x": ANY}

    def kernel(x, *, buckets: int):
        flat = np.asarray(x).reshape(-1).tolist()
        keys = [key if isinstance(key, bytes) else str(key).encode() for key in flat]
        return np.array([zlib.crc32(key) % buckets for key in keys], np.int64).reshape(np.shape(x))

    def result(x, *, buckets):
        return Spec(int64, x.shape)


@public("lookup.StaticVocabularyTable")
class StaticVocabularyTable(StaticHashTable):
    """A table of ids. Keys that are missing share `num_oov_buckets` ids after those of the table.

    Which of several buckets a key gets is decided by another checksum than TensorFlow's.

    >>> import allograph as ag
    >>> ids = ag.constant([0, 1], ag.int64)
    >>> content = ag.lookup.KeyValueTensorInitializer(["a", "b"], ids)
    >>> ag.lookup.StaticVocabularyTable(content, 1).lookup(["b", "z"]).numpy()
    array([1, 2])
    """

    def __init__(
        self, initializer, num_oov_buckets, lookup_key_dtype=None, name=None,
        experimental_is_anonymous=False,
    ):  # fmt: skip
        if initializer is None:
            initializer = KeyValueTensorInitializer([], [], lookup_key_dtype or string, int64)
        super().__init__(initializer, -1, name)
        self._buckets = int(num_oov_buckets)

    def size(self, name=None):
        """The number of ids, with those of the buckets, as int64."""
        return super().size() + self._buckets

    def lookup(self, keys, name=None):
        """The ids of keys of any shape, as int64."""
        keys = convert_to_tensor(keys, None if hasattr(keys, "dtype") else self.key_dtype)
        found = super().lookup(keys)
        return where(found < 0, super().size() + TokenBucket(keys, buckets=self._buckets), found)

    __getitem__ = lookup


def _flat(keys) -> list:
    """The keys as a list; a single string is a bytes object."""
    return [keys] if isinstance(keys, bytes) else np.asarray(keys).reshape(-1).tolist()


@public("lookup.experimental.MutableHashTable", "lookup.experimental.DenseHashTable")
class MutableHashTable:
    """A table that can be changed, eagerly and in graphs. It cannot be saved.

    >>> import allograph as ag
    >>> table = ag.lookup.experimental.MutableHashTable(ag.string, ag.int64, -1)
    >>> table.insert(["a"], [5])
    >>> table.lookup(["a", "b"]).numpy()
    array([ 5, -1])
    """

    def __init__(
        self, key_dtype, value_dtype, default_value, empty_key=None, deleted_key=None,
        initial_num_buckets=None, name="MutableHashTable", experimental_is_anonymous=False,
    ):  # fmt: skip
        self.key_dtype, self.value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)
        self._default = convert_to_tensor(default_value, self.value_dtype)
        self._content: dict = {}

    def insert(self, keys, values, name=None) -> None:
        """Set the values of a vector of keys."""

        def insert(keys, values):
            self._content.update(zip(_flat(keys), list(values), strict=True))
            return np.int32(0)

        keys, values = self._keys(keys), convert_to_tensor(values, self.value_dtype)
        numpy_function(insert, [keys, values], "int32")

    def remove(self, keys, name=None) -> None:
        """Remove keys; missing ones are ignored."""

        def remove(keys):
            for key in _flat(keys):
                self._content.pop(key, None)
            return np.int32(0)

        numpy_function(remove, [self._keys(keys)], "int32")

    def lookup(self, keys, dynamic_default_values=None, name=None):
        """The values of keys of any shape; the default value for missing ones."""
        keys = self._keys(keys)

        def look_up(keys, default):
            rows = [self._content.get(key, default) for key in _flat(keys)]
            found = np.empty((len(rows), *np.shape(default)), self.value_dtype.numpy_dtype)
            found[...] = np.array(rows, found.dtype).reshape(found.shape)
            return found.reshape((*np.shape(keys), *np.shape(default)))

        result = numpy_function(look_up, [keys, self._default], self.value_dtype)
        if keys.dims is not None and self._default.dims is not None:
            result.set_shape((*keys.dims, *self._default.dims))
        return result

    __getitem__ = lookup

    def size(self, name=None):
        """The number of keys, as int64."""
        return numpy_function(lambda: np.int64(len(self._content)), [], int64)

    def export(self, name=None):
        """All keys and their values, as two tensors."""

        def keys():
            result = np.empty(len(self._content), self.key_dtype.numpy_dtype)
            result[:] = list(self._content)
            return result

        every = numpy_function(keys, [], self.key_dtype)
        return every, self.lookup(every)

    def _keys(self, keys):
        return convert_to_tensor(keys, None if hasattr(keys, "dtype") else self.key_dtype)

    def __reduce__(self):
        raise FailedPreconditionError("a table that changes cannot be saved: export its content")
