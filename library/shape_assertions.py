"""Assertions about ranks and shapes, checked while tracing or else when the program runs."""

from __future__ import annotations

from .. import as_dtype, assert_rank, convert_to_tensor, debugging, reduce_any, shape
from ..extend.errors import DTypeError, ShapeError
from ..extend.operations import ops
from ..extend.registration import public
from ..extend.specs import show
from ..extend.tensors import tensor_of


@public("debugging.assert_rank_at_least")
def assert_rank_at_least(x, rank, message=None, name=None):
    """Raise ShapeError unless `x` has at least `rank` axes.

    A rank that is unknown while tracing is checked when the program runs, and raises
    InvalidArgumentError.

    >>> ag.debugging.assert_rank_at_least([[1, 2]], 1)
    """
    x = convert_to_tensor(x)
    if x.ndim is None or not isinstance(rank, int):
        details = message or "assert_rank_at_least: too few axes:"
        debugging.Assert(ops.greater_equal(ops.rank(x), rank), [details, ops.rank(x)])
    elif x.ndim < rank:
        details = message or f"assert_rank_at_least: the shape {show(x.dims)}"
        raise ShapeError(f"{details} has fewer than {rank} axes")


@public("debugging.assert_rank_in")
def assert_rank_in(x, ranks, message=None, name=None):
    """Raise ShapeError unless the rank of `x` is one of `ranks`.

    A rank that is unknown while tracing is checked when the program runs, and raises
    InvalidArgumentError.

    >>> ag.debugging.assert_rank_in([[1, 2]], (1, 2))
    """
    x = convert_to_tensor(x)
    if x.ndim is None or not all(isinstance(rank, int) for rank in ranks):
        details = message or "assert_rank_in: the rank is"
        fits = reduce_any(ops.equal(ops.rank(x), list(ranks)))
        debugging.Assert(fits, [details, ops.rank(x), "rather than one of", list(ranks)])
    elif x.ndim not in tuple(ranks):
        details = message or f"assert_rank_in: the shape {show(x.dims)}"
        raise ShapeError(f"{details} has none of {tuple(ranks)} axes")


@public("debugging.assert_shapes")
def assert_shapes(shapes, data=None, summarize=None, message=None, name=None):
    """Raise ShapeError unless tensors have the given shapes.

    `shapes` is a list of pairs of a tensor and its shape, or a dict. A shape is a tuple or a str of
    sizes and letters. Equal letters stand for equal sizes. None or "." matches any size, and "..."
    in front any number of leading axes. Sizes that are unknown while tracing are checked when the
    program runs, and raise InvalidArgumentError.

    >>> x, w = ag.zeros([4, 3]), ag.zeros([3, 2])
    >>> ag.debugging.assert_shapes([(x, ("N", "D")), (w, "DK"), (x, (..., 3))])
    """
    pairs = shapes.items() if isinstance(shapes, dict) else shapes
    sizes_of_letters: dict = {}
    for tensor, pattern in pairs:
        x = convert_to_tensor(tensor.deref() if hasattr(tensor, "deref") else tensor)
        sizes, is_open = _read_pattern(pattern)
        details = message or f"assert_shapes: the shape is not {_show_pattern(pattern)}"
        (assert_rank_at_least if is_open else assert_rank)(x, len(sizes), message)
        for position, wanted in enumerate(sizes):
            if wanted is not None:
                _check_size(x, position - len(sizes), wanted, sizes_of_letters, details, data)


def _read_pattern(pattern) -> tuple[list, bool]:
    """The sizes of a pattern, None for any size, and whether more leading axes are allowed."""
    if isinstance(pattern, str) and pattern.startswith("..."):
        pattern = (..., *pattern[3:])
    entries = list(pattern) if hasattr(pattern, "__iter__") else [pattern]
    is_open = bool(entries) and entries[0] in (..., "...", "*")
    sizes = [None if entry in (None, ".") else entry for entry in entries[is_open:]]
    return [int(s) if isinstance(s, str) and s.isdigit() else s for s in sizes], is_open


def _check_size(x, axis: int, wanted, sizes_of_letters: dict, details: str, data) -> None:
    """Check one size against a number, or against the size that its letter stands for."""
    size = None if x.dims is None else x.dims[axis]
    size = shape(x)[axis] if size is None else size
    expected = wanted if isinstance(wanted, int) else sizes_of_letters.setdefault(wanted, size)
    if isinstance(size, int) and isinstance(expected, int):
        if size != expected:
            raise ShapeError(
                f"{details}: axis {axis} of {show(x.dims)} has the size {size}, not {expected}"
                + (f" ({wanted})" if wanted != expected else "")
            )
    elif size is not expected:
        report = [f"{details}: axis {axis} has the size", size, "not", expected, *(data or ())]
        debugging.Assert(ops.equal(size, expected), report)


def _show_pattern(pattern) -> str:
    return pattern if isinstance(pattern, str) else show(tuple(pattern)).replace("Ellipsis", "...")


@public("debugging.assert_proper_iterable")
def assert_proper_iterable(values):
    """Raise TypeError unless `values` is an iterable other than a tensor, array, str or bytes.

    >>> ag.debugging.assert_proper_iterable([ag.constant(1), 2])
    """
    if tensor_of(values) is not None or hasattr(values, "__array__"):
        raise TypeError(
            "assert_proper_iterable: the argument is a tensor or an array, not a list of them"
        )
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise TypeError(f"assert_proper_iterable: {values!r} is not iterable")


@public("debugging.assert_same_float_dtype")
def assert_same_float_dtype(tensors=None, dtype=None):
    """The float dtype that all tensors and `dtype` share; float32 without any.

    >>> ag.debugging.assert_same_float_dtype([ag.constant(1.0), ag.constant([2.0])])
    ag.float32

    Raises DTypeError if the dtypes differ, or are not float dtypes.
    """
    dtypes = [convert_to_tensor(tensor).dtype for tensor in tensors or ()]
    dtypes += [] if dtype is None else [as_dtype(dtype)]
    shared = dtypes[0] if dtypes else as_dtype("float32")
    for other in dtypes:
        if other is not shared:
            raise DTypeError(f"assert_same_float_dtype: {shared.name} and {other.name} differ")
    if not shared.is_floating:
        raise DTypeError(f"assert_same_float_dtype: {shared.name} is not a float dtype")
    return shared
