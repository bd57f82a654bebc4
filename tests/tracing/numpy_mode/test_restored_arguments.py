"""Arguments that change before a statement fails are changed once, as plain Python changes them."""

import contextlib

import numpy as np
import pytest
from failing_programs import assert_changed_once, pairs
from large_paths import set_to

import allograph as ag

CHUNKS = 9


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_change_before_every_failure_is_made_once(chunk):
    programs = list(pairs(0))[chunk::CHUNKS]
    are_native = [assert_changed_once(program) for program in programs]
    assert sum(are_native) > len(programs) // 2


def test_a_function_of_several_kernels_leaves_failures_to_numpy():
    """Between its kernels, NumPy may raise the error of a call that has changed nothing yet."""

    def change_and_fail(a, t, n):
        np.copyto(a, a + 0.5)
        np.add.at(a, t + n, 1.0)

    compiled = ag.jit(change_and_fail)
    for n in (0, 9, 9, 0):
        given = [np.arange(4.0), np.arange(4.0)]
        for function, a in zip((compiled, change_and_fail), given, strict=True):
            with set_to({"WHOLE_LIMIT": 1}), contextlib.suppress(IndexError):
                function(a, np.arange(4), n)
        np.testing.assert_array_equal(*given)
    (entry,) = compiled.jit_table.values()
    assert len(entry.traced.executable.kernels()) > 1
