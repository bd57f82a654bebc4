"""Loops of `jit` functions that draw single numbers are native, and draw the numbers of NumPy."""

import random
import threading
import warnings

import numpy as np
import pytest

import allograph as ag

pytestmark = pytest.mark.slow

N = 2000  # more numbers than the Mersenne Twister has words


def area(rng, n):
    inside = 0
    for _ in range(n):
        if rng.random() ** 2 + rng.random() ** 2 < 1:
            inside += 1
    return 4 * inside / n


def of_generator(rng, n):
    total, last, counts = 0.0, 0, np.zeros(7, np.int64)
    for _ in range(n):
        total += rng.uniform(-1, 2.5) * rng.uniform()
        last = rng.integers(3, 1000)
        counts[rng.integers(7)] += 1
        if last % 3 == 0:
            total += rng.integers(0, high=1) + rng.random()
    return total, last, counts


def of_random_state(rng, n):
    total, last, counts = 0.0, 0, np.zeros(7, np.int64)
    for _ in range(n):
        total += rng.uniform(-1, 2.5) * rng.random_sample() + rng.rand()
        last = rng.randint(3, 1000)
        counts[rng.randint(7)] += 1
        if last % 3 == 0:
            total += rng.randint(1) + rng.rand()
    return total, last, counts


def of_the_global_state(n):
    x, largest = 0, 0
    for _ in range(n):
        x += 1 if np.random.rand() < 0.5 else -1
        largest = max(largest, x, np.random.randint(0, 5))
    return x, largest


def beside_arrays(rng, n):
    total = rng.normal(size=3).sum()
    for _ in range(n):
        total += rng.uniform()
    return total + rng.normal(size=5)[4] + rng.uniform()


def of_one_made_inside(n):
    rng, total = np.random.default_rng(7), 0.0
    other = np.random.RandomState(3)
    for _ in range(n):
        total += rng.random() - other.rand()
    return total, rng.integers(100)


def in_a_comprehension(n):
    return np.array([np.random.rand() for _ in range(n)])


def of_python(n):
    total = 0.0
    for _ in range(n):
        total += random.random()
    return total


def of_python_in_many_ways(n):
    total, kept = random.uniform(1, 2), 0
    for i in range(n):
        total += random.uniform(-1, 2.5) + random.gauss(0, 1) * random.gauss(mu=1.0, sigma=0.5)
        kept += random.randint(1, 6) * random.randrange(10) + random.randrange(5, 70000)
        if i % 5 == 0:
            kept -= random.randint(3, 3)
    return total, kept, random.randrange(100)


def shuffled(n):
    a = np.arange(n)
    for i in range(n - 1, 0, -1):
        j = np.random.randint(0, i + 1)
        a[i], a[j] = a[j], a[i]
    return a


def outcomes(function, *args):
    """The result of a call, and the next number of each generator after it."""
    np.random.seed(5)
    random.seed(5)
    args = [one() if callable(one) else one for one in args]
    result = function(*args)
    after = [one.uniform() for one in args if not isinstance(one, int)]
    return result, after, np.random.rand(), random.random()


def assert_draws_alike(function, *args, counts):
    compiled = ag.jit(function)
    for n in counts:
        for _ in range(2):
            assert repr(outcomes(compiled, *args, n)) == repr(outcomes(function, *args, n))
    assert "native code" in compiled.inspect(), compiled.inspect()
    return compiled


def generator():
    return np.random.default_rng(1)


def random_state():
    return np.random.RandomState(1)


def test_draws_between_calls_of_numpy_do_not_warn():
    def drawn(rng, n):
        total = sum([rng.standard_normal() for _ in range(n)])
        return total, rng.exponential(), rng.permutation(5).sum(), rng.random()

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert_draws_alike(drawn, generator, counts=(N,))
    assert not told


@pytest.mark.parametrize(
    "function, made",
    [
        (area, generator), (area, random_state), (of_generator, generator),
        (of_random_state, random_state), (beside_arrays, generator),
        (beside_arrays, random_state),
    ],
)  # fmt: skip
def test_a_generator_that_is_an_argument(function, made):
    compiled = assert_draws_alike(function, made, counts=(1, 2, N))
    assert "random.uniform" not in compiled.inspect()  # nor where single numbers are drawn later


@pytest.mark.parametrize(
    "function",
    [
        of_the_global_state,
        of_one_made_inside,
        in_a_comprehension,
        of_python,
        shuffled,
    ],
)
def test_other_generators(function):
    assert_draws_alike(function, counts=(N,))


def normal_sums(rng, n):
    sums, extremes = np.zeros(3), np.zeros(2)
    for _ in range(n):
        x = rng.normal()
        sums += np.array([x, x * x, rng.normal(1.5, 0.25)])
        extremes[0], extremes[1] = min(extremes[0], x), max(extremes[1], x)
        sums[0] -= rng.standard_normal()
    return sums, extremes


def test_normal_numbers_of_a_generator():
    compiled = ag.jit(normal_sums)
    for n in (1, 50_000):  # some of the many are in the tail
        result, *others = outcomes(compiled, generator, n)
        expected, *expected_others = outcomes(normal_sums, generator, n)
        for array, expected_array in zip(result, expected, strict=True):
            np.testing.assert_allclose(array, expected_array, rtol=1e-9)
        assert others == expected_others
    assert "native code" in compiled.inspect()


def test_numbers_of_python():
    compiled = ag.jit(of_python_in_many_ways)
    for n in (1, 1000):
        found, expected = outcomes(compiled, n), outcomes(of_python_in_many_ways, n)
        assert found[0] == pytest.approx(expected[0], rel=1e-12)
        assert found[1:] == expected[1:]
    assert "native code" in compiled.inspect()


def test_normal_numbers_of_pairs():
    def walk(n):
        x = 100.0
        for i in range(n):
            x = x * (1 + 0.001 * np.random.normal()) + np.random.normal(1.0, 0.5) * 0.01
            if i % 7 == 0:
                x -= np.random.randn() * 0.01
        return x

    compiled = ag.jit(walk)
    for n in (1, 5, 1000):
        found, expected = outcomes(compiled, n), outcomes(walk, n)
        assert found[0] == pytest.approx(expected[0], rel=1e-12)
        assert found[1:] == expected[1:]
    assert "native code" in compiled.inspect()


def test_generators_of_other_algorithms_are_left_to_numpy():
    compiled = ag.jit(area)
    for _ in range(6):
        philox = [np.random.Generator(np.random.Philox(1)) for _ in range(2)]
        assert compiled(philox[0], 50) == area(philox[1], 50)
        assert philox[0].random() == philox[1].random()


def test_a_call_that_raises_draws_what_numpy_draws():
    def counted(rng, counts, n):
        for _ in range(n):
            counts[int(rng.random() * 8)] += 1

    compiled, pair = ag.jit(counted), [generator(), generator()]
    for size in (8, 7):
        found = []
        for function, rng in zip((compiled, counted), pair, strict=True):
            counts, error = np.zeros(size), None
            try:
                function(rng, counts, 40)
            except IndexError as raised:
                error = str(raised)
            found.append((counts.tolist(), error, rng.bit_generator.state))
        assert found[0] == found[1]


def test_threads_never_draw_the_same_numbers():
    compiled = ag.jit(in_a_comprehension)
    compiled(50)
    drawn: list = []
    threads = [
        threading.Thread(target=lambda: drawn.extend(compiled(50) for _ in range(40)))
        for _ in range(4)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    numbers = np.concatenate(drawn)
    assert len(np.unique(numbers)) == len(numbers) == 4 * 40 * 50


def test_a_function_without_source_is_left_to_numpy():
    scope: dict = {"np": np, "__name__": "typed"}
    exec("def noise(a):\n    return a + np.random.rand()\n", scope)
    compiled = ag.jit(scope["noise"])
    assert compiled(0.0) != compiled(0.0)
    assert "noise cannot be converted: no source" in compiled.inspect()


def arrays_of_generator(rng, n):
    place, counts = np.zeros(3), np.zeros(7, np.int64)
    for _ in range(n):
        place += rng.normal(size=3) * rng.uniform(-1, 2.5, 3) + rng.random(3)
        first, second = rng.integers(0, 7, size=2)
        counts[first] += 1
        counts += rng.integers(3, 9, 7) * second
        place[0] += rng.standard_normal((2, 5)).sum() + rng.normal(1, 0.5, size=(1, 2))[0, 1]
    return place, counts


def arrays_of_random_state(rng, n):
    place, counts = np.zeros(3), np.zeros(7, np.int64)
    for _ in range(n):
        place += rng.normal(size=3) * rng.uniform(-1, 2.5, 3) + rng.random_sample((3,))
        first, second = rng.randint(0, 7, size=2)
        counts[first] += 1
        counts += rng.randint(3, 9, (7,)) * second
        place += rng.rand(2, 3).sum(0) + rng.randn(3) - rng.standard_normal(3)
    return place, counts


@pytest.mark.parametrize(
    "function, made", [(arrays_of_generator, generator), (arrays_of_random_state, random_state)]
)
def test_arrays_of_few_numbers_are_drawn_in_loops(function, made):
    compiled = assert_draws_alike(function, made, counts=(1, 400))
    assert "random.normal" not in compiled.inspect()


def waiting_times(rng, n):
    times, total = np.zeros(n), 0.0
    for i in range(n):
        total += rng.exponential(0.5) + rng.exponential(scale=2)
        times[i] = total + rng.standard_exponential() + rng.exponential(1.5, 3).sum()
    return times


@pytest.mark.parametrize("made", [generator, random_state])
@pytest.mark.parametrize("n", [1, 50 * N])  # the tail is one of 2,000 draws
def test_exponential_numbers_are_those_of_numpy(made, n):
    found, expected = outcomes(ag.jit(waiting_times), made, n), outcomes(waiting_times, made, n)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-13)
    assert found[1:] == expected[1:]


def test_exponential_numbers_of_python_are_those_of_python():
    def waits(n):
        total = 0.0
        for _ in range(n):
            total += random.expovariate(2) + random.expovariate(lambd=0.5)
        return total

    compiled = ag.jit(waits)
    found, expected = outcomes(compiled, N), outcomes(waits, N)
    assert found[0] == pytest.approx(expected[0], rel=1e-13)
    assert found[1:] == expected[1:]
    assert "native code" in compiled.inspect()


def test_exponential_numbers_of_a_negative_scale_raise_the_error_of_numpy():
    def wait(rng, n):
        for _ in range(n):
            rng.exponential(-1.0)

    with pytest.raises(ValueError, match="scale < 0"):
        ag.jit(wait)(generator(), 3)
