"""Models of other programs as functions."""

import glob
import os

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper
from onnx_cases import ANY, ARRAYS, FILTERS, IMAGE, INTEGER, MATH, X, exits, growing, halvings

import allograph as ag

ZOO = os.path.join(os.path.dirname(onnx.__file__), "backend", "test", "data")


def through_a_file(function, specs, tmp_path):
    """The function, and what is loaded after it was exported."""
    concrete = ag.function(function).get_concrete_function(*specs)
    ag.onnx.export(concrete, tmp_path / "model.onnx")
    return concrete, ag.onnx.load(tmp_path / "model.onnx")


def same(one, other):
    pairs = zip(ag.nest.flatten(one), ag.nest.flatten(other), strict=True)
    for found, expected in pairs:
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("function", [halvings, exits, growing])
def test_control_flow_comes_back(function, tmp_path):
    function, again = through_a_file(function, [INTEGER], tmp_path)
    same(again(ag.constant(20)), function(ag.constant(20)))


@pytest.mark.parametrize("name", [*ARRAYS, *MATH])
def test_operations_come_back(name, tmp_path):
    function, again = through_a_file({**ARRAYS, **MATH}[name], [ANY], tmp_path)
    same(again(X), function(X))


def test_convolution_comes_back(tmp_path):
    layers = lambda x: ag.nn.max_pool2d(ag.nn.conv2d(x, FILTERS, 1, "SAME"), 2, 2, "VALID")
    function, again = through_a_file(layers, [ag.TensorSpec([1, 8, 8, 2])], tmp_path)
    same(again(IMAGE), function(IMAGE))


def test_a_loaded_model_is_differentiated(tmp_path):
    _, square = through_a_file(lambda x: x * x, [ag.TensorSpec([])], tmp_path)
    x = ag.constant(3.0)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = square(x)
    assert float(tape.gradient(y, x)) == 6.0


def test_inputs_have_the_names_of_the_model(tmp_path):
    _, again = through_a_file(lambda x, y: x - y, [ag.TensorSpec([])] * 2, tmp_path)
    assert float(again(y=ag.constant(1.0), x=ag.constant(3.0))) == 2.0


def model_of(*nodes, inputs=("x",), outputs=("y",)):
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        list(nodes), "g",
        [info(one, onnx.TensorProto.FLOAT, [None]) for one in inputs],
        [info(one, onnx.TensorProto.FLOAT, [None]) for one in outputs],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    model.ir_version = 9
    return model


def test_operators_that_cannot_be_read_are_named(tmp_path):
    nodes = [helper.make_node("Bernoulli", ["x"], ["z"]), helper.make_node("Exp", ["z"], ["y"])]
    onnx.save(model_of(*nodes), tmp_path / "m.onnx")
    with pytest.raises(ag.errors.UnimplementedError, match="cannot be read: Bernoulli"):
        ag.onnx.load(tmp_path / "m.onnx")


def test_a_file_that_is_no_model_is_refused(tmp_path):
    (tmp_path / "m.onnx").write_bytes(b"not a model")
    with pytest.raises(ag.errors.DataLossError):
        ag.onnx.load(tmp_path / "m.onnx")


FOLDERS = sorted(
    os.path.dirname(one) for kind in ("pytorch-*", "simple")
    for one in glob.glob(os.path.join(ZOO, kind, "*", "model.onnx"))
)  # fmt: skip


def tensors(folder, what):
    files = glob.glob(os.path.join(folder, "test_data_set_0", f"{what}_*.pb"))
    return [numpy_helper.to_array(onnx.load_tensor(one)) for one in sorted(files)]


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS, ids=os.path.basename)
def test_a_model_of_the_package_runs_or_says_what_it_lacks(folder):
    try:
        function = ag.onnx.load(os.path.join(folder, "model.onnx"))
        inputs, expected = tensors(folder, "input"), tensors(folder, "output")
        found = ag.nest.flatten(function(*map(ag.constant, inputs)))
    except (ag.errors.UnimplementedError, NotImplementedError):
        pytest.skip("an operator that is not read")
    except TypeError:
        pytest.skip("its data are sequences")
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one.numpy(), other, rtol=1e-3, atol=1e-5)


def test_a_scan_is_a_loop_over_rows_or_columns_in_both_directions(tmp_path):
    number, make = onnx.TensorProto.FLOAT, helper.make_node
    vectors = {
        name: helper.make_tensor_value_info(name, number, [3])
        for name in ("start", "sum", "row", "next", "product", "total")
    }
    x, products = (helper.make_tensor_value_info(name, number, [3, None]) for name in "xy")
    body = helper.make_graph(
        [make("Add", ["sum", "row"], ["next"]), make("Mul", ["next", "row"], ["product"])], "body",
        [vectors["sum"], vectors["row"]], [vectors["next"], vectors["product"]],
    )  # fmt: skip
    turned = {"scan_input_directions": [1], "scan_output_directions": [1]}
    for directions in ({}, turned):
        scan = make(
            "Scan", ["start", "x"], ["total", "y"], num_scan_inputs=1, body=body,
            scan_input_axes=[1], scan_output_axes=[1], **directions,
        )  # fmt: skip
        graph = helper.make_graph(
            [scan], "scan", [vectors["start"], x], [vectors["total"], products]
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
        onnx.save(model, tmp_path / "m.onnx")
        arrays = np.ones(3, np.float32), X.T.copy()
        model.ir_version = 9
        session = onnxruntime.InferenceSession(model.SerializeToString())
        expected = session.run(None, {"start": arrays[0], "x": arrays[1]})
        found = ag.onnx.load(tmp_path / "m.onnx")(*map(ag.constant, arrays))
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one.numpy(), other, rtol=1e-6)


@pytest.mark.parametrize("steps", [0, 4])
def test_a_loop_that_collects_values_is_written_and_read(steps, tmp_path):
    def gradient(x, n):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in ag.range(n):
                y = ag.sin(y) * x
        return tape.gradient(y, x)

    function, again = through_a_file(gradient, [ag.TensorSpec([3]), INTEGER], tmp_path)
    model = onnx.load(tmp_path / "model.onnx")
    loops = [node for node in model.graph.node if node.op_type == "Loop"]
    assert "Concat" not in {node.op_type for node in loops[0].attribute[0].g.node}
    x, n = ag.constant(X[0]), ag.constant(steps)
    same(again(x, n), function(x, n))
