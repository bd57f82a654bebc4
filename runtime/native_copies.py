"""Copies of arrays in native code.

They are functions of their own since `a[:] = b` takes Numba up to a second to compile, and its code
checks every index.
"""

from __future__ import annotations

import functools


@functools.cache
def functions() -> dict[str, object]:
    """The functions that the text calls."""
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic, overload

    @intrinsic
    def move_elements(typing, target, source, count):
        """The first `count` elements of a contiguous array, to one of the same type."""

        def code(context, builder, signature, arguments):
            to, given = (
                context.make_array(kind)(context, builder, value)
                for kind, value in zip(signature.args[:2], arguments[:2], strict=True)
            )
            cgutils.raw_memmove(builder, to.data, given.data, arguments[2], to.itemsize)
            return context.get_dummy_value()

        return types.none(target, source, types.intp), code

    def copy_elements(target, source):
        """`target[:] = source` for arrays of one shape."""
        target[:] = source

    @overload(copy_elements)
    def copied(target, source):
        def by_rows(target, source):
            for row in range(target.shape[0]):
                for column in range(target.shape[1]):
                    target[row, column] = source[row, column]

        if target.dtype != source.dtype or target.layout != "C" or source.layout != "C":
            return by_rows if target.ndim == source.ndim == 2 else copy_elements

        def at_once(target, source):
            if target.size != source.size:
                raise ValueError
            move_elements(target, source, target.size)

        return at_once

    return {"copy_elements": copy_elements, "move_elements": move_elements}
