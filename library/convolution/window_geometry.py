"""Where the windows of convolution and pooling lie: sizes, padding, and views of an array.

Arrays have the shape [batch, *space, channels]; a window has one size, stride and dilation for each
axis of space.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from ...extend.errors import ShapeError
from ...extend.specs import show


class Windows(NamedTuple):
    """Windows over space: along each axis a size, a step, a spread and (before, after) padding."""

    sizes: tuple
    strides: tuple
    dilations: tuple
    counts: tuple
    margins: tuple

    def padded(self, x, value=0):
        """`x` with the margins filled with `value`."""
        if not any(before or after for before, after in self.margins):
            return x
        return np.pad(x, ((0, 0), *self.margins, (0, 0)), constant_values=value)

    def places(self):
        """For each position inside a window, the slices of a padded array that all windows see."""
        for position in itertools.product(*map(range, self.sizes)):
            rows = zip(position, self.strides, self.dilations, self.counts, strict=True)
            yield (
                slice(None),
                *(
                    slice(at * spread, at * spread + step * (count - 1) + 1 if count else 0, step)
                    for at, step, spread, count in rows
                ),
            )

    def view(self, x):
        """All windows of a padded array, without a copy: [batch, *counts, *sizes, channels]."""
        batch, *space, channels = x.strides
        steps = [one * step for one, step in zip(space, self.strides, strict=True)]
        inner = [one * spread for one, spread in zip(space, self.dilations, strict=True)]
        return np.lib.stride_tricks.as_strided(
            x,
            (x.shape[0], *self.counts, *self.sizes, x.shape[-1]),
            (batch, *steps, *inner, channels),
            writeable=False,
        )

    def cropped(self, padded):
        """A padded array without its margins."""
        inside = (
            slice(before, size - after)
            for (before, after), size in zip(self.margins, padded.shape[1:-1], strict=True)
        )
        return padded[(slice(None), *inside)]

    def padded_shape(self, shape) -> tuple:
        """The shape of an array of `shape` after padding."""
        space = (
            size + before + after
            for size, (before, after) in zip(shape[1:-1], self.margins, strict=True)
        )
        return (shape[0], *space, shape[-1])


def windows(space, sizes, strides, padding, dilations=None) -> Windows:
    """The windows over axes of these sizes; ShapeError where an axis is too short for one."""
    dilations = dilations or (1,) * len(strides)
    rows = []
    for axis, (size, window, step, spread) in enumerate(
        zip(space, sizes, strides, dilations, strict=True)
    ):
        margin = padding if isinstance(padding, str) else padding[axis]
        rows.append(_along(size, window, step, spread, margin))
    if any(count is not None and count < 0 for count, _ in rows):
        raise ShapeError(
            f"windows of {show(tuple(sizes))} do not fit into {show(tuple(space))}",
            "Use padding='SAME', or a smaller window.",
        )
    counts, margins = zip(*rows, strict=True) if rows else ((), ())
    return Windows(tuple(sizes), tuple(strides), tuple(dilations), counts, margins)


def _along(size, window, step, spread, margin):
    """Along one axis the number of windows and the padding (before, after); None where unknown."""
    if size is None or window is None:
        known = margin == "SAME" and size is not None
        return (-(-size // step) if known else None), (0, 0)
    reach = (window - 1) * spread + 1
    if margin == "SAME":
        count = -(-size // step)
        total = max((count - 1) * step + reach - size, 0)
        return count, (total // 2, total - total // 2)
    margin = (0, 0) if margin == "VALID" else tuple(margin)
    return (size + sum(margin) - reach + step) // step, margin
