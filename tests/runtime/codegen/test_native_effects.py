"""Effects and native code: variables are passed through, checks fail as on the plan."""

import numpy as np
import pytest
from execution_modes import pinned
from kernel_compilation import call

import allograph as ag

pytest.importorskip("llvmlite")

from allograph.runtime.executors.tiering import COMPILER

pytestmark = pytest.mark.slow


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
    plan = ag.function(step.python_function, kernel_compiler="none")
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
    COMPILER.wait()
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


def drawn(f, *args):
    ag.random.set_seed(7)
    return [one.numpy() for _ in range(2) for one in f(*args)]


def test_random_numbers_are_those_of_the_plan():
    def f(n):
        total = ag.zeros([5])
        for i in ag.range(n):
            total += ag.random.normal([5], mean=1.0) * ag.random.stateless_uniform([5], [i, 3])
            if i % 2 == 0:
                total += ag.random.uniform([5], seed=4)
        return total, ag.random.truncated_normal([2, 3], dtype=ag.float64)

    plan, native = ag.function(f, kernel_compiler="none"), ag.function(f, jit_compile=True)
    # A draw with a seed of its own counts apart in every graph: both start at 0.
    for one, other in zip(drawn(plan, ag.constant(5)), drawn(native, ag.constant(5)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_random_numbers_go_on_from_native_code_to_the_plan():
    draw = lambda: ag.random.uniform([3])
    ag.random.set_seed(1)
    expected = [draw().numpy() for _ in range(3)]
    ag.random.set_seed(1)
    found = [run().numpy() for run in (draw, ag.function(draw, jit_compile=True), draw)]
    assert np.array_equal(found, expected)


def test_without_a_seed_random_numbers_differ_from_call_to_call():
    ag.random.set_seed(1)
    from allograph.runtime.ir.random_streams import STATE

    STATE.reset(None)
    f = ag.function(lambda: ag.random.uniform([4]), jit_compile=True)
    assert not np.array_equal(f(), f())


@pytest.mark.parametrize("kind", ["uniform", "normal", "truncated_normal"])
@pytest.mark.parametrize("real", [np.float32, np.float64])
@pytest.mark.parametrize("key, counter", [((1, 2), 0), ((2**63 + 5, 77), 9)])
def test_native_streams_are_numpys_bit_for_bit(kind, real, key, counter):
    from allograph.library.random.random_draws import DRAWS
    from allograph.runtime.ir.random_streams import philox

    found = np.empty(3001, real)
    words = [np.uint64(word) for word in (*key, counter)]
    groups = "0, 3001, " if kind == "uniform" else ""  # more than there are
    text = f"""
def kernel(out, key0, key1, counter, low, high):
    draw_{kind}_f{real().itemsize * 8}(out, {groups}key0, key1, counter, low, high)
    return ()
"""
    call(text, found, *words, real(-1), real(2))
    assert np.array_equal(found, DRAWS[kind](philox(key, counter), (3001,), real(-1), real(2)))


INTERVALS = [(0, 1), (-3, 4), (0, 2**31 - 1), (-(2**31), 2**31 - 1), (5, 3 * 2**29)]
WIDE = [(0, 2**32), (-1, 2**32), (-(2**63), 2**63 - 1), (0, 3 * 2**61)]


@pytest.mark.parametrize("low, high, kind", [
    *((low, high, kind) for low, high in INTERVALS for kind in (np.int32, np.int64)),
    *((low, high, np.int64) for low, high in WIDE),
])  # fmt: skip
def test_native_integers_are_numpys_bit_for_bit(low, high, kind):
    from allograph.library.random.random_draws import DRAWS
    from allograph.runtime.ir.random_streams import philox

    found = np.empty(3001, kind)
    text = f"""
def kernel(out, low, high):
    draw_uniform_i{kind().itemsize * 8}(out, np.uint64(1), np.uint64(2), np.uint64(3), low, high)
    return ()
"""
    call(text, found, kind(low), kind(high))
    wanted = DRAWS["uniform"](philox((1, 2), 3), (3001,), np.array(low, kind), np.array(high, kind))
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize("real", [np.float32, np.float64])
@pytest.mark.parametrize("low, high", [(0, 1), (-0.0, 1), (1, 0), (0, 1e-40), (3, 3), (0, np.inf)])
def test_native_numbers_of_any_interval_are_numpys_bit_for_bit(real, low, high):
    limits = [ag.constant(one, ag.as_dtype(real)) for one in (low, high)]
    draw = lambda low, high: ag.random.stateless_uniform([999], [3, 4], low, high, low.dtype)
    with np.errstate(all="ignore"):
        found, wanted = (f(*limits) for f in (ag.function(draw, jit_compile=True), draw))
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("draw", [
    lambda n: ag.random.stateless_uniform([n], [1, 2]),
    lambda n: ag.random.stateless_uniform([n], [1, 2], dtype=ag.float64),
    lambda n: ag.random.stateless_uniform([n], [1, 2], 0, 1000, ag.int32),
    lambda n: ag.random.stateless_normal([n], [1, 2]),
])  # fmt: skip
def test_few_native_numbers_begin_as_many_do(draw):
    many = draw(2000).numpy()
    for count in (1, 31, 33, 96, 97, 480, 961):
        found = ag.function(lambda n=count: draw(n), jit_compile=True)()
        assert np.array_equal(found, many[:count])


PARAMETERS = ag.constant([[0.5], [1.0]]), ag.constant([1.0, 2.5, 30.0])


@pytest.mark.parametrize("draw", [
    lambda a, b: ag.random.stateless_uniform([2, 3], [1, 2], a, b),
    lambda a, b: ag.random.stateless_normal([40, 2, 3], [1, 2], a, b),
    lambda a, b: ag.random.stateless_truncated_normal([2, 3], [1, 2], a, 3.0),
    lambda a, b: ag.random.stateless_gamma([400, 3], [1, 2], b),
    lambda a, b: ag.random.stateless_gamma([400, 2, 3], [1, 2], a, b),
    lambda a, b: ag.random.stateless_poisson([400, 3], [1, 2], b),
    lambda a, b: ag.random.stateless_poisson([400], [1, 2], b[0], ag.float64),
    lambda a, b: ag.random.stateless_gamma([], [1, 2], b[1]),
])  # fmt: skip
def test_each_number_may_have_parameters_of_its_own(draw):
    native, plan = (ag.function(draw, autograph=False, **pinned(jit)) for jit in (True, False))
    np.testing.assert_allclose(native(*PARAMETERS), plan(*PARAMETERS), rtol=1e-6)


def test_parameters_that_do_not_broadcast_to_the_numbers_are_an_error_of_tracing():
    with pytest.raises(ag.errors.ShapeError, match=r"\(1, 3\).* do not broadcast to \(3,\)"):
        ag.function(lambda: ag.random.normal([3], [[1.0, 2.0, 3.0]]))()


def test_single_numbers_of_a_native_loop_are_those_of_the_plan():
    state = ag.random.Generator.from_seed(5)

    def walk(steps):
        place = 0.0
        for _ in ag.range(steps):
            step = ag.random.normal([]) + state.truncated_normal([]) * state.uniform([], -1.0, 1.0)
            if ag.random.uniform([], 0, 3, ag.int64) > 0:
                place += step
        return place, state.state[2]

    native, plan = (ag.function(walk, **pinned(jit)) for jit in (True, False))
    found = drawn(native, ag.constant(50))
    state.reset_from_seed(5)
    np.testing.assert_allclose(found, drawn(plan, ag.constant(50)), rtol=1e-5)


def test_random_integers_in_a_native_loop():
    def walk(steps):
        place = ag.zeros([3], ag.int32)
        for i in ag.range(steps):
            place += ag.random.stateless_uniform([3], [i, 1], -1, 2, ag.int32)
        return place

    native, plan = (ag.function(walk, **pinned(jit)) for jit in (True, False))
    assert np.array_equal(native(ag.constant(9)), plan(ag.constant(9)))


def test_an_empty_interval_is_the_error_of_the_plan():
    draw = lambda high: ag.random.stateless_uniform([2], [1, 1], 0, high, ag.int32)
    with pytest.raises(ag.errors.InvalidArgumentError, match="not below"):
        ag.function(draw, jit_compile=True, autograph=False)(ag.constant(0))


def test_a_loop_that_prints_has_native_parts(capfd):
    @ag.function
    def f(n):
        total = 0
        for i in ag.range(2):
            ag.print("round", i)
            for j in ag.range(n):
                total += j % 7
        return total

    for _ in range(60):
        f(ag.constant(10))
    COMPILER.wait()
    assert int(f(ag.constant(10))) == 2 * sum(j % 7 for j in range(10))
    assert len(f.get_concrete_function(ag.constant(10)).kernels()) == 1


def test_many_uniform_numbers_are_the_same_with_any_number_of_threads():
    set_threads = ag.config.threading.set_intra_op_parallelism_threads
    for dtype in (ag.float32, ag.float64):
        draw = lambda seed: ag.random.stateless_uniform([300_001], [seed, 3], -1, 2, dtype)
        native = ag.function(draw, jit_compile=True, autograph=False)
        for count in (1, 2):
            set_threads(count)
            assert np.array_equal(native(ag.constant(5)), draw(ag.constant(5)))
        set_threads(0)
        assert "region_1" in native.get_concrete_function(ag.constant(5)).kernels()[0].source


@pytest.mark.parametrize("native", [False, True])
def test_a_value_of_another_shape_is_not_assigned(native):
    v = ag.Variable([1.0, 2.0])
    replaced = ag.function(
        lambda x: v.assign(x), input_signature=[ag.TensorSpec([None])], **pinned(native)
    )
    with pytest.raises(ag.errors.InvalidArgumentError, match=r"the shape is \(1,\), not \(2,\)"):
        replaced(ag.ones([1]))
    replaced([5.0, 6.0])
    assert v.numpy().tolist() == [5.0, 6.0]
