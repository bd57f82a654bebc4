"""Effects and native code: variables are passed through, checks fail as on the plan."""

import numpy as np
import pytest

import allograph as ag

pytest.importorskip("numba")

from allograph.runtime.native import _WORKER


def test_a_training_step_is_one_kernel():
    w, b = ag.Variable(np.ones((3, 2), np.float32)), ag.Variable([0.5, 0.5])

    @ag.function(jit_compile=True)
    def step(x):
        y = ag.matmul(x, w) + b
        w.assign_sub(0.1 * ag.matmul(ag.transpose(x), y))
        b.assign_sub(0.1 * ag.reduce_sum(y, axis=0))
        return ag.reduce_sum(y * y)

    x = ag.ones([4, 3])
    losses = [float(step(x)) for _ in range(3)]
    assert len(step.get_concrete_function(x).kernels()) == 1
    w.assign(np.ones((3, 2), np.float32)), b.assign([0.5, 0.5])
    plan = ag.function(step.python_function, jit_compile=False)
    np.testing.assert_allclose(losses, [float(plan(x)) for _ in range(3)], rtol=1e-6)


def test_reads_see_the_assignments_before_them():
    v = ag.Variable(1)

    @ag.function(jit_compile=True)
    def f():
        a = v.read_value()
        v.assign_add(10)
        b = v.read_value()
        v.assign(b * 2)
        return a, b, v.read_value()

    assert [int(x) for x in f()] == [1, 11, 22]
    assert int(v) == 22


def test_loops_and_branches_carry_what_they_assign():
    total, count, step = ag.Variable(0.0), ag.Variable(0), ag.Variable(2)

    @ag.function(jit_compile=True)
    def f(n):
        for i in ag.range(n):
            if i % step == 0:
                total.assign_add(ag.cast(i, ag.float32))
            else:
                count.assign_add(1)
        return count + 0

    for _ in range(2):
        f(ag.constant(5))
    assert (float(total), int(count), int(step)) == (12.0, 4, 2)


def test_an_untaken_loop_leaves_variables_alone():
    v = ag.Variable([1.0, 2.0])

    @ag.function(jit_compile=True)
    def f(n):
        for _ in ag.range(n):
            v.assign(v * 2.0)

    f(ag.constant(0))
    assert v.numpy().tolist() == [1.0, 2.0]
    f(ag.constant(3))
    assert v.numpy().tolist() == [8.0, 16.0]


def test_a_value_read_before_stays_as_it_was():
    v = ag.Variable([1.0, 2.0])
    before = v.value()
    ag.function(lambda: v.assign_add([1.0, 1.0]), jit_compile=True)()
    assert before.numpy().tolist() == [1.0, 2.0]


def test_a_failed_assertion_is_the_error_of_the_plan_with_the_effects_before_it():
    v = ag.Variable(0)

    @ag.function(jit_compile=True)
    def f(x):
        v.assign_add(1)
        ag.debugging.assert_positive(x, message="x should be more")
        v.assign_add(1)
        return x

    f(ag.constant([1.0]))
    assert int(v) == 2
    with pytest.raises(ag.errors.InvalidArgumentError, match=r"x should be more"):
        f(ag.constant([-1.0]))
    assert int(v) == 3


def test_a_loop_beside_a_print_becomes_native(capfd):
    v = ag.Variable(0)

    @ag.function
    def f(n):
        ag.print("counting")
        for i in ag.range(n):
            v.assign_add(i % 3)
        return v.read_value()

    for _ in range(60):
        f(ag.constant(4))
    _WORKER.wait()
    printed = capfd.readouterr()
    assert "counting" in printed.out + printed.err
    f(ag.constant(4))
    assert len(f.get_concrete_function(ag.constant(4)).kernels()) == 1
    assert int(v) == 61 * 3


def test_a_variable_that_is_gone_is_an_error():
    v = ag.Variable(1.0)
    cell = v.handle
    f = ag.function(lambda: v + 1.0, jit_compile=True).get_concrete_function()
    assert float(f()) == 2.0
    cell.release()
    with pytest.raises(ag.errors.FailedPreconditionError):
        f()
