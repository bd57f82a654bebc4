"""Where a kernel fails midway, the arguments that it changed get their content back."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import allograph as ag
from allograph.runtime.core.thresholds import LOG_BLOCK, LOGGED_FROM
from allograph.runtime.executors.kernel_calls import new_log, restore
from allograph.runtime.ir.graph import Value
from allograph.runtime.kernels.saved_blocks import save_blocks
from allograph.runtime.lowering.buffer_assignment import undo_log

pytestmark = pytest.mark.slow
LARGE = LOGGED_FROM // 8 + 100  # elements, with a short block at the end


def set_numbers(a, t):
    for i in t:
        a[i] = i


def add_numbers(a, t):
    for i in range(len(t)):
        if i % 3:
            a[t[i]] += 2
        else:
            a[-t[i] - 1] *= 3


def set_elements(a, t):
    b = a.reshape(4, -1)
    for i in t:
        b[i % 4, i // 4] += 1


def follow(a, t):
    for i in t:
        while a[i] > 1:
            a[i] = a[i] // 2
            i = i + 1


def set_rows(a, t):
    for k in t:
        a[k] = a[k - 1] + 1


def add_rows(a, t):
    for k in range(len(t)):
        a[t[k]] += np.arange(a.shape[1])
        a[t[k], 1] = 7


def exchange_arrays(a, t):
    b = np.zeros_like(a)
    for i in t:
        b[i] = 1
        a, b = b, a
    a[t[0]] = 5


def two_arrays(a, t):
    n = 0
    for i in t:
        a[i] += 1
        t[n] = 0
        n += 1


VECTORS = [set_numbers, add_numbers, set_elements, follow, exchange_arrays, two_arrays]
MATRICES = [set_rows, add_rows]


def arguments(function, dtype, indices):
    elements = np.arange(LARGE) % 100
    array = elements.reshape(-1, 4) if function in MATRICES else elements
    return array.astype(dtype), np.array(indices)


def outcome(function, array, indices):
    try:
        return function(array, indices), None
    except (IndexError, TypeError) as error:  # or NumPy refuses the cast
        return None, str(error)


def source_of(compiled):
    (entry,) = compiled.jit_table.values()
    (kernel,) = entry.traced.executable.native.kernels
    return kernel.source


@pytest.mark.parametrize("compiler", ["allograph", "numba", "python"])
@pytest.mark.parametrize("function", [set_numbers, set_elements, set_rows, add_rows])
def test_few_changes_of_a_large_argument_are_logged(function, compiler):
    if compiler == "numba":
        pytest.importorskip("numba")
    compiled = ag.jit(function, kernel_compiler=compiler)
    for indices in ([3, 1, 900], [5, LARGE, 3], [LARGE // 4 - 1, 2, 9]):
        found = arguments(function, float, indices)
        expected = arguments(function, float, indices)
        assert outcome(compiled, *found) == outcome(function, *expected)
        np.testing.assert_array_equal(found[0], expected[0])
    assert "save_block" in source_of(compiled)


@pytest.mark.parametrize("function", [set_numbers, set_elements, set_rows, add_rows])
def test_many_changes_are_not_logged(function):
    compiled = ag.jit(function)
    array, indices = arguments(function, float, np.arange(1000) % 60)
    compiled(array, indices)
    assert "save_block" not in source_of(compiled)


def test_arguments_in_exchanged_variables_are_copied():
    compiled = ag.jit(exchange_arrays)
    compiled(*arguments(exchange_arrays, float, [1, 2, 3]))
    assert "save_block" not in source_of(compiled)


def test_small_arguments_are_copied():
    compiled = ag.jit(set_numbers)
    compiled(np.zeros(LOGGED_FROM // 8 - 1), np.array([1, 2]))
    assert "save_block" not in source_of(compiled)


COMPILED = {function: ag.jit(function) for function in (*VECTORS, *MATRICES)}
indices = st.lists(st.integers(-LARGE // 4, LARGE // 4) | st.just(LARGE), min_size=1, max_size=12)


@settings(max_examples=60)
@given(st.sampled_from(list(COMPILED)), st.sampled_from(["f8", "i4", "u1"]), indices)
def test_changes_are_those_of_python_wherever_an_index_fails(function, dtype, indices):
    found, expected = arguments(function, dtype, indices), arguments(function, dtype, indices)
    for _ in range(2):
        assert outcome(COMPILED[function], *found)[1] == outcome(function, *expected)[1]
        np.testing.assert_array_equal(found[0], expected[0])
        np.testing.assert_array_equal(found[1], expected[1])


@given(st.integers(1, 300), st.lists(st.tuples(st.integers(0, 299), st.integers(0, 90))))
def test_a_log_restores_what_was_written_after_it_was_saved(size, writes):
    array, log = np.arange(float(size)), new_log(undo_log(Value(ag.float64, (size,))))
    for at, count in writes:
        first, last = at % size, min(at % size + count, size - 1)
        save_blocks(array, *log, first // LOG_BLOCK, last // LOG_BLOCK)
        array[first : last + 1] = -1
    restore(array, *log)
    assert array.tolist() == list(range(size))
    assert log[1][0] <= len(log[0]) == -(-size // LOG_BLOCK)


def test_an_interrupt_restores_what_changed(tmp_path):
    script = f"""
    import signal
    import threading
    import numpy as np
    import allograph as ag

    @ag.jit
    def run(a, t, n):
        for i in t:
            k = 0
            while k < n:
                k += a[i] * 0 + 1
            a[i + 1] = 5

    a = np.arange({LARGE})
    run(a, np.array([1, 2]), 3)
    assert a[:4].tolist() == [0, 1, 5, 5]
    threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
    try:
        run(a, np.array([50, 51, 0, 3]), 10**9)
    except KeyboardInterrupt:
        print(a[:60].tolist() == [0, 1, 5, 5, *range(4, 60)])
    """
    file = tmp_path / "interrupted.py"
    file.write_text(textwrap.dedent(script), encoding="utf-8")
    run = subprocess.run([sys.executable, file], capture_output=True, text=True, check=False)
    assert run.stdout.strip() == "True", run.stderr
