"""Arrays as small pictures: a curve for one axis, a heat map for two."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np

from ...extend.specs import is_complex
from .html_elements import Html, element

MOST_POINTS = 300  # of a curve
MOST_CELLS = 128  # of a heat map, along each axis
WIDTH, HEIGHT = 300, 48  # pixels of a curve
WIDTH_OF_NUMBERS = 70  # beside it: the highest and the lowest
MOST_PIXELS = 256  # of the longer side of a heat map
MOST_PIXELS_OF_A_CELL = 16
# From the lowest to the highest value, and for what is not finite. Lightness grows evenly, so the
# map is readable in gray and by those who do not tell red from green.
RAMP = np.array([(0, 32, 77), (87, 93, 109), (166, 157, 117), (255, 234, 70)], float)
NOT_FINITE = (200, 30, 60)


def picture(array: np.ndarray) -> Html | None:
    """The picture of an array of numbers; None if it has none, as for one number or strings."""
    numbers = _numbers(array)
    if numbers is None or numbers.size < 2:
        return None
    while numbers.ndim > 2:  # the first matrix stands for all
        numbers = numbers[0]
    if 1 in numbers.shape:
        numbers = numbers.reshape(-1)
    return curve(numbers) if numbers.ndim == 1 else heat_map(numbers)


def _numbers(array: np.ndarray) -> np.ndarray | None:
    """The numbers to draw, in float64; the moduli of complex ones."""
    if is_complex(array.dtype):
        return np.abs(array).astype(np.float64)
    try:
        return array.astype(np.float64) if array.dtype.kind not in "OSUM" else None
    except (TypeError, ValueError):
        return None


def curve(numbers: np.ndarray) -> Html:
    """An SVG of numbers along one axis. Gaps are numbers that are not finite."""
    shown = numbers[:: -(-len(numbers) // MOST_POINTS)]
    low, high = _range(shown)
    x = np.linspace(2, WIDTH - 2, len(shown))
    y = HEIGHT - 4 - (HEIGHT - 8) * (shown - low) / ((high - low) or 1.0)
    path, is_drawing = [], False
    for at, height in zip(x, y, strict=True):
        if not np.isfinite(height):
            is_drawing = False
            continue
        path.append(f"{'L' if is_drawing else 'M'}{at:.1f} {height:.1f}")
        is_drawing = True
    line = element(
        "path", d=" ".join(path), fill="none", stroke="currentColor", **{"stroke-width": "1.5"}
    )
    axes = element(
        "path",
        d=f"M2 2V{HEIGHT - 2}H{WIDTH - 2}",
        fill="none",
        stroke="currentColor",
        **{"stroke-opacity": "0.4"},
    )
    style = {"x": WIDTH + 2, "fill": "currentColor", "font-size": 11}
    ends = (
        element("text", f"{high:.4g}", y=12, **style),
        element("text", f"{low:.4g}", y=HEIGHT - 4, **style),
    )
    label = f"curve of {len(numbers):,} numbers from {low:.4g} to {high:.4g}"
    width = WIDTH + WIDTH_OF_NUMBERS
    size = {"width": width, "height": HEIGHT, "viewBox": f"0 0 {width} {HEIGHT}"}
    return element("svg", element("title", label), axes, line, *ends, role="img", **size)


def heat_map(numbers: np.ndarray) -> Html:
    """An image of a matrix, its first row above."""
    rows, columns = (-(-size // MOST_CELLS) for size in numbers.shape)
    shown = numbers[::rows, ::columns]
    low, high = _range(shown)
    with np.errstate(invalid="ignore"):
        level = np.nan_to_num((shown - low) / ((high - low) or 1.0)) * (len(RAMP) - 1)
    below = np.clip(level.astype(int), 0, len(RAMP) - 2)
    part = np.clip(level - below, 0.0, 1.0)[..., np.newaxis]
    pixels = (RAMP[below] * (1 - part) + RAMP[below + 1] * part).round().astype(np.uint8)
    pixels[~np.isfinite(shown)] = NOT_FINITE
    label = f"heat map of {numbers.shape[0]:,} x {numbers.shape[1]:,} numbers"
    label += f" from {low:.4g} to {high:.4g}"
    scale = min(MOST_PIXELS_OF_A_CELL, max(1, MOST_PIXELS // max(shown.shape)))
    image = element(
        "img",
        src="data:image/png;base64," + base64.b64encode(png(pixels)).decode("ascii"),
        alt=label,
        title=label,
        width=shown.shape[1] * scale,
        height=shown.shape[0] * scale,
        style="image-rendering: pixelated",
    )
    return Html(image + scale_of(low, high))


def scale_of(low: float, high: float) -> Html:
    """The colors of a heat map, between the lowest and the highest number."""
    colors = ", ".join(f"rgb({r:.0f},{g:.0f},{b:.0f})" for r, g, b in RAMP)
    shade = f"linear-gradient(90deg, {colors})"
    bar = f"display: inline-block; width: 8em; height: .7em; background: {shade}"
    return element("div", f"{low:.4g} ", element("span", style=bar), f" {high:.4g}")


def _range(numbers: np.ndarray) -> tuple[float, float]:
    """The lowest and the highest finite number; 0 and 0 if there is none."""
    finite = numbers[np.isfinite(numbers)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)


def png(pixels: np.ndarray) -> bytes:
    """A PNG file of pixels: uint8 with shape (rows, columns, 3)."""
    rows, columns, _ = pixels.shape
    lines = np.concatenate([np.zeros((rows, 1), np.uint8), pixels.reshape(rows, -1)], axis=1)
    head = struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(lines.tobytes())), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )
