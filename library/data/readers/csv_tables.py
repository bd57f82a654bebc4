"""`make_csv_dataset`: tables whose columns have names, in batches."""

from __future__ import annotations

import csv
import io

from ....runtime.core.dtypes import DType, float32, int32, int64
from ....runtime.core.public_names import public
from ...file_io.tfrecord import compression, files_matching, opened
from .csv_fields import dialect_of
from .file_datasets import CsvDataset


@public("data.experimental.make_csv_dataset")
def make_csv_dataset(
    file_pattern, batch_size, column_names=None, column_defaults=None, label_name=None,
    select_columns=None, field_delim=",", use_quote_delim=True, na_value="", header=True,
    num_epochs=None, shuffle=True, shuffle_buffer_size=10000, shuffle_seed=None,
    prefetch_buffer_size=None, num_parallel_reads=None, sloppy=False, num_rows_for_inference=100,
    compression_type=None, ignore_errors=False, encoding="utf-8",
):  # fmt: skip
    """Batches of the rows of text tables: a dictionary of columns, or a pair with the label's.

    Names are taken from the first line of the first file unless `column_names` gives them. A
    column's type is the first of int32, int64, float32 and string that fits its first
    `num_rows_for_inference` fields, unless `column_defaults` says otherwise. The rows are repeated
    `num_epochs` times (None: without end), and shuffled.

    >>> import allograph as ag, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "table.csv")
    >>> with open(path, "w") as handle:
    ...     _ = handle.write("name,size\\na,1\\nb,2\\n")
    >>> ds = ag.data.experimental.make_csv_dataset(path, 2, num_epochs=1, shuffle=False)
    >>> [batch["size"].tolist() for batch in ds.as_numpy_iterator()]
    [[1, 2]]

    Raises NotFoundError when no file matches, ValueError where a named column does not exist.
    """
    files = files_matching(file_pattern)
    dialect = dialect_of(field_delim, use_quote_delim)
    rows = _first_rows(files[0], num_rows_for_inference, compression(compression_type), dialect)
    names = list(column_names) if column_names is not None else rows[0]
    places = _places(names, select_columns)
    chosen = [names[place] for place in places]
    if label_name is not None and label_name not in chosen:
        raise ValueError(f"make_csv_dataset: there is no column {label_name!r} among {chosen}")
    defaults = column_defaults
    if defaults is None:
        sample = rows[1:] if header else rows
        defaults = [_inferred([row[place] for row in sample], na_value) for place in places]
    elif len(defaults) == len(names) != len(places):
        defaults = [defaults[place] for place in places]
    ds = CsvDataset(
        files, defaults, compression_type, header=header, field_delim=field_delim,
        use_quote_delim=use_quote_delim, na_value=na_value, select_cols=places,
    )  # fmt: skip
    if ignore_errors:
        ds = ds.ignore_errors()
    if shuffle:
        ds = ds.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        ds = ds.repeat(num_epochs)
    ds = ds.batch(batch_size, drop_remainder=num_epochs is None).map(_naming(chosen, label_name))
    return ds if prefetch_buffer_size is None else ds.prefetch(prefetch_buffer_size)


def _naming(names, label_name):
    """The function from columns to a dictionary, and the label."""

    def named(*columns):
        features = dict(zip(names, columns, strict=True))
        if label_name is None:
            return features
        label = features.pop(label_name)
        return features, label

    return named


def _first_rows(path: str, count: int, kind: str, dialect) -> list[list[str]]:
    with opened(path, kind) as handle:
        text = io.TextIOWrapper(handle, "utf-8", errors="surrogateescape", newline="")
        rows = csv.reader(text, **dialect)
        return [row for row, _ in zip(rows, range(count + 1), strict=False) if row]


def _places(names, selected) -> list[int]:
    """The places of the selected columns, in the order of the table."""
    if selected is None:
        return list(range(len(names)))
    found = []
    for one in selected:
        if isinstance(one, str) and one not in names:
            raise ValueError(f"make_csv_dataset: there is no column {one!r} among {names}")
        found.append(names.index(one) if isinstance(one, str) else int(one))
    return sorted(found)


def _inferred(fields, na_value: str):
    """The default of a column: zero, or empty text, of the narrowest type that all fields fit."""
    kinds = (int32, int64, float32)
    given = [field for field in fields if field not in ("", na_value)]
    for kind in kinds:
        if given and all(_fits(field, kind) for field in given):
            return kind.numpy_dtype.type(0)
    return b""


def _fits(field: str, kind: DType) -> bool:
    try:
        number = int(field) if kind.is_integer else float(field)
    except ValueError:
        return False
    return not kind.is_integer or kind.min <= number <= kind.max
