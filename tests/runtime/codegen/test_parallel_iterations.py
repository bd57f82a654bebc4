"""Whole loops that threads share give what they give on one thread, and on NumPy, to the bit."""

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import allograph as ag

pytestmark = pytest.mark.slow
set_threads = ag.config.threading.set_intra_op_parallelism_threads
SIZE = 20_000


@pytest.fixture(autouse=True)
def as_before():
    yield
    set_threads(0)


def numbers(*shape, dtype=np.float64, seed=0):
    return ag.constant(np.random.default_rng(seed).standard_normal(shape).astype(dtype))


def text_of(function, *arguments):
    return function.get_concrete_function(*arguments).kernels()[0].source


def same_as_the_plan(body, *arguments, error=0.0):
    """Native results with one and two threads are the same, and those of NumPy."""
    expected = ag.nest.flatten(ag.function(body, kernel_compiler="none")(*arguments))
    native = ag.function(body, jit_compile=True)
    results = []
    for number in (1, 2):
        set_threads(number)
        results.append([one.numpy() for one in ag.nest.flatten(native(*arguments))])
    for one, two, wanted in zip(*results, expected, strict=True):
        np.testing.assert_array_equal(one, two)
        np.testing.assert_allclose(one, wanted.numpy(), rtol=error, atol=error)
    return text_of(native, *arguments)


# ---- element by element ------------------------------------------------------------------------


def escape(c, turns):
    z, count = ag.zeros_like(c), ag.zeros(c.shape, ag.int32)
    for _ in ag.range(turns):
        inside = z * z <= 4.0
        count += ag.cast(inside, ag.int32)
        z = ag.where(inside, z * z + c, z)
    return z, count


@pytest.mark.parametrize("turns", [0, 1, 40])
@pytest.mark.parametrize("shape", [(SIZE,), (100, 200)], ids=["vector", "matrix"])
def test_each_group_of_elements_does_all_turns(turns, shape):
    text = same_as_the_plan(escape, numbers(*shape), ag.constant(turns))
    assert text.index("run_region(") > text.index("while True:")
    assert "vector_differs(" in text


def test_arrays_that_change_places_do_so_in_every_turn():
    def fibonacci(a, b):
        for _ in ag.range(7):
            a, b = b, a + b
        return a, b

    text = same_as_the_plan(fibonacci, *(ag.range(10 * SIZE) + start for start in (0, 3)))
    assert "run_region(" in text and "vector_differs(" not in text


@pytest.mark.parametrize("size", [2, 3, 63, 64, 65, 1000, 1001, SIZE + 1, SIZE + 63, SIZE + 65])
def test_the_last_group_may_be_smaller(size):
    text = same_as_the_plan(escape, numbers(size), ag.constant(20))
    assert ("run_region(" in text) == (size >= SIZE) and "vector_load(" in text


def test_one_element_is_no_vector():
    assert "vector_load(" not in same_as_the_plan(escape, numbers(1), ag.constant(20))


def test_a_small_matrix_is_taken_as_one_row():
    assert "vector_load(" in same_as_the_plan(escape, numbers(7, 9), ag.constant(20))


def test_a_loop_over_elements_in_a_turn_of_its_own_keeps_them_in_registers_too():
    def rows(x):
        counts = ag.TensorArray(ag.int32, size=300, element_shape=(70,))
        for p in ag.range(300):
            counts = counts.write(p, escape(x[p], 50)[1])
        return counts.stack()

    text = same_as_the_plan(rows, numbers(300, 70))
    assert "vector_load(" in text.split("def kernel")[0]


def test_a_loop_that_computes_with_numbers_above_all_does_so_once():
    def integrated(x):
        t, v = 0.0, 1.0
        for _ in ag.range(20):
            t, v = t + 0.1, v - (v * v - t) * (v + t) * 0.1
            v = v * 0.5 + (t - v) * (v - 2.0 * t)
            x = x * 0.5
        return x, t, v

    assert "vector_load(" not in same_as_the_plan(integrated, numbers(3), error=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
def test_types_of_any_width_share_a_loop(dtype):
    def settled(x):
        rounds, done = ag.zeros(x.shape, ag.int32), x < 0
        for _ in ag.range(30):
            rounds += ag.cast(~done, ag.int32)
            done |= x < 2
            x = ag.where(done, x, x - 2)
        return x, rounds, done

    x = ag.cast(100 * numbers(5 * SIZE + 1), dtype)
    assert "vector_load(" in same_as_the_plan(settled, x)


@pytest.mark.parametrize("count", [3, 12])
def test_a_state_of_many_arrays_has_smaller_groups(count):
    def turned(*arrays):
        for _ in ag.range(9):
            arrays = (*(x + 0.5 * y for x, y in zip(arrays, arrays[1:])), arrays[0] * 0.5)
        return arrays

    arrays = [numbers(SIZE, seed=seed) for seed in range(count)]
    text = same_as_the_plan(turned, *arrays)
    assert "vector_load(" in text


@pytest.mark.parametrize("function", [ag.math.lgamma, ag.tanh, lambda x: ag.exp(-x) % 0.7])
@pytest.mark.parametrize("precise", [False, True])
def test_functions_in_a_loop_are_those_outside(function, precise):
    def repeated(x):
        for _ in ag.range(3):
            x = function(ag.abs(x) + 0.5)
        return x

    def unrolled(x):
        for _ in range(3):
            x = function(ag.abs(x) + 0.5)
        return x

    x = numbers(SIZE)
    ag.config.set_precise_math(precise)
    try:
        made, wanted = (ag.function(f, jit_compile=True)(x) for f in (repeated, unrolled))
    finally:
        ag.config.set_precise_math(False)
    np.testing.assert_array_equal(made.numpy(), wanted.numpy())


def test_a_state_that_becomes_a_number_everywhere_is_an_array_still():
    def filled(x):
        for i in ag.range(5):
            x = ag.fill(x.shape, ag.cast(i, x.dtype) * 2.0)
        return x

    same_as_the_plan(filled, numbers(SIZE))


def test_the_number_of_the_turn_keeps_elements_changing():
    def late(x):
        for i in ag.range(30):
            x = ag.where(i < 25, x, x * 1.5)
        return x

    same_as_the_plan(late, numbers(SIZE))


def test_what_the_numbers_of_the_state_are_in_the_end_is_known():
    def grown(x):
        total, i = 1, 0
        while total < 1000:
            x = ag.where(x > 0.0, x, x * 0.5)
            total, i = total * 3, i + 1
        return x, total, i

    same_as_the_plan(grown, numbers(SIZE))


def test_signs_of_zero_and_nan_are_elements_like_others():
    def halved(x):
        for _ in ag.range(20):
            x = ag.where(x == 1.0, x, x * -0.5)
        return x

    values = np.tile([0.0, -0.0, np.nan, np.inf, 1.0, 5e-324], SIZE // 6)
    made = ag.function(halved, jit_compile=True)(ag.constant(values)).numpy()
    expected = ag.function(halved, kernel_compiler="none")(ag.constant(values)).numpy()
    np.testing.assert_array_equal(np.signbit(made), np.signbit(expected))
    np.testing.assert_array_equal(made, expected)


@pytest.mark.parametrize(
    "body",
    [
        lambda x: x[::-1] * 0.5,
        lambda x: x - ag.reduce_max(x),
        lambda x: ag.cumsum(x) * 1e-3,
        lambda x: ag.roll(x, 1, 0) + 1.0,
    ],
    ids=["reversed", "largest", "sums", "rolled"],
)
def test_loops_that_read_other_elements_stay_as_they_are(body):
    def repeated(x):
        for _ in ag.range(5):
            x = body(x)
        return x

    x = numbers(SIZE)
    made = ag.function(repeated, jit_compile=True)(x).numpy()
    np.testing.assert_allclose(
        made, ag.function(repeated, kernel_compiler="none")(x).numpy(), 1e-12
    )


# ---- turn by turn ------------------------------------------------------------------------------


def test_iterations_that_write_their_own_row_are_shared():
    def steps(x):
        counts = ag.TensorArray(ag.int32, size=SIZE, element_shape=())
        for p in ag.range(SIZE):
            y, k = x[p % 100], 0
            while k < 50 and y < 4.0:
                y, k = y * y + 0.25, k + 1
            counts = counts.write(p, k)
        return counts.stack()

    text = same_as_the_plan(steps, numbers(100))
    region, _ = text.split("def kernel")
    assert "def region_1" in region and "in range(50):" in region.split("for iteration")[1]


def test_iterations_that_work_with_arrays_have_their_own():
    def products(x, w):
        rows = ag.TensorArray(ag.float64, size=3000, element_shape=(4, 4))
        for p in ag.range(3000):
            y = ag.matmul(x[p], w)
            y = ag.matmul(y - ag.reduce_max(y, axis=0), w)
            rows = rows.write(p, ag.transpose(y) + x[p])
        return rows.stack()

    text = same_as_the_plan(products, numbers(3000, 4, 4), numbers(4, 4, seed=1), error=1e-10)
    assert "new_array(" in text.split("def kernel")[0]


@pytest.mark.parametrize("kind", ["uniform", "normal", "truncated_normal", "integers"])
def test_iterations_that_draw_random_numbers_are_shared(kind):
    def drawn(seed):
        if kind == "integers":
            return ag.random.stateless_uniform([999], seed, 0, 9, ag.int32) % 3
        numbers = getattr(ag.random, f"stateless_{kind}")([999], seed)
        return ag.cast(numbers > 0.25, ag.int32)

    def count(steps):
        total = 0
        for step in ag.range(steps):
            total += ag.reduce_sum(drawn([step, 7]))
        return total

    text = same_as_the_plan(count, ag.constant(400))
    assert "draw_" in text.split("def kernel")[0]


def test_an_empty_interval_in_a_shared_iteration_is_the_error_of_the_plan():
    def count(highest):
        total = 0
        for step in ag.range(len(highest)):
            drawn = ag.random.stateless_uniform([99], [step, 7], 0, highest[step], ag.int32)
            total += ag.reduce_sum(drawn)
        return total

    f = ag.function(count, jit_compile=True)
    highest = np.full(4000, 5, np.int32)
    assert f(ag.constant(highest)) == ag.function(count, kernel_compiler="none")(
        ag.constant(highest)
    )
    assert "draw_" in text_of(f, ag.constant(highest)).split("def kernel")[0]
    highest[2500] = 0
    with pytest.raises(ag.errors.InvalidArgumentError, match="not below"):
        f(ag.constant(highest))


def test_a_turn_that_reads_what_another_wrote_is_not_shared():
    def running(x):
        rows = ag.TensorArray(ag.float64, size=SIZE, element_shape=(), clear_after_read=False)
        rows = rows.write(0, x[0])
        for p in ag.range(SIZE - 1):
            rows = rows.write(p + 1, ag.sqrt(ag.abs(rows.read(p))) + x[p])
        return rows.stack()

    text = same_as_the_plan(running, numbers(SIZE))
    assert "run_region(" not in text or "sqrt" not in text.split("def kernel")[0]


def test_an_index_out_of_range_in_a_shared_turn_names_the_line_and_ends():
    def far(x, places):
        rows = ag.TensorArray(ag.float64, size=SIZE, element_shape=())
        for p in ag.range(SIZE):
            k = places[p]
            while x[k] > -100.0:
                k += 1
            rows = rows.write(p, x[k])
        return rows.stack()

    f = ag.function(far, jit_compile=True)
    x = np.zeros(10)
    x[4] = -200.0
    places = np.zeros(SIZE, np.int32)
    assert (f(ag.constant(x), ag.constant(places)).numpy() == -200.0).all()
    places[SIZE // 2] = 7
    with pytest.raises(ag.errors.InvalidArgumentError, match="range"):
        f(ag.constant(x), ag.constant(places))


# ---- products of rows --------------------------------------------------------------------------


def cell(x, w, b):
    h = c = ag.zeros([4, 8])
    for t in ag.range(6):
        gates = ag.matmul(ag.concat([x[t], h], axis=1), w) + b
        i, f, g, o = ag.split(gates, 4, axis=1)
        c = ag.sigmoid(f) * c + ag.sigmoid(i) * ag.tanh(g)
        h = ag.sigmoid(o) * ag.tanh(c)
    return h, c


def test_the_part_of_a_product_that_the_state_has_no_share_in_is_made_before_the_loop():
    x = numbers(6, 4, 5, dtype=np.float32)
    w, b = numbers(13, 32, dtype=np.float32), numbers(32, dtype=np.float32)
    native = ag.function(cell, jit_compile=True)
    for made, wanted in zip(native(x, w, b), ag.function(cell)(x, w, b), strict=True):
        np.testing.assert_allclose(made.numpy(), wanted.numpy(), rtol=1e-4, atol=1e-5)
    before, after = text_of(native, x, w, b).split(" in range(6):")
    assert before.count("product_of_") == after.count("product_of_") == 1


def test_a_loop_that_may_end_early_makes_its_products_as_it_goes():
    def until(x, w):
        h = ag.zeros([4, 8])
        for t in ag.range(6):
            h = ag.tanh(ag.matmul(x[t], w) + h)
            if ag.reduce_max(h) > 0.9:
                break
        return h

    x, w = numbers(6, 4, 8), numbers(8, 8)
    x, w = ag.cast(x, ag.float32), ag.cast(w, ag.float32)
    native = ag.function(until, jit_compile=True)
    np.testing.assert_allclose(native(x, w).numpy(), ag.function(until)(x, w).numpy(), rtol=1e-5)
    assert "product_of_" not in text_of(native, x, w).split("while True:")[0]
