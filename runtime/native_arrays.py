"""What native code does with arrays as wholes: new ones, copies, checked indices, products.

They are written for LLVM directly: Numba's own `np.empty`, `a[:] = b` and `np.dot` are functions of
many layers, which it would type and compile again for every kernel.
"""

from __future__ import annotations

import functools


@functools.cache
def functions() -> dict[str, object]:
    """The functions that the text calls."""
    return {**_memory(), **_indices(), **_products()}


def _memory() -> dict[str, object]:
    from numba import types
    from numba.core import cgutils
    from numba.core.typing.npydecl import parse_dtype
    from numba.extending import intrinsic

    def array_of(context, builder, kind, value):
        return context.make_array(kind)(context, builder, value)

    @intrinsic
    def new_array(typing, shape, dtype):
        """`np.empty`."""
        kind = types.Array(parse_dtype(dtype), len(shape), "C")

        def code(context, builder, signature, arguments):
            sizes = _sizes(context, builder, shape, arguments[0])
            return _allocated(context, builder, kind, sizes)._getvalue()

        return kind(shape, dtype), code

    @intrinsic
    def reshaped(typing, array, shape):
        """A view of a contiguous array."""
        kind = types.Array(array.dtype, len(shape), "C", readonly=not array.mutable)

        def code(context, builder, signature, arguments):
            given = array_of(context, builder, array, arguments[0])
            sizes = _sizes(context, builder, shape, arguments[1])
            made = context.make_array(kind)(context, builder)
            _fill(context, builder, made, kind, sizes, given.data, given.meminfo, given.parent)
            context.nrt.incref(builder, array, arguments[0])
            return made._getvalue()

        return kind(array, shape), code

    @intrinsic
    def with_room(typing, rows, count):
        """The stack with room for the element number `count`; a new one for the first."""

        def code(context, builder, signature, arguments):
            number = context.cast(builder, arguments[1], count, types.intp)
            return _grown(context, builder, rows, arguments[0], number)

        return rows(rows, count), code

    @intrinsic
    def copy_elements(typing, target, source):
        """`target[:] = source` for arrays of one shape."""
        at_once = target.dtype == source.dtype and target.layout == source.layout == "C"

        def code(context, builder, signature, arguments):
            if not at_once:
                loops = _by_rows if target.ndim == source.ndim == 2 else _copied
                return context.compile_internal(builder, loops, signature, arguments)
            to = array_of(context, builder, target, arguments[0])
            given = array_of(context, builder, source, arguments[1])
            differ = builder.icmp_signed("!=", to.nitems, given.nitems)
            with builder.if_then(differ, likely=False):
                context.call_conv.return_user_exc(builder, ValueError, ())
            cgutils.raw_memmove(builder, to.data, given.data, to.nitems, to.itemsize)
            return context.get_dummy_value()

        return types.none(target, source), code

    made = (new_array, reshaped, with_room, copy_elements)
    return {function._name: function for function in made}


def _by_rows(target, source):
    for row in range(target.shape[0]):
        for column in range(target.shape[1]):
            target[row, column] = source[row, column]


def _copied(target, source):
    target[:] = source


def _sizes(context, builder, kind, value) -> list:
    """The elements of a tuple of integers."""
    from numba import types
    from numba.core import cgutils

    sizes = cgutils.unpack_tuple(builder, value, len(kind))
    pairs = zip(sizes, kind, strict=True)
    return [context.cast(builder, size, given, types.intp) for size, given in pairs]


def _allocated(context, builder, kind, sizes):
    """A new contiguous array with `sizes`; the kernel ends when there is no memory."""
    made = context.make_array(kind)(context, builder)
    total = _itemsize(context, kind)
    for size in sizes:
        total = builder.mul(total, size)
    alignment = context.get_preferred_array_alignment(kind.dtype)
    memory = context.nrt.meminfo_alloc_aligned(builder, total, alignment)
    element = context.get_data_type(kind.dtype).as_pointer()
    start = builder.bitcast(context.nrt.meminfo_data(builder, memory), element)
    _fill(context, builder, made, kind, sizes, start, memory)
    return made


def _itemsize(context, kind):
    from numba import types

    size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    return context.get_constant(types.intp, size)


def _fill(context, builder, made, kind, sizes, start, memory, parent=None) -> None:
    """The fields of a contiguous array."""
    from numba.core import cgutils
    from numba.np.arrayobj import populate_array

    itemsize = _itemsize(context, kind)
    steps = [itemsize]
    for size in reversed(sizes[1:]):
        steps.append(builder.mul(steps[-1], size))
    populate_array(
        made,
        data=start,
        shape=cgutils.pack_array(builder, sizes, ty=cgutils.intp_t),
        strides=cgutils.pack_array(builder, steps[::-1], ty=cgutils.intp_t),
        itemsize=itemsize,
        meminfo=memory,
        parent=parent,
    )


def _grown(context, builder, kind, value, number):
    """LLVM of `with_room`."""
    from numba import types
    from numba.core import cgutils

    from .gradients.stacks import FIRST_ROWS

    given = context.make_array(kind)(context, builder, value)
    length, *inner = cgutils.unpack_tuple(builder, given.shape, kind.ndim)
    word = functools.partial(context.get_constant, types.intp)
    result = cgutils.alloca_once(builder, context.get_value_type(kind))
    fits = builder.and_(
        builder.icmp_signed("<", word(0), number), builder.icmp_signed("<", number, length)
    )
    with builder.if_else(fits, likely=True) as (stays, grows):
        with stays:
            context.nrt.incref(builder, kind, value)
            builder.store(value, result)
        with grows:
            twice = builder.mul(number, word(2))
            enough = builder.icmp_signed("<", twice, word(FIRST_ROWS))
            rows = builder.select(enough, word(FIRST_ROWS), twice)
            made = _allocated(context, builder, kind, [rows, *inner])
            fewer = builder.icmp_signed("<", number, length)
            kept = builder.select(fewer, number, length)
            for size in inner:
                kept = builder.mul(kept, size)
            cgutils.raw_memmove(builder, made.data, given.data, kept, given.itemsize)
            builder.store(made._getvalue(), result)
    return builder.load(result)


def _indices() -> dict[str, object]:
    from numba import types
    from numba.extending import intrinsic

    def checked(wrap: bool):
        def index(typing, place, size):
            def code(context, builder, signature, arguments):
                number, most = (
                    context.cast(builder, value, kind, types.int64)
                    for value, kind in zip(arguments, signature.args, strict=True)
                )
                zero = context.get_constant(types.int64, 0)
                if wrap:
                    negative = builder.icmp_signed("<", number, zero)
                    number = builder.select(negative, builder.add(number, most), number)
                outside = builder.icmp_unsigned(">=", number, most)  # negative ones are huge
                with builder.if_then(outside, likely=False):
                    context.call_conv.return_user_exc(builder, IndexError, ())
                return number

            return types.int64(place, size), code

        return index

    wrapped_index, checked_index = intrinsic(checked(True)), intrinsic(checked(False))
    return {"wrapped_index": wrapped_index, "checked_index": checked_index}


def _products() -> dict[str, object]:
    """`np.dot(left, right, out)` of contiguous matrices with one type: of two matrices, of a matrix
    and a column, of a row and a matrix.
    """
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic
    from numba.np import linalg

    def product(name: str):
        def multiply(typing, left, right, out):
            linalg.ensure_blas()

            def code(context, builder, signature, arguments):
                x, y, made = (
                    (kind, cgutils.unpack_tuple(builder, array.shape, 2), array.data)
                    for kind, array in (
                        (kind, context.make_array(kind)(context, builder, value))
                        for kind, value in zip(signature.args, arguments, strict=True)
                    )
                )
                if name == "matrices":
                    linalg.call_xxgemm(context, builder, *x, *y, *made)
                elif name == "column":
                    linalg.call_xxgemv(context, builder, True, *x, y[2], made[2])
                else:
                    linalg.call_xxgemv(context, builder, False, *y, x[2], made[2])
                return context.get_dummy_value()

            return types.none(left, right, out), code

        return intrinsic(multiply)

    return {f"product_of_{name}": product(name) for name in ("matrices", "column", "row")}
