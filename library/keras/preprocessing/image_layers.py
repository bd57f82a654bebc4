"""Layers that bring images to a size."""

from __future__ import annotations

from .... import cast, pad
from ....extend.errors import InvalidArgumentError
from ....extend.specs import show
from ...image.resizing import FILTERS, resize
from ..layers.base_layer import Layer, layer


class ImageLayer(Layer):
    """Base class of layers of images: [height, width, channels], or a batch of them."""

    def __init__(self, data_format=None, **kwargs):
        super().__init__(**kwargs)
        if data_format not in (None, "channels_last"):
            raise ValueError(
                f"{self.name}: the channels of images are their last axis, not {data_format!r}; "
                "use ag.transpose"
            )

    def _images(self, inputs):
        return cast(inputs, self.dtype)


def known_size(x, name: str) -> tuple[int, int]:
    """Height and width. Raises InvalidArgumentError if they are unknown while tracing."""
    if x.dims is None or None in x.dims[-3:-1]:
        raise InvalidArgumentError(
            f"{name}: height and width have to be known, not {show(x.dims)}",
            "State them with ag.ensure_shape(images, [height, width, 3]), or run this outside of "
            "the function.",
        )
    return x.dims[-3], x.dims[-2]


def cut_to_fit(x, height: int, width: int, name: str, interpolation="bilinear"):
    """The largest middle part with the proportions of a size, resized to it."""
    old_height, old_width = known_size(x, name)
    kept_height = max(min(old_height, int(old_width * height / width)), 1)
    kept_width = max(min(old_width, int(old_height * width / height)), 1)
    cut = middle_of(x, kept_height, kept_width)
    return resize(cut, [height, width], interpolation)


def middle_of(x, height: int, width: int):
    """The middle of images."""
    top, left = (x.dims[-3] - height) // 2, (x.dims[-2] - width) // 2
    return x[..., top : top + height, left : left + width, :]


@layer
class Resizing(ImageLayer):
    """Images in another size.

    interpolation         a method of `image.resize`
    crop_to_aspect_ratio  whether to cut what is too high or too wide, instead of distorting
    pad_to_aspect_ratio   whether to add margins of `fill_value` instead

    >>> ag.keras.layers.Resizing(2, 3)(ag.ones([1, 4, 4, 1])).shape
    TensorShape([1, 2, 3, 1])
    """

    def __init__(
        self, height, width, interpolation="bilinear", crop_to_aspect_ratio=False,
        pad_to_aspect_ratio=False, fill_mode="constant", fill_value=0.0, antialias=False,
        data_format=None, **kwargs,
    ):  # fmt: skip
        super().__init__(data_format, **kwargs)
        if crop_to_aspect_ratio and pad_to_aspect_ratio:
            raise ValueError(f"{self.name}: images are cropped or padded, not both")
        if fill_mode != "constant":
            raise ValueError(f"{self.name}: margins are 'constant', not {fill_mode!r}")
        if interpolation not in (*FILTERS, "nearest", "area"):
            raise ValueError(f"{self.name}: {interpolation!r} is no method of image.resize")
        self.height, self.width, self.interpolation = height, width, interpolation
        self.crop_to_aspect_ratio, self.pad_to_aspect_ratio = (
            crop_to_aspect_ratio, pad_to_aspect_ratio,
        )  # fmt: skip
        self.fill_value, self.antialias = fill_value, antialias

    def call(self, inputs):
        x, target = self._images(inputs), [self.height, self.width]
        if self.crop_to_aspect_ratio:
            return cut_to_fit(x, *target, self.name, self.interpolation)
        if self.pad_to_aspect_ratio:
            x = self._with_margins(x)
        resized = resize(x, target, self.interpolation, antialias=self.antialias)
        return cast(resized, self.dtype)

    def _with_margins(self, x):
        height, width = known_size(x, self.name)
        more = (max(int(width * self.height / self.width) - height, 0),
                max(int(height * self.width / self.height) - width, 0))  # fmt: skip
        margins = [[one // 2, one - one // 2] for one in more]
        around = [[0, 0]] * (x.ndim - 3) + margins + [[0, 0]]
        return pad(x, around, constant_values=self.fill_value)


@layer
class CenterCrop(ImageLayer):
    """The middle of images; smaller ones are cut to the proportions, and resized.

    >>> ag.keras.layers.CenterCrop(1, 2)(ag.reshape(ag.range(9.0), [3, 3, 1])).numpy().ravel()
    array([3., 4.], dtype=float32)
    """

    def __init__(self, height, width, data_format=None, **kwargs):
        super().__init__(data_format, **kwargs)
        self.height, self.width = height, width

    def call(self, inputs):
        x = self._images(inputs)
        height, width = known_size(x, self.name)
        if height < self.height or width < self.width:
            return cut_to_fit(x, self.height, self.width, self.name)
        return middle_of(x, self.height, self.width)
