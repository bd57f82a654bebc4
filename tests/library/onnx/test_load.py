"""Models of other programs as functions."""

import glob
import os
import pickle
import re
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper
from onnx_cases import (
    ANY,
    ARRAYS,
    FILTERS,
    IMAGE,
    INTEGER,
    LISTS,
    MATH,
    X,
    exits,
    growing,
    halvings,
)

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


@pytest.mark.slow
@pytest.mark.parametrize("function", LISTS)
def test_lists_come_back(function, tmp_path):
    function, again = through_a_file(function, [INTEGER], tmp_path)
    for n in (0, 5):
        same(again(ag.constant(n)), function(ag.constant(n)))


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


def test_a_loaded_model_is_pickled_with_the_model(tmp_path):
    _, double = through_a_file(lambda x: x * 2.0, [ag.TensorSpec([])], tmp_path)
    (tmp_path / "model.onnx").unlink()
    assert float(pickle.loads(pickle.dumps(double))(ag.constant(3.0))) == 6.0


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


def test_the_page_has_the_operators_that_are_read():
    from allograph.library.onnx.imported.model_function import READ

    page = (Path(__file__).parents[3] / "docs" / "onnx.md").read_text(encoding="utf-8")
    listed = page[page.index("These operators are read:") :].split("\n\n")[1]
    assert re.findall(r"`(\w+)`", listed) == sorted(READ)


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
        if one.dtype == ag.string:
            assert one.numpy().ravel().tolist() == [word.encode() for word in other.ravel()]
            continue
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one.numpy(), other, rtol=1e-3, atol=1e-5)


@pytest.mark.slow
def test_a_network_of_the_package_gives_its_stored_result():
    path = os.path.join(ZOO, "light", "light_squeezenet")
    network = ag.onnx.load(f"{path}.onnx")
    (x,) = network.input_signature
    numbers = np.arange(np.prod(x.shape), dtype=np.float64).reshape(x.shape)
    found = network(ag.constant((numbers / numbers.size).astype(np.float32)))
    expected = numpy_helper.to_array(onnx.load_tensor(f"{path}_output_0.pb"))
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-4)


def model_of_node(op_type, *arrays, opset=18, **attributes):
    """A model of one node."""
    info, element = helper.make_tensor_value_info, helper.np_dtype_to_tensor_dtype
    names = [f"x{at}" for at in range(len(arrays))]
    inputs = [
        info(name, element(one.dtype), one.shape) for name, one in zip(names, arrays, strict=True)
    ]
    node = helper.make_node(op_type, names, ["y"], **attributes)
    graph = helper.make_graph(
        [node], "g", inputs, [info("y", element(arrays[0].dtype), [None] * arrays[0].ndim)]
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def test_a_softmax_of_old_models_is_over_all_axes_from_its_own_on(tmp_path):
    x = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    for opset, axes in ((11, (1, 2)), (13, (2,))):
        onnx.save(model_of_node("Softmax", x, opset=opset), tmp_path / "m.onnx")
        found = ag.onnx.load(tmp_path / "m.onnx")(x).numpy()
        np.testing.assert_allclose(found.sum(axes), 1.0, rtol=1e-6)


WINDOWS = [
    ("ConvTranspose", {"strides": [2, 2], "pads": [1, 0, 1, 1], "output_padding": [1, 0]}),
    ("ConvTranspose", {"strides": [2, 3], "auto_pad": "SAME_UPPER"}),
    ("Conv", {"strides": [2, 2], "auto_pad": "SAME_LOWER"}),
    ("MaxPool", {"kernel_shape": [2, 3], "strides": [2, 2], "ceil_mode": 1}),
    ("AveragePool", {"kernel_shape": [3, 3], "pads": [1, 1, 0, 1], "count_include_pad": 1}),
    ("LRN", {"size": 3}),
    ("InstanceNormalization", {}),
    ("GatherElements", {"axis": 3}),
    ("Trilu", {"upper": 0}),
    ("Pad", {"mode": "edge"}),
    ("DepthToSpace", {"blocksize": 2, "mode": "CRD"}),
    ("SpaceToDepth", {"blocksize": 1}),
    ("ReduceLogSumExp", {}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("op_type", "attributes"), WINDOWS)
def test_operators_mean_what_another_runtime_means(op_type, attributes, tmp_path):
    random = np.random.default_rng(0)
    x = random.normal(size=(2, 4, 5, 7)).astype(np.float32)
    others = {
        "Conv": [random.normal(size=(3, 4, 3, 2)).astype(np.float32)],
        "ConvTranspose": [random.normal(size=(4, 3, 3, 2)).astype(np.float32)],
        "InstanceNormalization": [np.float32([1, 2, 3, 4]), np.float32([0, 1, 0, 1])],
        "GatherElements": [random.integers(-7, 7, (2, 3, 5, 4))],
        "Trilu": [np.int64(-1)],
        "Pad": [np.array([0, 1, 0, 2, 0, 0, 3, 1])],
    }.get(op_type, [])
    arrays = [x, *map(np.asarray, others)]
    model = model_of_node(op_type, *arrays, **attributes)
    model.ir_version = 9
    onnx.save(model, tmp_path / "m.onnx")
    feed = {f"x{at}": one for at, one in enumerate(arrays)}
    (expected,) = onnxruntime.InferenceSession(model.SerializeToString()).run(None, feed)
    if op_type == "Pad":
        model.graph.initializer.append(numpy_helper.from_array(arrays[1], "x1"))
        onnx.save(model, tmp_path / "m.onnx")
        arrays = arrays[:1]
    found = ag.onnx.load(tmp_path / "m.onnx")(*map(ag.constant, arrays))
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-4, atol=1e-5)


def test_assigned_variables_come_back_as_inputs_with_defaults(tmp_path):
    total = ag.Variable(1.0, name="total")
    function = ag.function(lambda x: total.assign_add(x) * 2.0)
    ag.onnx.export(function, tmp_path / "m.onnx", ag.TensorSpec([]), state=True)
    again = ag.onnx.load(tmp_path / "m.onnx")
    result, following = again(ag.constant(2.0))
    assert (float(result), float(following)) == (6.0, 3.0)
    assert float(again(ag.constant(2.0), total=following)[0]) == 10.0


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
