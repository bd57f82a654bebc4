"""Images of Pillow: from arrays, to arrays, from files, to files."""

from __future__ import annotations

import os

import numpy as np

from ...extend.registration import public
from ..file_io.untrusted_files import open_regular
from .codecs import check_pixels, pillow, reading_image

# Those that Pillow decodes itself: of others, such as EPS, it lets other programs execute the file.
FORMATS = ("PNG", "JPEG", "BMP", "GIF", "TIFF", "WEBP", "PPM")
MODES = {"grayscale": "L", "rgb": "RGB", "rgba": "RGBA"}


@public("keras.utils.array_to_img", "keras.preprocessing.image.array_to_img")
def array_to_img(x, data_format=None, scale=True, dtype=None):
    """An image of Pillow of an array [height, width, channels] with 1, 3 or 4 channels.

    With `scale` the numbers are moved to the range from 0 to 255.

    >>> ag.keras.utils.array_to_img(np.ones([2, 3, 3])).size
    (3, 2)

    Raises ValueError for other shapes.
    """
    pixels = np.asarray(x, dtype or np.float32)
    if data_format == "channels_first":
        pixels = np.moveaxis(pixels, 0, -1)
    if pixels.ndim != 3 or pixels.shape[-1] not in (1, 3, 4):
        raise ValueError(f"an image is [height, width, 1, 3 or 4], not {pixels.shape}")
    if scale:
        pixels = pixels - pixels.min()
        largest = pixels.max()
        pixels = pixels * (255 / largest) if largest else pixels
    if pixels.shape[-1] == 1:
        pixels = pixels[..., 0]
        if pixels.max(initial=0) > 255:
            return pillow().fromarray(pixels.astype(np.int32))
    return pillow().fromarray(pixels.astype(np.uint8))


@public("keras.utils.img_to_array", "keras.preprocessing.image.img_to_array")
def img_to_array(img, data_format=None, dtype=None):
    """The pixels of an image of Pillow, as floats [height, width, channels].

    >>> image = ag.keras.utils.array_to_img(np.ones([2, 3, 3]), scale=False)
    >>> ag.keras.utils.img_to_array(image).shape
    (2, 3, 3)
    """
    pixels = np.asarray(img, dtype or np.float32)
    if pixels.ndim == 2:
        pixels = pixels[..., None]
    return np.moveaxis(pixels, -1, 0) if data_format == "channels_first" else pixels


@public("keras.utils.load_img", "keras.preprocessing.image.load_img")
def load_img(
    path, color_mode="rgb", target_size=None, interpolation="nearest", keep_aspect_ratio=False
):
    """The image of a file, as one of Pillow, in the size (height, width) if one is given.

    The file is a PNG, JPEG, BMP, GIF, TIFF, WebP or PPM. Raises ValueError for other files, and for
    a `color_mode` other than "grayscale", "rgb" and "rgba".
    """
    if color_mode not in MODES:
        raise ValueError(f"color_mode is one of {', '.join(MODES)}, not {color_mode!r}")
    with open_regular(path) as file, reading_image(repr(os.fspath(path))):
        image = pillow().open(file, formats=FORMATS)
        check_pixels(image)
        image.load()
        image = image.convert(MODES[color_mode])
    if target_size is None:
        return image
    height, width = target_size
    if keep_aspect_ratio:
        image = image.crop(_middle(image.size, (width, height)))
    return image.resize((width, height), getattr(pillow().Resampling, interpolation.upper()))


def _middle(size, wanted) -> tuple[int, int, int, int]:
    """The largest box in the middle with the proportions of `wanted`."""
    width, height = size
    box = min(width, height * wanted[0] // wanted[1]), min(height, width * wanted[1] // wanted[0])
    left, top = (width - box[0]) // 2, (height - box[1]) // 2
    return left, top, left + box[0], top + box[1]


@public("keras.utils.save_img", "keras.preprocessing.image.save_img")
def save_img(path, x, data_format=None, file_format=None, scale=True, **kwargs) -> None:
    """Write an array [height, width, channels] as a file; its name says the format."""
    array_to_img(x, data_format, scale).save(path, format=file_format, **kwargs)
