"""Functions that call themselves: what has to be declared, and what is refused."""

import subprocess
import sys
import threading

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag
from allograph.library.saved.graph_parser import parse
from allograph.runtime.executors.executable import Executable
from allograph.tracing.structures.errors import DeclaredResultError, RetracingLimitError

INT = ag.TensorSpec([], ag.int32)


@ag.function(output_signature=INT)
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


@ag.function
def is_even(n) -> INT:
    if n == 0:
        return 1
    return is_odd(n - 1)


@ag.function
def is_odd(n) -> INT:
    if n == 0:
        return 0
    return is_even(n - 1)


@ag.function
def gcd(a, b) -> INT:
    if b == 0:
        return a
    return gcd(b, a % b)


@given(st.integers(0, 10_000), st.integers(0, 10_000))
@examples(30)
def test_euclid_agrees_with_numpy(a, b):
    assert int(gcd(ag.constant(a), ag.constant(b))) == np.gcd(a, b)


def test_functions_that_call_each_other_are_traced_once_each():
    assert [int(is_even(ag.constant(k))) for k in range(5)] == [1, 0, 1, 0, 1]
    assert [int(is_odd(ag.constant(k))) for k in range(5)] == [0, 1, 0, 1, 0]
    counts = is_even.experimental_get_tracing_count(), is_odd.experimental_get_tracing_count()
    assert counts == (1, 1)


def test_a_structure_may_be_declared():
    @ag.function(output_signature=(INT, INT))
    def pair(n):
        if n <= 0:
            return 0, 1
        a, b = pair(n - 1)
        return b, a + b

    assert [int(part) for part in pair(ag.constant(10))] == [55, 89]


def test_the_declared_type_is_given_to_a_number():
    @ag.function(output_signature=ag.TensorSpec([], ag.float64))
    def half(n):
        return 0.5

    assert half(ag.constant(1)).dtype == ag.float64


def test_a_shape_declared_narrower_than_known_is_checked_when_it_runs():
    @ag.function(output_signature=ag.TensorSpec([2], ag.int32))
    def positive(x):
        return ag.boolean_mask(x, x > 0)

    assert positive(ag.constant([1, -1, 2])).shape == [2]
    with pytest.raises(ValueError):
        positive(ag.constant([1, -1, -2]))


def test_captured_tensors_are_used_on_every_level():
    weight = ag.constant([1.0, 2.0])

    @ag.function(output_signature=ag.TensorSpec([2], ag.float32))
    def scaled(n):
        if n <= 0:
            return weight
        return weight + scaled(n - 1)

    assert scaled(ag.constant(3)).numpy().tolist() == [4.0, 8.0]


def test_tensors_of_the_function_around_are_handed_from_level_to_level():
    @ag.function
    def outer(n, step):
        doubled = step * 2

        @ag.function(output_signature=INT)
        def inner(k):
            if k <= 0:
                return step
            return doubled + inner(k - 1)

        return inner(n)

    assert int(outer(ag.constant(3), ag.constant(5))) == 35


def test_assignments_happen_on_every_level_in_order():
    log = ag.Variable(0)

    @ag.function
    def digits(n) -> INT:
        if n == 0:
            return 0
        log.assign(log * 10 + n)
        return 1 + digits(n - 1)

    assert int(digits(ag.constant(3))) == 3
    assert int(log) == 321


def test_a_method_may_call_itself():
    class Doubler:
        step = 2

        @ag.function
        def times(self, n) -> INT:
            if n <= 0:
                return 0
            return self.step + self.times(n - 1)

    assert int(Doubler().times(ag.constant(5))) == 10


def test_another_function_may_call_a_recursive_one():
    @ag.function
    def total(n):
        return fib(n) + fib(n + 1)

    assert int(total(ag.constant(6))) == 8 + 13


def test_undeclared_recursion_is_one_error_at_the_users_line():
    @ag.function
    def down(n):
        if n > 0:
            return down(n - 1)
        return 1

    with pytest.raises(RetracingLimitError, match=r"return down\(n - 1\)[\s\S]*output_signature"):
        down(ag.constant(3))


def test_recursion_over_ever_new_python_numbers_is_one_error():
    @ag.function
    def climb(x, level):
        if x > 0:
            return climb(x, level + 1)
        return x

    with pytest.raises(RetracingLimitError, match="ever new types") as caught:
        climb(ag.constant(3), 0)
    assert len(caught.traceback) < 20


def test_a_depth_beyond_pythons_limit_is_an_error_at_the_users_line():
    assert int(gcd(ag.constant(8), ag.constant(12))) == 4

    @ag.function
    def count(n) -> INT:
        if n == 0:
            return 0
        return 1 + count(n - 1)

    assert int(count(ag.constant(200))) == 200
    # which of the lines comes too deep depends on how deep this test is called
    with pytest.raises(RecursionError, match=r"(?s)recursion limit.*in count\n.*n"):
        count(ag.constant(100_000))
    assert int(count(ag.constant(7))) == 7


def test_an_error_inside_names_the_line_where_it_happened():
    @ag.function
    def divide(n) -> INT:
        if n <= 0:
            return 1 // n
        return divide(n - 1)

    with pytest.raises(ValueError, match="return 1 // n"):
        divide(ag.constant(3))


def test_another_result_than_declared_is_an_error():
    @ag.function(output_signature=INT)
    def wrong(n):
        return ag.cast(n, ag.float32)

    with pytest.raises(DeclaredResultError, match="declared is TensorSpec"):
        wrong(ag.constant(1))
    with pytest.raises(TypeError, match="output_signature"):
        ag.function(lambda x: x, output_signature="int32")


def test_an_annotation_counts_only_for_recursion():
    @ag.function
    def plain(n) -> INT:
        return ag.cast(n, ag.float32)

    assert plain(ag.constant(1)).dtype == ag.float32


def test_a_failed_trace_leaves_no_call_of_it_behind():
    failing = {"yes": True}

    @ag.function
    def first(n) -> INT:
        if n == 0:
            return 1
        rest = second(n - 1)
        if failing:
            failing["not yet"]  # a `raise` would be staged
        return rest

    @ag.function
    def second(n) -> INT:
        if n == 0:
            return 0
        return first(n - 1)

    with pytest.raises(KeyError):
        first(ag.constant(2))
    failing.clear()
    assert int(second(ag.constant(3))) == 1
    assert int(first(ag.constant(2))) == 1


def test_a_recursive_graph_prints_and_reads_back():
    graph = fib.get_concrete_function(ag.constant(1)).graph.current()
    read = parse(str(graph))
    assert str(read) == str(parse(str(read)))
    assert int(Executable(read, "plan")(np.int32(10))[0]) == 55


def test_threads_may_start_a_recursive_function_at_once():
    @ag.function
    def even(n) -> INT:
        return 1 if n == 0 else odd(n - 1)

    @ag.function
    def odd(n) -> INT:
        return 0 if n == 0 else even(n - 1)

    results = {}
    gate = threading.Barrier(8)

    def run(place):
        gate.wait()
        function = (even, odd)[place % 2]
        results[place] = [int(function(ag.constant(k))) for k in range(6)]

    threads = [threading.Thread(target=run, args=(place,)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert results == {place: [1, 0] * 3 if place % 2 == 0 else [0, 1] * 3 for place in range(8)}


FLOAT = ag.TensorSpec([], ag.float64)


@ag.function(output_signature=FLOAT)
def power(x, n):
    if n <= 0:
        return 1.0
    return x * power(x, n - 1)


@ag.function
def twice(x, n) -> FLOAT:
    if n == 0:
        return ag.sin(x)
    return turned(x * x, n - 1) + twice(x * 0.5, n - 1)


@ag.function
def turned(x, n) -> FLOAT:
    if n == 0:
        return -x
    return twice(x * 2.0, n - 1)


def test_powers_have_derivatives_of_every_order():
    x = ag.constant(3.0, ag.float64)
    with ag.GradientTape() as outer:
        outer.watch(x)
        with ag.GradientTape() as inner:
            inner.watch(x)
            y = power(x, ag.constant(4))
        slope = inner.gradient(y, x)
    assert (float(y), float(slope), float(outer.gradient(slope, x))) == (81.0, 108.0, 108.0)


@pytest.mark.slow
@given(st.sampled_from([twice, turned]), st.floats(-1, 1), st.integers(0, 5))
@examples(30)
def test_derivatives_agree_with_differences(function, value, n):
    def run(value):
        return float(function(ag.constant(value, ag.float64), ag.constant(n)))

    x = ag.constant(value, ag.float64)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = function(x, ag.constant(n))
    step = 1e-5
    difference = (run(value + step) - run(value - step)) / (2 * step)
    assert float(tape.gradient(y, x)) == pytest.approx(difference, rel=1e-4, abs=1e-6)


def test_a_recursive_function_of_variables_has_no_gradient():
    weight = ag.Variable(2.0, dtype=ag.float64)

    @ag.function
    def product(n) -> FLOAT:
        if n <= 0:
            return 1.0
        return weight * product(n - 1)

    assert float(product(ag.constant(3))) == 8.0
    with ag.GradientTape(), pytest.raises(LookupError, match="pass the values of variables"):
        product(ag.constant(3))


def test_the_first_call_of_a_process_may_be_recursive(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("""
import allograph as ag

@ag.function
def factorial(n) -> ag.TensorSpec([], ag.int32):
    if n <= 1:
        return ag.constant(1)
    return n * factorial(n - 1)

print(int(factorial(ag.constant(5))))
""")
    run = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert run.stdout == "120\n", run.stderr
