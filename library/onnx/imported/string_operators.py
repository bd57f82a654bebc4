"""The operators of ONNX on strings."""

from __future__ import annotations

from typing import Any

import numpy as np

from .... import convert_to_tensor
from ....extend.operations import ops as by_name
from ...strings.patterns_and_sections import RegexFullMatch, StringSplit
from .operator_table import dtype_of, operator

ops: Any = by_name  # operations get their calls from modules that mypy does not see here
EMPTY = np.array([b""], object)


@operator("RegexFullMatch")
def regex_full_match(x, *, pattern):
    return RegexFullMatch(x, pattern=pattern)


@operator("StringNormalizer")
def string_normalizer(
    x, *, case_change_action="NONE", is_case_sensitive=0, locale="", stopwords=()
):
    """In another case, without the stop words; one empty string where nothing is left."""
    encoding = "" if locale == "C" else "utf-8"
    if stopwords:
        x = convert_to_tensor(x)
        words = [word.lower() if not is_case_sensitive else word for word in stopwords]
        vector = ops.reshape(x, np.array([-1], np.int64))
        compared = vector if is_case_sensitive else ops.lower(vector, encoding=encoding)
        found = ops.equal(ops.expand_dims(compared, axis=1), np.array(words, object))
        is_kept = ops.logical_not(ops.reduce_any(found, axis=1, keepdims=False))
        kept = ops.boolean_mask(vector, is_kept, axis=0)
        count = ops.maximum(ops.size(kept, dtype=dtype_of(7)), np.int64(1))
        kept = ops.concat(kept, EMPTY, axis=0)[:count]
        x = ops.expand_dims(kept, axis=0) if len(x.dims) == 2 else kept
    if case_change_action == "NONE":
        return ops.identity(x)
    return (ops.lower if case_change_action == "LOWER" else ops.upper)(x, encoding=encoding)


@operator("StringSplit")
def string_split(x, *, delimiter="", maxsplit=-1):
    """Rows of sections, filled up with empty strings, and the numbers of sections."""
    x = convert_to_tensor(x)
    vector = ops.reshape(x, np.array([-1], np.int64))
    sections, counts = StringSplit(vector, sep=delimiter, maxsplit=maxsplit)
    counts = ops.cast(counts, dtype=dtype_of(7))
    with_none = ops.concat(counts, np.zeros(1, np.int64), axis=0)
    longest = ops.reduce_max(with_none, axis=None, keepdims=False)
    starts = ops.expand_dims(ops.cumsum(counts, axis=0, exclusive=True, reverse=False), axis=1)
    columns = ops.range(np.int64(0), longest, np.int64(1))
    is_section = ops.less(columns, ops.expand_dims(counts, axis=1))
    behind = ops.size(sections, dtype=dtype_of(7))  # where the empty string is
    places = ops.select(is_section, ops.add(starts, columns), behind)
    rows = ops.gather(ops.concat(sections, EMPTY, axis=0), places, axis=0, batch_dims=0)
    sizes = ops.shape(x, dtype=dtype_of(7))
    filled = ops.concat(sizes, ops.expand_dims(longest, axis=0), axis=0)
    return ops.reshape(rows, filled), ops.reshape(counts, sizes)
