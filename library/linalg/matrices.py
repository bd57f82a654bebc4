"""What operations on matrices share: checks of shapes, triangles, adjoint matrices."""

from __future__ import annotations

import numpy as np

from ... import linalg
from ...extend.errors import InvalidArgumentError, ShapeError
from ...extend.operations import ops
from ...extend.specs import show

adjoint_of = linalg.adjoint


def conjugate(x):
    return ops.conj(x) if x.dtype.is_complex else x


def joined(real, imag):
    """The complex array of these components."""
    whole = np.empty(real.shape, np.result_type(real, np.complex64))
    whole.real, whole.imag = real, imag
    return whole


def square_shape(shape, op_name: str):
    """The shape, if it is one of square matrices. Raises ShapeError otherwise."""
    if shape is not None and (
        len(shape) < 2 or (None not in shape[-2:] and shape[-1] != shape[-2])
    ):
        raise ShapeError(f"{op_name}: {show(shape)} is not the shape of square matrices")
    return shape


def by_numpy(function, *arrays, op_name: str = "linalg", **options):
    """Call a function of NumPy. Its LinAlgError becomes InvalidArgumentError."""
    try:
        return function(*arrays, **options)
    except np.linalg.LinAlgError as error:
        raise InvalidArgumentError(f"{op_name}: {error}") from None


def triangle(x, lower: bool):
    """The lower or the upper triangle, with the diagonal."""
    sides = ([-1], [0]) if lower else ([0], [-1])
    return ops.band_part(x, *(np.int32(side[0]) for side in sides))
