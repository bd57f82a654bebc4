"""Whole programs as native code: what they compute, what they refuse, how they fail."""

import numpy as np
import pytest
from execution_modes import pinned

import allograph as ag

pytest.importorskip("llvmlite")


def test_integers_wrap_as_on_numpy():
    def f(x):
        for _ in ag.range(40):
            x = x * 3 + 1
        return x

    plan, native = ag.function(f, kernel_compiler="none"), ag.function(f, jit_compile=True)
    assert int(plan(ag.constant(7))) == int(native(ag.constant(7)))


def test_a_failure_is_the_error_of_the_plan_at_the_users_line():
    @ag.function(jit_compile=True)
    def f(x, i):
        return x[i] + 1

    x = ag.constant([1, 2, 3])
    assert int(f(x, ag.constant(-1))) == 4
    with pytest.raises(IndexError, match=r"index 7[\s\S]*return x\[i\] \+ 1"):
        f(x, ag.constant(7))


def test_integer_division_by_zero_is_an_error():
    @ag.function(jit_compile=True)
    def f(x, y):
        return x // y

    assert int(f(ag.constant(-7), ag.constant(2))) == -4
    with pytest.raises(ag.errors.InvalidArgumentError, match="zero"):
        f(ag.constant(1), ag.constant(0))


def test_what_has_no_native_form_is_refused_with_its_line():
    @ag.function(jit_compile=True)
    def f(x):
        return ag.linalg.expm(x)

    with pytest.raises(ag.errors.InvalidArgumentError, match=r"'expm'[\s\S]*return ag.linalg.expm"):
        f(ag.constant([[3.0, 1.0], [0.0, 2.0]]))


def test_an_argument_is_never_written_to():
    @ag.function(jit_compile=True)
    def f(x):
        for i in ag.range(3):
            x[i] = x[i] * 2.0
        return x

    x = ag.constant([1.0, 2.0, 3.0])
    assert f(x).numpy().tolist() == [2.0, 4.0, 6.0]
    assert x.numpy().tolist() == [1.0, 2.0, 3.0]


def test_two_names_for_one_buffer_stay_apart():
    @ag.function(jit_compile=True)
    def f(x, n):
        y = x
        for i in ag.range(n):
            x[0] = x[0] + 1.0
            if i == 1:
                y = x
        return x, y

    x, y = f(ag.constant([0.0, 5.0]), ag.constant(4))
    assert (x.numpy().tolist(), y.numpy().tolist()) == ([4.0, 5.0], [2.0, 5.0])


@pytest.mark.slow
def test_native_code_takes_over_by_itself():
    @ag.function
    def f(n):
        total = 0
        for i in ag.range(n):
            total += i % 7
        return total

    concrete = f.get_concrete_function(ag.constant(1))
    first = int(f(ag.constant(60_000)))
    from allograph.runtime.executors.tiering import COMPILER, FUNCTIONS

    for _ in range(FUNCTIONS.hot_calls):
        f(ag.constant(10))
    COMPILER.wait()
    assert len(concrete.kernels()) == 1
    assert int(f(ag.constant(60_000))) == first


@pytest.mark.slow
def test_inputs_need_not_be_contiguous():
    f = ag.function(lambda x: ag.reduce_sum(x * 2.0, axis=1), jit_compile=True)
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert f(array.T[::2]).numpy().tolist() == (array.T[::2] * 2).sum(1).tolist()


def kernel_lines(f, *args) -> list[str]:
    """The text inside the first loop of the only kernel."""
    f(*args)
    (kernel,) = f.get_concrete_function(*args).kernels()
    return kernel.source.partition("while True:")[2].splitlines()


@pytest.mark.slow
def test_a_loop_that_carries_arrays_makes_none():
    @ag.function(jit_compile=True)
    def f(x, w, n):
        y = ag.zeros([8])
        for i in ag.range(n):
            x = ag.linalg.matvec(w, x) + ag.cast(i, ag.float32)
            y[i % 8] = x[0]
            x = x[::-1]
        return x, y

    given = ag.ones([8]), ag.eye(8), ag.constant(9)
    lines = kernel_lines(f, *given)
    assert not [
        line for line in lines if any(word in line for word in ("new_array", ".copy", "copy_el"))
    ]
    plan = ag.function(f.python_function, kernel_compiler="none")
    for one, other in zip(f(*given), plan(*given), strict=True):
        np.testing.assert_allclose(one, other)


@pytest.mark.slow
def test_arrays_that_trade_places_in_a_loop_are_not_copied():
    @ag.function(jit_compile=True)
    def f(x, y, n):
        x, y = x + 0.0, y + 0.0
        for _ in ag.range(n):
            x, y = y, x + y
        return x, y

    one, two, n = ag.constant([1.0, 2.0]), ag.constant([0.0, 1.0]), ag.constant(5)
    assert not [line for line in kernel_lines(f, one, two, n) if "copy_elements" in line]
    x, y = f(one, two, n)
    assert (x.numpy().tolist(), y.numpy().tolist()) == ([3.0, 11.0], [5.0, 18.0])


@pytest.mark.slow
def test_sides_of_a_branch_may_leave_results_in_different_buffers():
    @ag.function(jit_compile=True)
    def f(x, n):
        x, y = x + 0.0, x * 2.0
        for i in ag.range(n):
            if i % 2 == 0:
                x, y = y, x
            else:
                x = x + y
        return x, y

    plan = ag.function(f.python_function, kernel_compiler="none")
    for n in range(5):
        given = ag.constant([1.0, 3.0]), ag.constant(n)
        for one, other in zip(f(*given), plan(*given), strict=True):
            assert one.numpy().tolist() == other.numpy().tolist()


@pytest.mark.slow
@pytest.mark.parametrize(
    "row_of",
    [
        lambda x: x[0],
        lambda x: x[-1],
        lambda x: (x[1], x[1]),
        lambda x: ag.reshape(x[1], [3, 1]),
        lambda x: ag.reshape(x, [2, 4, 3])[1],
        lambda x: (x, x[2]),
    ],
)
def test_a_row_of_an_argument_is_a_result(row_of):
    x = np.arange(24.0).reshape(8, 3)
    made = ag.function(row_of, jit_compile=True)(ag.constant(x))
    for found, expected in zip(ag.nest.flatten(made), ag.nest.flatten(row_of(x)), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.slow
def test_a_long_program_takes_rows_from_part_to_part():
    def f(x, m):
        a = ag.zeros_like(x)
        for i in range(8):
            for j in range(8):
                row = a[i] + m[j] * ag.reduce_sum((x[j] - x[i]) ** 2)
                a = ag.tensor_set_item(a, i, row)
        return a

    x, m = ag.reshape(ag.range(24.0), [8, 3]), ag.range(8.0)
    made = ag.function(f, jit_compile=True)(x, m)
    np.testing.assert_allclose(made, f(x, m), rtol=1e-6)


@pytest.mark.parametrize(
    ("key", "shape"),
    [
        ((slice(1, -1), slice(1, -1)), (3, 4)),
        ((slice(None, 2),), ()),
        ((slice(None, None, -2), 1), (3,)),
        ((None, slice(3, 5)), (1, 2, 6)),
        ((slice(0, 0),), (0, 6)),
        ((-1, slice(4, None, -3)), (1,)),
        ((..., slice(10, 2, -1)), (5, 1)),
    ],
)
def test_slices_are_assigned_to(key, shape):
    given, value = np.arange(30.0).reshape(5, 6), np.random.default_rng(0).random(shape)

    @ag.function(jit_compile=True)
    def f(x, value):
        for _ in ag.range(2):
            x = ag.tensor_set_item(x, key, value)
            value = value + 1.0
        return x

    expected = given.copy()
    expected[key] = value + 1.0
    np.testing.assert_array_equal(f(ag.constant(given), ag.constant(value)), expected)


def test_a_slice_of_an_array_may_be_made_of_others_of_it():
    @ag.function(jit_compile=True)
    def f(u):
        for _ in ag.range(3):
            u = ag.tensor_set_item(u, slice(1, -1), u[:-2] + u[2:])
        return u

    u = np.arange(7.0)
    found = f(ag.constant(u)).numpy()
    for _ in range(3):
        u[1:-1] = u[:-2] + u[2:]
    np.testing.assert_array_equal(found, u)


@pytest.mark.slow
def test_sums_of_products_inside_of_control_flow():
    def f(x, n):
        total = ag.zeros([], ag.float64)
        for i in ag.range(n):
            if i % 2 == 0:
                total += ag.tensordot(x[i], x[i], 1) + ag.einsum("ij,j->", x, x[i])
        return total

    args = ag.constant(np.random.default_rng(0).random((4, 3))), ag.constant(4)
    native, plan = (ag.function(f, **pinned(jit))(*args) for jit in (True, False))
    np.testing.assert_allclose(native, plan, rtol=1e-13)


@pytest.mark.slow
def test_loops_over_ranges_leave_what_python_leaves():
    def count(x, limit):
        last, total = ag.constant(-1), 0.0
        for i in ag.range(3, limit):
            last = i
            if x[i] > 5.0:
                break
            total += x[i]
        k = ag.constant(2)
        while k < limit:
            total -= x[k]
            k += 1
        return last, k, total

    f = ag.function(count, jit_compile=True)
    x = ag.constant([1.0, 2.0, 4.0, 8.0, 1.0, 6.0, 1.0])
    results = [[one.numpy() for one in f(x, ag.constant(limit))] for limit in (-1, 3, 5, 7)]
    assert results == [[-1, 2, 0.0], [-1, 3, -4.0], [3, 5, -13.0], [3, 7, -20.0]]
    source = f.get_concrete_function(x, ag.constant(1)).kernels()[0].source
    assert "for " in source
    assert "while " not in source


@pytest.mark.parametrize("shape", [(2, 1), (5,), (700,)])
def test_sides_of_a_branch_leave_arrays_of_several_shapes_in_each_others_buffers(shape):
    def f(x, y, n):
        first, other, last = ag.sin(x), ag.sin(y), ag.cos(x)
        for i in ag.range(n):
            if i % 2 == 0:
                first, other, last = first + 1.0, other * 2.0, last + 1.0
            else:
                first, other, last = last * 2.0, other[::-1], first[::-1]
            first, other, last = first[::-1] + last, ag.tanh(other[::-1]), ag.tanh(last[::-1])
        return ag.cos(first), ag.cos(other), ag.cos(last)

    x = ag.reshape(ag.range(0.0, 1.0, 1.0 / np.prod(shape)), shape)
    args = ag.constant([0.25, 0.5]), x, ag.constant(5)
    plan, native = ag.function(f, **pinned(False))(*args), ag.function(f, **pinned(True))(*args)
    for one, other in zip(native, plan, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


def test_a_loop_replaces_an_array_by_what_an_inner_loop_makes_of_another():
    def f(x, y, n):
        for i in ag.range(n):
            made = ag.tanh(y)
            for j in ag.range(i + 1):
                made = ag.tensor_set_item(made, j, ag.cos(made[j]))
            x = made
        return x

    args = ag.constant([1.0, 2.0, 3.0]), ag.constant([0.5, 0.25, 0.75]), ag.constant(3)
    plan, native = ag.function(f, **pinned(False))(*args), ag.function(f, **pinned(True))(*args)
    np.testing.assert_allclose(native, plan, rtol=1e-6)
