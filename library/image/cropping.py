"""Parts of images, and images with a margin."""

from __future__ import annotations

from ... import cast, convert_to_tensor, float32, int32, pad, stack, where
from ...extend.errors import InvalidArgumentError
from ...extend.operations import ops
from ...extend.registration import public
from .arguments import as_image, known_number, size_along


@public("image.crop_to_bounding_box")
def crop_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """The part of images that starts at the offsets and has the target size.

    >>> image = ag.reshape(ag.range(6), [2, 3, 1])
    >>> ag.image.crop_to_bounding_box(image, 0, 1, 2, 2).numpy()[..., 0].tolist()
    [[1, 2], [4, 5]]

    Raises InvalidArgumentError if the part is not inside of the image.
    """
    x = as_image(image, "crop_to_bounding_box")
    for axis, offset, size in (
        (-3, offset_height, target_height),
        (-2, offset_width, target_width),
    ):
        numbers = [known_number(one) for one in (offset, size, size_along(x, axis))]
        if all(isinstance(one, int) for one in numbers) and not (
            0 <= numbers[0] <= numbers[0] + numbers[1] <= numbers[2] and numbers[1] > 0
        ):
            raise InvalidArgumentError(
                f"image.crop_to_bounding_box: {numbers[1]} pixels from {numbers[0]} on are not "
                f"inside of {numbers[2]} pixels"
            )
    return x[
        ...,
        offset_height : offset_height + target_height,
        offset_width : offset_width + target_width,
        :,
    ]


@public("image.pad_to_bounding_box")
def pad_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """Images at the offsets in an image of zeros of the target size.

    >>> ag.image.pad_to_bounding_box(ag.ones([1, 1, 1]), 0, 1, 1, 3).numpy().ravel()
    array([0., 1., 0.], dtype=float32)

    Raises InvalidArgumentError if the image does not fit.
    """
    x = as_image(image, "pad_to_bounding_box")
    pairs = []
    for axis, offset, target in (
        (-3, offset_height, target_height),
        (-2, offset_width, target_width),
    ):
        after = known_number(target - offset - size_along(x, axis))
        if (isinstance(after, int) and after < 0) or (isinstance(offset, int) and offset < 0):
            raise InvalidArgumentError(
                f"image.pad_to_bounding_box: {size_along(x, axis)} pixels at the offset {offset} "
                f"do not fit into {target}"
            )
        pairs.append([offset, after])
    return pad(x, [[0, 0]] * (len(x.dims) - 3) + pairs + [[0, 0]])


@public("image.central_crop")
def central_crop(image, central_fraction):
    """The middle of images: this fraction of their height and width.

    >>> ag.image.central_crop(ag.ones([4, 8, 3]), 0.5).shape
    TensorShape([2, 4, 3])

    Raises ValueError for a fraction that is not in (0, 1].
    """
    fraction = _known_fraction(central_fraction)
    x = as_image(image, "central_crop")
    offsets = [_margin(size_along(x, axis), fraction) for axis in (-3, -2)]
    (top, height), (left, width) = offsets
    return x[..., top : top + height, left : left + width, :]


def _known_fraction(value) -> float:
    """A fraction in (0, 1]. Raises ValueError for other numbers."""
    fraction = float(value)
    if not 0 < fraction <= 1:
        raise ValueError(f"image.central_crop: central_fraction is in (0, 1], not {fraction}")
    return fraction


def _margin(size, fraction: float):
    """Where the middle starts, and its size."""
    if isinstance(size, int):
        start = int((size - size * fraction) / 2)
    else:
        whole = cast(size, "float64")
        start = cast((whole - whole * fraction) / 2, int32)
    return start, size - start * 2


@public("image.resize_with_crop_or_pad")
def resize_with_crop_or_pad(image, target_height, target_width):
    """The middle of images, or images with zeros around them, in the target size.

    >>> ag.image.resize_with_crop_or_pad(ag.ones([1, 3, 1]), 2, 1).numpy()[..., 0].tolist()
    [[1.0], [0.0]]
    """
    x = as_image(image, "resize_with_crop_or_pad")
    for axis, target in ((-3, target_height), (-2, target_width)):
        size = size_along(x, axis)
        more = known_number(target - size)
        if isinstance(more, int):
            cut, before = max(-more // 2, 0), max(more // 2, 0)
            kept = min(size, target)
        else:
            cut, before = ops.maximum(-more // 2, 0), ops.maximum(more // 2, 0)
            kept = ops.minimum(size, target)
        key = slice(cut, cut + kept), *[slice(None)] * (-axis - 1)
        pairs = [[0, 0]] * len(x.dims)
        pairs[axis] = [before, target - kept - before]
        x = pad(x[(..., *key)], pairs)
    return x


@public("image.crop_and_resize")
def crop_and_resize(
    image, boxes, box_indices, crop_size, method="bilinear", extrapolation_value=0.0, name=None
):
    """Parts of a batch of images, each in the size `crop_size` (height, width), as float32.

    `boxes` [n, 4] are the edges (y1, x1, y2, x2), where 0 and 1 are the first and the last pixel;
    box i is of the image `box_indices[i]`. Pixels outside of the image are `extrapolation_value`.
    `method` is "bilinear" or "nearest".

    >>> image = ag.reshape(ag.range(4.0), [1, 2, 2, 1])
    >>> ag.image.crop_and_resize(image, [[0.0, 0.0, 1.0, 1.0]], [0], [1, 3]).numpy().ravel()
    array([1. , 1.5, 2. ], dtype=float32)
    """
    if method not in ("bilinear", "nearest"):
        raise ValueError(f"image.crop_and_resize: method {method!r}; bilinear and nearest exist")
    x = cast(as_image(image, "crop_and_resize"), float32)
    boxes = cast(convert_to_tensor(boxes), float32)
    images = cast(convert_to_tensor(box_indices), int32)
    new = [known_number(size) for size in crop_size]
    ys = _sample_places(boxes[:, 0], boxes[:, 2], new[0], size_along(x, 1))
    xs = _sample_places(boxes[:, 1], boxes[:, 3], new[1], size_along(x, 2))
    result = _sampled(x, images, ys, xs, method == "nearest")
    outside = _outside(ys, size_along(x, 1))[:, :, None] | _outside(xs, size_along(x, 2))[:, None]
    return where(outside[..., None], cast(extrapolation_value, float32), result)


def _sample_places(start, end, count, size):
    """Where the pixels of each crop are along an axis of the image: [n, count]."""
    last = cast(size, float32) - 1
    if isinstance(count, int) and count == 1:
        return ((start + end) * 0.5 * last)[:, None]
    step = (end - start) * last / (cast(count, float32) - 1)
    return (start * last)[:, None] + step[:, None] * cast(ops.range(0, count, 1), float32)


def _outside(places, size):
    return (places < 0) | (places > cast(size, float32) - 1)


def _sampled(x, images, ys, xs, nearest: bool):
    """The pixels of images at places [n, height] and [n, width], between their neighbors."""
    rows, columns = ys[:, :, None] + 0 * xs[:, None], 0 * ys[:, :, None] + xs[:, None]
    batch = images[:, None, None] + cast(0 * rows, int32)
    bounds = [cast(size_along(x, axis), float32) - 1 for axis in (1, 2)]

    def at(row, column):
        clipped = [
            cast(ops.maximum(ops.minimum(place, bound), 0.0), int32)
            for place, bound in zip((row, column), bounds, strict=True)
        ]
        return ops.gather_nd(x, stack([batch, *clipped], -1))

    if nearest:
        return at(ops.floor(rows + 0.5), ops.floor(columns + 0.5))
    top, left = ops.floor(rows), ops.floor(columns)
    down, right = (rows - top)[..., None], (columns - left)[..., None]
    above = at(top, left) * (1 - right) + at(top, left + 1) * right
    below = at(top + 1, left) * (1 - right) + at(top + 1, left + 1) * right
    return above * (1 - down) + below * down
