"""A zoom into the Mandelbrot set, a picture for each step, as an animation.

    python examples/gallery/mandelbrot_zoom.py [FOLDER [FRAMES [WIDTH]]]

Smooth colors: how far outside of the circle an orbit ends counts as a part of an iteration.
"""

import sys
import time
from pathlib import Path

import numpy as np

import allograph as ag

CENTER = -0.743643887, 0.131825904  # between two bulbs, where spirals are inside of spirals


@ag.jit
def draw(picture, x, y, width, limit):
    """Fills `picture` (rows, columns) with how soon the orbits around (x, y) leave; 0 is never."""
    rows, columns = picture.shape
    for row in range(rows):
        for column in range(columns):
            real = x + width * (column / columns - 0.5)
            imaginary = y + width * (row - 0.5 * rows) / columns
            a = b = a2 = b2 = 0.0
            count = 0
            while a2 + b2 < 1e4 and count < limit:
                b = 2.0 * a * b + imaginary
                a = a2 - b2 + real
                a2 = a * a
                b2 = b * b
                count += 1
            value = 0.0
            if count < limit:
                value = count + 1.0 - np.log2(0.5 * np.log(a2 + b2))
            picture[row, column] = value


def main(folder=".", frames="40", width="200"):
    import matplotlib
    from PIL import Image

    frames, columns = int(frames), int(width)
    colors = matplotlib.colormaps["twilight_shifted"]
    picture = np.zeros((columns * 3 // 4, columns))
    begin, seconds, shown = time.perf_counter(), 0.0, []
    for frame in range(frames):
        start = time.perf_counter()
        draw(picture, *CENTER, 3.0 * 0.8**frame, 150 + 15 * frame)
        seconds += time.perf_counter() - start
        shades = colors((picture * 0.02) % 1.0)[:, :, :3] * (picture > 0)[:, :, None]
        image = Image.fromarray((255 * shades).astype(np.uint8))
        shown.append(image.quantize(32))
    print(f"{frames * picture.size:,} orbits took {seconds:.2f} s", end=", ")
    print(f"the pictures {time.perf_counter() - begin - seconds:.2f} s")
    path = Path(folder) / "mandelbrot_zoom.gif"
    shown[0].save(path, save_all=True, append_images=shown[1:], duration=90, loop=0)
    print(f"the animation is in {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
