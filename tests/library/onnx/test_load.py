"""Models of other programs as functions."""

import glob
import os
import pickle
import re
from pathlib import Path

import numpy as np
import onnx
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


@pytest.mark.parametrize("place", ["stored", "in a node"])
def test_arrays_in_other_files_are_refused_with_a_cure(tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    np.ones(3, np.float32).tofile("other.bin")  # beside the model, and where the program runs
    weights = onnx.TensorProto(name="w", data_type=1, dims=[3], data_location=1)
    weights.external_data.add(key="location", value="other.bin")
    x, y = (helper.make_tensor_value_info(name, 1, [3]) for name in "xy")
    nodes = [helper.make_node("Add", ["x", "w"], ["y"])]
    if place == "in a node":
        nodes = [helper.make_node("Constant", [], ["w"], value=weights), *nodes]
    stored = [weights] if place == "stored" else []
    model = helper.make_model(helper.make_graph(nodes, "g", [x], [y], stored), ir_version=9)
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    with pytest.raises(ag.errors.UnimplementedError, match="'other.bin'") as caught:
        ag.onnx.load("m.onnx")
    exec(str(caught.value).partition("If you trust it: ")[2])
    same(ag.onnx.load("m_whole.onnx")(X[0]), ag.constant(X[0] + 1))


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
def test_a_network_of_the_package_gives_its_stored_result(tmp_path):
    """Its weights are equal, so its logits are, to rounding. They are so large that their softmax
    would tell the last bits apart: it is taken of logits without these bits.
    """
    path = os.path.join(ZOO, "light", "light_squeezenet")
    model = onnx.load(f"{path}.onnx")
    (softmax,) = (node for node in model.graph.node if node.op_type == "Softmax")
    softmax.op_type = "Identity"
    del softmax.attribute[:]
    onnx.save(model, tmp_path / "logits.onnx")
    network = ag.onnx.load(str(tmp_path / "logits.onnx"))
    (x,) = network.input_signature
    numbers = np.arange(np.prod(x.shape), dtype=np.float64).reshape(x.shape)
    found = network(ag.constant((numbers / numbers.size).astype(np.float32))).numpy()
    np.testing.assert_allclose(found, found.flat[0], rtol=1e-4)
    expected = numpy_helper.to_array(onnx.load_tensor(f"{path}_output_0.pb"))
    rounded = ag.constant(np.round(found / found.flat[0], 3))
    np.testing.assert_allclose(ag.nn.softmax(rounded, 1).numpy(), expected, rtol=1e-4)
