"""Functions of `keras.ops.image`."""

from __future__ import annotations

from .... import cast
from ....extend.operations import ag
from ....extend.registration import expose
from .operations import recorded
from .promotion import as_operand


def image(function):
    """Make a function public in `keras.ops.image`."""
    expose(recorded(function, f"image.{function.__name__}"), f"keras.ops.image.{function.__name__}")
    return function


def _channels_last(function, x, data_format):
    """A function of images [height, width, channels], for images with channels first."""
    if data_format != "channels_first":
        return function(x)
    moved = ag.experimental.numpy.moveaxis(x, -3, -1)
    return ag.experimental.numpy.moveaxis(function(moved), -1, -3)


@image
def resize(
    images, size, interpolation="bilinear", antialias=False, crop_to_aspect_ratio=False,
    pad_to_aspect_ratio=False, fill_mode="constant", fill_value=0.0, data_format=None,
):  # fmt: skip
    """Images [height, width, channels], or a batch, in the `size` (height, width).

    The data type is that of the images. `crop_to_aspect_ratio` cuts what is too long, and
    `pad_to_aspect_ratio` fills with `fill_value`, so that proportions are kept.

    >>> ag.keras.ops.image.resize(ag.ones([4, 4, 1]), (2, 3)).shape
    TensorShape([2, 3, 1])
    """
    x = as_operand(images)

    def resized(x):
        part = x
        if crop_to_aspect_ratio:
            part = _cropped(x, size)
        if pad_to_aspect_ratio:
            part = _filled(x, size, fill_value)
        return ag.image.resize(part, size, interpolation, antialias=antialias)

    found = _channels_last(resized, x, data_format)
    return cast(ag.round(found) if x.dtype.is_integer else found, x.dtype)


def _proportional(x, size) -> tuple[int, int, int, int]:
    height, width = x.dims[-3:-1]
    return height, width, int(width * size[0] / size[1]), int(height * size[1] / size[0])


def _cropped(x, size):
    height, width, tall, wide = _proportional(x, size)
    rows, columns = min(height, tall), min(width, wide)
    return ag.image.crop_to_bounding_box(
        x, (height - rows) // 2, (width - columns) // 2, rows, columns
    )


def _filled(x, size, value):
    height, width, tall, wide = _proportional(x, size)
    rows, columns = max(height, tall), max(width, wide)
    above, left = (rows - height) // 2, (columns - width) // 2
    edges = [[above, rows - height - above], [left, columns - width - left], [0, 0]]
    return ag.pad(x, [[0, 0]] * (x.ndim - 3) + edges, constant_values=value)


def _of_colors(name: str):
    def convert(images, data_format=None):
        x = as_operand(images)
        return _channels_last(getattr(ag.image, name), x, data_format)

    convert.__name__ = name
    convert.__doc__ = f"See `image.{name}`."
    image(convert)


for _name in ("rgb_to_grayscale", "rgb_to_hsv", "hsv_to_rgb"):
    _of_colors(_name)


@image
def crop_images(
    images, top_cropping=None, left_cropping=None, bottom_cropping=None, right_cropping=None,
    target_height=None, target_width=None, data_format=None,
):  # fmt: skip
    """A part of images, by the pixels to cut or by the size to keep."""

    def cut(x):
        height, width = x.dims[-3:-1]
        top, rows = _span(height, top_cropping, bottom_cropping, target_height, -1)
        left, columns = _span(width, left_cropping, right_cropping, target_width, -1)
        return ag.image.crop_to_bounding_box(x, top, left, rows, columns)

    return _channels_last(cut, as_operand(images), data_format)


@image
def pad_images(
    images, top_padding=None, left_padding=None, bottom_padding=None, right_padding=None,
    target_height=None, target_width=None, data_format=None,
):  # fmt: skip
    """Images with zeros around them, by the pixels to add or by the size of the result."""

    def filled(x):
        height, width = x.dims[-3:-1]
        top, rows = _span(height, top_padding, bottom_padding, target_height, 1)
        left, columns = _span(width, left_padding, right_padding, target_width, 1)
        return ag.image.pad_to_bounding_box(x, top, left, rows, columns)

    return _channels_last(filled, as_operand(images), data_format)


def _span(size: int, before, after, target, sign: int) -> tuple[int, int]:
    """What is added (1) or cut (-1) before an axis, and its new size."""
    if before is None and target is not None:
        before = sign * (target - size) - (after or 0)
    before = before or 0
    return before, size + sign * (before + (after or 0)) if target is None else target


@image
def extract_patches(images, size, strides=None, dilation_rate=1, padding="valid", data_format=None):
    """The windows of images, each as a row of numbers."""
    rows, columns = (size, size) if isinstance(size, int) else size
    steps = (rows, columns) if strides is None else strides
    vertical, horizontal = (steps, steps) if isinstance(steps, int) else steps
    x = as_operand(images)
    batch = x if x.ndim == 4 else x[None]

    def windows(x):
        return ag.image.extract_patches(
            x, [1, rows, columns, 1], [1, vertical, horizontal, 1],
            [1, dilation_rate, dilation_rate, 1], padding.upper(),
        )  # fmt: skip

    found = _channels_last(windows, batch, data_format)
    return found if x.ndim == 4 else found[0]


@image
def map_coordinates(inputs, coordinates, order, fill_mode="constant", fill_value=0):
    """The values of an array at coordinates between its elements: of the nearest one (order 0), or
    linear between neighbors (order 1).

    >>> ag.keras.ops.image.map_coordinates([0.0, 10.0], [[0.5, 3.0]], 1).numpy()
    array([5., 0.], dtype=float32)
    """
    if order not in (0, 1):
        raise ValueError("map_coordinates: order is 0 or 1")
    x, places = as_operand(inputs), ag.unstack(as_operand(coordinates))
    if order == 0:
        corners = [[(ag.round(place), None)] for place in places]
    else:
        lows = [ag.floor(place) for place in places]
        corners = [
            [(low, 1 - (place - low)), (low + 1, place - low)]
            for place, low in zip(places, lows, strict=True)
        ]
    return cast(_mixed(x, corners, fill_mode, fill_value), x.dtype)


def _mixed(x, corners, mode, value):
    """The weighted sum over the combinations of the corners of all axes."""
    total = None
    combinations: list[list] = [[]]
    for axis in corners:
        combinations = [[*one, corner] for one in combinations for corner in axis]
    for combination in combinations:
        term = _picked(x, [place for place, _ in combination], mode, value)
        for _, weight in combination:
            term = term if weight is None else cast(term, weight.dtype) * weight
        total = term if total is None else total + term
    return total


def _picked(x, places, mode, value):
    """The elements at whole coordinates, outside of the array by the rule of the mode."""
    inside, found = None, []
    for place, size in zip(places, x.dims, strict=True):
        index = cast(place, "int32")
        here = ag.logical_and(index >= 0, index < size)
        inside = here if inside is None else ag.logical_and(inside, here)
        found.append(_wrapped(index, size, mode))
    picked = ag.gather_nd(x, ag.stack(found, -1))
    return ag.where(inside, picked, as_operand(value, x.dtype)) if mode == "constant" else picked


def _wrapped(index, size: int, mode: str):
    if mode in ("constant", "nearest"):
        return ag.clip_by_value(index, 0, size - 1)
    if mode == "wrap":
        return index % size
    if mode == "mirror":
        period = max(2 * (size - 1), 1)
        place = index % period
        return ag.minimum(place, period - place)
    if mode == "reflect":
        place = index % (2 * size)
        return ag.minimum(place, 2 * size - 1 - place)
    raise ValueError(f"there is no fill_mode {mode!r}")
