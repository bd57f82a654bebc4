"""How similar two images are."""

from __future__ import annotations

import math

import numpy as np

from ... import cast, convert_to_tensor, float32, pad, reduce_mean, reduce_prod, reshape
from ...extend.errors import ShapeError
from ...extend.operations import ops
from ...extend.registration import public
from ...extend.specs import show
from ..convolution.pooling import AvgPool
from .arguments import as_image, size_along, sizes_of
from .colors import convert_image_dtype


def _two_images(a, b, max_val, caller: str):
    """Two images of one shape as float32 from 0 to 1, and the largest value on that scale."""
    a, b = as_image(a, caller), as_image(b, caller)
    pairs = zip(a.dims[-3:], b.dims[-3:], strict=True)
    if any(None not in pair and pair[0] != pair[1] for pair in pairs):
        raise ShapeError(f"image.{caller}: images of the shapes {show(a.dims)} and {show(b.dims)}")
    limit = convert_image_dtype(cast(convert_to_tensor(max_val), a.dtype), float32)
    return convert_image_dtype(a, float32), convert_image_dtype(b, float32), limit


@public("image.psnr")
def psnr(a, b, max_val, name=None):
    """The ratio of the largest value to the mean squared difference of two images, in decibels.

    >>> ag.image.psnr([[[0.0]]], [[[0.1]]], 1.0).numpy().round(3)
    np.float32(20.0)
    """
    a, b, limit = _two_images(a, b, max_val, "psnr")
    error = reduce_mean(ops.squared_difference(a, b), [-3, -2, -1])
    return 20 / math.log(10) * ops.log(limit) - 10 / math.log(10) * ops.log(error)


def _gaussian(size: int, sigma: float) -> np.ndarray:
    """The weights of one axis of a window, of the sum 1."""
    steps = np.arange(size) - (size - 1) / 2
    weights = np.exp(-0.5 * (steps / sigma) ** 2)
    return (weights / weights.sum()).astype(np.float32)


def _blurred(x, weights: np.ndarray):
    """The weighted means of the windows of images [batch, height, width, channels]."""
    count = len(weights)
    for axis in (1, 2):
        size = size_along(x, axis) - count + 1
        parts = [
            x[(*[slice(None)] * axis, slice(start, start + size))] * weight
            for start, weight in enumerate(weights)
        ]
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        x = total
    return x


def _similarity(a, b, limit, window: tuple[int, float], k1: float, k2: float):
    """For each image and channel the structural similarity, and its part without brightness."""
    for axis in (1, 2):
        size = a.dims[axis]
        if size is not None and size < window[0]:
            raise ShapeError(
                f"image.ssim: an image of shape {show(a.dims)} is smaller than the window of "
                f"{window[0]} pixels",
                f"Give filter_size={size}, or a larger image.",
            )
    weights = _gaussian(*window)
    c1, c2 = (k1 * limit) ** 2, (k2 * limit) ** 2
    mean_a, mean_b = _blurred(a, weights), _blurred(b, weights)
    product, squares = mean_a * mean_b * 2, mean_a * mean_a + mean_b * mean_b
    brightness = (product + c1) / (squares + c1)
    joint = _blurred(a * b, weights) * 2 - product + c2
    structure = joint / (_blurred(a * a + b * b, weights) - squares + c2)
    return brightness * structure, structure


def _as_batch(x):
    """[batch, height, width, channels] and the sizes of the axes that became one."""
    sizes = sizes_of(x)
    return reshape(x, [-1, *sizes[-3:]]), sizes[:-3]


@public("image.ssim")
def ssim(
    img1,
    img2,
    max_val,
    filter_size=11,
    filter_sigma=1.5,
    k1=0.01,
    k2=0.03,
    return_index_map=False,
    name=None,
):
    """The structural similarity of images, at most 1: one number for each image of a batch.

    It is the mean over windows of `filter_size` pixels with Gaussian weights. With
    `return_index_map` it is a number for each window.

    >>> image = ag.reshape(ag.range(144.0), [12, 12, 1]) / 144
    >>> ag.image.ssim(image, image, 1.0).numpy()
    np.float32(1.0)

    Raises ShapeError for images smaller than a window.
    """
    a, b, limit = _two_images(img1, img2, max_val, "ssim")
    (a, before), (b, _) = _as_batch(a), _as_batch(b)
    whole, _ = _similarity(a, b, limit, (filter_size, filter_sigma), k1, k2)
    if return_index_map:
        found = reduce_mean(whole, -1)
        return reshape(found, [*before, *sizes_of(found)[1:]])
    return reshape(reduce_mean(whole, [1, 2, 3]), before)


# The weights of the scales, from the finest on (Wang, Simoncelli and Bovik, 2003).
SCALES = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


@public("image.ssim_multiscale")
def ssim_multiscale(
    img1,
    img2,
    max_val,
    power_factors=SCALES,
    filter_size=11,
    filter_sigma=1.5,
    k1=0.01,
    k2=0.03,
    name=None,
):
    """The structural similarity of images at several scales, each half as fine as the one before.

    >>> image = ag.reshape(ag.range(48.0 * 48), [48, 48, 1]) / 48**2
    >>> ag.image.ssim_multiscale(image, image, 1.0, power_factors=(0.5, 0.5)).numpy()
    np.float32(1.0)
    """
    a, b, limit = _two_images(img1, img2, max_val, "ssim_multiscale")
    (a, before), (b, _) = _as_batch(a), _as_batch(b)
    factors = []
    for scale, power in enumerate(power_factors):
        if scale:
            a, b = _halved(a), _halved(b)
        whole, structure = _similarity(a, b, limit, (filter_size, filter_sigma), k1, k2)
        is_last = scale == len(power_factors) - 1
        value = reduce_mean(whole if is_last else structure, [1, 2])
        factors.append(ops.maximum(value, 0.0) ** power)
    return reshape(reduce_mean(reduce_prod(ops.stack(*factors, axis=-1), -1), -1), before)


def _halved(x):
    """Means of four pixels; an odd edge is repeated."""
    odd = [size_along(x, axis) % 2 for axis in (1, 2)]
    x = pad(x, [[0, 0], [0, odd[0]], [0, odd[1]], [0, 0]], "SYMMETRIC")
    return AvgPool(x, ksize=(2, 2), strides=(2, 2), padding="VALID")
