"""`annotate`: a mark at each line of the source."""

import math

import numpy as np
import pytest
from click.testing import CliRunner

import allograph as ag
from allograph.tools.commands import allograph


@ag.jit
def waves(a, out):
    # a comment
    for i in ag.prange(len(a)):
        out[i] = math.sin(a[i])
    return np.fft.rfft(out)


@ag.jit
def described(a):
    b = a * 2
    return f"{b[0]}"


@ag.function
def exponential(x):
    y = x * 2.0
    return ag.linalg.expm(y)


def executions(annotation):
    return [line.execution for line in annotation.lines]


def test_lines_of_jit_are_native_or_shared_or_of_numpy():
    a = np.zeros(1_000_000)
    shown = ag.annotate(waves, a, a.copy())
    assert executions(shown) == ["", "", "", "threads", "native", "NumPy"]
    assert shown.lines[-1].why == "a call of rfft"
    assert shown.lines[3].source == "    for i in ag.prange(len(a)):"


@ag.jit
def moving(a, width):
    out = np.empty(len(a))
    for i in ag.prange(len(a)):
        s = 0.0
        for k in range(width):
            s += a[(i + k) % len(a)]
        out[i] = s / width
    return out, np.fft.rfft(out)


def test_little_work_before_native_code_makes_no_line_one_of_numpy():
    shown = ag.annotate(moving, np.zeros(100_000), 20)
    assert executions(shown)[2:] == [
        "NumPy", "threads", "", "native", "native", "native", "NumPy",
    ]  # fmt: skip
    assert shown.lines[2].why == "too little work for a call of its own"


def test_where_python_runs_all_the_reason_stands_at_its_line():
    described(np.ones(3))
    shown = ag.annotate(described)
    assert executions(shown) == ["", "", "Python", "Python"]
    assert [line.why for line in shown.lines][-1] == "a computed value is formatted as a string"


def test_lines_of_functions_of_tensors_are_native_or_of_numpy():
    shown = ag.annotate(exponential, ag.TensorSpec([3, 3], ag.float64))
    assert executions(shown) == ["", "", "native", "NumPy"] or executions(shown)[-1] == "NumPy"
    assert "expm" in shown.lines[-1].why


def test_a_function_without_a_trace_is_an_error():
    with pytest.raises(ag.errors.InvalidArgumentError, match="has not been called"):
        ag.annotate(ag.jit(lambda a: a))


def test_the_listing_is_text_in_color_or_html(tmp_path):
    shown = ag.annotate(described, np.ones(3))
    assert "\x1b[31m" in shown.listing(colored=True) and "\x1b" not in shown.listing()
    assert " Python " in repr(shown)
    shown.save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert page.startswith("<!DOCTYPE html>") and "b = a * 2" in page and "&quot;" in page


def test_the_command_line_marks_lines(tmp_path):
    file = tmp_path / "model.py"
    file.write_text("import allograph as ag\n@ag.jit\ndef double(a):\n    return a * 2\n")
    words = ["explain", "--listing", f"{file}:double", "float64[8]"]
    done = CliRunner().invoke(allograph, words)
    assert " native     4 |     return a * 2" in done.output
