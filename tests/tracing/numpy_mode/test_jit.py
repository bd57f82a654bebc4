"""`jit`: a function of NumPy arrays does what it does undecorated, as native code."""

import inspect
import pickle
import threading
from typing import NamedTuple

import numpy as np
import pytest
from native_calls import is_native

import allograph as ag

CALLS = {}


def outcome(function, args):
    """The result, or the exception, and the arguments afterwards."""
    args = [np.array(one) if isinstance(one, np.ndarray) else one for one in args]
    try:
        return function(*args), args
    except Exception as error:
        return (type(error), str(error)), args


def assert_same(found, expected):
    assert type(found) is type(expected)
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected)
        for pair in zip(found, expected, strict=True):
            assert_same(*pair)
    elif isinstance(expected, (np.ndarray, np.generic)):
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        rtol = 1e-6 if expected.dtype == np.float32 else 1e-12
        if expected.dtype.names:  # of records
            found, expected = found.tolist(), expected.tolist()
        np.testing.assert_allclose(found, expected, rtol=rtol)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-12, nan_ok=True)
    else:
        assert found == expected


def check(function, *args, native=True):
    """`function` decorated does what it does undecorated, twice, and runs as native code or not."""
    compiled = ag.jit(function)
    for _ in range(2):
        assert_same(outcome(compiled, args), outcome(function, args))
    assert is_native(compiled) is native, compiled.inspect()
    return compiled


# ---- programs ----------------------------------------------------------------------------------


def smooth(a, steps):
    for _ in range(steps):
        a[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3


def seidel(steps, a):
    for _ in range(steps):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                a[i, j] = (a[i - 1, j] + a[i, j - 1] + a[i, j] + a[i, j + 1] + a[i + 1, j]) / 5.0


def product(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return c


def shortest_paths(d):
    for k in range(d.shape[0]):
        for i in range(d.shape[0]):
            for j in range(d.shape[0]):
                d[i, j] = min(d[i, j], d[i, k] + d[k, j])


def sieve(n):
    prime = np.ones(n, np.bool_)
    prime[:2] = False
    for i in range(2, n):
        if prime[i]:
            for j in range(i * i, n, i):
                prime[j] = False
    return prime


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def first_above(a, limit):
    for i in range(a.shape[0]):
        if a[i] > limit:
            return i
    return -1


def mandelbrot(width, height, most):
    out = np.zeros((height, width), np.int64)
    for row in range(height):
        for column in range(width):
            cr, ci = column / width * 3 - 2, row / height * 2 - 1
            zr = zi = 0.0
            count = 0
            while zr * zr + zi * zi < 4 and count < most:
                zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
                count += 1
            out[row, column] = count
    return out


def softmax(x):
    powers = np.exp(x - np.max(x, axis=1, keepdims=True))
    return powers / np.sum(powers, axis=1, keepdims=True)


def histogram(a, bins):
    counts = np.zeros(bins, np.int64)
    for i in range(a.shape[0]):
        counts[a[i]] += 1
    return counts


RANDOM = np.random.default_rng(0)
PROGRAMS = {
    smooth: (RANDOM.random(20), 3),
    seidel: (2, RANDOM.random((7, 8))),
    product: (RANDOM.random((4, 5)), RANDOM.random((5, 3))),
    shortest_paths: (RANDOM.random((6, 6)),),
    sieve: (60,),
    collatz: (27,),
    first_above: (RANDOM.random(30), 0.9),
    mandelbrot: (9, 7, 20),
    softmax: (RANDOM.random((4, 5)).astype(np.float32),),
    histogram: (RANDOM.integers(0, 5, 30), 5),
}


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_program_runs_natively_and_means_the_same(program):
    check(program, *PROGRAMS[program])


# ---- arrays ------------------------------------------------------------------------------------


def test_views_share_elements():
    def function(a):
        row, transposed, flat = a[1], a.T, a.reshape(-1)
        row[:] = 7
        transposed[0] = 1
        flat[2] = 99
        return a[0, 2]

    check(function, RANDOM.random((3, 4)))


def test_a_view_that_is_returned_shares_elements_with_the_argument():
    compiled = ag.jit(lambda a: a[1:].T)
    a = np.zeros((3, 2))
    compiled(a)[0, 0] = 5
    assert a[1, 0] == 5


def test_a_copy_that_is_returned_shares_no_elements():
    compiled = ag.jit(lambda a: (a.copy(), np.eye(2)))
    a = np.zeros(3)
    for _ in range(2):
        copy, eye = compiled(a)
        copy[0] = eye[0, 1] = 5
    assert (a[0], compiled(a)[1][0, 1]) == (0, 0)


def test_arrays_that_overlap_are_left_to_numpy():
    def shift(a, b):
        for i in range(a.shape[0]):
            a[i] = b[i] + 1

    compiled, plain = ag.jit(shift), np.zeros(6)
    found = np.zeros(6)
    shift(plain[1:], plain[:-1])
    compiled(found[1:], found[:-1])
    np.testing.assert_array_equal(found, plain)


def test_an_argument_that_is_not_written_stays_the_same_object():
    a = np.arange(3.0)
    assert ag.jit(lambda a: a)(a) is a


@pytest.mark.slow
def test_strided_and_reversed_arguments_mean_the_same():
    def add_up(a):
        a[1:] += a[:-1]

    compiled = ag.jit(add_up)
    for view in (lambda a: a[::2], lambda a: a[::-1], lambda a: a.reshape(3, 4).T):
        found, expected = np.arange(12.0), np.arange(12.0)
        compiled(view(found))
        add_up(view(expected))
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("shape", [(0,), (1,), (0, 3), (2, 0)])
def test_empty_arrays_mean_the_same(shape):
    check(lambda a: (a + 1, a.sum()), np.zeros(shape))


# ---- numbers -----------------------------------------------------------------------------------


def test_integers_of_python_never_wrap():
    def power(base, n):
        result = 1
        for _ in range(n):
            result = result * base
        return result

    check(power, 3, 30)
    check(power, 3, 80)
    check(power, -7, 41)


@pytest.mark.slow
def test_division_by_zero_raises_for_numbers_of_python_only():
    check(lambda x, y: x / y, 1.0, 0.0)
    check(lambda x, y: x // y, 1, 0)
    with np.errstate(divide="ignore"):
        check(lambda a: a / (a - a), np.ones(2))


@pytest.mark.slow
def test_sums_have_the_type_that_numpy_gives():
    def total(a):
        result = 0.0
        for i in range(a.shape[0]):
            result += a[i]
        return result

    for dtype in (np.float64, np.float32, np.int64, np.int32):
        check(total, np.arange(5).astype(dtype))
    assert type(ag.jit(total)(np.zeros(0))) is float


@pytest.mark.slow
def test_a_number_that_is_sometimes_one_of_python_is_never_taken_for_another():
    def largest(a, limit):
        found = max(a[0], limit)
        return found + limit

    for a in (np.array([5.0]), np.array([-5.0])):
        check(largest, a, 1.0)

    def divided(a, limit):
        return max(a[0], limit) / 0.0

    check(divided, np.array([-5.0]), 1.0)

    def scaled(a, limit):
        return max(a[0], limit) * a

    check(scaled, np.array([5.0]), 1.0)


def test_an_integer_that_is_a_size_becomes_a_constant_of_the_trace():
    def zeros(n):
        return np.zeros((n, n + 1))

    compiled = check(zeros, 3)
    check(zeros, 4)
    assert compiled(2).shape == (2, 3)


# ---- what is left to Python ----------------------------------------------------------------------


@pytest.mark.slow
def test_an_exception_comes_from_the_function_and_leaves_what_it_had_changed():
    def fill(a, n):
        for i in range(n):
            a[i] = i

    check(fill, np.zeros(4), 4)
    check(fill, np.zeros(4), 9)


def test_a_raise_in_a_branch_costs_nothing_until_it_is_taken():
    def checked(a, limit):
        if a.shape[0] > 100:
            raise ValueError("too long")
        for i in range(a.shape[0]):
            if a[i] > limit:
                raise ValueError(f"element {i} is {a[i]}")
            a[i] = np.sqrt(a[i])
        assert limit > 0, "a limit is positive"

    check(checked, np.arange(5.0), 9.0)
    check(checked, np.arange(5.0), 2.0)
    check(checked, np.zeros(101), 2.0, native=False)


@pytest.mark.slow
def test_an_element_that_nobody_reads_is_checked():
    def function(a, i):
        unread = a[i]
        return a[0]

    check(function, np.zeros(3), 7)

    def decide(a, i):
        for j in range(6):
            if a[0] > 1 or a[i + j] > 0.5:
                unread = j
        return i

    check(decide, np.zeros(3), 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda a: print(a), "a call of print"),
        (lambda a: CALLS.update(a=1), "a call of dict.update"),
        (lambda a: np.fft.fft(a), "calls of fft; the rest is too little"),
        (lambda a: {a.shape: a}, "a dictionary is returned with a tuple as a key"),
        (lambda a: np.random.rand(), "calls of random.rand"),
    ],
)
def test_inspect_says_why_numpy_runs_a_function(function, reason):
    compiled = ag.jit(function)
    compiled(np.arange(3.0))
    assert reason in compiled.inspect()


def test_effects_on_other_objects_happen_in_each_call():
    counter = []

    def function(a):
        counter.append(1)
        return a + 1

    compiled = ag.jit(function)
    for _ in range(3):
        compiled(np.zeros(2))
    assert len(counter) == 3


LEVEL = 1.0


def test_a_global_number_that_changes_is_noticed(monkeypatch):
    compiled = ag.jit(lambda a: a * LEVEL)
    assert compiled(np.ones(1))[0] == 1
    monkeypatch.setitem(globals(), "LEVEL", 5.0)
    assert compiled(np.ones(1))[0] == 5


def test_a_global_number_that_changes_back_is_not_traced_again(monkeypatch):
    compiled = ag.jit(lambda a: a * LEVEL)
    compiled(np.ones(1))
    ((key, first),) = compiled.jit_table.items()
    monkeypatch.setitem(globals(), "LEVEL", 5.0)
    compiled(np.ones(1))
    (second,) = compiled.jit_table.values()
    monkeypatch.undo()
    assert compiled(np.ones(1))[0] == 1
    assert list(compiled.jit_table.variants(key)) == [first, second]
    assert compiled.inspect() == "(float64[1]): native code; 3 calls"
    assert compiled.explain_retraces().splitlines() == [
        "trace 1: the first call", "trace 2: global LEVEL is 5.0, and was 1.0"
    ]  # fmt: skip


@pytest.mark.slow
def test_jit_functions_call_each_other_and_functions_of_the_user():
    @ag.jit
    def square(x):
        return x * x

    def apply(a):
        for i in range(a.shape[0]):
            a[i] = square(a[i]) + square(i)

    check(apply, np.arange(8.0))


def test_functions_of_tensors_and_of_arrays_keep_their_own_forms_of_numpy():
    def ones(x):
        made = np.ones(2)
        made[0] += x
        return made

    for _ in range(2):
        tensor = ag.constant(1.0, ag.float64)
        assert ag.function(ones)(tensor).numpy().tolist() == [2.0, 1.0]
        check(ones, 1.0)


def test_threads_may_meet_a_new_function_at_once():
    compiled, results = ag.jit(lambda a: a * 2 + 1), []
    threads = [
        threading.Thread(target=lambda: results.append(compiled(np.ones(4)))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((one == 3).all() for one in results)
    assert len(results) == 8


@pytest.mark.slow
def test_integers_of_many_digits_are_native_and_exact():
    def checksum(data, polynomial):
        value = 0xFFFFFFFF
        for byte in data:
            value ^= int(byte)
            value = (value >> 1) ^ polynomial if value & 1 else value >> 1
        return value

    compiled = check(checksum, np.arange(9, dtype=np.uint8), 0xEDB88320)
    for number in (3, 2**62, 2**70, -(2**62)):
        data = np.arange(5, dtype=np.uint8)
        assert compiled(data, number) == checksum(data, number)


def test_products_of_integers_of_many_digits_are_exact():
    def product(a, n):
        return n * n + a.shape[0]

    check(product, np.ones(2), 2**31 - 1)
    compiled = ag.jit(product)
    assert [compiled(np.ones(2), n) for n in (2**30, 2**31, 2**40)] == [
        2**60 + 2, 2**62 + 2, 2**80 + 2
    ]  # fmt: skip


@pytest.mark.slow
def test_a_long_while_over_numbers_of_pythons_is_one_staged_loop():
    def steps(a):
        i, x = 2, 1.0
        while i * i < 40_000:
            if a[i % 5] > 0:
                a[i % 7] += i * x
            x *= 0.99
            i += 1
        return i, x

    compiled = check(steps, np.arange(9.0) - 3)
    (entry,) = compiled.jit_table.values()
    (kernel,) = entry.traced.executable.native.kernels
    assert kernel.source.count("\n") < 100


def test_a_while_that_only_counts_is_no_part_of_the_graph():
    def doubled(a):
        n, m = 1, 0
        while m < 100:
            n, m = n + m, m + 1
        return np.zeros(n) + a[0]

    check(doubled, np.ones(3))


def test_slices_of_differences_of_slices_read_the_array_itself():
    def differences(a, m):
        d = a[::-1][1:] - a[:-1]
        near = d[:-2] + 2 * d[1:-1] + d[2:]
        x = m[:, 2:] - m[:, :-2]
        across = np.sqrt(np.abs(x[:-2] + x[1:-1] + x[2:]))
        e = a[8:1:-2] + a[:4]
        return near, across, e[::-2] - e[1::2]

    compiled = check(differences, np.arange(11.0) ** 2, np.arange(30.0).reshape(5, 6) ** 3)
    (entry,) = compiled.jit_table.values()
    (kernel,) = entry.traced.executable.native.kernels
    assert "new_array" not in kernel.source


def test_what_replaces_all_elements_is_not_copied():
    def centered(a):
        b = a * 2
        b -= b.max()
        b[:] = np.exp(b)
        b[...] /= b.sum()
        return b

    compiled = check(centered, np.arange(12.0).reshape(3, 4))
    (entry,) = compiled.jit_table.values()
    (kernel,) = entry.traced.executable.native.kernels
    assert "new_array" not in kernel.source
    assert "copy_elements" not in kernel.source


class Moments(NamedTuple):
    mean: np.ndarray
    spread: float


def test_a_named_tuple_is_returned_as_such():
    def moments(x):
        return Moments(x.mean(axis=0), x.std()), x[0]

    x = np.arange(6.0).reshape(3, 2)
    compiled = ag.jit(moments)
    for _ in range(3):
        (found, first), (expected, _) = compiled(x), moments(x)
        assert type(found) is Moments and found.spread == expected.spread
        assert found.mean.tolist() == expected.mean.tolist() and first.base is not None
    assert is_native(compiled)


def test_explain_retraces_names_the_argument_that_differs():
    @ag.jit
    def table(a, n):
        return np.zeros(n) + a.sum()

    assert table.explain_retraces() == "not traced yet"
    for size, count in ((3, 4), (5, 4), (5, 6), (5, 6)):
        table(np.ones(size), count)
    first, second, third = table.explain_retraces().splitlines()
    assert first == "trace 1: the first call"
    assert second == "trace 2: 'a' is float64[5], and was float64[3]"
    assert third.startswith("trace 3: 'n' is 6, and was 4: a constant of the trace")


class Scaling:
    factor = 3.0

    @ag.jit
    def scaled(self, x):
        """The multiple."""
        return x * self.factor


def test_a_method_is_a_bound_method_of_python():
    x, scaling = np.ones(2), Scaling()
    assert scaling.scaled(x).tolist() == [3.0, 3.0]
    assert inspect.ismethod(scaling.scaled) and scaling.scaled == scaling.scaled
    assert (scaling.scaled.__name__, scaling.scaled.__doc__) == ("scaled", "The multiple.")
    assert str(inspect.signature(scaling.scaled)) == "(x)"
    assert "1 call" in scaling.scaled.inspect()
    assert ag.jit(scaling.scaled)(x).tolist() == [3.0, 3.0]
    assert pickle.loads(pickle.dumps(scaling.scaled))(x).tolist() == [3.0, 3.0]
    assert repr(Scaling.scaled) == "<JitFunction scaled(self, x)>"


@pytest.mark.parametrize("decorator", [ag.function, ag.jit])
@pytest.mark.parametrize("made", [classmethod, staticmethod, property])
def test_the_decorator_stands_below_those_that_make_descriptors(decorator, made):
    with pytest.raises(TypeError, match=f"Write @{made.__name__} above @ag.{decorator.__name__}"):
        decorator(made(lambda owner: owner))
