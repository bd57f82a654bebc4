"""Loops whose state becomes wider: numbers that adopt dtypes, dimensions that change."""

import numpy as np
import pytest
from language_kit import assert_staged_alike, staged

import allograph as ag

FLOATS = np.array([1.0, 2.0, 0.1])
WHOLE = np.array([1, 2, 2**40])


def test_a_float_adopts_the_width_that_the_loop_computes_in():
    @ag.function
    def total(x):
        result = 0.1
        for item in x:
            result = result + item
        return result

    made = total(FLOATS)
    assert made.dtype == ag.float64
    assert float(made) == 0.1 + 1.0 + 2.0 + 0.1


def test_an_integer_adopts_the_width_that_the_loop_computes_in():
    @ag.function
    def largest(x):
        best = 0
        for item in x:
            if item > best:
                best = item
        return best

    made = largest(WHOLE)
    assert made.dtype == ag.int64
    assert int(made) == 2**40


def test_floats_and_integers_adopt_their_widths_together():
    @ag.function
    def both(x, n):
        count, total = 0, 0.0
        for i in ag.range(3):
            count = count + n[i]
            total = total + x[i]
        return count, total

    count, total = both(FLOATS, WHOLE)
    assert (count.dtype, total.dtype) == (ag.int64, ag.float64)


def test_a_number_before_nested_loops_adopts_the_width():
    @ag.function
    def total(x):
        result = 0.0
        for _ in ag.range(2):
            for item in x:
                result += item
        return result

    assert total(FLOATS).dtype == ag.float64


def test_numbers_stay_narrow_where_the_loop_computes_in_32_bits():
    @ag.function
    def total(x):
        result, count = 0.0, 0
        for item in x:
            result += item
            count += 1
        return result, count

    result, count = total(FLOATS.astype(np.float32))
    assert (result.dtype, count.dtype) == (ag.float32, ag.int32)


def test_a_loop_that_fits_is_traced_once():
    turns = []

    @ag.function
    def total(x):
        result = 0.0
        for item in x:
            turns.append(1)
            result += item
        return result

    total(FLOATS.astype(np.float32))
    assert len(turns) == 1


@pytest.mark.parametrize("dtype", [ag.float32, ag.float64, ag.complex64, ag.int64], ids=repr)
def test_an_int_adopts_what_the_loop_adds_to_it(dtype):
    @ag.function
    def total(x):
        result = 0
        for item in x:
            result = item + result
        return result

    made = total(ag.cast([1, 2, 3], dtype))
    assert (made.dtype, complex(made.numpy())) == (dtype, 6)


def test_an_int_becomes_a_float_where_the_loop_adds_fractions():
    def f(n):
        x, y = 0, 1
        for _ in ag.range(n):
            x += 0.5
            y = y * 2.5
        return x, y

    assert staged(f, 3) == (1.5, 15.625)


def test_a_counter_beside_floats_stays_an_integer():
    def f(n):
        i, total = 0, 0
        while i < n:
            total += (2 * i + 1) * 0.5
            i += 1
        return i, total

    assert staged(f, 3) == (3, 4.5)
    assert [one.dtype for one in ag.function(f)(ag.constant(3))] == [ag.int32, ag.float32]


def test_an_int_beside_a_narrow_integer_is_refused_with_its_start():
    @ag.function
    def total(x):
        result = 0
        for item in x:
            result = item + result
        return result

    with pytest.raises(TypeError) as caught:
        total(ag.cast([1, 2], ag.uint8))
    assert "uint8 and int32 do not mix" in str(caught.value)
    assert "'result' enters the loop as the int 0" in caught.value.__notes__[0]


def test_a_counter_is_a_number_after_the_loop_too():
    def f(x):
        count = 0
        for _ in x:
            count += 1
        return sum(x) / count

    assert staged(f, [1.0, 2.0, 6.0]) == 3.0


def test_an_int_before_nested_loops_becomes_a_float():
    def f(rows):
        total = 0
        for row in rows:
            for x in row:
                if x > 1:
                    total += x
        return total

    assert staged(f, [[1.0, 2.5], [3.0, 0.0]]) == 5.5


def test_a_float_stays_one_where_an_iteration_assigns_an_int():
    def f(n):
        x = 0.5
        for i in ag.range(n):
            if i > 0:
                x = 2
            else:
                x = 1
        return x

    assert staged(f, 2) == 2.0


def test_numbers_that_wait_for_one_another_all_become_floats():
    def f(n):
        a, b, c = 0, 1, 2
        for _ in ag.range(n):
            a, b, c = b, c, c + 0.5
        return a, b, c

    assert_staged_alike(f, (0,), (1,), (2,), (5,))


def test_a_branch_in_a_loop_merges_an_int_of_the_state_with_a_float():
    def f(x):
        best = 0
        for item in x:
            best = item if item > best else best
        return best

    assert staged(f, [0.5, 2.5, 1.0]) == 2.5


def test_a_tensor_before_the_loop_keeps_its_type():
    @ag.function
    def total(x):
        result = ag.constant(0.0)
        for item in x:
            result = result + item
        return result

    with pytest.raises(TypeError, match="float32 and float64 do not mix"):
        total(FLOATS)


def test_a_tensor_grows_in_a_loop():
    def f(n):
        rows = ag.zeros([0, 2])
        for i in ag.range(n):
            rows = ag.concat([rows, [[1.0, 2.0]]], 0)
        return rows

    assert [staged(f, n) for n in (0, 2)] == [[], [[1.0, 2.0]] * 2]


def test_a_tensor_gains_axes_in_a_loop():
    def f(x, n):
        for _ in ag.range(n):
            x = x[None]
        return x

    assert staged(f, [1, 2], 2) == [[[1, 2]]]


def test_tensors_that_grow_together_are_widened_together():
    def f(n):
        a = b = ag.ones([1], ag.int32)
        for _ in ag.range(n):
            a, b = b, ag.concat([a, b], 0)
        return len(a), ag.shape(b)[0]

    assert staged(f, 5) == (8, 13)


def test_rows_of_a_dataset_are_collected():
    @ag.function
    def collected(ds):
        rows = ag.zeros([0], ag.int64)
        for batch in ds:
            rows = ag.concat([rows, batch], 0)
        return rows

    assert collected(ag.data.Dataset.range(5).batch(2)).numpy().tolist() == [0, 1, 2, 3, 4]


def test_a_shape_that_is_found_only_at_run_time_may_change():
    def f(x):
        while sum(x) > 5:
            x = ag.boolean_mask(x, x < x[0])
        return x

    assert staged(f, [4, 3, 2, 9]) == [3, 2]


def test_the_gradient_of_a_loop_whose_state_grows():
    @ag.function
    def slope(x, n):
        with ag.GradientTape() as tape:
            tape.watch(x)
            rows = x[None]
            for _ in ag.range(n):
                rows = ag.concat([rows, 2.0 * rows[-1:]], 0)
            y = sum(rows)
        return tape.gradient(y, x)

    assert float(slope(ag.constant(1.0), ag.constant(3))) == 15.0


def test_a_shape_that_the_body_needs_is_kept():
    @ag.function
    def f(x, k):
        for _ in ag.range(2):
            x = (x * ag.ones([x.shape[0]]))[:k]
        return x

    assert f(ag.ones([2]), ag.constant(2)).numpy().tolist() == [1.0, 1.0]
    with pytest.raises(ag.errors.InvalidArgumentError, match=r"\(1,\), not \(2,\)"):
        f(ag.ones([2]), ag.constant(1))


def test_a_declared_shape_is_not_widened():
    @ag.function
    def f(n):
        rows = ag.zeros([0, 2])
        for _ in ag.range(n):
            ag.autograph.experimental.set_loop_options(
                shape_invariants=[(rows, ag.TensorShape([None, 2]))]
            )
            rows = ag.concat([rows, rows], 1)
        return rows

    with pytest.raises(
        TypeError, match=r"'rows' enters the loop as float32 with shape \(None, 2\)"
    ):
        f(ag.constant(1))


@pytest.mark.slow
def test_native_code_keeps_shapes_that_are_found_only_at_run_time():
    @ag.function(jit_compile=True)
    def f(x, k, n):
        for _ in ag.range(n):
            x = x[:k] * 2.0
        return x

    assert f(ag.ones([3]), ag.constant(3), ag.constant(2)).numpy().tolist() == [4.0] * 3


def test_a_number_is_widened_for_a_decorated_function_that_the_body_calls():
    @ag.function
    def add(total, x):
        return total + x

    @ag.function
    def f(xs):
        total = 0
        for x in xs:
            total = add(total, x)
        return total

    for dtype in (ag.int32, ag.float32, ag.float64, ag.int64):
        total = f(ag.cast(ag.constant([1, 2, 3]), dtype))
        assert (int(total), total.dtype) == (6, dtype)
