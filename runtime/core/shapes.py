"""Shapes: plain tuples inside, `TensorShape` outside.

Inside the runtime a shape is a tuple of `int` (known) and `None` (unknown) dimensions, or None when
not even the rank is known.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, SupportsIndex, TypeGuard, overload

from .errors import ShapeError
from .public_names import public

Shape = tuple[int | None, ...] | None


def as_shape(value) -> Shape:
    """A shape tuple from a TensorShape, an int, an iterable of dimensions, or None.

    >>> as_shape([2, None]), as_shape(3), as_shape(None)
    ((2, None), (3,), None)
    """
    if value is None or (type(value) is tuple and all(type(size) is int for size in value)):
        return value
    if isinstance(value, TensorShape):
        return value._dims
    if isinstance(value, str):
        raise TypeError(f"{value!r} is not a shape")
    if hasattr(value, "__index__"):
        return (_as_dimension(value),)
    if not isinstance(value, Iterable):
        raise TypeError(f"{value!r} is not a shape: give a sequence of dimensions, or None")
    return tuple(_as_dimension(size) for size in value)


def _as_dimension(size) -> int | None:
    if size is None:
        return None
    try:
        size = size.__index__()
    except (AttributeError, TypeError):
        raise TypeError(f"{size!r} is not a dimension: give an integer or None") from None
    if size < 0:
        raise ValueError(f"a dimension must be at least 0, not {size}")
    return size


def is_static(shape: Shape) -> TypeGuard[tuple[int, ...]]:
    return shape is not None and None not in shape


def size_of(shape: Shape) -> int | None:
    """Number of elements, or None when a dimension is unknown."""
    if shape is None:
        return None
    sizes = [size for size in shape if size is not None]
    return math.prod(sizes) if len(sizes) == len(shape) else None


def broadcast(*shapes: Shape) -> Shape:
    """The shape that NumPy's broadcasting gives, as far as it is known.

    >>> broadcast((3, 1), (None, 4)), broadcast((2,), None)
    ((3, 4), None)

    Raises ValueError where two known dimensions differ and neither is 1.
    """
    wide = [shape for shape in dict.fromkeys(shapes) if shape != ()]
    if len(wide) < 2:
        return wide[0] if wide else ()
    known = [shape for shape in shapes if shape is not None]
    if len(known) < len(shapes):
        return None
    rank = max(map(len, known), default=0)
    padded = [(1,) * (rank - len(shape)) + shape for shape in known]
    return tuple(_broadcast_dimension(sizes, shapes) for sizes in zip(*padded, strict=True))


def _broadcast_dimension(sizes, shapes) -> int | None:
    large = {size for size in sizes if size != 1 and size is not None}
    if len(large) > 1:
        listed = " and ".join(map(show, shapes))
        raise ValueError(f"shapes {listed} do not broadcast together")
    return large.pop() if large else None if None in sizes else 1


def is_subshape(shape: Shape, of: Shape) -> bool:
    """Whether every array of `shape` is also one of shape `of`."""
    if of is None:
        return True
    if shape is None or len(shape) != len(of):
        return False
    return all(wide is None or wide == size for size, wide in zip(shape, of, strict=True))


def is_compatible(first: Shape, second: Shape) -> bool:
    """Whether one array could have both shapes."""
    if first is None or second is None:
        return True
    if len(first) != len(second):
        return False
    return all(a is None or b is None or a == b for a, b in zip(first, second, strict=True))


def join(first: Shape, second: Shape) -> Shape:
    """The narrowest shape that covers both: unknown where they differ."""
    if first is None or second is None or len(first) != len(second):
        return None
    return tuple(a if a == b else None for a, b in zip(first, second, strict=True))


def merge(first: Shape, second: Shape) -> Shape:
    """What is known from either; raises ValueError when they contradict each other."""
    if not is_compatible(first, second):
        raise ValueError(f"shapes {show(first)} and {show(second)} are not compatible")
    if first is None or second is None:
        return second if first is None else first
    return tuple(b if a is None else a for a, b in zip(first, second, strict=True))


def dimensions(shape: Shape) -> str:
    """How graphs and programs print a shape.

    >>> dimensions((2, None)), dimensions(()), dimensions(None)
    ('2,?', '', '...')
    """
    if shape is None:
        return "..."
    return ",".join("?" if size is None else str(size) for size in shape)


def show(shape: Shape) -> str:
    """How messages print a shape: `(2, None)`, or `<unknown>`."""
    return "<unknown>" if shape is None else str(tuple(shape))


def as_python(shape: Shape) -> str:
    """A shape as an argument in source: `[2, None]`, or `None`."""
    return "None" if shape is None else str(list(shape))


@public("TensorShape")
class TensorShape:
    """The shape of a tensor, possibly with unknown dimensions or an unknown rank.

    >>> shape = ag.TensorShape([None, 3])
    >>> shape.rank, shape[1], shape.is_fully_defined()
    (2, 3, False)
    >>> shape.is_compatible_with([5, 3]), shape == (None, 3)
    (True, True)
    """

    __slots__ = ("_dims",)

    def __init__(self, dims) -> None:
        self._dims = as_shape(dims)

    @property
    def rank(self) -> int | None:
        return None if self._dims is None else len(self._dims)

    ndims = rank

    @property
    def dims(self) -> Any:
        return None if self._dims is None else list(self._dims)

    def as_list(self) -> list[int | None]:
        """The dimensions; raises ValueError when the rank is unknown."""
        return list(self._known())

    def as_tuple(self) -> Any:
        return self._dims

    def num_elements(self) -> int | None:
        return size_of(self._dims)

    def is_fully_defined(self) -> bool:
        return is_static(self._dims)

    def is_compatible_with(self, other) -> bool:
        return is_compatible(self._dims, as_shape(other))

    def is_subtype_of(self, other) -> bool:
        return is_subshape(self._dims, as_shape(other))

    def most_specific_compatible_shape(self, other) -> TensorShape:
        return TensorShape(join(self._dims, as_shape(other)))

    def merge_with(self, other) -> TensorShape:
        return TensorShape(merge(self._dims, as_shape(other)))

    def concatenate(self, other) -> TensorShape:
        other = as_shape(other)
        return TensorShape(None if self._dims is None or other is None else self._dims + other)

    def with_rank(self, rank: int) -> TensorShape:
        return self.merge_with([None] * rank)

    def assert_has_rank(self, rank: int) -> None:
        if self.rank not in (None, rank):
            raise ValueError(f"shape {self} must have rank {rank}")

    def assert_is_compatible_with(self, other) -> None:
        if not self.is_compatible_with(other):
            raise ValueError(f"shapes {self} and {TensorShape(other)} are not compatible")

    def assert_is_fully_defined(self) -> None:
        if not self.is_fully_defined():
            raise ValueError(f"shape {self} is not fully known")

    def with_rank_at_least(self, rank: int) -> TensorShape:
        if self.rank is not None and self.rank < rank:
            raise ValueError(f"shape {self} must have rank {rank} or more")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        if self.rank is not None and self.rank > rank:
            raise ValueError(f"shape {self} must have rank {rank} or less")
        return self

    def _known(self):
        if self._dims is None:
            raise ValueError("the rank of this shape is unknown")
        return self._dims

    def __iter__(self) -> Iterator[Any]:
        return iter(self._known())

    def __len__(self) -> int:
        return len(self._known())

    def __bool__(self):
        return self._dims is not None

    @overload
    def __getitem__(self, key: slice) -> TensorShape: ...
    @overload
    def __getitem__(self, key: SupportsIndex) -> Any: ...
    def __getitem__(self, key) -> Any:
        if self._dims is None:
            return TensorShape(None) if isinstance(key, slice) else None
        dims = self._dims[key]
        return TensorShape(dims) if isinstance(key, slice) else dims

    def __add__(self, other):
        return self.concatenate(other)

    def __radd__(self, other):
        return TensorShape(other).concatenate(self)

    def __eq__(self, other):
        try:
            return self._dims == as_shape(other)
        except (TypeError, ValueError):
            return NotImplemented

    def __hash__(self):
        return hash(self._dims)

    def __repr__(self):
        return "TensorShape(None)" if self._dims is None else f"TensorShape({list(self._dims)})"

    def __str__(self):
        return show(self._dims)

    def __reduce__(self):
        return TensorShape, (self._dims,)


def normal_axis(axis: int, rank: int, what: str = "axis") -> int:
    """A non-negative axis; ShapeError where it does not exist."""
    if not -rank <= axis < rank:
        cure = f"Use one of {-rank} to {rank - 1}." if rank else "A scalar has no axes."
        raise ShapeError(f"{what} {axis} does not exist in a tensor of rank {rank}", cure)
    return axis + rank if axis < 0 else axis


def normal_axes(axis, rank: int) -> tuple[int, ...]:
    """All axes for None, else the given ones, each non-negative and named once."""
    if axis is None:
        return tuple(range(rank))
    listed = (axis,) if isinstance(axis, int) else axis
    axes = tuple(normal_axis(number, rank) for number in listed)
    if len(set(axes)) < len(axes):
        raise ShapeError(f"axis {axis} names an axis of a tensor of rank {rank} twice")
    return axes
