"""The benchmark of shapes beside the limit: `benchmarks/rooflines.py`."""

import importlib
import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from allograph.library.profiling.roofline import Rates

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
if str(BENCHMARKS) not in sys.path:  # scripts there import each other as top-level modules
    sys.path.append(str(BENCHMARKS))

with mock.patch.dict(os.environ):  # the script chooses one thread for its own process
    rooflines = importlib.import_module("rooflines")


def test_there_are_fifty_different_shapes():
    shapes = [shape for one in rooflines.CLASSES.values() for shape in one]
    assert len(shapes) == 50
    assert len({(type(shape), shape) for shape in shapes}) == 50


@pytest.mark.parametrize(
    ("shape", "flops"),
    [
        (rooflines.Product(2, 3, 5), 60),
        (rooflines.Convolution(4, 3, 3, 8), 2 * 16 * 9 * 3 * 8),
        (rooflines.Convolution(5, 3, 3, 8, 2), 2 * 9 * 9 * 3 * 8),
        (rooflines.Convolution(4, 6, 3, 0), 2 * 16 * 9 * 6),
        (rooflines.Gradient(rooflines.Convolution(4, 3, 3, 8), 1), 2 * 16 * 9 * 3 * 8),
        (rooflines.Attention(2, 5, 3), 2 * 2 * 5 * 5 * 3),
    ],
)
def test_the_work_of_a_shape_is_that_of_its_results(shape, flops):
    assert shape.flops() == flops


@pytest.mark.parametrize(
    "shape",
    [
        rooflines.Product(2, 3, 5),
        rooflines.Convolution(5, 2, 3, 0, 2),
        rooflines.Gradient(rooflines.Convolution(5, 2, 3, 0, 2), 0),
        rooflines.Gradient(rooflines.Convolution(5, 2, 3, 4), 1),
        rooflines.Attention(2, 5, 3),
    ],
)
def test_a_shape_has_a_result_and_a_limit(shape, monkeypatch):
    monkeypatch.setattr(rooflines, "REFERENCE", 8)
    measured = rooflines.measure(shape, "float32", 0.0)
    assert measured.seconds > 0
    assert measured.limit > 0


def test_the_rates_of_the_machine_are_measured_without_the_package():
    """The benchmarks measure them with the interpreter of another engine."""
    script = BENCHMARKS.parent / "library" / "profiling" / "roofline.py"
    code = f"import runpy; print(*runpy.run_path({str(script)!r})['Rates']._fields)"
    command = [sys.executable, "-I", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == list(Rates._fields)
