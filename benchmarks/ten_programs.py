"""Ten programs of science, as they are written in Python, and what each engine makes of them.

    python benchmarks/ten_programs.py [NAME ...] [--document docs/ten_programs.md] [--plot PATH.svg]

Each program has a form in Python with loops, and one in NumPy with array expressions where there is
one. `ag.jit` and `numba.njit` get the form with loops, unchanged. Times are the least of five calls
on one thread, of that thread alone: other programs on the machine hardly change them.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from color_schemes import follow_color_scheme
from harness import duration


class Program(NamedTuple):
    """A function with loops, its arguments, and a function of array expressions for the same."""

    title: str
    loops: Callable
    arguments: Callable[[np.random.Generator], tuple]
    arrays: Callable | None = None


PROGRAMS: dict[str, Program] = {}


def program(title: str, arguments, arrays=None):
    """Add a function to the programs."""

    def added(function):
        PROGRAMS[function.__name__] = Program(title, function, arguments, arrays)
        return function

    return added


@program(
    "Ising model",
    lambda r: (np.where(r.random((64, 64)) < 0.5, 1, -1), r.random((40, 64, 64)), 0.44),
)
def ising(spins, chances, coupling):
    """Metropolis sweeps over a lattice; the magnetization after each."""
    sweeps, rows, columns = chances.shape
    magnetization = np.zeros(sweeps)
    for sweep in range(sweeps):
        for i in range(rows):
            for j in range(columns):
                around = (
                    spins[(i + 1) % rows, j] + spins[(i - 1) % rows, j]
                    + spins[i, (j + 1) % columns] + spins[i, (j - 1) % columns]
                )  # fmt: skip
                cost = 2.0 * coupling * spins[i, j] * around
                if cost <= 0 or chances[sweep, i, j] < math.exp(-cost):
                    spins[i, j] = -spins[i, j]
        magnetization[sweep] = spins.mean()
    return magnetization


@program("Gillespie", lambda r: (1000, 1000, 4.0))
def gillespie(prey, predators, end):
    """Predators and prey: random events at random times."""
    now, events = 0.0, 0
    while now < end and prey > 0:
        born, eaten, died = 10.0 * prey, 0.01 * prey * predators, 10.0 * predators
        total = born + eaten + died
        now += np.random.exponential(1.0 / total)
        chosen = np.random.random() * total
        if chosen < born:
            prey += 1
        elif chosen < born + eaten:
            prey -= 1
            predators += 1
        else:
            predators -= 1
        events += 1
    return prey, predators, events


@program(
    "Dynamic time warping", lambda r: (r.normal(size=900).cumsum(), r.normal(size=800).cumsum())
)
def time_warping(one, other):
    """The least distance of two series that may be stretched."""
    table = np.full((len(one) + 1, len(other) + 1), np.inf)
    table[0, 0] = 0.0
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            least = min(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1])
            table[i, j] = abs(one[i - 1] - other[j - 1]) + least
    return table[-1, -1]


def van_der_pol(t, position, speed):
    return speed, 5.0 * (1.0 - position * position) * speed - position


@program("Runge-Kutta, with a callback", lambda r: (van_der_pol, 2.0, 0.0, 0.0005, 200_000))
def runge_kutta(slope, position, speed, step, count):
    """The fourth-order method for a differential equation that is an argument."""
    path, t = np.empty(count), 0.0
    for k in range(count):
        a, b = slope(t, position, speed)
        c, d = slope(t + step / 2, position + step / 2 * a, speed + step / 2 * b)
        e, f = slope(t + step / 2, position + step / 2 * c, speed + step / 2 * d)
        g, h = slope(t + step, position + step * e, speed + step * f)
        position += step / 6 * (a + 2 * c + 2 * e + g)
        speed += step / 6 * (b + 2 * d + 2 * f + h)
        t += step
        path[k] = position
    return path


def lennard_jones_arrays(position):
    apart = position[:, None] - position[None]
    square = (apart**2).sum(2)
    np.fill_diagonal(square, np.inf)
    sixth = square**-3
    force = ((48 * sixth**2 - 24 * sixth) / square)[:, :, None] * apart
    return force.sum(1), 2 * (sixth**2 - sixth).sum()


@program(
    "Lennard-Jones forces", lambda r: (r.random((500, 3)) * 12 + np.arange(500)[:, None] % 8,),
    lennard_jones_arrays,
)  # fmt: skip
def lennard_jones(position):
    """The forces between all pairs of atoms, and their energy."""
    force, energy = np.zeros_like(position), 0.0
    for i in range(len(position)):
        for j in range(i):
            square = 0.0
            for k in range(3):
                square += (position[i, k] - position[j, k]) ** 2
            sixth = 1.0 / square**3
            energy += 4.0 * (sixth * sixth - sixth)
            size = (48.0 * sixth * sixth - 24.0 * sixth) / square
            for k in range(3):
                force[i, k] += size * (position[i, k] - position[j, k])
                force[j, k] -= size * (position[i, k] - position[j, k])
    return force, energy


def bodies_arrays(position, velocity, mass, step, count):
    for _ in range(count):
        apart = position[None] - position[:, None]
        inverse = ((apart**2).sum(2) + 0.01) ** -1.5
        velocity += step * (apart * (inverse * mass)[:, :, None]).sum(1)
        position += step * velocity
    return position


@program(
    "N-body", lambda r: (r.normal(size=(60, 3)), np.zeros((60, 3)), r.random(60), 0.001, 50),
    bodies_arrays,
)  # fmt: skip
def bodies(position, velocity, mass, step, count):
    """Bodies that attract each other."""
    for _ in range(count):
        for i in range(len(mass)):
            x = y = z = 0.0
            for j in range(len(mass)):
                a = position[j, 0] - position[i, 0]
                b = position[j, 1] - position[i, 1]
                c = position[j, 2] - position[i, 2]
                pull = mass[j] * (a * a + b * b + c * c + 0.01) ** -1.5
                x, y, z = x + a * pull, y + b * pull, z + c * pull
            velocity[i, 0] += step * x
            velocity[i, 1] += step * y
            velocity[i, 2] += step * z
        position += step * velocity
    return position


@program("Needleman-Wunsch", lambda r: (r.integers(0, 4, 800), r.integers(0, 4, 900)))
def needleman_wunsch(one, other):
    """The best alignment of two sequences: its score, and the length of its path."""
    score = np.zeros((len(one) + 1, len(other) + 1), dtype=np.int64)
    score[:, 0] = -np.arange(len(one) + 1)
    score[0, :] = -np.arange(len(other) + 1)
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            match = score[i - 1, j - 1] + (1 if one[i - 1] == other[j - 1] else -1)
            score[i, j] = max(match, score[i - 1, j] - 1, score[i, j - 1] - 1)
    i, j, steps = len(one), len(other), 0
    while i > 0 and j > 0:
        if score[i, j] == score[i - 1, j] - 1:
            i -= 1
        elif score[i, j] == score[i, j - 1] - 1:
            j -= 1
        else:
            i, j = i - 1, j - 1
        steps += 1
    return score[-1, -1], steps + i + j


def k_means_arrays(points, centers, rounds):
    for _ in range(rounds):
        nearest = ((points[:, None] - centers[None]) ** 2).sum(2).argmin(1)
        for k in range(len(centers)):
            if (nearest == k).any():
                centers[k] = points[nearest == k].mean(0)
    return nearest


@program("k-means", lambda r: (r.normal(size=(4000, 4)), r.normal(size=(8, 4)), 5), k_means_arrays)
def k_means(points, centers, rounds):
    """Points in clusters: each belongs to the nearest center, which moves to their mean."""
    nearest = np.zeros(len(points), dtype=np.int64)
    for _ in range(rounds):
        sums, counts = np.zeros_like(centers), np.zeros(len(centers))
        for i in range(len(points)):
            best = np.inf
            for k in range(len(centers)):
                distance = 0.0
                for d in range(points.shape[1]):
                    distance += (points[i, d] - centers[k, d]) ** 2
                if distance < best:
                    best, nearest[i] = distance, k
            counts[nearest[i]] += 1.0
            for d in range(points.shape[1]):
                sums[nearest[i], d] += points[i, d]
        for k in range(len(centers)):
            if counts[k] > 0:
                centers[k] = sums[k] / counts[k]
    return nearest


def life_arrays(cells, rounds):
    for _ in range(rounds):
        around = sum(
            np.roll(np.roll(cells, a, 0), b, 1)
            for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b
        )  # fmt: skip
        cells = ((around == 3) | ((cells == 1) & (around == 2))).astype(np.int64)
    return cells


@program("Game of Life", lambda r: (r.integers(0, 2, (100, 100)), 15), life_arrays)
def life(cells, rounds):
    """Cells that live with two or three neighbors, and are born with three."""
    rows, columns = cells.shape
    for _ in range(rounds):
        after = np.zeros_like(cells)
        for i in range(rows):
            for j in range(columns):
                around = -cells[i, j]
                for a in range(-1, 2):
                    for b in range(-1, 2):
                        around += cells[(i + a) % rows, (j + b) % columns]
                if around == 3 or (around == 2 and cells[i, j] == 1):
                    after[i, j] = 1
        cells = after
    return cells


def option_arrays(start, strike, rate, volatility, paths, steps):
    dt = 1.0 / steps
    drift, scale = (rate - volatility**2 / 2) * dt, volatility * math.sqrt(dt)
    draws = np.random.standard_normal((paths, steps))
    prices = start * np.exp((drift + scale * draws).cumsum(1))
    return math.exp(-rate) * np.maximum(prices.mean(1) - strike, 0.0).mean()


@program("Monte Carlo option", lambda r: (100.0, 100.0, 0.03, 0.2, 4000, 50), option_arrays)
def option(start, strike, rate, volatility, paths, steps):
    """The price of an option on a mean, from random paths of the model of Black and Scholes."""
    dt, total = 1.0 / steps, 0.0
    drift, scale = (rate - volatility**2 / 2) * dt, volatility * math.sqrt(dt)
    for _ in range(paths):
        price, mean = start, 0.0
        for _ in range(steps):
            price *= math.exp(drift + scale * np.random.standard_normal())
            mean += price / steps
        total += max(mean - strike, 0.0)
    return math.exp(-rate) * total / paths


# ---- measuring -------------------------------------------------------------------------------

TITLES = {"python": "Python", "numpy": "NumPy", "numba": "Numba", "allograph": "`ag.jit`"}
MARKER, END = "<!-- ten programs -->", "<!-- end -->"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="*", help="all of them where none is named")
    parser.add_argument("--rounds", type=int, default=5, help="calls of each engine")
    parser.add_argument("--document", type=Path, help="a page to put the table into")
    parser.add_argument("--plot", type=Path, help="draw the times, as SVG")
    parser.add_argument("--results", type=Path, help="write the times as JSON")
    options = parser.parse_args()
    rows = {}
    with tempfile.TemporaryDirectory() as cache:  # first calls find no kernel on disk
        os.environ.update(ALLOGRAPH_CACHE_DIR=cache, ALLOGRAPH_THREADS="1")
        for name in options.programs or PROGRAMS:
            rows[name] = measured(PROGRAMS[name], options.rounds)
            print(row_of(name, rows[name]), flush=True)
    if options.results:
        options.results.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    if options.document:
        fill(options.document, rows)
    if options.plot:
        plot(options.plot, rows)


def measured(program: Program, rounds: int) -> dict[str, float]:
    """Seconds of a call by engine, the first call of `ag.jit`, and how often it is native."""
    import allograph as ag

    compiled = ag.jit(program.loops)
    start = time.perf_counter()
    own = called(compiled, program)
    first = time.perf_counter() - start
    assert same(own, called(program.loops, program)), program.title
    assert ": NumPy" not in compiled.inspect(), compiled.inspect()
    row = {
        "python": least(program.loops, program, min(3, rounds)),
        "allograph": least(compiled, program, rounds),
        "first": first,
    }
    if program.arrays:
        assert same(own, called(program.arrays, program)), program.title
        row["numpy"] = least(program.arrays, program, rounds)
    if numba := with_numba(program):
        row["numba"] = least(numba, program, rounds)
    return row


def with_numba(program: Program) -> Callable | None:
    """The function with loops as Numba compiles it, with its callback; None where it does not."""
    try:
        from numba import njit
    except ImportError:
        return None
    compiled = njit(program.loops)
    callbacks = functools.cache(njit)

    def function(*arguments):
        return compiled(*(callbacks(one) if callable(one) else one for one in arguments))

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            called(function, program)
    except Exception as error:  # whatever a compiler raises
        print(f"{program.title}: Numba refuses it: {type(error).__name__}", file=sys.stderr)
        return None
    return function


def called(function: Callable, program: Program, seconds: list[float] | None = None):
    """The result of a call with new arguments, which are the same in each call."""
    arguments = program.arguments(np.random.default_rng(0))
    np.random.seed(0)
    start = time.thread_time()
    result = function(*arguments)
    if seconds is not None:
        seconds.append(time.thread_time() - start)
    return result


def least(function: Callable, program: Program, rounds: int) -> float:
    seconds: list[float] = []
    for _ in range(rounds):
        called(function, program, seconds)
    return min(seconds)


def same(one, other) -> bool:
    if isinstance(one, tuple):
        return all(map(same, one, other))
    return np.allclose(one, other, rtol=1e-9)


def row_of(name: str, row: dict[str, float]) -> str:
    """The row of the table: times, and how many times as fast as Python `ag.jit` is."""
    cells = [duration(row[engine]) if engine in row else "-" for engine in TITLES]
    cells += [f"{row['python'] / row['allograph']:.0f}x", duration(row["first"])]
    return f"| {' | '.join([PROGRAMS[name].title, *cells])} |"


def fill(document: Path, rows: dict[str, dict[str, float]]) -> None:
    """Put the table between its markers in a page."""
    head = f"| program | {' | '.join(TITLES.values())} | gain | first call |"
    table = [head, "|---|" + "---:|" * (len(TITLES) + 2)]
    table += [row_of(name, row) for name, row in rows.items()]
    before, rest = document.read_text(encoding="utf-8").split(MARKER, 1)
    content = "\n".join([before + MARKER, "", *table, "", END + rest.split(END, 1)[1]])
    document.write_text(content, encoding="utf-8")


COLORS = {"allograph": "#3f6fd8", "numba": "#d9822b", "numpy": "#8f8f8f"}


def plot(path: Path, rows: dict[str, dict[str, float]]) -> None:
    """Bars of how many times as fast as Python each engine is, on a logarithmic scale, as SVG."""
    left, width, bar, gap, most = 190, 430, 9, 10, 3000.0
    block = bar * len(COLORS) + gap
    height = block * len(rows) + 62

    def place(ratio: float) -> float:
        return left + width * max(0.0, math.log(ratio) / math.log(most))

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 60} {height}" '
        'font-family="sans-serif" font-size="12">'
    ]
    for k, (engine, color) in enumerate(COLORS.items()):
        lines.append(f'<rect x="{left + 110 * k}" y="6" width="10" height="10" fill="{color}"/>')
        lines.append(f'<text x="{left + 110 * k + 16}" y="15">{TITLES[engine].strip("`")}</text>')
    for tick in (1, 10, 100, 1000):
        x = place(tick)
        lines.append(f'<path d="M{x:.1f} 26V{height - 34}" stroke="#888" stroke-opacity="0.4"/>')
        lines.append(f'<text x="{x:.1f}" y="{height - 20}" text-anchor="middle">{tick}x</text>')
    lines.append(
        f'<text x="{left + width / 2}" y="{height - 4}" text-anchor="middle">'
        "times as fast as Python</text>"
    )
    for index, (name, row) in enumerate(rows.items()):
        top = 30 + block * index
        middle = top + bar * len(COLORS) / 2 + 4
        title = PROGRAMS[name].title
        lines.append(f'<text x="{left - 8}" y="{middle:.1f}" text-anchor="end">{title}</text>')
        for k, (engine, color) in enumerate(COLORS.items()):
            if engine in row:
                end, y = place(row["python"] / row[engine]), top + bar * k
                lines.append(
                    f'<rect x="{left}" y="{y}" height="{bar - 1}" width="{end - left:.1f}" '
                    f'fill="{color}"/>'
                )
        ratio = row["python"] / row["allograph"]
        x = place(ratio) + 4
        lines.append(f'<text x="{x:.1f}" y="{top + bar}" font-size="10">{ratio:.0f}x</text>')
    path.write_text("\n".join([*lines, "</svg>"]) + "\n", encoding="utf-8")
    follow_color_scheme(path)


if __name__ == "__main__":
    main()
