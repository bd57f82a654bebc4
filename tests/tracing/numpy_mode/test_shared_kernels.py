"""Shapes of a `jit` function share machine code, and each call does what NumPy does."""

import threading

import numpy as np
import pytest
from native_calls import is_native
from run_time_numbers import every_number_at_run_time

import allograph as ag
from allograph.runtime.core.errors import ShapeError

pytest.importorskip("llvmlite")

pytestmark = pytest.mark.slow

SIZES = (5, 7, 12, 0, 1, 2, 3, 4, 6, 8, 9, 10, 11, 20, 33, 64, 65, 100, 127, 300)


def kernels_of(compiled) -> list:
    """The machine code of each trace."""
    traced = [entry.traced for entry in compiled.jit_table.values() if entry.traced is not None]
    return [kernel.name for one in traced for kernel in one.executable.kernels()]


def outcome(function, args):
    args = [one.copy() if isinstance(one, np.ndarray) else one for one in args]
    try:
        return function(*args), args
    except Exception as error:
        return (type(error), str(error)), args


def assert_same(found, expected):
    assert type(found) is type(expected)
    if isinstance(expected, (tuple, list)):
        for pair in zip(found, expected, strict=True):
            assert_same(*pair)
    elif isinstance(expected, (np.ndarray, np.generic)):
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    else:
        assert found == expected


def check(function, calls) -> ag.jit:
    """`function` decorated does in each call what it does undecorated, as native code."""
    compiled = ag.jit(function)
    for args in calls:
        with np.errstate(all="ignore"):
            assert_same(outcome(compiled, args), outcome(function, args))
    assert is_native(compiled), compiled.inspect()
    return compiled


def scaled(x, y):
    return np.exp(-x) * y + 2.0


def smooth(a, steps):
    n = a.shape[0]
    for _ in range(steps):
        a[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
    return a.sum() / max(n, 1)


def stencil(a, b):
    b[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
    a[1:-1, 1:-1] -= b[1:-1, 1:-1]


def centered(a):
    c = a - a.mean(axis=0)
    return (c * c).sum(axis=0), np.abs(c).sum()


def eliminated(a):
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            a[i, k + 1 :] -= a[i, k] * a[k, k + 1 :]
    return a


def product(a, b):
    return a @ b + 1.0


def running(a):
    total = np.zeros(a.shape[0] + 1)
    for i in range(a.shape[0]):
        total[i + 1] = total[i] + a[i]
    return total, np.argmax(a + 1.0), np.cumsum(a)


def vectors(n, count=1):
    rng = np.random.default_rng(n)
    return [rng.random(n) + 0.5 for _ in range(count)]


def matrices(*shape, count=1):
    rng = np.random.default_rng(sum(shape))
    return [rng.random(shape) + np.eye(*shape) * shape[-1] for _ in range(count)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "args"),
    [
        (scaled, lambda n: vectors(n, 2)),
        (smooth, lambda n: [*vectors(n), 3]),
        (stencil, lambda n: matrices(n, n, count=2)),
        (centered, lambda n: matrices(n + 1, 4)),
        (eliminated, lambda n: matrices(n, n)),
        (product, lambda n: matrices(n, n, count=2)),
        (running, lambda n: vectors(n + 1)),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_twenty_sizes_share_machine_code(function, args):
    compiled = check(function, [args(n) for n in SIZES])
    assert len(compiled.jit_table) == len(SIZES)
    # The eight sizes below 8 have forms of their own, and so have the last rows of tiles, whose
    # number depends on the processor.
    assert len(set(kernels_of(compiled))) <= 14
    larger = ag.jit(function)
    for n in range(20, 40):
        larger(*args(n))
    assert len(set(kernels_of(larger))) <= 7


def test_the_third_shape_makes_machine_code_for_all_that_follow():
    compiled = check(scaled, [vectors(n, 2) for n in (10, 20, 30, 40, 50)])
    first, second, *others = kernels_of(compiled)
    assert len({first, second}) == 2
    assert len({*others}) == 1 and others[0] not in (first, second)
    lines = compiled.inspect().splitlines()
    assert lines[1] == "(float64[20], float64[20]): native code; 1 call"
    shared = "native code; sizes are arguments of its machine code; 1 call"
    assert lines[2] == f"(float64[30], float64[30]): {shared}"
    assert compiled.explain_retraces().splitlines()[1:3] == [
        "trace 2: 'x' is float64[20], and was float64[10]; 'y' is float64[20], and was float64[10]",
        "trace 3: 'x' is float64[30], and was float64[10]; 'y' is float64[30], and was "
        "float64[10]; sizes are arguments of its machine code",
    ]


@pytest.mark.parametrize(
    "function", [lambda a, b: a * b + a, lambda a, b: np.maximum(a, b).sum(axis=0)]
)
def test_an_axis_of_size_one_is_broadcast_after_others_were_not(function):
    full = [(4, 5), (6, 7), (8, 9), (3, 11)]
    pairs = [(one, one) for one in full]
    pairs += [
        ((1, 5), (4, 5)),
        ((4, 1), (4, 5)),
        ((1, 1), (4, 5)),
        ((4, 5), (5,)),
        ((2, 1), (1, 3)),
    ]
    pairs += [
        ((1, 7), (6, 7)),
        ((1, 8), (5, 8)),
        ((1, 1), (1, 1)),
        ((1, 0), (4, 1)),
        ((9, 9), (9, 9)),
    ]
    rng = np.random.default_rng(0)
    check(function, [[rng.random(a), rng.random(b)] for a, b in pairs])


def test_sizes_that_were_equal_may_differ_later():
    squares = [(3, 3), (5, 5), (9, 9), (4, 4)]
    others = [(3, 5), (5, 9), (9, 4), (4, 3), (6, 2)]
    rng = np.random.default_rng(0)
    calls = [[rng.random(one), rng.random(one[::-1])] for one in squares + others]
    check(lambda a, b: (a @ b, a.T + b, a.sum(axis=1)), calls)


def test_numbers_that_follow_from_sizes_are_those_of_the_call():
    def spaced(a, b):
        n = a.shape[0]
        step, weight = 1.0 / (n - 1), b.size / 3
        return a * step + weight, np.zeros(2 * n + 1).size, np.arange(n) % 7, a[n // 2 :].sum()

    calls = [[np.ones(n), np.ones((n, m))] for n, m in [(4, 9), (8, 9), (15, 9), (15, 4), (3, 33)]]
    check(spaced, [*calls, *calls])


def test_shapes_that_raise_raise_after_others_were_compiled():
    def shifted(a, b, k):
        a[1:] += b[:-1]
        return a[k] + b[k - 1]

    compiled = check(shifted, [[np.ones(n), np.arange(float(n)), 3] for n in (4, 6, 8, 10, 12)])
    for n, m, k in [(10, 9, 3), (14, 14, 14), (2, 2, 3), (12, 12, 12), (12, 12, -13)]:
        args = [np.ones(n), np.ones(m), k]
        assert_same(outcome(compiled, args), outcome(shifted, args))


def test_threads_share_the_iterations_of_machine_code_of_several_sizes():
    def shifted(a):
        return np.sqrt(a) * 2.0 + np.sin(a)

    calls = [[np.linspace(0.0, 9.0, n)] for n in (200_000, 300_000, 400_001, 500_000, 250_000)]
    compiled = check(shifted, calls)
    assert len(set(kernels_of(compiled))) <= 4


def test_threads_call_machine_code_for_several_sizes_at_once():
    compiled = ag.jit(scaled)
    sizes = [10, 20, 30, 40, 50, 60]
    for n in sizes:
        compiled(*vectors(n, 2))
    wrong = []

    def call(n):
        for _ in range(200):
            x, y = vectors(n, 2)
            if not np.allclose(compiled(x, y), scaled(x, y)):
                wrong.append(n)

    threads = [threading.Thread(target=call, args=(n,)) for n in sizes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_machine_code_for_several_sizes_refuses_arrays_of_other_sizes():
    compiled = check(scaled, [vectors(n, 2) for n in (10, 20, 30, 40)])
    *_, entry = compiled.jit_table.values()
    (kernel,) = entry.traced.executable.kernels()
    assert kernel.numbers.tolist() == [40]
    with pytest.raises(ShapeError, match=r"has shape \(30,\), not \(40,\)"):
        kernel.function(*vectors(30, 2))


def test_functions_with_unknown_sizes_share_machine_code_too():
    spec = ag.TensorSpec([None], ag.float64)
    function = ag.function(scaled, input_signature=[spec, spec], jit_compile=True)
    for n in (10, 20, 30, 40, 1, 50):
        np.testing.assert_allclose(function(*vectors(n, 2)), scaled(*vectors(n, 2)))
    names = {kernel.name for kernel in function.get_concrete_function().kernels()}
    assert len(names) == 4


@pytest.mark.parametrize("compiler", ["numba", "python"])
def test_other_compilers_compile_each_shape(compiler):
    if compiler == "numba":
        pytest.importorskip("numba")
    compiled = ag.jit(scaled, kernel_compiler=compiler)
    for n in (10, 20, 30):
        np.testing.assert_allclose(compiled(*vectors(n, 2)), scaled(*vectors(n, 2)))
    assert len(set(kernels_of(compiled))) == 3


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (scaled, vectors(9, 2)),
        (smooth, [*vectors(9), 3]),
        (stencil, matrices(6, 9, count=2)),
        (centered, matrices(9, 4)),
        (eliminated, matrices(9, 9)),
        (product, matrices(300, 300, count=2)),
        (running, vectors(9)),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_a_kernel_means_the_same_with_every_number_at_run_time(function, args):
    with every_number_at_run_time():
        compiled = check(function, [args])
    assert "sizes are arguments" in compiled.inspect()


def test_the_traces_of_many_shapes_are_kept():
    compiled = ag.jit(lambda a: a * 2 + 1)
    for _ in range(2):
        for size in range(100):
            compiled(np.ones(size))
    assert compiled.inspect().count("; 2 calls") == 100
