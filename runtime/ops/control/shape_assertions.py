"""Assertions about ranks and shapes: at once where they are known, else when the program runs."""

from __future__ import annotations

from ...core.dtypes import as_dtype
from ...core.errors import DTypeError, ShapeError
from ...core.public_names import public
from ...core.shapes import show
from ...tensors.apply import convert_to_tensor, tensor_of
from ..array.shape_ops import Rank, shape
from ..math.comparison import Equal, GreaterEqual
from ..math.reductions import reduce_any
from ..state.python_calls import assert_
from .assertions import assert_rank


@public("debugging.assert_rank_at_least")
def assert_rank_at_least(x, rank, message=None, name=None):
    """Raise ShapeError unless `x` has `rank` axes or more.

    >>> ag.debugging.assert_rank_at_least([[1, 2]], 1)
    """
    x = convert_to_tensor(x)
    if x.ndim is None or not isinstance(rank, int):
        words = message or "assert_rank_at_least: too few axes:"
        assert_(GreaterEqual(Rank(x), rank), [words, Rank(x)])
    elif x.ndim < rank:
        words = message or f"assert_rank_at_least: the shape {show(x.dims)}"
        raise ShapeError(f"{words} has fewer than {rank} axes")


@public("debugging.assert_rank_in")
def assert_rank_in(x, ranks, message=None, name=None):
    """Raise ShapeError unless the number of axes of `x` is one of `ranks`.

    >>> ag.debugging.assert_rank_in([[1, 2]], (1, 2))
    """
    x = convert_to_tensor(x)
    if x.ndim is None or not all(isinstance(rank, int) for rank in ranks):
        words = message or "assert_rank_in: the number of axes is"
        fits = reduce_any(Equal(Rank(x), list(ranks)))
        assert_(fits, [words, Rank(x), "rather than one of", list(ranks)])
    elif x.ndim not in tuple(ranks):
        words = message or f"assert_rank_in: the shape {show(x.dims)}"
        raise ShapeError(f"{words} has none of {tuple(ranks)} axes")


@public("debugging.assert_shapes")
def assert_shapes(shapes, data=None, summarize=None, message=None, name=None):
    """Raise ShapeError unless tensors have these shapes, and equal letters stand for equal sizes.

    `shapes` holds pairs of a tensor and its sizes: a tuple (or a text) of numbers, letters, and
    None or "." for any size; "..." in front stands for any number of axes.

    >>> x, w = ag.zeros([4, 3]), ag.zeros([3, 2])
    >>> ag.debugging.assert_shapes([(x, ("N", "D")), (w, "DK"), (x, (..., 3))])
    """
    pairs = shapes.items() if isinstance(shapes, dict) else shapes
    known: dict = {}
    for given, pattern in pairs:
        x = convert_to_tensor(given.deref() if hasattr(given, "deref") else given)
        sizes, is_open = _read_pattern(pattern)
        words = message or f"assert_shapes: the shape is not {_shown(pattern)}"
        (assert_rank_at_least if is_open else assert_rank)(x, len(sizes), message)
        for place, wanted in enumerate(sizes):
            if wanted is not None:
                _check_size(x, place - len(sizes), wanted, known, words, data)


def _read_pattern(pattern) -> tuple[list, bool]:
    """The sizes of a pattern, None for any; and whether more axes may stand before them."""
    if isinstance(pattern, str) and pattern.startswith("..."):
        pattern = (..., *pattern[3:])
    rows = list(pattern) if hasattr(pattern, "__iter__") else [pattern]
    is_open = bool(rows) and rows[0] in (..., "...", "*")
    sizes = [None if row in (None, ".") else row for row in rows[is_open:]]
    return [int(s) if isinstance(s, str) and s.isdigit() else s for s in sizes], is_open


def _check_size(x, axis: int, wanted, known: dict, words: str, data) -> None:
    """One size against a number, or against what its letter stood for before."""
    size = None if x.dims is None else x.dims[axis]
    size = shape(x)[axis] if size is None else size
    expected = wanted if isinstance(wanted, int) else known.setdefault(wanted, size)
    if isinstance(size, int) and isinstance(expected, int):
        if size != expected:
            raise ShapeError(
                f"{words}: axis {axis} of {show(x.dims)} has the size {size}, not {expected}"
                + (f" ({wanted})" if wanted != expected else "")
            )
    elif size is not expected:
        rows = [f"{words}: axis {axis} has the size", size, "not", expected, *(data or ())]
        assert_(Equal(size, expected), rows)


def _shown(pattern) -> str:
    return pattern if isinstance(pattern, str) else show(tuple(pattern)).replace("Ellipsis", "...")


@public("debugging.assert_proper_iterable")
def assert_proper_iterable(values):
    """Raise TypeError for what is no list, tuple or the like: tensors, arrays and texts are not.

    >>> ag.debugging.assert_proper_iterable([ag.constant(1), 2])
    """
    if tensor_of(values) is not None or hasattr(values, "__array__"):
        raise TypeError("assert_proper_iterable: a tensor or an array is given, not a list of them")
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise TypeError(f"assert_proper_iterable: {values!r} is not iterable")


@public("debugging.assert_same_float_dtype")
def assert_same_float_dtype(tensors=None, dtype=None):
    """The floating type that all tensors, and `dtype`, share; float32 where none is given.

    >>> ag.debugging.assert_same_float_dtype([ag.constant(1.0), ag.constant([2.0])])
    tf.float32

    Raises DTypeError where they differ, or where it is no floating type.
    """
    kinds = [convert_to_tensor(one).dtype for one in tensors or ()]
    kinds += [] if dtype is None else [as_dtype(dtype)]
    shared = kinds[0] if kinds else as_dtype("float32")
    for kind in kinds:
        if kind is not shared:
            raise DTypeError(f"assert_same_float_dtype: {shared.name} and {kind.name} differ")
    if not shared.is_floating:
        raise DTypeError(f"assert_same_float_dtype: {shared.name} is no floating type")
    return shared
