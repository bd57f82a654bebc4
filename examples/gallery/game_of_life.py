"""Conway's game of life as an animation, from a pattern of five cells that grows for long.

python examples/gallery/game_of_life.py [FOLDER [GENERATIONS [SIZE]]]
"""

import sys
import time
from pathlib import Path

import numpy as np

import allograph as ag


@ag.jit
def live(world, frames, every):
    """Runs `every` generations for each of `frames`, which get copies of `world`.

    `world` is bool with shape (rows, columns), whose edges meet; `frames` has shape
    (count, rows, columns).
    """
    rows, columns = world.shape
    new = np.zeros_like(world)
    for frame in range(len(frames)):
        frames[frame] = world
        for _ in range(every):
            for row in range(rows):
                for column in range(columns):
                    count = 0
                    for down in range(-1, 2):
                        for right in range(-1, 2):
                            if down != 0 or right != 0:
                                y, x = (row + down) % rows, (column + right) % columns
                                count += int(world[y, x])
                    new[row, column] = count == 3 or (count == 2 and world[row, column])
            world[:] = new


def main(folder=".", generations="1200", size="120"):
    from PIL import Image

    size = int(size)
    world = np.zeros((size, size), bool)
    r_pentomino = [(0, 1), (0, 2), (1, 0), (1, 1), (2, 1)]
    for row, column in r_pentomino:
        world[size // 2 + row, size // 2 + column] = True
    frames = np.zeros((max(1, int(generations) // 10), size, size), bool)
    begin = time.perf_counter()
    live(world, frames, 10)
    cells = 10 * frames.size
    print(f"{cells:,} cells took {time.perf_counter() - begin:.2f} s; {world.sum()} live")
    path = Path(folder) / "game_of_life.gif"
    pictures = [Image.fromarray(np.kron(~frame, np.ones((3, 3), bool))) for frame in frames]
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=80, loop=0)
    print(f"the animation is in {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
