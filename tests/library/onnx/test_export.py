"""Exported models compute what the function computes, in another runtime."""

import importlib
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx_cases import (
    ANY,
    ARRAYS,
    FILTERS,
    IMAGE,
    INTEGER,
    INTEGERS,
    LISTS,
    MATH,
    MATRICES,
    NUMBERS,
    PARTS,
    STRINGS,
    WORDS,
    X,
    exits,
    growing,
    halvings,
    nested,
)

import allograph as ag

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
if str(BENCHMARKS) not in sys.path:
    sys.path.append(str(BENCHMARKS))
workloads = importlib.import_module("workloads")

QUIET = onnxruntime.SessionOptions()
QUIET.log_severity_level = 3


def in_another_runtime(model, *arrays) -> list:
    session = onnxruntime.InferenceSession(model.SerializeToString(), QUIET)
    names = [one.name for one in session.get_inputs()]
    return session.run(None, dict(zip(names, map(np.asarray, arrays), strict=True)))


def check(function, specs, *arrays, tolerance=1e-5):
    """The model of a function gives its results, in their types."""
    concrete = ag.function(function).get_concrete_function(*specs)
    found = in_another_runtime(ag.onnx.export(concrete, None), *arrays)
    expected = ag.nest.flatten(concrete(*map(ag.constant, arrays)))
    for one, other in zip(found, expected, strict=True):
        assert (one.dtype, one.shape) == (other.numpy().dtype, other.shape)
        np.testing.assert_allclose(one, other.numpy(), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("function", [halvings, exits, growing, nested])
@pytest.mark.parametrize("n", [0, 1, 20])
def test_control_flow(function, n):
    check(function, [INTEGER], np.int32(n))


@pytest.mark.slow
@pytest.mark.parametrize("function", LISTS)
def test_lists_of_arrays_of_several_sizes_are_sequences(function):
    for n in (0, 5):
        check(function, [INTEGER], np.int32(n))


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays(name):
    check(ARRAYS[name], [ANY], X)


@pytest.mark.parametrize("name", MATH)
def test_elementwise_operations(name):
    check(MATH[name], [ANY], X)


@pytest.mark.parametrize("name", PARTS)
def test_parts_of_arrays(name):
    check(PARTS[name], [ag.TensorSpec([None, None, None])], MATRICES)


@pytest.mark.parametrize("name", STRINGS)
def test_strings(name):
    concrete = ag.function(STRINGS[name]).get_concrete_function(ag.TensorSpec([None], ag.string))
    found = in_another_runtime(ag.onnx.export(concrete, None), WORDS)
    for one, other in zip(found, ag.nest.flatten(concrete(ag.constant(WORDS))), strict=True):
        expected = other.numpy()
        if expected.dtype == object:
            expected = np.vectorize(bytes.decode, otypes=[object])(expected)
        np.testing.assert_array_equal(one, expected)


def test_angles_beside_the_axes():
    y = np.array([[0, 1, -1], [0, 2, 0]], np.float32)
    x = np.array([[-1, 0, 0], [0, -2, 3]], np.float32)
    check(ag.math.atan2, [ANY, ANY], y, x)


def test_integers_round_down():
    check(lambda n: (n // 3, n % 3, n // -2, n % -2, -n, n * n), [INTEGERS], NUMBERS)


def test_nan_spreads_as_in_numpy():
    x = np.array([[1, np.nan, 2], [0, 1, 5]], np.float32)
    reductions = lambda x: (ag.reduce_max(x, 1), ag.reduce_min(x, 1), ag.maximum(x, 1.0))
    check(reductions, [ANY], x)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_windows(padding):
    def layers(x):
        y = ag.nn.conv2d(x, FILTERS, 2, padding)
        return y, ag.nn.max_pool2d(x, 2, 2, padding), ag.nn.avg_pool2d(x, 3, 2, padding)

    check(layers, [ag.TensorSpec([None, 8, 8, 2])], IMAGE)


def test_a_variable_is_stored_once_under_its_name():
    v = ag.Variable([2.0, 3.0], name="weights")
    model = ag.onnx.export(ag.function(lambda x: x * v + v), None, ag.TensorSpec([2]))
    assert [one.name for one in model.graph.initializer] == ["weights"]


def test_a_trained_model_is_exported():
    layers = ag.keras.layers
    model = ag.keras.Sequential(
        [layers.Conv2D(4, 3, activation="relu"), layers.Flatten(), layers.Dense(3, "softmax")]
    )
    model(IMAGE)
    check(lambda x: model(x), [ag.TensorSpec([None, 8, 8, 2])], IMAGE)


def test_the_operator_set_can_be_chosen():
    model = ag.onnx.export(ag.function(lambda x: x + 1.0), None, ANY, opset=18)
    assert model.opset_import[0].version == 18
    with pytest.raises(ag.errors.InvalidArgumentError, match="18 to 22"):
        ag.onnx.export(ag.function(lambda x: x), None, ANY, opset=3)


def test_the_file_is_the_model(tmp_path):
    model = ag.onnx.export(ag.function(lambda x: x + 1.0), tmp_path / "m.onnx", ANY)
    assert onnx.load(tmp_path / "m.onnx") == model


def test_open_dimensions_have_names():
    model = ag.onnx.export(ag.function(lambda x: x + 1.0), None, ANY)
    sizes = model.graph.input[0].type.tensor_type.shape.dim
    assert (sizes[0].dim_param, sizes[1].dim_value) == ("x_0", 3)


def test_what_has_no_form_is_an_error_at_its_line():
    def draws(x):
        return x + ag.random.uniform([3])  # this line

    with pytest.raises(
        ag.errors.UnimplementedError, match="depend on a state have no ONNX form"
    ) as caught:
        ag.onnx.export(ag.function(draws), None, ANY)
    assert "# this line" in str(caught.value)


def test_an_assignment_is_an_error_that_names_the_variable():
    total = ag.Variable(0.0, name="total")
    with pytest.raises(ag.errors.UnimplementedError, match="'total:0' is assigned"):
        ag.onnx.export(ag.function(lambda x: total.assign_add(x)), None, ag.TensorSpec([]))


def test_checks_can_be_left_out():
    def checked(x):
        assert ag.reduce_all(x > 0), "not positive"
        return x + 1.0

    with pytest.raises(ag.errors.UnimplementedError, match=r"checks=False"):
        ag.onnx.export(ag.function(checked), None, ANY)
    model = ag.onnx.export(ag.function(checked), None, ANY, checks=False)
    (found,) = in_another_runtime(model, X)
    np.testing.assert_array_equal(found, X + 1)


def state_of(session, results) -> dict:
    """The results that are the next values of variables, by the name of their input."""
    names = [one.name.removesuffix("_next") for one in session.get_outputs()]
    return dict(list(zip(names, results, strict=True))[1:])


def test_variables_that_are_assigned_are_inputs_and_results():
    total = ag.Variable(1.0, name="total")
    count = ag.Variable(0, name="count")

    def step(x):
        if x > 0.0:
            count.assign_add(1)
            for _ in ag.range(3):
                total.assign(total * x)
        return total + 1.0

    concrete = ag.function(step).get_concrete_function(ag.TensorSpec([]))
    model = ag.onnx.export(concrete, None, state=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), QUIET)
    state = {}
    for x in (2.0, -1.0, 0.5, 3.0):
        results = session.run(None, {"x": np.asarray(x, np.float32), **state})
        state = state_of(session, results)
        assert results[0] == concrete(ag.constant(x)).numpy()
        assert state == {"total": total.numpy(), "count": count.numpy()}


def test_a_function_whose_only_effect_is_an_assignment_has_a_model():
    total = ag.Variable(1.0, name="total")

    def add(x):
        total.assign_add(x)

    function = ag.function(add)
    model = ag.onnx.export(function, None, ag.TensorSpec([]), state=True)
    assert in_another_runtime(model, np.asarray(2.0, np.float32)) == [3.0]
    with pytest.raises(ag.errors.UnimplementedError, match="gives no tensor"):
        ag.onnx.export(ag.function(lambda x: None), None, ag.TensorSpec([]), state=True)


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(4, 4), (2, 1, 4, 4)])
def test_linear_systems(shape):
    random = np.random.default_rng(3)
    a, b = random.normal(size=shape), random.normal(size=(3, 4, 2)[-len(shape) :])
    a[..., 0, 0] = 0.0  # takes an exchange of rows

    def systems(a, b):
        positive = a @ ag.linalg.matrix_transpose(a)
        return (
            ag.linalg.solve(a, b), ag.linalg.inv(a), ag.linalg.cholesky(positive),
            ag.linalg.triangular_solve(a + 9.0, b, lower=False),
        )  # fmt: skip

    check(systems, [ag.TensorSpec([None] * x.ndim, x.dtype) for x in (a, b)], a, b)


@pytest.mark.slow
def test_random_numbers_of_a_seed_are_the_same_numbers():
    def draws(seed):
        uniform = ag.random.stateless_uniform
        return uniform([3, 5], seed), uniform([], seed, -2.0, 3.0, ag.float64)

    check(draws, [ag.TensorSpec([2], ag.int64)], np.array([-7, 1 << 40]), tolerance=0)


@pytest.mark.slow
@pytest.mark.parametrize("name", workloads.NAMES)
def test_a_workload_runs_elsewhere(name):
    module = importlib.import_module(f"workloads.{name}")
    size = module.SIZES["small"]
    tensors = [ag.constant(one) for one in module.inputs(**size).values()]
    built = module.graph(ag, size)
    function, read = built if isinstance(built, tuple) else (built, ag.nest.flatten)
    model = ag.onnx.export(function, None, *tensors, state=True)
    found = in_another_runtime(model, *(one.numpy() for one in tensors))
    for one, other in zip(found, read(function(*tensors)), strict=True):
        np.testing.assert_allclose(one, np.asarray(other), rtol=1e-4, atol=1e-4)
