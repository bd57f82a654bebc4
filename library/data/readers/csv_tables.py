"""`make_csv_dataset`: tables whose columns have names, in batches."""

from __future__ import annotations

import csv
import io

from .... import DType, float32, int32, int64
from ....extend.registration import public
from ...file_io.tfrecord import compression, files_matching, most_bytes, open_file
from ...file_io.untrusted_files import damaged, decoding, limited_lines
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
    """Batches of the rows of CSV files, each a dict from column names to tensors.

    With `label_name`, a batch is a pair of such a dict and the column of labels. The names are
    those in the first line of the first file, unless `column_names` is given. The dtype of a column
    is the first of int32, int64, float32 and string that fits its first `num_rows_for_inference`
    fields, unless `column_defaults` is given. The rows are repeated `num_epochs` times (None:
    without end) and shuffled.

    >>> import allograph as ag, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "table.csv")
    >>> with open(path, "w") as handle:
    ...     _ = handle.write("name,size\\na,1\\nb,2\\n")
    >>> ds = ag.data.experimental.make_csv_dataset(path, 2, num_epochs=1, shuffle=False)
    >>> [batch["size"].tolist() for batch in ds.as_numpy_iterator()]
    [[1, 2]]

    Raises NotFoundError if no file matches, ValueError if a named column does not exist.
    """
    files = files_matching(file_pattern)
    dialect = dialect_of(field_delim, use_quote_delim)
    rows = _first_rows(files[0], num_rows_for_inference, compression(compression_type), dialect)
    names = list(column_names) if column_names is not None else rows[0]
    columns = _selected_columns(names, select_columns)
    selected_names = [names[column] for column in columns]
    if label_name is not None and label_name not in selected_names:
        raise ValueError(
            f"make_csv_dataset: there is no column {label_name!r} among {selected_names}"
        )
    defaults = column_defaults
    if defaults is None:
        sample = rows[1:] if header else rows
        defaults = [_inferred(sample, column, na_value) for column in columns]
    elif len(defaults) == len(names) != len(columns):
        defaults = [defaults[column] for column in columns]
    ds = CsvDataset(
        files, defaults, compression_type, header=header, field_delim=field_delim,
        use_quote_delim=use_quote_delim, na_value=na_value, select_cols=columns,
    )  # fmt: skip
    if ignore_errors:
        ds = ds.ignore_errors()
    if shuffle:
        ds = ds.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        ds = ds.repeat(num_epochs)
    ds = ds.batch(batch_size, drop_remainder=num_epochs is None).map(
        _naming(selected_names, label_name)
    )
    return ds if prefetch_buffer_size is None else ds.prefetch(prefetch_buffer_size)


def _naming(names, label_name):
    """The function from columns to a dict, or to a dict and the label."""

    def named(*columns):
        features = dict(zip(names, columns, strict=True))
        if label_name is None:
            return features
        label = features.pop(label_name)
        return features, label

    return named


def _first_rows(path: str, count: int, compression_type: str, dialect) -> list[list[str]]:
    with decoding(path), open_file(path, compression_type) as handle:
        lines = io.TextIOWrapper(handle, "utf-8", errors="surrogateescape", newline="")
        limited = limited_lines(lines, most_bytes(compression_type), path)
        rows = csv.reader(limited, **dialect)
        first = [row for row, _ in zip(rows, range(count + 1), strict=False) if row]
    if not first:
        raise damaged(path, "it has no row")
    return first


def _selected_columns(names, selected) -> list[int]:
    """The indices of the selected columns, in the order of the table."""
    if selected is None:
        return list(range(len(names)))
    columns = []
    for one in selected:
        if isinstance(one, str) and one not in names:
            raise ValueError(f"make_csv_dataset: there is no column {one!r} among {names}")
        columns.append(names.index(one) if isinstance(one, str) else int(one))
    return sorted(columns)


def _inferred(rows, column: int, na_value: str):
    """The default of a column: 0 or "" in the narrowest dtype that fits all of its fields."""
    dtypes = (int32, int64, float32)
    fields = [row[column] for row in rows if column < len(row)]
    present = [field for field in fields if field not in ("", na_value)]
    for dtype in dtypes:
        if present and all(_fits(field, dtype) for field in present):
            return dtype.numpy_dtype.type(0)
    return b""


def _fits(field: str, dtype: DType) -> bool:
    try:
        value = int(field) if dtype.is_integer else float(field)
    except ValueError:
        return False
    return not dtype.is_integer or dtype.min <= value <= dtype.max
