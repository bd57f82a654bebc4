"""The programs of `benchmarks/numpy_programs`: decorated they do what they do undecorated."""

import subprocess
import sys

import numpy as np
import pytest
from native_calls import is_native
from program_suite import FOLDER, suite

import allograph as ag

# Programs that NumPy runs. The set only shrinks.
BY_NUMPY = set(
    """
""".split()
)


def assert_same(found, expected):
    assert type(found) is type(expected)
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for pair in zip(found, expected, strict=True):
            assert_same(*pair)
    elif isinstance(expected, (np.ndarray, np.generic)):
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        rtol = 1e-4 if expected.dtype == np.float32 else 1e-9
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-8)
    else:
        assert found == (expected if expected is None else pytest.approx(expected, rel=1e-9))


def test_the_suite_has_programs_of_all_classes():
    assert len(suite.CLASSES) == 13
    assert len(suite.PROGRAMS) >= 60
    assert BY_NUMPY <= set(suite.PROGRAMS)


# They compile in little time, and each stands for a class of programs.
STANDARD = (
    "longest_collatz", "sieve", "bisect", "edit_distance", "insertion_sort", "count_bits",
    "welford", "floyd_warshall", "moving_deviation", "jacobi_1d", "mandelbrot",
)  # fmt: skip


@pytest.mark.parametrize("name", STANDARD)
def test_a_standard_program_is_native(name):
    program = suite.PROGRAMS[name]
    compiled = ag.jit(program.function)
    compiled(*program.arguments(program.small))
    assert "native code" in compiled.inspect(), compiled.inspect()
    assert is_native(compiled)


@pytest.mark.slow
@pytest.mark.parametrize("name", suite.PROGRAMS)
def test_a_program_does_what_it_does_undecorated(name):
    program = suite.PROGRAMS[name]
    compiled = ag.jit(program.function)
    for _ in range(2):
        expected_args = program.arguments(program.small)
        found_args = suite.copied(expected_args)
        expected, found = program.function(*expected_args), compiled(*found_args)
        assert_same(found, expected)
        assert_same(tuple(found_args), tuple(expected_args))
    assert (not is_native(compiled)) is (name in BY_NUMPY), compiled.inspect()


@pytest.mark.slow
def test_the_runner_puts_its_table_into_a_page_and_draws_it(tmp_path):
    page, plot = tmp_path / "page.md", tmp_path / "plot.svg"
    page.write_text("<!-- ten programs -->\nold\n<!-- end -->\n<!-- numpy programs --><!-- end -->")
    command = [sys.executable, str(FOLDER / "run.py"), "biquad", "lu", "--small", "--rounds", "1",
               "--no-first", "--document", str(page), "--plot", str(plot),
               "--results", str(tmp_path / "results.json")]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "2 programs, 2 of them native" in done.stdout
    assert "old" not in page.read_text()
    assert page.read_text().count("| `lu` |") == 1
    assert page.read_text().count("| lu |") == 1
    assert plot.read_text().count("<rect") == 2
