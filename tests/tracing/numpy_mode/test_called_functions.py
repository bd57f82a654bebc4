"""`jit`: functions of NumPy without a native form are called where the program calls them."""

import copy

import numpy as np
import pytest
from numpy_programs import assert_same_outcome

import allograph as ag

pytestmark = pytest.mark.slow

NOISE = np.random.default_rng(7)


def cumulated(a, count):
    total = 0.0
    for i in range(count):
        for j in range(len(a)):
            total += a[j] * i
    return total


def spectrum(a, count):
    total = cumulated(a, count) + cumulated(a[::2], count)
    return np.abs(np.fft.rfft(a)), total


def inverses(a, count):
    total = cumulated(a, count)
    values, vectors = np.linalg.eigh(np.outer(a, a), "U")
    return np.linalg.pinv(np.outer(a, a))[1] * 2, total, values[-1], vectors.shape


def distinct(a, count):
    a[:] = a // 8
    return np.unique(a, return_index=True)[0], cumulated(a, count), np.partition(a, 3)


def drawn(a, count):
    generator = np.random.default_rng(count)
    a[:] = generator.normal(size=len(a))
    total = cumulated(a, count)
    return total, generator.random(), generator.integers(0, 9), generator.permutation(4)


def drawn_by_name(a, count):
    np.random.seed(count)
    a += np.random.rand(len(a))
    np.random.shuffle(a)
    return cumulated(a, count), np.random.normal(), np.random.randint(5)


def drawn_from_argument(a, count, generator):
    total = 0.0
    for i in range(count):
        a *= generator.normal()
        total += cumulated(a, i)
    return total


def outcome(function, args):
    args = copy.deepcopy(args)
    np.random.seed(3)
    try:
        result = function(*args)
    except Exception as error:
        result = type(error)
    state = args[2].random() if len(args) > 2 else None
    return result, args[0], np.random.rand(), state


def assert_same(one, other):
    assert type(one) is type(other)
    if isinstance(one, tuple):
        assert len(one) == len(other)
        for pair in zip(one, other, strict=True):
            assert_same(*pair)
    elif isinstance(one, type) or one is None:
        assert one is other
    else:
        assert np.asarray(one).dtype == np.asarray(other).dtype
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


GENERATED = (np.arange(40.0), 3, np.random.default_rng(1))


@pytest.mark.parametrize(
    ("function", "args", "names"),
    [
        (inverses, (np.arange(40.0), 3), ["pinv"]),
        (distinct, (np.arange(40.0), 3), ["unique", "partition"]),
        (drawn, (np.arange(40.0), 3), ["default_rng", "random.normal", "random.permutation"]),
        (drawn_by_name, (np.arange(40.0), 3), ["random.seed", "random.shuffle"]),
    ],
)  # fmt: skip
def test_the_rest_of_a_function_is_native_around_a_call(function, args, names):
    compiled = ag.jit(function)
    for _ in range(2):
        assert_same(outcome(compiled, args), outcome(function, args))
        compiled.python_function = None  # the second call is native
    assert "native code that calls NumPy: " in compiled.inspect()
    for name in names:
        assert name in compiled.inspect()
    assert compiled.inspect().endswith("2 calls")


def test_loops_before_a_called_function_are_one_kernel():
    compiled, args = ag.jit(spectrum), (np.arange(40.0), 3)
    for _ in range(2):
        assert_same(outcome(compiled, args), outcome(spectrum, args))
    (entry,) = compiled.jit_table.values()
    assert len(entry.traced.executable.kernels()) == 1
    assert compiled.inspect().endswith("native code that calls NumPy: rfft; 2 calls")


def test_draws_from_a_generator_among_the_arguments_are_native():
    compiled = ag.jit(drawn_from_argument)
    for _ in range(2):
        assert_same(outcome(compiled, GENERATED), outcome(drawn_from_argument, GENERATED))
        compiled.python_function = None
    assert compiled.inspect().endswith("native code; 2 calls")


def raising(a, count, generator):
    a[:] = generator.normal(size=len(a))
    total = cumulated(a, count)
    np.random.rand()
    return total + a[count]


def test_generators_are_as_after_python_where_a_call_raises():
    compiled = ag.jit(raising)
    for count in (3, 100):
        args = (np.arange(40.0), count, np.random.default_rng(1))
        assert_same(outcome(compiled, args), outcome(raising, args))
    assert "native code that calls" in compiled.inspect()


def test_a_generator_from_outside_gives_the_same_stream():
    def draw(a):
        for i in range(len(a)):
            a[i] = a[i] * 2 + i
        return NOISE.normal(size=3) + a[0]

    state = NOISE.bit_generator.state
    expected = [draw(np.arange(70.0)) for _ in range(3)]
    NOISE.bit_generator.state = state
    compiled = ag.jit(draw)
    assert_same([compiled(np.arange(70.0)) for _ in range(3)][2], expected[2])


def test_a_result_of_another_type_than_samples_give_is_left_to_python():
    def roots(a, matrix):
        for i in range(len(a)):
            a[i] += i
        return np.linalg.eigvals(matrix)

    compiled = ag.jit(roots)
    for corner in (1.0, -1.0):  # eigenvalues, whose types differ before NumPy 2.5
        matrix = np.array([[0.0, 1.0], [corner, 0.0]])
        for _ in range(3):
            a = np.zeros(80)
            result = compiled(a, matrix)
            assert result.dtype == np.linalg.eigvals(matrix).dtype
            assert a[79] == 79


def test_calls_that_always_end_otherwise_are_left_to_numpy():
    def twins(a):
        for i in range(len(a)):
            a[i] += i
        return np.unique(np.where(a < 0, a, 0.5) * a[0], return_index=True)[0]

    compiled = ag.jit(twins)
    for _ in range(12):
        assert_same(compiled(np.arange(70.0)), twins(np.arange(70.0)))


def test_a_call_that_would_change_its_argument_is_refused():
    def place(a):
        for i in range(len(a)):
            a[i] += i
        np.place(a, a > 3, 0.5)

    compiled, a, b = ag.jit(place), np.arange(70.0), np.arange(70.0)
    compiled(a)
    place(b)
    assert np.array_equal(a, b)
    assert "a call of place" in compiled.inspect()


def test_a_ufunc_with_where_and_out_is_native():
    def halved(a, mask):
        np.multiply(a, 0.5, out=a, where=mask)
        np.copyto(a, 7.0, where=a > 20)

    compiled, args = ag.jit(halved), (np.arange(60.0), np.arange(60) % 2 == 0)
    assert_same(outcome(compiled, args), outcome(halved, args))
    assert compiled.inspect().endswith("native code; 1 call")


@pytest.mark.parametrize("mask", [np.ones(4, np.float32), np.array([1, 0, 0, 1])])
@pytest.mark.parametrize("replace", [
    lambda a, mask: np.arctan2(a, a, out=a, where=mask),
    lambda a, mask: np.copyto(a, 1.0, where=mask),
])  # fmt: skip
def test_a_mask_of_numbers_raises_numpys_error(replace, mask):
    a = np.arange(4.0)
    for function in (replace, ag.jit(replace)):
        with pytest.raises(TypeError, match="Cannot cast array data from dtype.* to dtype..bool"):
            function(a, mask)
    assert a.tolist() == [0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize("out", [np.ones(4, bool), np.ones(4, np.int32), np.ones(4, np.float32)])
def test_what_is_written_under_a_mask_is_cast_as_numpy_casts(out):
    def conjugated(a, out, mask):
        np.conjugate(a, out=out, where=mask)
        return out

    args = np.linspace(0.1, 4.1, 4), out, np.array([True, False, True, False])
    assert_same_outcome(conjugated, ag.jit(conjugated), args)


def test_a_list_or_a_number_of_numpy_is_a_mask_as_in_numpy():
    def increased(a, mask):
        np.add(a, 1.0, out=a, where=mask[0])
        return np.add(a, 1.0, out=a, where=[1, 0, 0, 1])

    args = np.arange(4.0), np.array([1, 0, 0, 1])
    assert_same(outcome(ag.jit(increased), args), outcome(increased, args))


def chain(steps, count, generator):
    visits, state = np.zeros(len(steps), np.int64), 0
    for _ in range(count):
        drawn, following = generator.gumbel(), 0
        while following < len(steps) - 1 and steps[state, following] < drawn:
            following += 1
        state = following
        visits[state] += 1
    return visits


def few_passes(a, count, generator):
    for _ in range(count):
        drawn = generator.gumbel()
        for j in range(len(a)):
            a[j] += drawn
    return a


@pytest.mark.parametrize("function", [chain, few_passes])
def test_a_loop_of_draws_and_short_loops_is_left_to_python(function):
    compiled = ag.jit(function)
    example = np.cumsum(np.full((5, 5), 0.2), 1) if function is chain else np.arange(6.0)
    outcomes = [
        outcome(one, (example.copy(), 50, np.random.default_rng(3))) for one in (compiled, function)
    ]
    assert_same(*outcomes)
    assert "calls of random.gumbel in a loop" in compiled.inspect()


def test_a_loop_of_draws_and_long_loops_is_native():
    compiled = ag.jit(few_passes)
    compiled(np.arange(1000.0), 5, np.random.default_rng(3))
    assert "native code that calls NumPy: random.gumbel" in compiled.inspect()


def test_a_loop_of_draws_and_single_operations_is_left_to_python():
    def walk(a, count, generator):
        x = 0.0
        for _ in range(count):
            u = generator.gumbel()
            x = x * 0.5 + u if u > x else x - 0.1
        return x + a[0]

    compiled, args = ag.jit(walk), (np.arange(4.0), 100, np.random.default_rng(1))
    assert_same(outcome(compiled, args), outcome(walk, args))
    assert "calls of random.gumbel in a loop of single operations" in compiled.inspect()


def test_a_called_function_gets_arrays_in_their_layout():
    def asked(a, count):
        return np.isfortran(a), np.sinc(a).ravel(), cumulated(a[0], count)

    for a in (np.ones((2, 3)), np.ones((3, 2)).T):
        compiled = ag.jit(asked)
        assert compiled(a, 5)[0] is asked(a, 5)[0]
        assert "native code that calls NumPy: isfortran" in compiled.inspect()


def test_a_called_function_that_gives_an_array_of_this_layout_itself_is_left_to_numpy():
    def changed(a, count):
        columns = np.asfortranarray(a)
        columns[0] = 7
        return cumulated(a[0], count)

    outcomes = [outcome(f, (np.ones((3, 2)).T, 5)) for f in (ag.jit(changed), changed)]
    assert_same(*outcomes)


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def sorted_between(a, low, high):
    if low < high:
        last = low - 1
        for i in range(low, high + 1):
            if a[i] <= a[high]:
                last += 1
                a[i], a[last] = a[last], a[i]
        sorted_between(a, low, last - 1)
        sorted_between(a, last + 1, high)


@ag.jit
def sort_by_recursion(a):
    sorted_between(a, 0, len(a) - 1)
    return a


def test_recursion_whose_depth_is_computed_is_native():
    compute = ag.jit(fibonacci)
    assert compute(10) == 55
    assert compute.inspect() == "(int): native code; 1 call"
    np.testing.assert_array_equal(sort_by_recursion(np.array([3.0, 1, 2, 9, 0])), [0, 1, 2, 3, 9])
    assert sort_by_recursion.inspect() == "(float64[5]): native code; 1 call"


def test_arrays_of_another_data_type_or_shape_are_another_trace():
    def function(a, n):
        if a[-1] > -(2**63):  # which NumPy compares
            n ^= a.shape[-1]
        return np.max(a), a.reshape(-1)[:n], n

    compiled = ag.jit(function)
    for a in (
        np.array([1.5]),
        np.array([6], np.uint8),
        np.array([6, 3], np.uint8),
        np.ones((2, 1)),
    ):
        for _ in range(2):
            (one, rows, n), (other, others, m) = function(a, 7), compiled(a, 7)
            assert type(one) is type(other) and one == other and n == m
            assert rows.dtype == others.dtype and rows.tolist() == others.tolist()
    assert "that calls NumPy" in compiled.inspect()


def transposed_or_doubled(a):
    x = np.transpose(a)  # an array of rank 0 of a number of Python's
    if x > 1:
        x = x * 2
    return x


@pytest.mark.parametrize("a", [0, 3, 0.5, np.int64(0)])
def test_a_called_function_gets_numbers_of_the_class_that_the_program_gives_it(a):
    found, expected = ag.jit(transposed_or_doubled)(a), transposed_or_doubled(a)
    assert type(found) is type(expected) and found == expected


@pytest.mark.parametrize("function", [np.diagonal, np.linalg.diagonal, np.diag])
def test_a_result_that_numpy_makes_read_only_cannot_change(function):
    def program(n):
        row = function([[1.0, 2.0], [3.0, n]])
        row[0] = n
        return row

    with pytest.raises(ValueError, match="read-only"):
        ag.jit(program)(3.0)
