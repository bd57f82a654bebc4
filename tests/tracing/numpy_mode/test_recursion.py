"""Functions of `jit` that call themselves where computed values decide."""

import math
import signal
import sys
import threading

import numpy as np
import pytest
import wild_laws
from recursive_programs import recursive_program
from test_jit import assert_same, check, outcome

import allograph as ag


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_a_random_recursive_program_means_the_same(seed):
    wild_laws.assert_wild_jit_is_python(seed, make=recursive_program)


def depth(n, a):
    """Calls itself `n` times, and leaves its marks in an array."""
    if n == 0:
        return 0.5
    a[n % 4] += n
    return 1 + depth(n - 1, a)


def test_a_call_that_fails_on_its_way_leaves_arguments_to_python():
    def marked(a, n):
        def go(i):
            if i == n:
                return 0
            a[i] += 1
            return 1 + go(i + 1)

        return go(0)

    compiled = check(marked, np.zeros(6), 4)
    for count in (6, 7, 9):  # the last ones raise an IndexError
        assert_same(outcome(compiled, (np.zeros(6), count)), outcome(marked, (np.zeros(6), count)))


def test_calls_deeper_than_native_code_allows_are_those_of_python(monkeypatch):
    compiled = ag.jit(depth)
    monkeypatch.setitem(globals(), "depth", compiled)
    assert compiled(200, np.zeros(4)) == 200.5
    with pytest.raises(RecursionError):
        compiled(sys.getrecursionlimit() + 9, np.zeros(4))
    assert compiled.inspect().startswith("(int, float64[4]): native code; 2 calls")


def test_a_limit_of_recursion_that_gets_lower_is_noticed(monkeypatch):
    compiled, limit = ag.jit(depth), sys.getrecursionlimit()
    monkeypatch.setitem(globals(), "depth", compiled)
    assert compiled(500, np.zeros(4)) == 500.5
    sys.setrecursionlimit(300)
    try:
        with pytest.raises(RecursionError):
            compiled(500, np.zeros(4))
    finally:
        sys.setrecursionlimit(limit)
    assert compiled(500, np.zeros(4)) == 500.5


def test_calls_are_as_deep_as_the_stack_of_a_thread_allows():
    def deep(n, a):
        def go(n):
            own = np.zeros(100)
            for i in range(100):
                own[i] = a[(i + n) % 4]
            return 0.5 if n == 0 else 1 + go(n - 1) + own[n % 100]

        return go(n)

    compiled, results = check(deep, 8, np.ones(4)), []
    before = threading.stack_size(1 << 17)
    try:
        thread = threading.Thread(target=lambda: results.append(compiled(600, np.ones(4))))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert results == [1200.5]


def test_a_recursion_over_arrays_of_several_sizes_shares_its_code():
    def parsed(tokens):
        place = [0]

        def parse():
            token = tokens[place[0]]
            place[0] += 1
            return parse() + parse() if token < 0 else token

        return parse()

    compiled = ag.jit(parsed)
    for tokens in ([-1, -1, 3, 4, 5], [7], [-1, 2, 6]):
        assert_same(compiled(np.array(tokens)), parsed(np.array(tokens)))
    assert compiled.inspect().endswith("; sizes are arguments of its machine code; 1 call")


def test_loops_end_calls_where_they_have_no_iteration():
    def sizes(first, children):
        found = np.zeros(len(first) - 1)

        def below(u):
            size = 1
            for i in range(first[u], first[u + 1]):
                size += below(children[i])
            found[u] = size
            return size

        return below(0), found

    check(sizes, np.array([0, 2, 3, 3, 3]), np.array([1, 2, 3]))


def test_integers_of_many_digits_are_exact():
    def product(n):
        return 1 if n < 2 else n * product(n - 1)

    compiled = check(product, 12)
    assert compiled(40) == product(40)
    with pytest.raises(ag.errors.InvalidArgumentError, match="a function calls itself"):
        compiled.as_cfunc("int64(int64)")


class Products:
    def of(self, n):
        return 1 if n < 1 else n * own_of(n - 1)


def product_from(n):
    return product_from.first if n < 1 else n * product_from(n - 1)


product_from.first = 3
product_from, own_of = ag.jit(product_from), ag.jit(Products().of)


def test_python_serves_methods_and_functions_with_attributes_where_native_code_fails():
    assert (own_of(5), product_from(5)) == (120, 360)
    assert (own_of(30), product_from(30)) == (math.factorial(30), 3 * math.factorial(30))
    assert "native code" in own_of.inspect() and "native code" in product_from.inspect()


def test_arrays_of_equal_elements_are_each_changed_by_themselves():
    def counted(n, a):
        odd, even, before = a + 1, a + 1, a + 1

        def go(k):
            if k < 1:
                return before[0]
            if k % 2:
                odd[k % 3] += k
            else:
                even[k % 3] += k
            return go(k - 1) + before[1] + odd[0]

        return go(n), odd, even

    check(counted, 7, np.arange(3.0))


def test_lists_of_lists_are_made_by_recursion():
    def permutations(n):
        used, path, found = np.zeros(n, dtype=bool), [], []

        def go():
            if len(path) == n:
                found.append(path[:])
                return
            for i in range(n):
                if not used[i]:
                    used[i] = True
                    path.append(i)
                    go()
                    path.pop()
                    used[i] = False

        go()
        return found

    check(permutations, 4)


def test_arguments_may_be_named_or_left_out_in_one_call_and_not_in_another():
    def counted(n):
        def go(k, total=0.5, *, step=1):
            return total if k < 1 else go(step=step, total=total + k, k=k - step)

        return go(n), go(n, step=2), go(n, 3.0)

    check(counted, 5)


def test_a_function_of_numpy_that_keeps_recursion_from_being_native_is_named():
    def summed(n):
        return 0.0 if n < 1 else np.fft.fft(np.ones(2) * n)[0].real + summed(n - 1)

    compiled = ag.jit(summed)
    assert compiled(3) == 12
    assert "NumPy: a call of fft beside functions that call themselves" in compiled.inspect()


def test_results_are_kept_in_a_dictionary_around():
    def fibonacci(n):
        known = {}

        def at(k):
            if k < 2:
                return k
            if k not in known:
                known[k] = at(k - 1) + at(k - 2)
            return known[k]

        return at(n), len(known)

    check(fibonacci, 30)


def test_a_dictionary_of_the_caller_stays_python_s():
    known = {0: 0}

    def at(k):
        if k not in known:
            known[k] = at(k - 1) + k
        return known[k]

    compiled = ag.jit(lambda k: at(k))  # noqa: PLW0108 - a function of closures
    assert compiled(4) == 10
    assert known == {0: 0, 1: 1, 2: 3, 3: 6, 4: 10}
    assert type(known) is dict
    decorated = ag.jit(at)
    assert decorated(5) == 15
    assert type(known) is dict


def test_a_list_that_an_inner_function_changes_in_a_branch_is_native():
    def counted(a):
        total = [0]

        def visit(i):
            if a[i] > 2:
                total[0] += 1

        visit(0)
        visit(1)
        return total[0]

    check(counted, np.array([3, 1, 4]))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no timer")
def test_a_signal_ends_a_recursion():
    def calls(n):
        return n if n < 2 else calls(n - 1) + calls(n - 2)

    def interrupt(*_):
        raise KeyboardInterrupt

    compiled = ag.jit(calls)
    assert compiled(3) == 2 and "native code" in compiled.inspect()
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            compiled(70)
    finally:
        signal.signal(signal.SIGALRM, before)
