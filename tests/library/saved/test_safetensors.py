"""Our tensor files open in the package safetensors, and its files in ours."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from safetensors import numpy as safetensors
from safetensors import safe_open

import allograph as ag
from allograph.library.saved.tensor_file import read_tensors, write_tensors

SHARED = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
    "float32", "float64",
)  # fmt: skip
ARRAYS = st.sampled_from(SHARED).flatmap(
    lambda name: arrays.arrays(name, arrays.array_shapes(min_dims=0, max_dims=3, max_side=4))
)
FILES = st.dictionaries(st.text("abc/_", min_size=1), ARRAYS, max_size=4)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("tensors") / "file.safetensors"


def same(found, expected):
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert found[name].tobytes() == array.tobytes()


@pytest.mark.slow
@given(FILES)
def test_the_package_reads_what_we_write(path, content):
    write_tensors(path, content, {"step": "3"})
    same(safetensors.load_file(path), content)
    with safe_open(path, "numpy") as file:
        assert file.metadata()["step"] == "3"


@pytest.mark.slow
@given(FILES)
def test_we_read_what_the_package_writes(path, content):
    safetensors.save_file(content, path, {"step": "3"})
    found, metadata = read_tensors(path)
    same(found, content)
    assert metadata == {"step": "3"}


def test_bfloat16_travels_both_ways(path):
    content = {"x": np.array([1.5, -2.0], ag.dtypes.bfloat16.as_numpy_dtype)}
    write_tensors(path, content, {})
    same(safetensors.load_file(path), content)
    safetensors.save_file(content, path)
    same(read_tensors(path)[0], content)


def test_the_package_opens_a_saved_module(tmp_path):
    module = ag.Module()
    module.weights = ag.Variable([1.0, 2.0])
    ag.saved_model.save(module, tmp_path)
    (file,) = tmp_path.glob("*.safetensors")
    assert safetensors.load_file(file)["weights"].tolist() == [1.0, 2.0]


def test_the_package_opens_a_checkpoint(tmp_path):
    written = ag.train.Checkpoint(v=ag.Variable(7.0)).write(str(tmp_path / "step"))
    found = safetensors.load_file(f"{written}.safetensors")
    assert 7.0 in [one.tolist() for one in found.values()]
