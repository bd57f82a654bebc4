"""Windows of images, and differences between neighbors."""

from __future__ import annotations

import numpy as np

from ... import gather, pad, reduce_sum, reshape, stack, transpose
from ...extend.operations import ops
from ...extend.registration import public
from .arguments import as_image, known_number, size_along, sizes_of


@public("image.extract_patches")
def extract_patches(images, sizes, strides, rates, padding, name=None):
    """The windows of a batch of images: [batch, rows, columns, height * width * channels].

    `sizes`, `strides` and `rates` are [1, vertical, horizontal, 1]: the pixels of a window, the
    distance of windows, and that of the pixels of one. `padding` is "VALID" or "SAME".

    >>> image = ag.reshape(ag.range(6), [1, 2, 3, 1])
    >>> ag.image.extract_patches(image, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1],
    ...                          "VALID").numpy()[0, 0].tolist()
    [[0, 1, 3, 4], [1, 2, 4, 5]]
    """
    if padding.upper() not in ("SAME", "VALID"):
        raise ValueError(f"image.extract_patches: padding is 'SAME' or 'VALID', not {padding!r}")
    x = as_image(images, "extract_patches")
    counts = []
    for space in (1, 2):
        # Each axis becomes two: the windows, and the pixels in one.
        axis = 2 * space - 1
        size, stride, rate = (int(one[space]) for one in (sizes, strides, rates))
        reach = (size - 1) * rate + 1
        if padding.upper() == "SAME":
            x, count = _padded(x, axis, reach, stride)
        else:
            count = (size_along(x, axis) - reach + stride) // stride
        counts.append(count)
        starts = ops.range(0, count, 1) * stride
        x = gather(x, starts[:, None] + np.arange(size, dtype=np.int32) * rate, axis=axis)
    depth = known_number(size_along(x, -1) * int(sizes[1]) * int(sizes[2]))
    windows = transpose(x, [0, 1, 3, 2, 4, 5])
    return reshape(windows, [size_along(x, 0), *counts, depth])


def _padded(x, axis: int, reach: int, stride: int):
    """Zeros around an axis so that each `stride` pixels have a window, and the number of these."""
    size = size_along(x, axis)
    count = (size + stride - 1) // stride
    missing = (count - 1) * stride + reach - size
    missing = max(missing, 0) if isinstance(missing, int) else ops.maximum(missing, 0)
    pairs = [[0, 0]] * len(x.dims)
    pairs[axis] = [missing // 2, missing - missing // 2]
    return pad(x, pairs), count


@public("image.image_gradients")
def image_gradients(image):
    """The differences to the next row and to the next column of a batch of images.

    They are 0 in the last row, and the last column.

    >>> dy, dx = ag.image.image_gradients(ag.reshape(ag.range(4), [1, 2, 2, 1]))
    >>> dy.numpy().ravel().tolist(), dx.numpy().ravel().tolist()
    ([2, 2, 0, 0], [1, 0, 1, 0])

    Raises ValueError if `image` has other than four axes.
    """
    x = as_image(image, "image_gradients")
    if len(x.dims) != 4:
        raise ValueError(
            f"image.image_gradients takes [batch, height, width, channels], not {x.shape}"
        )
    none = [0, 0]
    dy = pad(x[:, 1:] - x[:, :-1], [none, [0, 1], none, none])
    dx = pad(x[:, :, 1:] - x[:, :, :-1], [none, none, [0, 1], none])
    return dy, dx


@public("image.sobel_edges")
def sobel_edges(image):
    """The vertical and the horizontal edges of a batch of images: [..., channels, 2].

    >>> ag.image.sobel_edges(ag.ones([1, 3, 3, 1])).numpy().any()
    np.False_
    """
    x = as_image(image, "sobel_edges")
    _, height, width, _ = sizes_of(x)
    x = pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]], "REFLECT")

    def smooth(y, axis: int, size):
        parts = [_from(y, axis, start, size) for start in range(3)]
        return parts[0] + 2 * parts[1] + parts[2]

    def difference(y, axis: int, size):
        return _from(y, axis, 2, size) - _from(y, axis, 0, size)

    vertical = smooth(difference(x, 1, height), 2, width)
    horizontal = difference(smooth(x, 1, height), 2, width)
    return stack([vertical, horizontal], -1)


def _from(x, axis: int, start: int, size):
    """`size` pixels along an axis, from `start` on."""
    return x[(*[slice(None)] * axis, slice(start, start + size))]


@public("image.total_variation")
def total_variation(images, name=None):
    """The sum of the absolute differences of neighbors: one number for each image of a batch.

    >>> ag.image.total_variation([[[1.0], [3.0], [2.0]]]).numpy()
    np.float32(3.0)
    """
    x = as_image(images, "total_variation")
    rows = ops.abs(x[..., 1:, :, :] - x[..., :-1, :, :])
    columns = ops.abs(x[..., 1:, :] - x[..., :-1, :])
    axes = [-3, -2, -1]
    return reduce_sum(rows, axes) + reduce_sum(columns, axes)
