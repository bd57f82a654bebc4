"""What functions of images share: checked arguments, sizes that may be unknown, whole batches."""

from __future__ import annotations

from ... import convert_to_tensor, expand_dims, get_static_value, shape, squeeze
from ...extend.errors import ShapeError
from ...extend.specs import show


def as_image(image, caller: str):
    """A tensor of at least three axes: [..., height, width, channels]."""
    image = convert_to_tensor(image)
    if image.dims is None or len(image.dims) < 3:
        raise ShapeError(
            f"image.{caller}: an array of shape {show(image.dims)}; it is "
            "[..., height, width, channels]"
        )
    return image


def size_along(x, axis: int):
    """The size of an axis: an int where it is known, else a tensor."""
    known = x.dims[axis]
    return shape(x)[axis] if known is None else known


def sizes_of(x) -> list:
    """The sizes of all axes: ints where they are known, else tensors."""
    return [size_along(x, axis) for axis in range(len(x.dims))]


def in_batches(function, image, caller: str):
    """`function` of a batch of images; one image is a batch of one."""
    image = as_image(image, caller)
    if len(image.dims) > 4:
        raise ShapeError(
            f"image.{caller}: an array of shape {show(image.dims)}; it is "
            "[height, width, channels] or [batch, height, width, channels]"
        )
    if len(image.dims) == 4:
        return function(image)
    return squeeze(function(expand_dims(image, 0)), [0])


def known_number(size):
    """A size as an int where it is known, else as it is."""
    known = size if isinstance(size, int) else get_static_value(size)
    return size if known is None else int(known)
