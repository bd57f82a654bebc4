"""Images in other sizes: a product with a matrix of weights along each axis."""

from __future__ import annotations

import numpy as np

from ... import (
    cast,
    convert_to_tensor,
    float32,
    gather,
    get_static_value,
    int32,
    matmul,
    pad,
    reshape,
)
from ...extend.operations import NUMBERS, Spec, hidden_op, ops
from ...extend.registration import expose, public
from .arguments import as_image, in_batches, known_number, size_along, sizes_of


class ResizeMethod:
    """The methods of `image.resize`.

    >>> ag.image.ResizeMethod.BILINEAR
    'bilinear'
    """

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


expose(ResizeMethod, "image.ResizeMethod")


def _triangle(x):
    return np.maximum(1 - x, 0)


def _cubic(x, b: float, c: float):
    """The cubic filters of Mitchell and Netravali, of distances up to 2."""
    near = (12 - 9 * b - 6 * c) * x**3 + (-18 + 12 * b + 6 * c) * x**2 + (6 - 2 * b)
    far = (-b - 6 * c) * x**3 + (6 * b + 30 * c) * x**2 + (-12 * b - 48 * c) * x + 8 * b + 24 * c
    return np.where(x < 1, near, np.where(x < 2, far, 0.0)) / 6


def _lanczos(x, radius: int):
    return np.where(x < radius, np.sinc(x) * np.sinc(x / radius), 0.0)


# The weight of a pixel by its distance.
FILTERS = {
    "bilinear": _triangle,
    "bicubic": lambda x: _cubic(x, 0, 0.5),
    "mitchellcubic": lambda x: _cubic(x, 1 / 3, 1 / 3),
    "lanczos3": lambda x: _lanczos(x, 3),
    "lanczos5": lambda x: _lanczos(x, 5),
    "gaussian": lambda x: np.where(x < 1.5, np.exp(-2 * x * x), 0.0),
}


def _weights(size: int, new: int, method: str, antialias: bool) -> np.ndarray:
    """The share of each of `size` pixels in each of `new` ones: [new, size]."""
    step = size / max(new, 1)
    if method == "area":
        starts = np.arange(new)[:, None] * step
        pixels = np.arange(size)
        covered = np.minimum(starts + step, pixels + 1) - np.maximum(starts, pixels)
        weights = np.maximum(covered, 0)
    else:
        centers = (np.arange(new)[:, None] + 0.5) * step
        stretch = max(step, 1) if antialias else 1
        weights = FILTERS[method](abs(np.arange(size) + 0.5 - centers) / stretch)
    return (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)


@hidden_op
class ResizeWeights:
    """The weights that resize an axis, of sizes that are known when the graph runs."""

    accepts = NUMBERS

    def kernel(size, new, *, method, antialias):
        return _weights(int(size), int(new), method, antialias)

    def result(size, new, *, method, antialias):
        return Spec(float32, (None, None))


def _resized_axis(x, axis: int, new, method: str, antialias: bool):
    """A batch of images [batch, height, width, channels] with another size along an axis."""
    size = size_along(x, axis)
    if isinstance(size, int) and isinstance(new, int):
        weights = convert_to_tensor(_weights(size, new, method, antialias))
    else:
        weights = ResizeWeights(
            cast(size, int32), cast(new, int32), method=method, antialias=antialias
        )
    batch, height, width, channels = sizes_of(x)
    if axis == 2:
        return matmul(weights, x)
    rows = matmul(weights, reshape(x, [batch, height, width * channels]))
    return reshape(rows, [batch, new, width, channels])


def _nearest(x, axis: int, new):
    size = size_along(x, axis)
    places = (cast(ops.range(0, new, 1), float32) + 0.5) * (
        cast(size, float32) / cast(new, float32)
    )
    return gather(x, ops.minimum(cast(places, int32), cast(size, int32) - 1), axis=axis)


def _two_sizes(size):
    """The new height and width: ints where they are known."""
    if isinstance(size, (list, tuple)):
        height, width = size
    else:
        known = get_static_value(size)
        size = convert_to_tensor(size, int32) if known is None else known
        height, width = size[0], size[1]
    return known_number(height), known_number(width)


def _with_aspect(x, height, width):
    """The largest size up to the given one in which the image keeps its proportions."""
    old_height, old_width = size_along(x, 1), size_along(x, 2)
    if all(isinstance(one, int) for one in (height, width, old_height, old_width)):
        scale = min(height / old_height, width / old_width)
        return round(old_height * scale), round(old_width * scale)
    old = [cast(one, float32) for one in (old_height, old_width)]
    scale = ops.minimum(cast(height, float32) / old[0], cast(width, float32) / old[1])
    return tuple(cast(ops.round(one * scale), int32) for one in old)


@public("image.resize")
def resize(
    images, size, method="bilinear", preserve_aspect_ratio=False, antialias=False, name=None
):
    """Images [height, width, channels], or a batch of them, in the `size` (height, width).

    `method` is one of `image.ResizeMethod`. The result is float32; `"nearest"` keeps the data type.
    `antialias=True` averages over the pixels that one pixel of a smaller image stands for. With
    `preserve_aspect_ratio` the image keeps its proportions and fits into `size`.

    >>> ag.image.resize([[[0.0], [2.0]]], [1, 4]).numpy().ravel()
    array([0. , 0.5, 1.5, 2. ], dtype=float32)

    Raises ValueError for an unknown method.
    """
    method = str(method).lower()
    if method not in (*FILTERS, "nearest", "area"):
        raise ValueError(
            f"image.resize: method is one of {', '.join([*FILTERS, 'nearest', 'area'])}, "
            f"not {method!r}"
        )
    height, width = _two_sizes(size)

    def of_batch(x):
        wanted = _with_aspect(x, height, width) if preserve_aspect_ratio else (height, width)
        if method != "nearest":
            x = cast(x, float32)
        for axis, new in zip((1, 2), wanted, strict=True):
            if method == "nearest":
                x = _nearest(x, axis, new)
            else:
                x = _resized_axis(x, axis, new, method, antialias)
        return x

    return in_batches(of_batch, images, "resize")


@public("image.resize_with_pad")
def resize_with_pad(image, target_height, target_width, method="bilinear", antialias=False):
    """An image in the largest size that fits and keeps its proportions, with zeros around it.

    >>> ag.image.resize_with_pad(ag.ones([2, 2, 1]), 2, 4).numpy()[..., 0]
    array([[0., 1., 1., 0.],
           [0., 1., 1., 0.]], dtype=float32)
    """
    x = as_image(image, "resize_with_pad")
    height, width = size_along(x, -3), size_along(x, -2)
    ratio = ops.maximum(
        cast(width, float32) / cast(target_width, float32),
        cast(height, float32) / cast(target_height, float32),
    )
    exact = [cast(one, float32) / ratio for one in (height, width)]
    inner = [_floor(one) for one in exact]
    x = resize(x, inner, method, antialias=antialias)
    pairs = []
    for target, size, whole in zip((target_height, target_width), inner, exact, strict=True):
        before = _floor((cast(target, float32) - whole) / 2)
        pairs.append([before, target - size - before])
    return pad(x, [[0, 0]] * (len(x.dims) - 3) + pairs + [[0, 0]])


def _floor(x):
    return known_number(cast(ops.floor(x), int32))
