"""Promotion modes "all" and "safe": Python numbers adopt the data types of what they meet."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag
from allograph.runtime.numpy_protocol import weak_types
from allograph.runtime.numpy_protocol.weak_types import common_type
from allograph.runtime.tensors.apply import BEHAVIOR

enable = ag.experimental.enable_numpy_behavior


@pytest.fixture(params=["all", "safe"])
def mode(request):
    enable(dtype_conversion_mode=request.param)
    yield request.param
    enable(enabled=False)


@pytest.fixture
def weak():
    enable(dtype_conversion_mode="all")
    yield
    enable(enabled=False)


def one(dtype):
    """A strong number of a type; a weak one of a type with a star."""
    return {"int*": 1, "float*": 1.0, "complex*": 1j}.get(dtype) or ag.cast(
        ag.constant(1, ag.int32), dtype
    )


# Two operands, their type under "all", and whether "safe" has it too.
PROMOTED = """
    bool uint8 uint8 yes        uint8 int8 int16 no          uint8 int16 int16 yes
    uint32 int32 int64 no       uint64 int8 float64* no      int32 int64 int64 yes
    uint8 float16 float16 yes   int32 float32 float32 no     int16 float32 float32 yes
    int32 float64 float64 yes   int64 float64 float64 no     float16 float32 float32 yes
    float64 complex64 complex128 no   float32 complex64 complex64 yes
    int* uint8 uint8 yes        int* float16 float16 yes     int* bool int32* yes
    float* int8 float64* no     float* float16 float16 yes   float* float64 float64 yes
    float* int* float32* yes    float* bool float32* yes     float* complex64 complex64 yes
    complex* int8 complex128* yes     complex* int64 complex128* no
    complex* float32 complex64 no     complex* float64 complex128 yes
    complex* float* complex128* yes
""".split()


def test_types_are_those_of_the_lattice(mode):
    rows = [PROMOTED[at : at + 4] for at in range(0, len(PROMOTED), 4)]
    for left, right, expected, safe in rows:
        for a, b in ((left, right), (right, left)):
            if mode == "safe" and safe == "no":
                with pytest.raises(TypeError, match="'safe' does not allow"):
                    ag.add(one(a), one(b))
            else:
                found = ag.add(one(a), one(b))
                assert found.dtype.name + "*" * weak_types.is_weak(found) == expected, (a, b)


TYPES = [
    *((ag.as_dtype(name), False) for name in (
        "bool", "uint8", "uint32", "uint64", "int8", "int32", "int64", "float16", "float32",
        "float64", "complex64", "complex128",
    )),
    (ag.int32, True), (ag.float32, True), (ag.float64, True), (ag.complex128, True),
]  # fmt: skip


@given(st.sampled_from(TYPES), st.sampled_from(TYPES))
def test_the_type_of_two_operands_does_not_depend_on_their_order(a, b):
    assert BEHAVIOR.mode == "legacy"
    both = common_type([a, b])
    assert both == common_type([b, a])
    assert common_type([both, a]) == both or both[1]


def test_weak_types_last_through_what_is_computed_of_them_alone(weak):
    number = ag.constant(2)
    assert repr(number).endswith("numpy=2, weak=True>")
    for found in (
        -number,
        ag.reduce_sum(ag.constant([1, 2])),
        number * 3,
        ag.expand_dims(number, 0),
    ):
        assert weak_types.is_weak(found)
    one = ag.constant(np.int32(2))
    for found in (one, ag.cast(number, ag.int32), number + one, ag.Variable(2) + 1, ag.range(3)):
        assert not weak_types.is_weak(found)
    assert (ag.Variable(1, dtype=ag.int8) + 1).dtype is ag.int8
    assert (np.float32(1) + number).dtype is ag.float32
    assert (number / 4).dtype is ag.float64


def test_weak_types_are_known_while_tracing(weak):
    outside = ag.constant(0.5)

    @ag.function
    def scaled(x):
        half = ag.constant(1) * 0.5
        return x * half, x + outside, x * 2

    for found in scaled(ag.constant([1.0, 2.0], ag.float16)):
        assert found.dtype is ag.float16
    x = ag.Variable(np.float16([1, 2]))
    with ag.GradientTape() as tape:
        y = ag.reduce_sum(x * x * 0.5)
    assert tape.gradient(y, x).numpy().tolist() == [1, 2]


def test_numbers_beyond_the_type_that_they_adopt_are_refused(weak):
    with pytest.raises((OverflowError, ValueError, TypeError)):
        ag.constant(1, ag.int8) + 300


def test_modes_and_their_options_are_checked():
    with pytest.raises(ValueError, match="'legacy', 'all' or 'safe', not 'some'"):
        enable(dtype_conversion_mode="some")
    with pytest.raises(ValueError, match="goes with dtype_conversion_mode='legacy'"):
        enable(prefer_float32=True, dtype_conversion_mode="all")
    assert not BEHAVIOR.on


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("value", [True, 1, 1.5])
def test_a_python_number_meets_a_tensor_alike_eagerly_and_as_an_argument_of_a_function(
    mode, dtype, value
):
    def outcome(add):
        try:
            return add(ag.ones([2], dtype), value).dtype
        except TypeError:
            return None

    eager = outcome(lambda x, y: x + y)
    assert outcome(ag.function(lambda x, y: x + y)) == eager
    assert outcome(ag.function(ag.add)) == eager
    if value is True:
        assert eager == dtype


@pytest.mark.parametrize("dtype", ["int8", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("value", [1, 1.5])
def test_a_weak_tensor_stays_weak_as_an_argument_of_a_function(mode, dtype, value):
    def outcome(call):
        try:
            return call().dtype
        except TypeError:
            return None

    f = ag.function(lambda x, y: x + y)
    x, number = ag.ones([2], dtype), ag.constant(value)
    expected = outcome(lambda: number + x)
    for _ in range(3):  # the fast path, too
        assert outcome(lambda: f(number, x)) == expected
        assert outcome(lambda: f(x, number * 2)) == expected
    strong = ag.cast(number, ag.float64)
    assert outcome(lambda: f(strong, ag.ones([2], "float32"))) == ag.float64
    assert outcome(lambda: f(ag.constant(1.0), ag.ones([2], "float32"))) == ag.float32


def test_a_signature_takes_weak_tensors(weak):
    f = ag.function(lambda x: x * 2, input_signature=[ag.TensorSpec([], "float32")])
    assert float(f(ag.constant(1.5))) == 3.0
    assert f.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("ufunc", [np.arctan2, np.hypot, np.copysign, np.logaddexp])
@pytest.mark.parametrize("other", [np.float32(1.5), np.float64(1.5), 2.5, np.int8(3)])
@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int16, np.int64])
def test_ufuncs_of_floats_do_not_narrow_floats_beside_tensors_of_integers(ufunc, other, dtype):
    x = np.array([0, 1], dtype)
    traced = ag.function(lambda x: ufunc(x, other))(ag.constant(x))
    assert traced.dtype.numpy_dtype == ufunc(x, other).dtype
