"""Layers that change images at random, during training."""

from __future__ import annotations

import math

from .... import cast, clip_by_value, ones, random, reduce_mean, reshape, shape, where, zeros
from ....extend.operations import ops
from ...image.arguments import in_batches, size_along
from ..layers.base_layer import layer
from .affine_sampling import FILL_MODES, INTERPOLATIONS, moved_images
from .image_layers import ImageLayer, cut_to_fit, known_size


def interval(factor, name: str) -> tuple[float, float]:
    """The bounds of a random factor: a number `f` means `(-f, f)`."""
    low, high = factor if isinstance(factor, (list, tuple)) else (-abs(factor), abs(factor))
    if low > high:
        raise ValueError(f"{name}: the bounds {factor} of a random factor are in order")
    return float(low), float(high)


class RandomImageLayer(ImageLayer):
    """Base class: `_changed` is applied to batches, during training only."""

    def __init__(self, seed=None, data_format=None, **kwargs):
        super().__init__(data_format, **kwargs)
        self.seed = seed

    def call(self, inputs, training=True):
        x = self._images(inputs)
        return in_batches(self._changed, x, type(self).__name__) if training else x

    def _changed(self, x):
        """A batch of images, changed."""
        raise NotImplementedError

    def _drawn(self, x, bounds: tuple[float, float]):
        """A random number for each image."""
        low, high = bounds
        if low == high:
            return ones([shape(x)[0]], x.dtype) * low
        return random.uniform([shape(x)[0]], low, high, x.dtype, seed=self.seed)


@layer
class RandomFlip(RandomImageLayer):
    """Mirrors each image or not: "horizontal", "vertical", or "horizontal_and_vertical".

    >>> flip = ag.keras.layers.RandomFlip("horizontal")
    >>> flip(ag.ones([2, 4, 4, 3])).shape, bool(ag.reduce_all(flip(ag.ones([4, 4, 3])) == 1.0))
    (TensorShape([2, 4, 4, 3]), True)
    """

    def __init__(self, mode="horizontal_and_vertical", seed=None, **kwargs):
        super().__init__(seed, **kwargs)
        if mode not in ("horizontal", "vertical", "horizontal_and_vertical"):
            raise ValueError(
                f"{self.name}: mode is 'horizontal', 'vertical' or 'horizontal_and_vertical', "
                f"not {mode!r}"
            )
        self.mode = mode

    def _changed(self, x):
        for axis, name in ((2, "horizontal"), (1, "vertical")):
            if name in self.mode:
                flips = reshape(self._drawn(x, (0.0, 1.0)) < 0.5, [-1, 1, 1, 1])
                x = where(flips, ops.reverse(x, axis=[axis]), x)
        return x


@layer
class RandomCrop(RandomImageLayer):
    """A window of each batch at a random place; the middle, resized, outside of training.

    >>> ag.keras.layers.RandomCrop(2, 3)(ag.ones([5, 4, 4, 1])).shape
    TensorShape([5, 2, 3, 1])
    """

    def __init__(self, height, width, seed=None, **kwargs):
        super().__init__(seed, **kwargs)
        self.height, self.width = height, width

    def call(self, inputs, training=True):
        x = self._images(inputs)
        height, width = known_size(x, self.name)
        rooms = height - self.height, width - self.width
        if not training or min(rooms) < 0:
            return cut_to_fit(x, self.height, self.width, self.name)
        top, left = (random.uniform([], 0, one + 1, "int32", seed=self.seed) for one in rooms)
        found = x[..., top : top + self.height, left : left + self.width, :]
        return ops.ensure_shape(found, shape=(*x.dims[:-3], self.height, self.width, x.dims[-1]))


@layer
class RandomContrast(RandomImageLayer):
    """The distance of each pixel from the mean of its channel, times a random factor.

    The factor is between `1 - factor` and `1 + factor`, or `1 - factor[0]` and `1 + factor[1]`;
    results are clipped to `value_range`.

    >>> ag.keras.layers.RandomContrast((0.0, 0.0))([[[1.0], [3.0]]]).numpy().ravel()
    array([1., 3.], dtype=float32)
    """

    def __init__(self, factor, value_range=(0, 255), seed=None, **kwargs):
        super().__init__(seed, **kwargs)
        low, high = factor if isinstance(factor, (list, tuple)) else (factor, factor)
        if low < 0 or high < 0:
            raise ValueError(f"{self.name}: factors of contrast are not negative, as {factor} is")
        self.factor, self.value_range = factor, value_range
        self.bounds = 1.0 - low, 1.0 + high

    def _changed(self, x):
        factor = reshape(self._drawn(x, self.bounds), [-1, 1, 1, 1])
        mean = reduce_mean(x, axis=[1, 2], keepdims=True)
        return clip_by_value((x - mean) * factor + mean, *map(float, self.value_range))


@layer
class RandomBrightness(RandomImageLayer):
    """Adds a random share of the `value_range` to each image, and clips to that range.

    >>> ag.keras.layers.RandomBrightness((0.2, 0.2), (0, 1))([[[0.5], [0.9]]]).numpy().ravel()
    array([0.7, 1. ], dtype=float32)
    """

    def __init__(self, factor, value_range=(0, 255), seed=None, **kwargs):
        super().__init__(seed, **kwargs)
        self.factor, self.value_range = interval(factor, self.name), value_range

    def _changed(self, x):
        low, high = map(float, self.value_range)
        delta = self._drawn(x, self.factor) * (high - low)
        return clip_by_value(x + reshape(delta, [-1, 1, 1, 1]), low, high)


class RandomMove(RandomImageLayer):
    """Base class of layers that read pixels elsewhere; `_map` says where."""

    def __init__(
        self, fill_mode="reflect", interpolation="bilinear", seed=None, fill_value=0.0, **kwargs
    ):
        super().__init__(seed, **kwargs)
        for value, choices in ((fill_mode, FILL_MODES), (interpolation, INTERPOLATIONS)):
            if value not in choices:
                raise ValueError(f"{self.name}: {value!r} is none of {', '.join(choices)}")
        self.fill_mode, self.interpolation = fill_mode, interpolation
        self.fill_value = fill_value

    def _changed(self, x):
        last = (cast(size_along(x, axis) - 1, x.dtype) for axis in (1, 2))
        to_x, to_y = self._map(x, *last)
        return moved_images(x, to_x, to_y, self.fill_mode, self.fill_value, self.interpolation)

    def _map(self, x, bottom, right):
        """The coefficients of the column and of the row that a pixel is read at."""
        raise NotImplementedError


@layer
class RandomRotation(RandomMove):
    """Turns each image by a random part of a circle, between `-factor` and `factor`.

    >>> turn = ag.keras.layers.RandomRotation((0.25, 0.25), interpolation="nearest")
    >>> turn([[[1.0], [2.0]], [[3.0], [4.0]]]).numpy()[..., 0]
    array([[2., 4.],
           [1., 3.]], dtype=float32)
    """

    def __init__(self, factor, fill_mode="reflect", interpolation="bilinear", seed=None,
                 fill_value=0.0, **kwargs):  # fmt: skip
        super().__init__(fill_mode, interpolation, seed, fill_value, **kwargs)
        self.factor = interval(factor, self.name)

    def _map(self, x, bottom, right):
        angle = self._drawn(x, self.factor) * (2 * math.pi)
        cos, sin = ops.cos(angle), ops.sin(angle)
        offset_x = (right - (cos * right - sin * bottom)) / 2
        offset_y = (bottom - (sin * right + cos * bottom)) / 2
        return (cos, ops.negative(sin), offset_x), (sin, cos, offset_y)


@layer
class RandomZoom(RandomMove):
    """Scales each image about its middle: by `1 + factor` pixels for each, so -0.5 doubles it.

    >>> zoom = ag.keras.layers.RandomZoom((-0.5, -0.5), fill_mode="nearest")
    >>> zoom(ag.reshape(ag.range(4.0), [1, 4, 1])).numpy().ravel()
    array([0.75, 1.25, 1.75, 2.25], dtype=float32)
    """

    def __init__(self, height_factor, width_factor=None, fill_mode="reflect",
                 interpolation="bilinear", seed=None, fill_value=0.0, **kwargs):  # fmt: skip
        super().__init__(fill_mode, interpolation, seed, fill_value, **kwargs)
        self.height_factor = interval(height_factor, self.name)
        self.width_factor = None if width_factor is None else interval(width_factor, self.name)

    def _map(self, x, bottom, right):
        tall = 1 + self._drawn(x, self.height_factor)
        wide = tall if self.width_factor is None else 1 + self._drawn(x, self.width_factor)
        nothing = zeros(shape(tall), x.dtype)
        return (wide, nothing, right * (1 - wide) / 2), (nothing, tall, bottom * (1 - tall) / 2)


@layer
class RandomTranslation(RandomMove):
    """Moves each image down and to the right by random parts of its size.

    >>> move = ag.keras.layers.RandomTranslation((0.0, 0.0), (0.25, 0.25), fill_mode="nearest")
    >>> move(ag.reshape(ag.range(4.0), [1, 4, 1])).numpy().ravel()
    array([0., 0., 1., 2.], dtype=float32)
    """

    def __init__(self, height_factor, width_factor, fill_mode="reflect",
                 interpolation="bilinear", seed=None, fill_value=0.0, **kwargs):  # fmt: skip
        super().__init__(fill_mode, interpolation, seed, fill_value, **kwargs)
        self.height_factor = interval(height_factor, self.name)
        self.width_factor = interval(width_factor, self.name)

    def _map(self, x, bottom, right):
        down = self._drawn(x, self.height_factor) * (bottom + 1)
        across = self._drawn(x, self.width_factor) * (right + 1)
        one, nothing = ones(shape(down), x.dtype), zeros(shape(down), x.dtype)
        return (one, nothing, -across), (nothing, one, -down)
