"""Datasets of the content of files: records, lines, pieces of equal length, tables."""

from __future__ import annotations

import csv
import io
import os

import numpy as np

from ....runtime.core.dtypes import string
from ....runtime.core.errors import DataLossError
from ....runtime.core.public_names import public
from ....runtime.tensors.apply import convert_to_tensor
from ....runtime.tensors.tensor import Tensor
from ....tracing.type_system.trace_types import TensorSpec
from ...file_io.tfrecord import compression, opened, read_records
from ..datasets.dataset import Dataset
from ..elements import nodes
from ..elements.nodes import Node, boxed
from .csv_fields import as_default, dialect_of, places_of, read_field

TEXT = TensorSpec([], string)


class Files(Node):
    """What `parts_of(handle, path)` finds in each of some files, one after the other."""

    def __init__(self, names, *, kind):
        self.names = names
        self.kind = kind

    def elements(self):
        for path in self.paths():
            with opened(path, self.kind) as handle:
                for part in self.parts_of(handle, path):
                    yield (boxed(part),)

    def paths(self):
        """The names: those of an array, or the elements of a dataset."""
        if isinstance(self.names, Node):
            arrays = (flat[0] for flat in self.names.elements())
        else:
            arrays = [self.names]
        for array in arrays:
            for name in np.asarray(array, object).reshape(-1):
                yield name.decode() if isinstance(name, bytes) else str(name)

    def parts_of(self, handle, path):
        raise NotImplementedError


class Records(Files):
    """The records of the record format."""

    def parts_of(self, handle, path):
        return read_records(handle, path)


class Lines(Files):
    """Lines without their ends."""

    def parts_of(self, handle, path):
        for line in handle:
            yield line.removesuffix(b"\n").removesuffix(b"\r")


class Pieces(Files):
    """Pieces of one length between a head and a foot."""

    def __init__(self, names, *, kind, size, head, foot):
        super().__init__(names, kind=kind)
        self.size, self.head, self.foot = size, head, foot

    def parts_of(self, handle, path):
        content = handle.read()
        content = content[self.head : len(content) - self.foot]
        if len(content) % self.size:
            raise DataLossError(
                f"{path}: {len(content)} bytes are no multiple of the record size {self.size}"
            )
        for start in range(0, len(content), self.size):
            yield content[start : start + self.size]


class Table(Files):
    """The fields of each line, as numbers and texts; `columns` are places and defaults."""

    def __init__(self, names, *, kind, header, columns, na_value, dialect):
        super().__init__(names, kind=kind)
        self.header, self.columns = header, columns
        self.na_value, self.dialect = na_value, dialect

    def elements(self):
        for path in self.paths():
            with opened(path, self.kind) as handle:
                yield from self.rows_of(handle, path)

    def rows_of(self, handle, path):
        text = io.TextIOWrapper(handle, "utf-8", errors="surrogateescape", newline="")
        rows = csv.reader(text, **self.dialect)
        if self.header:
            next(rows, None)
        for fields in rows:
            if fields:
                yield tuple(
                    read_field(fields, *column, self.na_value, path) for column in self.columns
                )


def names_of(filenames):
    """File names as an operand: a text, a path, a list or tensor of texts, a dataset of them."""
    if isinstance(filenames, (Dataset, Tensor)):
        return filenames
    if isinstance(filenames, (list, tuple, np.ndarray)):
        return convert_to_tensor([_name(one) for one in filenames], string)
    return convert_to_tensor(_name(filenames), string)


def _name(one):
    return os.fspath(one) if isinstance(one, os.PathLike) else one


class FileDataset(Dataset):
    """A dataset made of the content of files."""

    def __init__(self, factory, filenames, compression_type, element_spec, **fixed):
        names = names_of(filenames)
        operand = names._handle if isinstance(names, Dataset) else names
        fixed["kind"] = compression(compression_type)
        super().__init__(nodes.make(factory, [operand], fixed), element_spec)


@public("data.TFRecordDataset")
class TFRecordDataset(FileDataset):
    """The records of one or more files in the record format, as scalar strings.

    `filenames` is a name, a list of names or a dataset of names; `compression_type` "", "GZIP" or
    "ZLIB". A missing file is a NotFoundError, a damaged one a DataLossError, when it is read.
    """

    def __init__(
        self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None
    ):
        super().__init__(Records, filenames, compression_type, TEXT)


@public("data.TextLineDataset")
class TextLineDataset(FileDataset):
    """The lines of one or more text files, without their ends, as scalar strings.

    >>> import allograph as ag, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "poem.txt")
    >>> with open(path, "w") as handle:
    ...     _ = handle.write("so much\\ndepends")
    >>> list(ag.data.TextLineDataset(path).as_numpy_iterator())
    [b'so much', b'depends']
    """

    def __init__(
        self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None
    ):
        super().__init__(Lines, filenames, compression_type, TEXT)


@public("data.FixedLengthRecordDataset")
class FixedLengthRecordDataset(FileDataset):
    """Pieces of `record_bytes` bytes of one or more files, as scalar strings."""

    def __init__(
        self, filenames, record_bytes, header_bytes=None, footer_bytes=None, buffer_size=None,
        compression_type=None, num_parallel_reads=None, name=None,
    ):  # fmt: skip
        size = nodes.positive(record_bytes, "record_bytes")
        fixed = {"size": size, "head": int(header_bytes or 0), "foot": int(footer_bytes or 0)}
        super().__init__(Pieces, filenames, compression_type, TEXT, **fixed)


@public("data.experimental.CsvDataset")
class CsvDataset(FileDataset):
    """The rows of tables in text files, as tuples of scalars.

    record_defaults   for each column its data type, when every row has to have it, or its default
    header            whether the first line of each file is left out
    select_cols       the places of the columns that are wanted, if not all

    >>> import allograph as ag, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "table.csv")
    >>> with open(path, "w") as handle:
    ...     _ = handle.write("a,1\\nb,\\n")
    >>> ds = ag.data.experimental.CsvDataset(path, [ag.string, -1])
    >>> [(text.numpy(), int(number)) for text, number in ds]
    [(b'a', 1), (b'b', -1)]

    A field that cannot be read is an InvalidArgumentError, when its row is asked for.
    """

    def __init__(
        self, filenames, record_defaults, compression_type=None, buffer_size=None, header=False,
        field_delim=",", use_quote_delim=True, na_value="", select_cols=None, exclude_cols=None,
    ):  # fmt: skip
        places = places_of(len(record_defaults), select_cols, exclude_cols)
        columns = [(place, *as_default(one)) for place, one in zip(places, record_defaults)]  # noqa: B905
        dialect = dialect_of(field_delim, use_quote_delim)
        super().__init__(
            Table, filenames, compression_type, tuple(TensorSpec([], row[1]) for row in columns),
            header=bool(header), columns=columns, na_value=na_value, dialect=dialect,
        )  # fmt: skip
