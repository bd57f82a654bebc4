"""Products and convolutions of real networks beside the limit of a core.

    python benchmarks/rooflines.py [CLASS ...] [--seconds 0.3] [--document docs/performance.md]

Each shape runs on one thread, as `jit_compile=True`, and in turn with NumPy's product of large
matrices, which gives the rate of arithmetic. The limit is the longer of the arithmetic at that rate
and of the memory, each array once, at the rate of a copy of that size. A call that reads more than
it writes may exceed that rate. Times are CPU time, the least of all calls, so other processes
disturb them less. Every first result is compared with NumPy's.
"""

from __future__ import annotations

import os

for _name in ("ALLOGRAPH_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # libraries read them when they are loaded

import argparse  # noqa: E402
import math  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import NamedTuple  # noqa: E402

import numpy as np  # noqa: E402
from contest.report import commit, described_machine, lines_of, write_sections  # noqa: E402

import allograph as ag  # noqa: E402
from allograph.library.profiling.roofline import copy_rate  # noqa: E402

DTYPES = ("float32", "float64")
TOLERANCE = {"float32": 1e-3, "float64": 1e-9}
REFERENCE = 768  # rows and columns of the matrices whose product gives the rate


class Product(NamedTuple):
    """Matrices of rows x inner and inner x columns."""

    rows: int
    inner: int
    columns: int

    def shapes(self) -> tuple:
        return (self.rows, self.inner), (self.inner, self.columns)

    def flops(self) -> int:
        return 2 * self.rows * self.inner * self.columns

    def run(self, one, other):
        return one @ other

    def label(self) -> str:
        return f"{self.rows} x {self.inner} x {self.columns}"


class Convolution(NamedTuple):
    """Images of size x size x channels, windows of width x width; no filters: depthwise."""

    size: int
    channels: int
    width: int
    filters: int
    stride: int = 1

    def shapes(self) -> tuple:
        image = (1, self.size, self.size, self.channels)
        return image, (self.width, self.width, self.channels, self.filters or 1)

    def flops(self) -> int:
        results = math.ceil(self.size / self.stride) ** 2 * self.channels
        return 2 * results * self.width**2 * (self.filters or 1)

    def run(self, image, kernel):
        convolve = ag.nn.conv2d if self.filters else ag.nn.depthwise_conv2d
        return convolve(image, kernel, strides=[1, self.stride, self.stride, 1], padding="SAME")

    def label(self) -> str:
        to = f"to {self.filters}" if self.filters else "depthwise"
        stride = f", stride {self.stride}" if self.stride > 1 else ""
        return f"{self.size} x {self.size} x {self.channels} {to}{stride}"


class Gradient(NamedTuple):
    """The gradient of a convolution with respect to its images (0) or filters (1)."""

    of: Convolution
    operand: int

    def shapes(self) -> tuple:
        size, filters = math.ceil(self.of.size / self.of.stride), self.of.filters
        return self.of.shapes()[1 - self.operand], (1, size, size, filters or self.of.channels)

    def flops(self) -> int:
        return self.of.flops()

    def run(self, other, dy):
        zeros = ag.zeros(self.of.shapes()[self.operand], dy.dtype)
        operands = (other, zeros) if self.operand else (zeros, other)
        with ag.GradientTape() as tape:
            tape.watch(operands)
            y = self.of.run(*operands)
        return tape.gradient(y, operands[self.operand], dy)

    def label(self) -> str:
        return f"{self.of.label()}, of {('images', 'filters')[self.operand]}"


class Attention(NamedTuple):
    """The scores of heads: a product of matrices for each head."""

    heads: int
    rows: int
    depth: int

    def shapes(self) -> tuple:
        return ((self.heads, self.rows, self.depth),) * 2

    def flops(self) -> int:
        return 2 * self.heads * self.rows**2 * self.depth

    def run(self, queries, keys):
        return ag.matmul(queries, keys, transpose_b=True)

    def label(self) -> str:
        return f"{self.heads} x {self.rows} x {self.depth}"


Shape = Product | Convolution | Gradient | Attention

# Shapes of ResNet, MobileNet, EfficientNet, U-Net, VGG, Inception, BERT, LSTM, GRU, small networks.
CLASSES: dict[str, tuple[Shape, ...]] = {
    "square product": (Product(128, 128, 128), Product(512, 512, 512), Product(1024, 1024, 1024)),
    "product of few rows": (Product(1, 1024, 1024), Product(16, 256, 1024), Product(32, 768, 768)),
    "product of layers": (
        Product(128, 768, 3072),
        Product(128, 3072, 768),
        Product(256, 784, 128),
        Product(256, 128, 10),
    ),
    "product of cells": (Product(32, 384, 1024), Product(64, 512, 2048)),
    "product of transformers": (
        Product(128, 768, 768),
        Product(512, 512, 2048),
    ),
    "small product": (Product(32, 64, 64), Product(64, 100, 50), Product(1, 256, 256)),
    "attention": (Attention(12, 128, 64), Attention(8, 512, 64)),
    "1 x 1": (
        Convolution(56, 64, 1, 256),
        Convolution(14, 1024, 1, 256),
        Convolution(56, 24, 1, 144),
        Convolution(14, 112, 1, 672),
        Convolution(128, 64, 1, 2),
    ),
    "1 x 1, stride": (Convolution(56, 256, 1, 128, 2),),
    "3 x 3": (
        Convolution(56, 64, 3, 64),
        Convolution(28, 128, 3, 128),
        Convolution(7, 512, 3, 512),
        Convolution(128, 64, 3, 64),
    ),
    "3 x 3, stride": (Convolution(56, 128, 3, 128, 2),),
    "5 x 5": (Convolution(28, 32, 5, 96), Convolution(14, 48, 5, 128)),
    "7 x 7, stride": (Convolution(224, 3, 7, 64, 2),),
    "small channels": (
        Convolution(28, 1, 3, 32),
        Convolution(224, 3, 3, 64),
        Convolution(32, 3, 3, 32),
        Convolution(28, 1, 5, 6),
        Convolution(224, 3, 3, 32, 2),
    ),
    "depthwise": (
        Convolution(112, 32, 3, 0),
        Convolution(14, 512, 3, 0),
        Convolution(28, 240, 5, 0),
        Convolution(7, 960, 3, 0),
    ),
    "depthwise, stride": (Convolution(112, 64, 3, 0, 2), Convolution(56, 144, 5, 0, 2)),
    "gradient of images": (
        Gradient(Convolution(56, 64, 3, 64), 0),
        Gradient(Convolution(56, 128, 3, 128, 2), 0),
        Gradient(Convolution(14, 512, 3, 0), 0),
    ),
    "gradient of filters": (
        Gradient(Convolution(56, 64, 3, 64), 1),
        Gradient(Convolution(56, 128, 3, 128, 2), 1),
        Gradient(Convolution(14, 512, 3, 0), 1),
    ),
}


class Measured(NamedTuple):
    """Seconds of a call and of its limit, and whether memory sets the limit."""

    seconds: float
    limit: float
    is_memory: bool


def cpu_seconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def measure(shape: Shape, dtype: str, seconds: float) -> Measured:
    """One shape, in turn with the product that gives the rate."""
    random = np.random.default_rng(0)
    arrays = [random.standard_normal(sizes).astype(dtype) for sizes in shape.shapes()]
    tensors = [ag.constant(array) for array in arrays]
    compiled = ag.function(shape.run, jit_compile=True)
    result = compiled(*tensors).numpy()
    expected = shape.run(*tensors).numpy()
    np.testing.assert_allclose(result, expected, TOLERANCE[dtype], TOLERANCE[dtype])
    matrix = random.standard_normal((REFERENCE, REFERENCE)).astype(dtype)
    calls = max(1, round(0.01 / max(cpu_seconds(lambda: compiled(*tensors)), 1e-6)))

    def repeated():
        for _ in range(calls):
            compiled(*tensors)

    own, others, end = [], [], time.perf_counter() + seconds
    while len(own) < 3 or time.perf_counter() < end:
        own.append(cpu_seconds(repeated) / calls)
        others.append(cpu_seconds(lambda: matrix @ matrix))
    arithmetic = shape.flops() * min(others) / (2 * REFERENCE**3)
    moved = sum(array.nbytes for array in (*arrays, result))
    memory = moved / copy_rate(moved / 2**21, threads=1)  # which reads half and writes half
    return Measured(min(own), max(arithmetic, memory), memory > arithmetic)


def table(names: list[str], seconds: float) -> tuple[str, str]:
    """The table of all shapes, and that of the classes: geometric means."""
    body, classes = [], []
    for name in names:
        ratios: dict[str, list[float]] = {dtype: [] for dtype in DTYPES}
        for shape in CLASSES[name]:
            row = [name, shape.label()]
            for dtype in DTYPES:
                found = measure(shape, dtype, seconds)
                ratio = found.limit / found.seconds
                ratios[dtype].append(ratio)
                rates = [shape.flops() / one / 1e9 for one in (found.seconds, found.limit)]
                row += [
                    f"{rates[0]:.1f}",
                    f"{rates[1]:.1f}{' m' * found.is_memory}",
                    f"{ratio:.0%}",
                ]
            body.append(row)
            print(*row, sep="  ", flush=True)
        means = [math.exp(sum(map(math.log, one)) / len(one)) for one in ratios.values()]
        classes.append([name, *(f"{mean:.0%}" for mean in means)])
    header = ["class", "shape"]
    header += [f"{dtype}{title}" for dtype in DTYPES for title in ("", ", limit", ", share")]
    return lines_of(header, body), lines_of(["class", *DTYPES], classes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("classes", nargs="*", metavar="CLASS")
    parser.add_argument("--seconds", type=float, default=0.3, help="of calls for each shape")
    parser.add_argument("--document", type=Path, help="the page whose tables are replaced")
    options = parser.parse_args()
    unknown = set(options.classes) - set(CLASSES)
    if unknown:
        parser.error(f"no such class: {', '.join(sorted(unknown))}; there are {', '.join(CLASSES)}")
    shapes, classes = table(options.classes or [*CLASSES], options.seconds)
    print(classes)
    if options.document:
        machine, run = described_machine(), commit()
        taken = (
            f"Taken {run['date']} at {run['commit'] or 'no commit'}, 1 thread, on"
            f" {machine['processor']}, {machine['system']}, Python {machine['python']}.\n"
        )
        sections = {"about": taken, "classes": classes, "shapes": shapes}
        write_sections(options.document, {f"rooflines {key}": one for key, one in sections.items()})


if __name__ == "__main__":
    main()
