"""Decorated functions leave their process: by name, by value, with their options and traces."""

import copy
import pickle
import subprocess
import sys

import cloudpickle
import numpy as np
import pytest

import allograph as ag

SCALE = 3.0


@ag.function(input_signature=[ag.TensorSpec([None], ag.float32)])
def scaled(x):
    return x * SCALE


@ag.jit
def doubled(x):
    return x * 2.0


class Line(ag.Module):
    def __init__(self, slope):
        super().__init__()
        self.slope = ag.Variable(slope, shape=ag.TensorShape(None))

    @ag.function
    def at(self, x):
        return self.slope * x


def through(pickler, thing):
    return pickle.loads(pickler.dumps(thing))


def in_another_process(thing, expression: str, folder) -> str:
    """What `print(expression)` shows in a process that has unpickled `thing`."""
    file = folder / "thing.pickle"
    file.write_bytes(cloudpickle.dumps(thing))
    code = (
        f"import pickle; thing = pickle.load(open({str(file)!r}, 'rb')); "
        f"import allograph as ag; print({expression})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=folder)
    assert not done.returncode, done.stderr
    return done.stdout.strip()


@pytest.fixture
def by_value():
    """Pickles hold the functions of this module by value, as those of a notebook."""
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    yield cloudpickle
    cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("function", [scaled, doubled])
def test_a_function_of_a_module_is_pickled_by_name(function, protocol):
    assert pickle.loads(pickle.dumps(function, protocol)) is function


def test_a_method_is_pickled_with_its_instance():
    again = through(pickle, Line(2.0).at)
    assert float(again(ag.constant(4.0))) == 8.0


def test_a_deep_copy_of_a_method_is_the_method_of_a_copy():
    line = Line(2.0)
    again = copy.deepcopy(line.at)
    line.slope.assign(7.0)
    assert float(again(ag.constant(4.0))) == 8.0


@pytest.mark.parametrize("function", [scaled, doubled])
def test_a_function_by_value_is_another_one_with_the_same_result(function, by_value):
    again = through(by_value, function)
    assert again is not function
    np.testing.assert_array_equal(again(np.float32([1, 2])), function(np.float32([1, 2])))


def test_a_function_by_value_keeps_its_options(by_value):
    with pytest.raises(TypeError):
        through(by_value, scaled)(ag.constant([[1.0]]))


def test_a_closure_travels_with_its_variables():
    total = ag.Variable(1.0)
    add = ag.function(lambda x: total.assign_add(x))
    again = through(cloudpickle, add)
    assert float(again(ag.constant(2.0))) == 3.0
    assert float(total) == 1.0


def test_a_function_and_its_variable_stay_together():
    total = ag.Variable(1.0)
    add = ag.function(lambda x: total.assign_add(x))
    again, other = through(cloudpickle, (add, total))
    again(ag.constant(2.0))
    assert float(other) == 3.0


def test_a_recursive_function_travels_by_value(by_value):
    again = through(by_value, factorial)
    assert int(again(ag.constant(5))) == 120


@ag.function
def factorial(n) -> ag.TensorSpec([], ag.int32):
    if n <= 1:
        return ag.constant(1)
    return n * factorial(n - 1)


def test_traces_go_along_with_a_function_by_value():
    calls = []

    def f(x):
        calls.append(x)
        return x + 1

    traced = ag.function(f, autograph=False)
    traced(ag.constant(1))
    again = through(cloudpickle, traced)
    assert int(again(ag.constant(2))) == 3
    assert again.experimental_get_tracing_count() == 1


def test_a_trace_that_reads_a_variable_is_made_anew():
    start = ag.Variable(1.0)
    f = ag.function(lambda x: x + start)
    f(ag.constant(1.0))
    assert through(cloudpickle, f).experimental_get_tracing_count() == 0


def test_pickles_of_one_trace_share_its_executable():
    f = ag.function(lambda x: x * 5 + 1)
    f(ag.constant(1))
    content = cloudpickle.dumps(f)
    one, other = (next(iter(pickle.loads(content).traces.values())) for _ in range(2))
    assert one is other


@pytest.mark.slow
def test_a_concrete_function_travels_without_its_source(tmp_path):
    f = ag.function(lambda x: ag.reduce_sum(x) if ag.size(x) > 2 else x[0])
    concrete = f.get_concrete_function(ag.TensorSpec([None], ag.float32))
    shown = in_another_process(concrete, "float(thing(ag.constant([1.0, 2.0, 4.0])))", tmp_path)
    assert shown == "7.0"


def test_a_concrete_function_takes_its_variables_along():
    line = Line(2.0)
    concrete = line.at.get_concrete_function(ag.TensorSpec([], ag.float32))
    again = through(pickle, concrete)
    line.slope.assign(5.0)
    assert float(again(ag.constant(3.0))) == 6.0
    assert len(again.variables) == 1


def test_the_gradient_of_a_concrete_function_travels():
    concrete = ag.function(lambda x: x * x).get_concrete_function(ag.TensorSpec([], ag.float32))
    again, x = through(pickle, concrete), ag.constant(3.0)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = again(x)
    assert float(tape.gradient(y, x)) == 6.0


def test_a_gradient_of_python_code_does_not_travel_in_a_graph():
    @ag.custom_gradient
    def twice(x):
        return x * 2, lambda dy: dy * 100

    f = ag.function(lambda x: twice(x))
    concrete = f.get_concrete_function(ag.TensorSpec([], ag.float32))
    with pytest.raises(TypeError, match="custom_gradient"):
        pickle.dumps(concrete)
    again, x = through(cloudpickle, f), ag.constant(1.0)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = again(x)
    assert float(tape.gradient(y, x)) == 100.0


@pytest.mark.slow
def test_an_error_in_another_process_shows_the_line(tmp_path):
    def f(x):
        ag.debugging.assert_less(x, 10, message="too large")  # this line
        return x

    concrete = ag.function(f).get_concrete_function(ag.TensorSpec([], ag.int32))
    file = tmp_path / "thing.pickle"
    file.write_bytes(pickle.dumps(concrete))
    code = f"import pickle; pickle.load(open({str(file)!r}, 'rb'))(50)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "too large" in done.stderr
    assert "# this line" in done.stderr
    assert __file__ in done.stderr


def test_a_module_arrives_with_its_values_and_shapes():
    again = through(pickle, Line([1.0, 2.0]))
    assert again.slope.numpy().tolist() == [1.0, 2.0]
    assert again.slope.shape.rank is None


def test_a_loaded_function_travels(tmp_path):
    line = Line(2.0)
    line.at(ag.constant(1.0))
    ag.saved_model.save(line, tmp_path / "saved")
    again = through(pickle, ag.saved_model.load(tmp_path / "saved"))
    assert float(again.at(ag.constant(4.0))) == 8.0


@pytest.mark.slow
def test_what_a_trace_type_holds_travels():
    f = ag.function(lambda parts, *, n: parts["a"] * n)
    concrete = f.get_concrete_function({"a": ag.TensorSpec([2])}, n=2.0)
    again = through(pickle, concrete.function_type)
    assert again == concrete.function_type
    assert hash(again) == hash(concrete.function_type)


@pytest.mark.parametrize("function", [scaled, doubled])
def test_a_deep_copy_works(function):
    again = copy.deepcopy(function)
    np.testing.assert_array_equal(again(np.float32([1, 2])), function(np.float32([1, 2])))


def test_a_deep_copy_of_a_concrete_function_has_variables_of_its_own():
    line = Line(2.0)
    again = copy.deepcopy(line.at.get_concrete_function(ag.TensorSpec([], ag.float32)))
    line.slope.assign(5.0)
    assert float(again(ag.constant(3.0))) == 6.0


def test_a_lambda_is_refused_by_name_as_python_refuses_it():
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(ag.function(lambda x: x))


def test_native_code_reads_the_constants_of_a_graph_that_was_pickled():
    row = np.arange(6, dtype=np.float32)
    f = ag.function(lambda x: ag.tanh(x) * row, jit_compile=True)
    again = through(pickle, f.get_concrete_function(ag.TensorSpec([6], ag.float32)))
    np.testing.assert_allclose(again(ag.ones([6])), np.tanh(1) * row, rtol=1e-6)


def test_an_exception_that_a_graph_may_raise_travels():
    @ag.function
    def checked(x):
        if x > 3:
            raise ValueError(f"{x} is large")
        return x

    again = pickle.loads(pickle.dumps(checked.get_concrete_function(ag.constant(1))))
    assert int(again(ag.constant(2))) == 2
    with pytest.raises(ValueError, match="9 is large"):
        again(ag.constant(9))
