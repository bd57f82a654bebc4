"""Colors: data types of images, color spaces, brightness, contrast, hue and saturation."""

from __future__ import annotations

import numpy as np

from ... import (
    as_dtype,
    cast,
    clip_by_value,
    convert_to_tensor,
    float32,
    math,
    matmul,
    random,
    reduce_max,
    reduce_mean,
    reduce_min,
    saturate_cast,
    stack,
    where,
)
from ...extend.operations import ops
from ...extend.registration import public
from .arguments import as_image, sizes_of


@public("image.convert_image_dtype")
def convert_image_dtype(image, dtype, saturate=False, name=None):
    """Images in another data type, scaled: floats are from 0 to 1, integers up to their maximum.

    With `saturate`, values beyond the range of the new type become its limits.

    >>> ag.image.convert_image_dtype(np.uint8([0, 255]), ag.float32).numpy()
    array([0., 1.], dtype=float32)
    """
    x, dtype = convert_to_tensor(image), as_dtype(dtype)
    convert = saturate_cast if saturate else cast
    if x.dtype is dtype:
        return x
    if x.dtype.is_integer and dtype.is_integer:
        if x.dtype.max > dtype.max:
            return convert(x // ((x.dtype.max + 1) // (dtype.max + 1)), dtype)
        return convert(x, dtype) * ((dtype.max + 1) // (x.dtype.max + 1))
    if x.dtype.is_floating and dtype.is_floating:
        return cast(x, dtype)
    if x.dtype.is_integer:
        return cast(x, dtype) * (1.0 / x.dtype.max)
    return convert(x * (dtype.max + 0.5), dtype)


def as_floats(x):
    """An image as floats from 0 to 1, and the function that gives it its data type back."""
    floats = x if x.dtype.is_floating and x.dtype.size < 8 else convert_image_dtype(x, float32)
    return floats, lambda y: convert_image_dtype(y, x.dtype, saturate=True)


_YIQ = [
    [0.299, 0.59590059, 0.2115],
    [0.587, -0.27455667, -0.52273617],
    [0.114, -0.32134392, 0.31119955],
]
_YUV = [
    [0.299, -0.14714119, 0.61497538],
    [0.587, -0.28886916, -0.51496512],
    [0.114, 0.43601035, -0.10001026],
]

_FROM_YIQ = [
    [1, 1, 1],
    [0.95598634, -0.27201283, -1.10674021],
    [0.6208248, -0.64720424, 1.70423049],
]
_FROM_YUV = [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]]


def _pixels_times(images, table):
    x = convert_to_tensor(images)
    return matmul(x, cast(np.asarray(table), x.dtype))


@public("image.rgb_to_yiq")
def rgb_to_yiq(images):
    """Images of red, green and blue floats [..., 3] as luma and the two chroma values of NTSC.

    >>> ag.image.rgb_to_yiq([[[1.0, 1.0, 1.0]]]).numpy().ravel()[0].round(3)
    np.float32(1.0)
    """
    return _pixels_times(images, _YIQ)


@public("image.yiq_to_rgb")
def yiq_to_rgb(images):
    """What `image.rgb_to_yiq` made, as red, green and blue.

    >>> ag.image.yiq_to_rgb([[[0.5, 0.0, 0.0]]]).numpy().round(3).ravel().tolist()
    [0.5, 0.5, 0.5]
    """
    return _pixels_times(images, _FROM_YIQ)


@public("image.rgb_to_yuv")
def rgb_to_yuv(images):
    """Images of red, green and blue floats [..., 3] as luma and the two chroma values of PAL.

    >>> ag.image.rgb_to_yuv([[[1.0, 1.0, 1.0]]]).numpy().round(3).ravel()[0].item()
    1.0
    """
    return _pixels_times(images, _YUV)


@public("image.yuv_to_rgb")
def yuv_to_rgb(images):
    """What `image.rgb_to_yuv` made, as red, green and blue.

    >>> ag.image.yuv_to_rgb([[[0.5, 0.0, 0.0]]]).numpy().round(3).ravel().tolist()
    [0.5, 0.5, 0.5]
    """
    return _pixels_times(images, _FROM_YUV)


@public("image.rgb_to_grayscale")
def rgb_to_grayscale(images, name=None):
    """Images [..., 3] of red, green and blue as images [..., 1] of their brightness.

    >>> ag.image.rgb_to_grayscale(np.uint8([[[10, 10, 10]]])).numpy().ravel()
    array([10], dtype=uint8)
    """
    x = convert_to_tensor(images)
    floats = convert_image_dtype(x, x.dtype if x.dtype.is_floating else float32)
    gray = _pixels_times(floats, [[0.2989], [0.5870], [0.1140]])
    return convert_image_dtype(gray, x.dtype)


@public("image.grayscale_to_rgb")
def grayscale_to_rgb(images, name=None):
    """Images [..., 1] as images [..., 3] of three equal channels.

    >>> ag.image.grayscale_to_rgb([[[7]]]).numpy().ravel()
    array([7, 7, 7], dtype=int32)
    """
    x = as_image(images, "grayscale_to_rgb")
    return ops.repeat(x, 3, axis=len(x.dims) - 1)


@public("image.rgb_to_hsv")
def rgb_to_hsv(images, name=None):
    """Images of red, green and blue floats from 0 to 1 as hue, saturation and value.

    >>> ag.image.rgb_to_hsv([[[0.5, 0.0, 0.0]]]).numpy().ravel()
    array([0. , 1. , 0.5], dtype=float32)
    """
    x = convert_to_tensor(images)
    red, green, blue = x[..., 0], x[..., 1], x[..., 2]
    value, low = reduce_max(x, -1), reduce_min(x, -1)
    spread = value - low
    saturation = where(value > 0, spread / where(value > 0, value, 1.0), 0.0)
    sixth = 1 / (6 * where(spread > 0, spread, 1.0))
    hue = where(
        ops.equal(red, value),
        sixth * (green - blue),
        where(
            ops.equal(green, value),
            sixth * (blue - red) + 2 / 6,
            sixth * (red - green) + 4 / 6,
        ),
    )
    hue = where(spread > 0, hue, 0.0)
    return stack([where(hue < 0, hue + 1, hue), saturation, value], -1)


@public("image.hsv_to_rgb")
def hsv_to_rgb(images, name=None):
    """Images of hue, saturation and value from 0 to 1 as red, green and blue.

    >>> ag.image.hsv_to_rgb([[[0.0, 1.0, 0.5]]]).numpy().ravel()
    array([0.5, 0. , 0. ], dtype=float32)
    """
    x = convert_to_tensor(images)
    hue, saturation, value = x[..., 0] * 6, x[..., 1], x[..., 2]
    parts = (ops.abs(hue - 3) - 1, 2 - ops.abs(hue - 2), 2 - ops.abs(hue - 4))
    return stack(
        [((1 - saturation) + saturation * clip_by_value(part, 0.0, 1.0)) * value for part in parts],
        -1,
    )


# ---- adjustments -----------------------------------------------------------------------------


@public("image.adjust_brightness")
def adjust_brightness(image, delta):
    """Images with `delta` added to each value; the values of integers are counted from 0 to 1.

    >>> ag.image.adjust_brightness(np.uint8([[[100]]]), 0.1).numpy().ravel()
    array([125], dtype=uint8)
    """
    floats, back = as_floats(convert_to_tensor(image))
    return back(floats + cast(delta, floats.dtype))


@public("image.adjust_contrast")
def adjust_contrast(images, contrast_factor):
    """Images whose differences from the mean of their channel are multiplied by a factor.

    >>> ag.image.adjust_contrast([[[1.0], [3.0]]], 2.0).numpy().ravel()
    array([0., 4.], dtype=float32)
    """
    floats, back = as_floats(as_image(images, "adjust_contrast"))
    mean = reduce_mean(floats, [-3, -2], keepdims=True)
    return back((floats - mean) * cast(contrast_factor, floats.dtype) + mean)


@public("image.adjust_gamma")
def adjust_gamma(image, gamma=1, gain=1):
    """Images whose values are `gain * value ** gamma`.

    >>> ag.image.adjust_gamma([[[0.5]]], 2).numpy().ravel()
    array([0.25], dtype=float32)

    Raises ValueError for a negative `gamma`.
    """
    if isinstance(gamma, (int, float)) and gamma < 0:
        raise ValueError(f"image.adjust_gamma: gamma is not negative; it is {gamma}")
    floats, back = as_floats(convert_to_tensor(image))
    return back(cast(gain, floats.dtype) * floats ** cast(gamma, floats.dtype))


@public("image.adjust_hue")
def adjust_hue(image, delta, name=None):
    """Images [..., 3] of red, green and blue whose hue is turned by `delta`, from -1 to 1.

    >>> ag.image.adjust_hue([[[1.0, 0.0, 0.0]]], 1 / 3).numpy().round(3).ravel().tolist()
    [0.0, 1.0, 0.0]
    """
    floats, back = as_floats(as_image(image, "adjust_hue"))
    hsv = rgb_to_hsv(floats)
    hue = (hsv[..., 0] + cast(delta, floats.dtype)) % 1.0
    return back(hsv_to_rgb(stack([hue, hsv[..., 1], hsv[..., 2]], -1)))


@public("image.adjust_saturation")
def adjust_saturation(image, saturation_factor, name=None):
    """Images [..., 3] of red, green and blue whose saturation is multiplied by a factor.

    >>> ag.image.adjust_saturation([[[1.0, 0.5, 0.5]]], 2.0).numpy().ravel()
    array([1., 0., 0.], dtype=float32)
    """
    floats, back = as_floats(as_image(image, "adjust_saturation"))
    hsv = rgb_to_hsv(floats)
    factor = cast(saturation_factor, floats.dtype)
    saturation = clip_by_value(hsv[..., 1] * factor, 0.0, 1.0)
    return back(hsv_to_rgb(stack([hsv[..., 0], saturation, hsv[..., 2]], -1)))


@public("image.per_image_standardization")
def per_image_standardization(image):
    """Images scaled to the mean 0 and the variance 1, as floats.

    >>> ag.image.per_image_standardization([[[1.0], [3.0]]]).numpy().ravel()
    array([-1.,  1.], dtype=float32)

    The divisor is at least the inverse of the root of the number of values, so an image of equal
    values becomes zeros.
    """
    x = as_image(image, "per_image_standardization")
    x = x if x.dtype.is_floating and x.dtype.size < 8 else cast(x, float32)
    axes = [-3, -2, -1]
    height, width, channels = sizes_of(x)[-3:]
    count = cast(height * width * channels, x.dtype)
    deviation = ops.maximum(math.reduce_std(x, axes, keepdims=True), ops.rsqrt(count))
    return (x - reduce_mean(x, axes, keepdims=True)) / deviation


# ---- adjustments at random -------------------------------------------------------------------


def _limit(value, name: str):
    if isinstance(value, (int, float)) and value < 0:
        raise ValueError(f"{name} is not negative; it is {value}")
    return value


def _interval(lower, upper, caller: str):
    if not 0 <= lower < upper:
        raise ValueError(f"image.{caller}: 0 <= lower < upper does not hold: {lower} and {upper}")
    return lower, upper


@public("image.random_brightness")
def random_brightness(image, max_delta, seed=None):
    """`image.adjust_brightness` with a delta from `-max_delta` to `max_delta`.

    >>> ag.image.random_brightness(ag.zeros([2, 2, 3]), 0.2).shape
    TensorShape([2, 2, 3])
    """
    limit = _limit(max_delta, "max_delta")
    return adjust_brightness(image, random.uniform([], -limit, limit, seed=seed))


@public("image.stateless_random_brightness")
def stateless_random_brightness(image, max_delta, seed):
    """`image.random_brightness` with the same result for the same `seed`, two integers.

    >>> ag.image.stateless_random_brightness(ag.zeros([2, 2, 3]), 0.2, [1, 2]).shape
    TensorShape([2, 2, 3])
    """
    limit = _limit(max_delta, "max_delta")
    return adjust_brightness(image, random.stateless_uniform([], seed, -limit, limit))


@public("image.random_contrast")
def random_contrast(image, lower, upper, seed=None):
    """`image.adjust_contrast` with a factor from `lower` to `upper`.

    >>> ag.image.random_contrast(ag.ones([2, 2, 3]), 0.5, 2.0).shape
    TensorShape([2, 2, 3])
    """
    low, high = _interval(lower, upper, "random_contrast")
    return adjust_contrast(image, random.uniform([], low, high, seed=seed))


@public("image.stateless_random_contrast")
def stateless_random_contrast(image, lower, upper, seed):
    """`image.random_contrast` with the same result for the same `seed`, two integers.

    >>> ag.image.stateless_random_contrast(ag.ones([2, 2, 3]), 0.5, 2.0, [1, 2]).shape
    TensorShape([2, 2, 3])
    """
    low, high = _interval(lower, upper, "stateless_random_contrast")
    return adjust_contrast(image, random.stateless_uniform([], seed, low, high))


@public("image.random_hue")
def random_hue(image, max_delta, seed=None):
    """`image.adjust_hue` with a delta from `-max_delta` to `max_delta`.

    >>> ag.image.random_hue(ag.ones([2, 2, 3]), 0.2).shape
    TensorShape([2, 2, 3])
    """
    limit = _limit(max_delta, "max_delta")
    return adjust_hue(image, random.uniform([], -limit, limit, seed=seed))


@public("image.stateless_random_hue")
def stateless_random_hue(image, max_delta, seed):
    """`image.random_hue` with the same result for the same `seed`, two integers.

    >>> ag.image.stateless_random_hue(ag.ones([2, 2, 3]), 0.2, [1, 2]).shape
    TensorShape([2, 2, 3])
    """
    limit = _limit(max_delta, "max_delta")
    return adjust_hue(image, random.stateless_uniform([], seed, -limit, limit))


@public("image.random_saturation")
def random_saturation(image, lower, upper, seed=None):
    """`image.adjust_saturation` with a factor from `lower` to `upper`.

    >>> ag.image.random_saturation(ag.ones([2, 2, 3]), 0.5, 2.0).shape
    TensorShape([2, 2, 3])
    """
    low, high = _interval(lower, upper, "random_saturation")
    return adjust_saturation(image, random.uniform([], low, high, seed=seed))


@public("image.stateless_random_saturation")
def stateless_random_saturation(image, lower, upper, seed=None):
    """`image.random_saturation` with the same result for the same `seed`, two integers.

    >>> ag.image.stateless_random_saturation(ag.ones([2, 2, 3]), 0.5, 2.0, [1, 2]).shape
    TensorShape([2, 2, 3])
    """
    low, high = _interval(lower, upper, "stateless_random_saturation")
    return adjust_saturation(image, random.stateless_uniform([], seed, low, high))
