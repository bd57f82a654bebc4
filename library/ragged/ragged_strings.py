"""Strings split into sections: a ragged tensor with a row for each string."""

from __future__ import annotations

from collections.abc import Callable

from ...runtime.core.dtypes import int64, string
from ...runtime.core.public_names import public
from ...runtime.ops.strings.regex_and_templates import BytesSplit, StringSplit
from ...runtime.tensors.apply import apply, convert_to_tensor
from . import row_partitions as partitions
from .ragged_constant import uniform_rows
from .ragged_tensor import RaggedTensor


@public("strings.split")
def split(input, sep=None, maxsplit=-1, name=None):
    """Each string split at whitespace, or at the separator `sep`.

    A scalar gives a vector of strings; a tensor, ragged or not, a ragged tensor with an axis more.
    `maxsplit` limits the number of splits; -1 means no limit.

    >>> import allograph as ag
    >>> ag.strings.split("a,,b", sep=",").numpy().tolist()
    [b'a', b'', b'b']
    >>> ag.strings.split(["to be", "or"])
    <ag.RaggedTensor [[b'to', b'be'], [b'or']]>
    """
    attrs = {"sep": sep or "", "maxsplit": maxsplit}
    return _sections(input, lambda strings: apply(StringSplit, (strings,), attrs, name))


@public("strings.bytes_split")
def bytes_split(input, name=None):
    """The bytes of each string, as strings of length 1.

    A scalar gives a vector of strings; a tensor, ragged or not, a ragged tensor with an axis more.

    >>> import allograph as ag
    >>> ag.strings.bytes_split("abc").numpy().tolist()
    [b'a', b'b', b'c']
    >>> ag.strings.bytes_split(["ab", "c"])
    <ag.RaggedTensor [[b'a', b'b'], [b'c']]>
    """
    return _sections(input, lambda strings: apply(BytesSplit, (strings,), {}, name))


def _sections(input, of_strings: Callable):
    if isinstance(input, RaggedTensor):
        return input.with_flat_values(_sections(input.flat_values, of_strings))
    if isinstance(input, (list, tuple)) and not input:
        input = convert_to_tensor(input, string)
    strings = convert_to_tensor(input)
    sections, counts = of_strings(strings)
    if strings.dims == ():
        return sections
    rows = RaggedTensor.of_rows(sections, partitions.splits_of_lengths(counts))
    return uniform_rows(rows, strings, int64)
