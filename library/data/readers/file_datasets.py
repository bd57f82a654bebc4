"""Datasets of the content of files: records, lines, fixed-length records, CSV tables."""

from __future__ import annotations

import csv
import io
import os

import numpy as np

from .... import Tensor, TensorSpec, convert_to_tensor, string
from ....extend.errors import DataLossError
from ....extend.registration import public
from ...file_io.tfrecord import compression, most_bytes, open_file, read_records
from ...file_io.untrusted_files import CHUNK, decoding, limited_lines
from ..datasets.dataset import Dataset
from ..elements import nodes
from ..elements.nodes import Node, boxed
from .csv_fields import as_default, dialect_of, read_field, selected_columns

STRING_SCALAR = TensorSpec([], string)


class Files(Node):
    """The items that `items_in(handle, path)` yields for each file, one file after the other."""

    def __init__(self, names, *, compression_type):
        self.names = names
        self.compression_type = compression_type

    def elements(self):
        for path in self.paths():
            with decoding(path), open_file(path, self.compression_type) as handle:
                for item in self.items_in(handle, path):
                    yield (boxed(item),)

    @property
    def most(self) -> int | None:
        """The limit of a record or line."""
        return most_bytes(self.compression_type)

    def paths(self):
        """The file names: those of an array, or the elements of a dataset."""
        if isinstance(self.names, Node):
            arrays = (flat[0] for flat in self.names.elements())
        else:
            arrays = [self.names]
        for array in arrays:
            for name in np.asarray(array, object).reshape(-1):
                yield name.decode() if isinstance(name, bytes) else str(name)

    def items_in(self, handle, path):
        raise NotImplementedError


class Records(Files):
    """The records of TFRecord files."""

    def items_in(self, handle, path):
        return read_records(handle, path, self.most)


class Lines(Files):
    """Lines without their line ends."""

    def items_in(self, handle, path):
        for line in limited_lines(handle, self.most, path):
            yield line.removesuffix(b"\n").removesuffix(b"\r")


class FixedLengthRecords(Files):
    """Records of one length between a header and a footer."""

    def __init__(self, names, *, compression_type, size, head, foot):
        super().__init__(names, compression_type=compression_type)
        self.size, self.head, self.foot = size, head, foot

    def items_in(self, handle, path):
        handle.read(self.head)
        rest, total = b"", 0
        while chunk := handle.read(max(self.size, CHUNK)):
            rest, total = rest + chunk, total + len(chunk)
            end = max(len(rest) - self.foot, 0) // self.size * self.size
            for start in range(0, end, self.size):
                yield rest[start : start + self.size]
            rest = rest[end:]
        if len(rest) > self.foot:
            raise DataLossError(
                f"{path}: {total - self.foot} bytes are not a multiple of the record size "
                f"{self.size}"
            )


class Table(Files):
    """The fields of each row as numbers and strings; `columns` are (index, dtype, default)."""

    def __init__(self, names, *, compression_type, header, columns, na_value, dialect):
        super().__init__(names, compression_type=compression_type)
        self.header, self.columns = header, columns
        self.na_value, self.dialect = na_value, dialect

    def elements(self):
        for path in self.paths():
            with decoding(path), open_file(path, self.compression_type) as handle:
                yield from self.rows_of(handle, path)

    def rows_of(self, handle, path):
        lines = io.TextIOWrapper(handle, "utf-8", errors="surrogateescape", newline="")
        rows = csv.reader(limited_lines(lines, self.most, path), **self.dialect)
        if self.header:
            next(rows, None)
        for fields in rows:
            if fields:
                yield tuple(
                    read_field(fields, *column, self.na_value, path) for column in self.columns
                )


def names_of(filenames):
    """File names as an operand: a str, a path, a list, a string tensor, or a dataset of names."""
    if isinstance(filenames, (Dataset, Tensor)):
        return filenames
    if isinstance(filenames, (list, tuple, np.ndarray)):
        return convert_to_tensor([_name(filename) for filename in filenames], string)
    return convert_to_tensor(_name(filenames), string)


def _name(one):
    return os.fspath(one) if isinstance(one, os.PathLike) else one


class FileDataset(Dataset):
    """Base class of datasets of the content of files."""

    def __init__(self, factory, filenames, compression_type, element_spec, **fixed):
        names = names_of(filenames)
        operand = names.handle if isinstance(names, Dataset) else names
        fixed["compression_type"] = compression(compression_type)
        super().__init__(nodes.make(factory, [operand], fixed), element_spec)


@public("data.TFRecordDataset")
class TFRecordDataset(FileDataset):
    """The records of one or more TFRecord files, as scalar strings.

    `filenames` is a name, a list of names or a dataset of names. `compression_type` is "", "GZIP"
    or "ZLIB". Iteration raises NotFoundError for a missing file, DataLossError for a damaged one.

    >>> import allograph as ag, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "one.tfrecord")
    >>> with ag.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"one")
    >>> list(ag.data.TFRecordDataset(path).as_numpy_iterator())
    [b'one']
    """

    def __init__(
        self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None
    ):
        super().__init__(Records, filenames, compression_type, STRING_SCALAR)


@public("data.TextLineDataset")
class TextLineDataset(FileDataset):
    """The lines of one or more text files, without their line ends, as scalar strings.

    `filenames` is a name, a list of names or a dataset of names. `compression_type` is "", "GZIP"
    or "ZLIB". Iteration raises NotFoundError for a missing file.

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
        super().__init__(Lines, filenames, compression_type, STRING_SCALAR)


@public("data.FixedLengthRecordDataset")
class FixedLengthRecordDataset(FileDataset):
    """The records of `record_bytes` bytes of one or more files, as scalar strings.

    `header_bytes` at the start and `footer_bytes` at the end of each file are skipped. Iteration
    raises NotFoundError for a missing file, DataLossError for an incomplete record.

    >>> import allograph as ag, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "pairs.bin")
    >>> with open(path, "wb") as handle:
    ...     _ = handle.write(b"abcd")
    >>> list(ag.data.FixedLengthRecordDataset(path, 2).as_numpy_iterator())
    [b'ab', b'cd']
    """

    def __init__(
        self, filenames, record_bytes, header_bytes=None, footer_bytes=None, buffer_size=None,
        compression_type=None, num_parallel_reads=None, name=None,
    ):  # fmt: skip
        size = nodes.positive_int(record_bytes, "record_bytes")
        fixed = {"size": size, "head": int(header_bytes or 0), "foot": int(footer_bytes or 0)}
        super().__init__(FixedLengthRecords, filenames, compression_type, STRING_SCALAR, **fixed)


@public("data.experimental.CsvDataset")
class CsvDataset(FileDataset):
    """The rows of CSV files, as tuples of scalars.

    record_defaults   for each column its default, or its dtype if every row must have the field
    header            whether the first line of each file is skipped
    select_cols       the indices of the columns to read, increasing; by default all
    exclude_cols      the indices of the columns to skip, as an alternative
    na_value          a further string that means an empty field

    >>> import allograph as ag, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "table.csv")
    >>> with open(path, "w") as handle:
    ...     _ = handle.write("a,1\\nb,\\n")
    >>> ds = ag.data.experimental.CsvDataset(path, [ag.string, -1])
    >>> [(name.numpy(), int(size)) for name, size in ds]
    [(b'a', 1), (b'b', -1)]

    Iteration raises InvalidArgumentError for a field that is missing or cannot be converted.
    """

    def __init__(
        self, filenames, record_defaults, compression_type=None, buffer_size=None, header=False,
        field_delim=",", use_quote_delim=True, na_value="", select_cols=None, exclude_cols=None,
    ):  # fmt: skip
        columns = selected_columns(len(record_defaults), select_cols, exclude_cols)
        pairs = zip(columns, record_defaults, strict=False)
        columns = [(column, *as_default(default)) for column, default in pairs]
        dialect = dialect_of(field_delim, use_quote_delim)
        spec = tuple(TensorSpec([], dtype) for _, dtype, _ in columns)
        super().__init__(
            Table, filenames, compression_type, spec,
            header=bool(header), columns=columns, na_value=na_value, dialect=dialect,
        )  # fmt: skip
