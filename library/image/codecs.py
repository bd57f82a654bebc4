"""Files of images as tensors, and tensors as files: what Pillow reads and writes."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator

import numpy as np

from ... import as_dtype, cast, convert_to_tensor, int32, random, string, uint8, uint16
from ... import bool as bool_
from ...extend.errors import Error, InvalidArgumentError, UnimplementedError
from ...extend.operations import NUMBERS, SIGNED, STRINGS, Spec, hidden_op
from ...extend.registration import public
from .arguments import as_image
from .colors import convert_image_dtype

MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}
FORMATS = ("PNG", "JPEG", "BMP", "GIF")
STARTS = {b"\x89PNG": "PNG", b"\xff\xd8\xff": "JPEG", b"BM": "BMP", b"GIF8": "GIF"}


def pillow():
    """The module `PIL.Image`. Raises UnimplementedError if Pillow is not installed."""
    try:
        import PIL.Image  # an optional package
    except ImportError:
        raise UnimplementedError(
            "files of images need the package pillow", "pip install 'allograph[image]'"
        ) from None
    return PIL.Image


def _opened(contents: bytes, formats: tuple[str, ...]):
    """The image of a file of one of the formats, without its pixels."""
    images = pillow()
    known = next((name for start, name in STARTS.items() if contents.startswith(start)), None)
    if known not in formats:
        raise InvalidArgumentError(
            f"the string is not a file of {' or '.join(formats)}; it starts with {contents[:4]!r}"
        )
    with reading_image(known):
        image = images.open(io.BytesIO(contents), formats=[known])
        check_pixels(image)
        if known != "GIF":
            image.load()
    return image


def check_pixels(image, frames: int = 1) -> None:
    """Raise InvalidArgumentError for more pixels than Pillow has without a warning: a file of a few
    KB may stand for GB.
    """
    most = pillow().MAX_IMAGE_PIXELS
    if most is not None and frames * image.height * image.width > most:
        count = f"{frames:,} frames of " if frames > 1 else ""
        raise InvalidArgumentError(
            f"the {image.format} file has {count}{image.height:,} by {image.width:,} pixels, more "
            f"than {most:,}",
            "If you trust the file: import PIL.Image; PIL.Image.MAX_IMAGE_PIXELS = None",
        )


@contextlib.contextmanager
def reading_image(what: str) -> Iterator[None]:
    """What Pillow raises for a damaged or too large file becomes an InvalidArgumentError."""
    try:
        yield
    except Error:
        raise
    except (OSError, SyntaxError, ValueError, pillow().DecompressionBombError) as error:
        raise InvalidArgumentError(f"the {what} file cannot be read: {error}") from None
    except Exception as error:  # its decoders expect what a damaged file does not have
        reason = f"{type(error).__name__}: {error}"
        raise InvalidArgumentError(f"the {what} file cannot be read: {reason}") from error


def _pixels(image, channels: int) -> np.ndarray:
    """The pixels of an image [height, width, channels]; the file's own channels for 0."""
    if channels == 0:
        channels = _channels_of(image)
    if image.mode.startswith("I"):  # 16 bits of gray
        if channels != 1:
            raise UnimplementedError("16-bit images have one channel here", "Give channels=1.")
        return np.asarray(image).astype(np.uint16)[..., None]
    mode = MODES[channels]
    array = np.asarray(image if image.mode == mode else image.convert(mode))
    return array.reshape(*array.shape[:2], channels)


def _channels_of(image) -> int:
    if image.mode == "P":
        return 4 if "transparency" in image.info else 3
    if image.mode in ("1", "L", "I", "I;16"):
        return 1
    return {"LA": 2, "RGBA": 4}.get(image.mode, 3)


def _frames(image) -> np.ndarray:
    """The frames of an animation [frames, height, width, 3]."""
    count = getattr(image, "n_frames", 1)
    check_pixels(image, count)
    frames = np.empty((count, image.height, image.width, 3), np.uint8)
    for index in range(count):
        image.seek(index)
        frames[index] = np.asarray(image.convert("RGB"))
    return frames


def _as_dtype(array: np.ndarray, dtype) -> np.ndarray:
    if array.dtype == dtype:
        return array
    if dtype == np.uint16:
        return array.astype(np.uint16) * 257
    if dtype == np.uint8:
        return (array >> 8).astype(np.uint8)
    return (array / np.iinfo(array.dtype).max).astype(dtype)


@hidden_op
class DecodeImage:
    """The pixels of one file; those of an animation have a first axis of frames."""

    accepts = STRINGS

    def kernel(contents, *, channels, type, formats, frames):
        image = _opened(bytes(np.asarray(contents, object).item()), formats)
        with reading_image(image.format):
            is_animation = image.format == "GIF" and frames != "first"
            pixels = _frames(image) if is_animation else _pixels(image, channels)
        return _as_dtype(pixels, as_dtype(type).numpy_dtype)

    def result(contents, *, channels, type, formats, frames):
        depth = channels or None
        if frames == "all":
            return Spec(as_dtype(type), (None, None, None, 3))
        return Spec(as_dtype(type), (None, None, depth) if frames == "first" else None)


def _decoded(contents, channels, dtype, formats, frames="first"):
    if channels not in (None, 0, 1, 3, 4):
        raise ValueError(f"channels is 0, 1, 3 or 4, not {channels}")
    dtype = as_dtype(dtype)
    if dtype not in (uint8, uint16) and not dtype.is_floating:
        raise ValueError(f"pixels are of uint8, uint16 or floats, not {dtype.name}")
    attrs = {"channels": int(channels or 0), "type": dtype.name}
    return DecodeImage(contents, **attrs, formats=formats, frames=frames)


@public("image.decode_png", "io.decode_png")
def decode_png(contents, channels=0, dtype=uint8, name=None):
    """The pixels [height, width, channels] of a PNG file; also of JPEG, BMP, and one GIF frame.

    `channels` is 1, 3 or 4, or 0 for those of the file. Needs the package pillow.

    >>> contents = ag.io.encode_png(np.uint8([[[1], [2]]]))
    >>> ag.io.decode_png(contents).numpy().ravel()
    array([1, 2], dtype=uint8)

    Raises InvalidArgumentError if the string is no such file.
    """
    return _decoded(contents, channels, dtype, FORMATS)


@public("image.decode_jpeg", "io.decode_jpeg")
def decode_jpeg(
    contents,
    channels=0,
    ratio=1,
    fancy_upscaling=True,
    try_recover_truncated=False,
    acceptable_fraction=1,
    dct_method="",
    name=None,
):
    """The pixels [height, width, channels] of a JPEG file, uint8; other formats are read too.

    `ratio` 2, 4 or 8 takes every second, fourth or eighth pixel. Values may differ by a few from
    those of other decoders. Needs the package pillow.

    >>> contents = ag.io.encode_jpeg(ag.zeros([2, 3, 3], ag.uint8))
    >>> ag.io.decode_jpeg(contents).shape
    TensorShape([2, 3, 3])

    Raises InvalidArgumentError if the string is no such file.
    """
    x = _decoded(contents, channels, uint8, FORMATS)
    return x if ratio == 1 else x[::ratio, ::ratio]


@public("image.decode_bmp", "io.decode_bmp")
def decode_bmp(contents, channels=0, name=None):
    """The pixels [height, width, channels] of a BMP file, uint8. Needs the package pillow.

    >>> import io, PIL.Image
    >>> file = io.BytesIO()
    >>> PIL.Image.new("RGB", (3, 2)).save(file, "BMP")
    >>> ag.io.decode_bmp(file.getvalue()).shape
    TensorShape([2, 3, 3])
    """
    return _decoded(contents, channels, uint8, ("BMP",))


@public("image.decode_gif", "io.decode_gif")
def decode_gif(contents, name=None):
    """The frames [frames, height, width, 3] of a GIF file, uint8. Needs the package pillow.

    >>> import io, PIL.Image
    >>> file = io.BytesIO()
    >>> PIL.Image.new("RGB", (3, 2)).save(file, "GIF")
    >>> ag.io.decode_gif(file.getvalue()).shape
    TensorShape([1, 2, 3, 3])
    """
    return _decoded(contents, 3, uint8, ("GIF",), "all")


@public("image.decode_image", "io.decode_image")
def decode_image(contents, channels=None, dtype=uint8, name=None, expand_animations=True):
    """The pixels of a file of PNG, JPEG, BMP or GIF. Needs the package pillow.

    They are [height, width, channels]; those of a GIF file are [frames, height, width, 3], unless
    `expand_animations` is False. While a function is traced, the rank is unknown unless that is
    False. Floats are from 0 to 1.

    >>> contents = ag.io.encode_png(np.uint8([[[255], [0]]]))
    >>> ag.io.decode_image(contents, dtype=ag.float32).numpy().ravel()
    array([1., 0.], dtype=float32)
    """
    dtype = as_dtype(dtype)
    frames = "any" if expand_animations else "first"
    if dtype.is_floating:
        return convert_image_dtype(_decoded(contents, channels, uint8, FORMATS, frames), dtype)
    return _decoded(contents, channels, dtype, FORMATS, frames)


@hidden_op
class EncodeImage:
    """One image [height, width, channels], or each of a batch, as a file."""

    accepts = {"image": NUMBERS}

    def kernel(image, *, format, options):
        rows = image.reshape(-1, *image.shape[-3:])
        result = np.empty(len(rows), object)
        for index, pixels in enumerate(rows):
            result[index] = _file_of(pixels, format, dict(options))
        return result.reshape(image.shape[:-3])

    def result(image, *, format, options):
        return Spec(string, None if image.shape is None else image.shape[:-3])


def _file_of(pixels: np.ndarray, format: str, options: dict) -> bytes:
    images, file = pillow(), io.BytesIO()
    channels = pixels.shape[-1]
    if channels not in MODES or (format == "JPEG" and channels not in (1, 3)):
        raise InvalidArgumentError(f"a {format} file does not have {channels} channels")
    if pixels.dtype == np.uint16 and channels > 1:
        raise UnimplementedError(
            "16-bit images have one channel here", "Convert the image to uint8."
        )
    array = pixels[..., 0] if channels == 1 else pixels
    images.fromarray(np.ascontiguousarray(array)).save(file, format, **options)
    return file.getvalue()


@public("image.encode_png", "io.encode_png")
def encode_png(image, compression=-1, name=None):
    """A PNG file of an image [height, width, channels] of uint8, or gray uint16.

    A batch of images gives one string each. `compression` is from 0, fast, to 9, small. Needs the
    package pillow.

    >>> ag.io.encode_png(ag.zeros([1, 1, 3], ag.uint8)).numpy()[:4]
    b'\\x89PNG'

    Raises ValueError for other data types.
    """
    x = as_image(image, "encode_png")
    if x.dtype not in (uint8, uint16):
        raise ValueError(f"io.encode_png takes uint8 or uint16, not {x.dtype.name}")
    options = () if compression < 0 else (("compress_level", int(compression)),)
    return EncodeImage(x, format="PNG", options=options, name=name)


@public("image.encode_jpeg", "io.encode_jpeg")
def encode_jpeg(
    image,
    format="",
    quality=95,
    progressive=False,
    optimize_size=False,
    chroma_downsampling=True,
    density_unit="in",
    x_density=300,
    y_density=300,
    xmp_metadata="",
    name=None,
):
    """A JPEG file of an image [height, width, 1 or 3] of uint8. Needs the package pillow.

    `quality` is from 0 to 100.

    >>> ag.io.encode_jpeg(ag.zeros([1, 1, 3], ag.uint8)).numpy()[:3]
    b'\\xff\\xd8\\xff'

    Raises ValueError for other data types.
    """
    x = as_image(image, "encode_jpeg")
    if x.dtype is not uint8:
        raise ValueError(f"io.encode_jpeg takes uint8, not {x.dtype.name}")
    options = {
        "quality": int(quality),
        "progressive": bool(progressive),
        "optimize": bool(optimize_size),
        "subsampling": 2 if chroma_downsampling else 0,
        "dpi": (int(x_density), int(y_density)),
    }
    return EncodeImage(x, format="JPEG", options=tuple(options.items()), name=name)


@public("image.adjust_jpeg_quality")
def adjust_jpeg_quality(image, jpeg_quality, name=None):
    """An image as a JPEG file of this quality, from 0 to 100, shows it. Needs the package pillow.

    >>> ag.image.adjust_jpeg_quality(ag.zeros([8, 8, 3]), 50).shape
    TensorShape([8, 8, 3])
    """
    x = as_image(image, "adjust_jpeg_quality")
    bytes_ = convert_image_dtype(x, uint8, saturate=True)
    shown = ThroughJpeg(bytes_, cast(jpeg_quality, int32))
    return convert_image_dtype(shown, x.dtype, saturate=True)


@hidden_op
class ThroughJpeg:
    """An image written as a JPEG file, and read."""

    accepts = {"image": NUMBERS, "quality": SIGNED}
    alike = ()

    def kernel(image, quality):
        contents = _file_of(image, "JPEG", {"quality": int(quality)})
        return _pixels(_opened(contents, ("JPEG",)), image.shape[-1])

    def result(image, quality):
        return Spec(image.dtype, image.shape)


def _qualities(low, high):
    if not 0 <= low < high <= 100:
        raise ValueError(f"qualities are 0 <= min < max <= 100, not {low} and {high}")
    return low, high


@public("image.random_jpeg_quality")
def random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, seed=None):
    """`image.adjust_jpeg_quality` with a quality from the minimum to below the maximum.

    >>> ag.image.random_jpeg_quality(ag.zeros([8, 8, 3]), 50, 90).shape
    TensorShape([8, 8, 3])
    """
    low, high = _qualities(min_jpeg_quality, max_jpeg_quality)
    return adjust_jpeg_quality(image, random.uniform([], low, high, int32, seed))


@public("image.stateless_random_jpeg_quality")
def stateless_random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, seed):
    """`image.random_jpeg_quality` with the same result for the same `seed`, two integers.

    >>> ag.image.stateless_random_jpeg_quality(ag.zeros([8, 8, 3]), 50, 90, [1, 2]).shape
    TensorShape([8, 8, 3])
    """
    low, high = _qualities(min_jpeg_quality, max_jpeg_quality)
    return adjust_jpeg_quality(image, random.stateless_uniform([], seed, low, high, int32))


@hidden_op
class JpegFacts:
    """Whether a string starts as a JPEG file does; or the shape of the image in it."""

    accepts = STRINGS

    def kernel(contents, *, type):
        encoded = bytes(np.asarray(contents, object).item())
        if type == "bool":
            return np.array(encoded.startswith(b"\xff\xd8\xff"))
        image = _opened(encoded, ("JPEG",))
        return np.array([image.height, image.width, _channels_of(image)], type)

    def result(contents, *, type):
        return Spec(as_dtype(type), () if type == "bool" else (3,))


@public("image.is_jpeg", "io.is_jpeg")
def is_jpeg(contents, name=None):
    """Whether a string starts as a JPEG file does.

    >>> ag.io.is_jpeg(b"encoded").numpy()
    np.False_
    """
    return JpegFacts(contents, type=bool_.name, name=name)


@public("image.extract_jpeg_shape", "io.extract_jpeg_shape")
def extract_jpeg_shape(contents, output_type=int32, name=None):
    """The height, the width and the number of channels of a JPEG file.

    >>> ag.io.extract_jpeg_shape(ag.io.encode_jpeg(ag.zeros([2, 4, 3], ag.uint8))).numpy()
    array([2, 4, 3], dtype=int32)
    """
    return JpegFacts(contents, type=as_dtype(output_type).name, name=name)


@public("image.decode_and_crop_jpeg", "io.decode_and_crop_jpeg")
def decode_and_crop_jpeg(contents, crop_window, channels=0, ratio=1, name=None, **options):
    """A part (top, left, height, width) of the image in a JPEG file.

    >>> contents = ag.io.encode_jpeg(ag.zeros([4, 4, 3], ag.uint8))
    >>> ag.io.decode_and_crop_jpeg(contents, [1, 1, 2, 3]).shape
    TensorShape([2, 3, 3])
    """
    top, left, height, width = (
        crop_window if isinstance(crop_window, (list, tuple)) else convert_to_tensor(crop_window)
    )
    x = decode_jpeg(contents, channels, ratio, **options)
    return x[top : top + height, left : left + width]
