"""Images turned, moved and scaled: each pixel is read where an affine map says."""

from __future__ import annotations

from .... import cast, gather, int32, reshape, shape, where
from .... import range as range_
from ....extend.operations import ops

FILL_MODES = ("constant", "reflect", "wrap", "nearest")
INTERPOLATIONS = ("nearest", "bilinear")


def moved_images(x, to_x, to_y, fill_mode: str, fill_value: float, interpolation: str):
    """A batch of images whose pixel (column, row) is read at other coordinates.

    `to_x` and `to_y` are triples (a, b, c) of vectors with a number for each image: the column that
    is read is `a * column + b * row + c`, the row likewise.

    fill_mode   what is read beyond the border: "constant" the `fill_value`, "nearest" the border,
                "reflect" the image mirrored at its border, "wrap" the image again
    """
    height, width = (cast(one, x.dtype) for one in (shape(x)[1], shape(x)[2]))
    rows = reshape(cast(range_(shape(x)[1]), x.dtype), [1, -1, 1])
    columns = reshape(cast(range_(shape(x)[2]), x.dtype), [1, 1, -1])

    def mapped(coefficients, size):
        a, b, c = (reshape(coefficient, [-1, 1, 1]) for coefficient in coefficients)
        return _inside(a * columns + b * rows + c, size, fill_mode)

    at_x, at_y = mapped(to_x, width), mapped(to_y, height)
    if interpolation == "nearest":
        return _read(x, _nearest(at_y), _nearest(at_x), fill_value)
    left, top = ops.floor(at_x), ops.floor(at_y)
    share_x, share_y = (one[..., None] for one in (at_x - left, at_y - top))
    above = _read(x, top, left, fill_value) * (1 - share_x)
    above = above + _read(x, top, left + 1, fill_value) * share_x
    below = _read(x, top + 1, left, fill_value) * (1 - share_x)
    below = below + _read(x, top + 1, left + 1, fill_value) * share_x
    return above * (1 - share_y) + below * share_y


def _nearest(at):
    """The nearest integer, the one further from 0 of two."""
    return ops.sign(at) * ops.floor(ops.abs(at) + 0.5)


def _inside(at, size, fill_mode: str):
    """Coordinates within an axis, for those beyond its ends."""
    if fill_mode == "constant":
        return at
    last = size - 1
    if fill_mode == "reflect":
        places = (at + 0.5) % (2 * size)
        at = where(places < size, places, 2 * size - places) - 0.5
    elif fill_mode == "wrap":
        steps = ops.maximum(last, 1)
        before = at + size * (ops.floor(-at / steps) + 1)
        after = at - size * ops.floor(at / steps)
        at = where(at < 0, before, where(at > last, after, at))
    return ops.minimum(ops.maximum(at, 0), last)


def _read(x, row, column, fill_value: float):
    """The pixels at whole coordinates; `fill_value` beyond the border."""
    batch, height, width, channels = (shape(x)[axis] for axis in range(4))
    row, column = cast(row, int32), cast(column, int32)
    inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
    number = reshape(range_(batch), [-1, 1, 1])
    position = where(inside, (number * height + row) * width + column, 0)
    pixels = gather(reshape(x, [-1, channels]), position)
    return where(inside[..., None], pixels, cast(fill_value, x.dtype))
