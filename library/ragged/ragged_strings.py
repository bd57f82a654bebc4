"""Strings split into sections: a ragged tensor with a row for each string."""

from __future__ import annotations

from collections.abc import Callable

from ... import convert_to_tensor, int64, string
from ...extend.operations import apply
from ...extend.registration import public
from ..strings.patterns_and_sections import BytesSplit, StringSplit
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
    return sections_of(input, lambda strings: apply(StringSplit, (strings,), attrs, name))[0]


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
    return sections_of(input, lambda strings: apply(BytesSplit, (strings,), {}, name))[0]


def sections_of(input, of_strings: Callable) -> tuple:
    """What `of_strings` finds in strings, with an axis more, which is ragged unless input is one.

    `of_strings` gives the sections of all strings, any number of tensors beside them, and how many
    sections each string has.
    """
    if isinstance(input, RaggedTensor):
        found = sections_of(input.flat_values, of_strings)
        return tuple(input.with_flat_values(one) for one in found)
    if isinstance(input, (list, tuple)) and not input:
        input = convert_to_tensor(input, string)
    strings = convert_to_tensor(input)
    *found, counts = of_strings(strings)
    if strings.dims == ():
        return tuple(found)
    splits = partitions.splits_of_lengths(counts)
    return tuple(uniform_rows(RaggedTensor.of_rows(one, splits), strings, int64) for one in found)
