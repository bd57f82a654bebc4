"""`function`: when Python runs, which trace serves a call, and what threads may do."""

import threading

import numpy as np
import pytest

import allograph as ag


def counting(**options):
    """A function whose result is the ordinal of the trace that served the call."""
    traces = []

    @ag.function(**options)
    def ordinal(*args, **kwargs):
        traces.append((args, kwargs))
        return ag.constant(len(traces))

    return ordinal, traces


def test_one_trace_for_one_type():
    ordinal, traces = counting()
    assert [int(ordinal(ag.constant(k))) for k in (1, 2, 3)] == [1, 1, 1]
    assert int(ordinal(ag.constant(1.0))) == 2
    assert int(ordinal(ag.constant(7))) == 1


def test_positional_and_keyword_spellings_share_a_trace():
    traces = []

    @ag.function
    def scaled(x, factor=3):
        traces.append(factor)
        return x * factor

    two = ag.constant(2)
    assert [int(scaled(two)), int(scaled(two, 3)), int(scaled(x=two, factor=3))] == [6, 6, 6]
    assert traces == [3]


def test_an_array_argument_is_a_tensor():
    ordinal, traces = counting()
    ordinal(np.zeros(3, np.float32))
    ordinal(ag.zeros([3]))
    assert len(traces) == 1


def test_a_failed_trace_leaves_nothing_behind():
    @ag.function
    def picky(x, good):
        if not good:
            raise KeyError("not good")
        return x + 1

    with pytest.raises(KeyError):
        picky(ag.constant(1), False)
    assert picky.experimental_get_tracing_count() == 0
    assert ag.executing_eagerly()
    assert int(picky(ag.constant(1), True)) == 2


def test_the_input_signature_allows_one_trace():
    @ag.function(input_signature=[ag.TensorSpec([None], ag.int32)])
    def total(x):
        return ag.reduce_sum(x)

    assert [int(total([1, 2])), int(total(ag.constant([4, 5, 6])))] == [3, 15]
    assert total.experimental_get_tracing_count() == 1
    with pytest.raises(TypeError, match=r"float32.*int32"):
        total(ag.constant([1.0]))


@pytest.mark.parametrize(
    "wrong",
    [[(2, 3)], [ag.TensorSpec([]), 3], [None], ["x"], ag.TensorSpec([], ag.int32), ag.int32],
    ids=str,
)
def test_an_input_signature_holds_specs(wrong):
    with pytest.raises(TypeError, match=r"^input_signature .*\n(.*\n)*.*ag.TensorSpec\("):
        ag.function(lambda *args: args, input_signature=wrong)


@pytest.mark.parametrize("specs", [1, 3])
def test_an_input_signature_of_other_parameters_is_told(specs):
    signature = specs * [ag.TensorSpec([], ag.int32)]
    added = ag.function(lambda x, y: x + y, input_signature=signature)
    with pytest.raises(TypeError, match=rf"\(x, y\) has {specs} specs?, for other parameters"):
        added(ag.constant(1), ag.constant(2))


def test_the_input_signature_of_a_method_leaves_out_self():
    class Scaler:
        factor = 3

        @ag.function(input_signature=[ag.TensorSpec([], ag.int32)])
        def __call__(self, x):
            return x * self.factor

    scaler = Scaler()
    assert int(scaler(ag.constant(5))) == int(Scaler.__call__(scaler, ag.constant(5))) == 15
    assert int(Scaler.__call__.get_concrete_function(scaler)(ag.constant(5))) == 15
    assert str(Scaler.__call__.function_type) == "(self, x)"


def test_a_parameter_self_of_a_function_may_have_a_type_in_the_input_signature():
    double = ag.function(lambda self: self * 2, input_signature=[ag.TensorSpec([], ag.int32)])
    assert int(double(ag.constant(2))) == int(double.get_concrete_function()(3)) - 2 == 4


def test_reduce_retracing_widens_the_second_trace():
    shapes = []

    @ag.function(reduce_retracing=True)
    def total(x):
        shapes.append(tuple(x.shape))
        return ag.reduce_sum(x)

    for length in (2, 3, 4, 5):
        total(ag.ones([length]))
    assert shapes == [(2,), (None,)]


def test_methods_are_traced_per_instance_even_when_instances_are_equal():
    class Scaler:
        def __init__(self, factor):
            self.factor = factor

        def __eq__(self, other):
            return True

        def __hash__(self):
            return 1

        @ag.function
        def scale(self, x):
            return x * self.factor

    x = ag.constant(5)
    two, three = Scaler(2), Scaler(3)
    assert [int(two.scale(x)), int(three.scale(x)), int(two.scale(x))] == [10, 15, 10]


def test_a_closure_over_a_tensor_of_the_outer_function():
    @ag.function
    def outer(x):
        @ag.function
        def inner(y):
            return y * x

        return inner(x + 1)

    assert int(outer(ag.constant(3))) == 12
    assert int(outer(ag.constant(4))) == 20


def test_results_keep_their_structure():
    @ag.function
    def parts(x):
        return {"pair": (x, [x + 1, None]), "number": 3}

    out = parts(ag.constant(5))
    assert (int(out["pair"][1][0]), out["pair"][1][1], int(out["number"])) == (6, None, 3)


def test_what_is_no_tensor_cannot_be_returned():
    @ag.function
    def wrong(x):
        return object()

    with pytest.raises(TypeError, match="returns tensors"):
        wrong(ag.constant(1))


def test_a_leaked_tensor_is_refused_with_the_line_that_made_it():
    leaked = []

    @ag.function
    def leaky(x):
        leaked.append(x + 1)
        return x

    leaky(ag.constant(1))
    with pytest.raises(TypeError, match=r"out of scope[\s\S]*leaked.append"):
        ag.constant(1) + leaked[0]


def test_eager_mode_runs_the_python():
    ran = []

    @ag.function
    def watched(x):
        ran.append(ag.executing_eagerly())
        return x

    ag.config.run_functions_eagerly(True)
    try:
        watched(ag.constant(1))
        watched(ag.constant(1))
    finally:
        ag.config.run_functions_eagerly(False)
    assert ran == [True, True]


def test_threads_that_call_at_once_share_one_trace():
    ordinal, traces = counting()
    barrier = threading.Barrier(8)
    results = []

    def call():
        barrier.wait()
        results.extend(int(ordinal(ag.constant(k))) for k in range(20))

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [1] * 160
    assert len(traces) == 1


def test_dead_arguments_do_not_keep_their_traces():
    class Thing:
        amount = 1

    @ag.function
    def read(thing):
        return ag.constant(thing.amount)

    for _ in range(20):
        read(Thing())
    assert read.experimental_get_tracing_count() <= 2


def test_an_inner_function_makes_its_variables_while_the_outer_one_is_traced():
    class Dense(ag.Module):
        w = None

        @ag.function
        def __call__(self, x):
            if self.w is None:
                self.w = ag.Variable(ag.ones([x.shape[-1], 2]) * 0.5)
            return ag.matmul(x, self.w)

    dense = Dense()
    outer = ag.function(lambda x: dense(x) + 1.0, input_signature=[ag.TensorSpec([None, 3])])
    assert outer.get_concrete_function().structured_outputs.shape.as_list() == [None, 2]
    assert outer(ag.ones([1, 3])).numpy().tolist() == [[2.5, 2.5]]


def test_a_variable_that_a_staged_branch_creates_is_refused_at_the_branch():
    class Lazy(ag.Module):
        v = None

        @ag.function
        def __call__(self, x):
            if x > 0 and self.v is None:
                self.v = ag.Variable(1.0)
            return self.v * x if x > 0 else x

    with pytest.raises(ValueError, match="self.v is a Variable that a staged statement creates"):
        Lazy()(ag.constant(1.0))


def test_a_first_value_that_depends_on_unknown_arguments_is_refused():
    class Keeper(ag.Module):
        v = None

        @ag.function
        def __call__(self, x):
            if self.v is None:
                self.v = ag.Variable(x)
            return self.v

    with pytest.raises(ValueError, match="which are not known yet"):
        Keeper().__call__.get_concrete_function(ag.TensorSpec([]))


@pytest.mark.parametrize("number", [np.float32(2), np.int64(3), np.array(4.5), np.complex64(1j)])
def test_a_number_of_numpy_is_a_tensor_argument(number):
    double = ag.function(lambda x: x + x)
    for _ in range(3):
        made = double(number)
        assert made.dtype == number.dtype.name and made.numpy() == number + number
    assert double.experimental_get_tracing_count() == 1


def test_a_shape_is_returned_as_its_sizes():
    x = ag.zeros([2, 3])
    shape, both = ag.function(lambda x: x.shape)(x), ag.function(lambda x: {"s": [x.shape]})(x)
    assert (shape.dtype, shape.numpy().tolist()) == (ag.int32, [2, 3])
    assert both["s"][0].numpy().tolist() == [2, 3]
    assert ag.function(lambda x: x.shape)(ag.constant(1.0)).shape == (0,)


@pytest.mark.parametrize("sizes", [[None, 3], None])
def test_a_shape_that_is_not_known_is_not_returned(sizes):
    f = ag.function(lambda x: x.shape, input_signature=[ag.TensorSpec(sizes)])
    with pytest.raises(ag.errors.SymbolicValueError, match=r"ag.shape\(x\)"):
        f(ag.zeros([2, 3]))


def test_a_function_of_a_function_keeps_the_options_of_both():
    limited = ag.function(lambda x: x + 1, input_signature=[ag.TensorSpec([], ag.float32)])
    outer = ag.function(limited)
    assert outer(1).dtype == ag.float32
    with pytest.raises(TypeError, match="does not fit float32"):
        outer(ag.constant(1))
    plain = ag.function(lambda x: x if x > 0 else -x, autograph=False)
    with pytest.raises(TypeError, match="as a Python bool is not allowed"):
        ag.function(plain)(ag.constant(1))


def test_an_unknown_value_of_jit_compile_is_refused():
    with pytest.raises(TypeError, match="jit_compile is True, False or None, not 'yes'"):
        ag.function(lambda x: x, jit_compile="yes")
