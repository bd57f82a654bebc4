"""Operations on files and their texts: `io.read_file`, `io.decode_csv` and their like."""

from __future__ import annotations

import csv
import os

import numpy as np

from ...runtime.apply import apply, convert_to_tensor
from ...runtime.dtypes import STRINGS, as_dtype, string
from ...runtime.errors import InvalidArgumentError
from ...runtime.op import READS, WRITES, Spec, op
from ...runtime.vocabulary import public
from .fields import as_default, dialect_of, places_of, read_field
from .nodes import boxed
from .records import files_matching, opened


def _path(array) -> str:
    name = array[()]
    return name.decode() if isinstance(name, bytes) else name


@op
class ReadFile:
    """The content of a file, as one string.

    Raises NotFoundError when it does not exist.
    """

    public = ("io.read_file",)
    accepts = STRINGS
    effect = READS

    def kernel(filename):
        with opened(_path(filename), "") as handle:
            return boxed(handle.read())

    def result(filename):
        return Spec(string, ())


@op
class WriteFile:
    """Write a string to a file; missing folders are made."""

    public = ("io.write_file",)
    accepts = STRINGS
    effect = WRITES

    def kernel(filename, contents):
        path = _path(filename)
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "wb") as handle:
            handle.write(contents[()])
        return ()

    def result(filename, contents):
        return ()


@op
class MatchingFiles:
    """The sorted names of the files that match a pattern, or a vector of patterns."""

    public = ("io.matching_files",)
    accepts = STRINGS
    effect = READS

    def kernel(pattern):
        patterns = [one.decode() for one in np.asarray(pattern, object).reshape(-1)]
        names = np.empty(len(found := files_matching(patterns, required=False)), object)
        names[:] = [name.encode() for name in found]
        return names

    def result(pattern):
        return Spec(string, (None,))


@op
class DecodeRaw:
    """Numbers from the bytes of strings: a new last axis, with an entry for each number.

    >>> decode_raw(b"\\x01\\x00\\x02\\x00", "int16").numpy().tolist()
    [1, 2]
    """

    hidden = True
    accepts = STRINGS

    def kernel(input_bytes, *, out_type, little_endian):
        kind = out_type.numpy_dtype.newbyteorder("<" if little_endian else ">")
        texts = np.asarray(input_bytes, object).reshape(-1).tolist()
        sizes = {len(text) for text in texts}
        if len(sizes) > 1 or any(size % kind.itemsize for size in sizes):
            raise InvalidArgumentError(
                f"decode_raw: texts of {sorted(sizes)} bytes are not the same number of "
                f"{out_type.name} each"
            )
        made = np.frombuffer(b"".join(texts), kind).astype(out_type.numpy_dtype)
        return made.reshape((*np.shape(input_bytes), -1 if texts else 0))

    def result(input_bytes, *, out_type, little_endian):
        shape = input_bytes.shape
        return Spec(out_type, None if shape is None else (*shape, None))


@public("io.decode_raw")
def decode_raw(input_bytes, out_type, little_endian=True, name=None):
    """Numbers from the bytes of strings: a new last axis, with an entry for each number.

    >>> decode_raw(b"\\x01\\x00\\x02\\x00", "int16").numpy().tolist()
    [1, 2]

    Raises InvalidArgumentError when the strings differ in length, or hold a part of a number.
    """
    attrs = {"out_type": as_dtype(out_type), "little_endian": bool(little_endian)}
    return apply(DecodeRaw, (input_bytes,), attrs)


@op
class DecodeCsv:
    """The fields of lines of text, as one tensor for each column."""

    hidden = True
    accepts = {"records": STRINGS}

    def kernel(records, *, columns, na_value, dialect):
        lines = [one.decode("utf-8", "surrogateescape")
                 for one in np.asarray(records, object).reshape(-1)]  # fmt: skip
        rows = [next(csv.reader([line], **dialect), []) for line in lines]
        shape, made = np.shape(records), []
        for column in columns:
            cells = [read_field(row, *column, na_value, "decode_csv") for row in rows]
            values = np.empty(len(cells), column[1].numpy_dtype)
            for place, cell in enumerate(cells):
                values[place] = cell[()]
            made.append(values.reshape(shape))
        return tuple(made)

    def result(records, *, columns, na_value, dialect):
        return tuple(Spec(dtype, records.shape) for _, dtype, _ in columns)


@public("io.decode_csv")
def decode_csv(
    records, record_defaults, field_delim=",", use_quote_delim=True, na_value="", select_cols=None,
    name=None,
):  # fmt: skip
    """The fields of lines of text: a list with one tensor for each column.

    `record_defaults` gives for each column its default, or an empty list of its type where every
    line has to have it.

    >>> import allograph as ag
    >>> name, size = ag.io.decode_csv(["a,1", "b,"], [[""], [7]])
    >>> size.numpy().tolist()
    [1, 7]

    Raises InvalidArgumentError for fields that cannot be read.
    """
    places = places_of(len(record_defaults), select_cols, None)
    columns = tuple(
        (place, *as_default(one)) for place, one in zip(places, record_defaults, strict=True)
    )
    attrs = {
        "columns": columns,
        "na_value": na_value,
        "dialect": dialect_of(field_delim, use_quote_delim),
    }
    return list(apply(DecodeCsv, (convert_to_tensor(records),), attrs))
