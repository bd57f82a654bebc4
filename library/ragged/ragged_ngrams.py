"""Runs of neighboring strings, joined."""

from __future__ import annotations

import numpy as np

from ... import cast, convert_to_tensor, int64, reshape, shape, string
from ...extend.operations import STRINGS, Spec, hidden_op, ops
from ...extend.registration import public
from .ragged_tensor import RaggedTensor


@hidden_op
class Ngrams:
    """The runs of all rows of strings, and how many each row has."""

    accepts = {"data": STRINGS, "lengths": frozenset({int64})}

    def kernel(data, lengths, *, widths, separator, pads, padding, short):
        items = np.asarray(data, object).tolist()
        found, position = [], 0
        for length in lengths.tolist():
            row = items[position : position + length]
            found.append(_of_row(row, widths, separator, pads, padding, short))
            position += length
        flat = np.empty(sum(map(len, found)), object)
        flat[:] = [one for row in found for one in row]
        return flat, np.array([len(row) for row in found], np.int64)

    def result(data, lengths, *, widths, separator, pads, padding, short):
        return Spec(string, (None,)), Spec(int64, lengths.shape)


def _of_row(row: list, widths, separator: str, pads, padding: int, short: bool) -> list[bytes]:
    joined, between = [], separator.encode()
    for width in widths:
        padded = row
        if pads is not None:
            count = width - 1 if padding < 0 else min(padding, width - 1)
            padded = [pads[0].encode()] * count + row + [pads[1].encode()] * count
        joined += [
            between.join(padded[start : start + width]) for start in range(len(padded) - width + 1)
        ]
    if short and not joined and row:
        joined.append(between.join(row))
    return joined


@public("strings.ngrams")
def ngrams(
    data,
    ngram_width,
    separator=" ",
    pad_values=None,
    padding_width=None,
    preserve_short_sequences=False,
    name=None,
):
    """The runs of `ngram_width` neighbors in the rows of strings, each joined by `separator`.

    Several widths give the runs of one after those of another. `pad_values`, a string or a pair,
    stands before and after each row, `padding_width` times, by default as often as a run needs.
    `preserve_short_sequences` keeps a row without runs as one run. Of a ragged tensor the result is
    ragged, of a tensor a tensor.

    >>> ag.strings.ngrams(["a", "b", "c"], 2).numpy().tolist()
    [b'a b', b'b c']
    >>> ag.strings.ngrams(ag.ragged.constant([["a", "b"], ["c"]]), 2, pad_values=("<", ">"))
    <ag.RaggedTensor [[b'< a', b'a b', b'b >'], [b'< c', b'c >']]>

    Raises ValueError for a width below 1.
    """
    widths = (ngram_width,) if isinstance(ngram_width, int) else tuple(ngram_width)
    if not widths or min(widths) < 1:
        raise ValueError(f"strings.ngrams: widths are 1 or more, not {ngram_width}")
    pads = (pad_values, pad_values) if isinstance(pad_values, str) else pad_values
    attrs = {
        "widths": widths,
        "separator": separator,
        "pads": None if pads is None else tuple(pads),
        "padding": -1 if padding_width is None else int(padding_width),
        "short": bool(preserve_short_sequences),
    }
    if isinstance(data, RaggedTensor):
        if isinstance(data.values, RaggedTensor) or len(data.values.dims) > 1:
            inner = ngrams(data.values, widths, separator, pads, padding_width,
                           preserve_short_sequences)  # fmt: skip
            return data.with_values(inner)
        found, counts = Ngrams(data.values, cast(data.row_lengths(), int64), **attrs)
        return RaggedTensor.from_row_lengths(found, cast(counts, data.row_splits.dtype))
    x = convert_to_tensor(data)
    sizes = [shape(x, int64)[axis] for axis in range(len(x.dims) - 1)]
    lengths = ops.fill(ops.stack(*sizes, axis=0), shape(x, int64)[-1]) if sizes else shape(x, int64)
    found, counts = Ngrams(reshape(x, [-1]), reshape(lengths, [-1]), **attrs)
    return reshape(found, [*sizes, counts[0]]) if sizes else found
