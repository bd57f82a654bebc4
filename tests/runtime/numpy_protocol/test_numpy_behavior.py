"""`enable_numpy_behavior`, DLPack, and the array protocol."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import allograph as ag
from allograph.library.missing_members import (
    ARRAY_MEMBERS,
    ASSIGNMENTS,
    CHANGING_MEMBERS,
    PYTHON_MEMBERS,
    TORCH_MEMBERS,
    VALUE_MEMBERS,
)
from allograph.runtime.numpy_protocol.array_methods import MEMBERS
from allograph.runtime.tensors.missing_members import NAMES
from allograph.runtime.tensors.tensor import Tensor

ag.constant(0)
enable = ag.experimental.numpy.experimental_enable_numpy_behavior
KINDS = [np.int8, np.int32, np.int64, np.uint8, np.float16, np.float32, np.float64, np.bool_]


@pytest.fixture
def numpy_behavior():
    enable()
    yield
    enable(enabled=False)


def test_without_it_types_do_not_mix_and_the_way_to_methods_is_told():
    x = ag.constant([1, 2])
    with pytest.raises(TypeError, match="do not mix"):
        x + ag.constant(1.5)
    with pytest.raises(AttributeError, match="enable_numpy_behavior"):
        x.T
    with pytest.raises(AttributeError, match="no attribute 'nonsense'$"):
        x.nonsense


def test_the_table_of_members_is_complete():
    assert set(MEMBERS) == set(ARRAY_MEMBERS)
    tables = (ARRAY_MEMBERS, ASSIGNMENTS, CHANGING_MEMBERS, PYTHON_MEMBERS, TORCH_MEMBERS)
    assert {*NAMES} == {*VALUE_MEMBERS}.union(*tables)


@pytest.mark.parametrize("name", ARRAY_MEMBERS)
def test_what_is_told_in_place_of_a_member_runs(name):
    x = y = ag.constant([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(AttributeError) as caught:
        getattr(x, name)
    assert ARRAY_MEMBERS[name] in str(caught.value)
    eval(ARRAY_MEMBERS[name], {"ag": ag, "x": x, "y": y})
    assert name not in dir(x)


@pytest.mark.parametrize("name", CHANGING_MEMBERS)
def test_what_is_told_in_place_of_a_member_that_changes_an_array_runs(name):
    x, y = ag.constant([2.0, 1.0]), 3.0
    for run in (lambda x: getattr(x, name), ag.function(lambda x: getattr(x, name))):
        with pytest.raises(AttributeError, match="a tensor does not change") as caught:
            run(x)
    assert CHANGING_MEMBERS[name] in str(caught.value)
    eval(CHANGING_MEMBERS[name], {"ag": ag, "x": x, "y": y})
    assert name not in dir(x)


@pytest.mark.parametrize("name", PYTHON_MEMBERS)
def test_what_is_told_in_place_of_a_method_of_strings_or_lists_runs(name):
    x = ag.constant([1.0, 2.0]) if name in ("append", "extend") else ag.constant(["ab"])
    with pytest.raises(AttributeError) as caught:
        getattr(x, name)
    assert PYTHON_MEMBERS[name] in str(caught.value)
    y = x[0] if name == "append" else x
    eval(PYTHON_MEMBERS[name], {"ag": ag, "x": x, "y": y})
    assert name not in dir(x)


@pytest.mark.usefixtures("numpy_behavior")
class TestPromotion:
    @pytest.mark.slow
    @given(st.sampled_from(KINDS), st.sampled_from(KINDS))
    def test_two_tensors_are_promoted_as_in_numpy(self, one, other):
        assume({one, other} != {np.bool_})  # the operators of truth values are others
        a, b = np.array([1, 0, 1], one), np.array([[1], [0]], other)
        for operation in (lambda x, y: x + y, lambda x, y: x * y, lambda x, y: x == y):
            expected = operation(a, b)
            found = operation(ag.constant(a), ag.constant(b))
            assert isinstance(found, Tensor) and found.dtype == expected.dtype
            np.testing.assert_array_equal(found.numpy(), expected)

    @pytest.mark.parametrize("kind", KINDS[:-1])
    @pytest.mark.parametrize("number", [2, 1.5])
    def test_numbers_adapt(self, kind, number):
        array = np.array([1, 2], kind)
        for found, expected in (
            (ag.constant(array) + number, array + number),
            (number * ag.constant(array), number * array),
        ):
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found.numpy(), expected)

    def test_arrays_keep_their_type(self):
        assert (ag.constant([1.0]) + np.ones(1)).dtype == ag.float64
        assert (np.ones(1) + ag.constant([1.0])).dtype == ag.float64

    def test_operations_promote_too_and_in_graphs(self):
        f = ag.function(lambda x, y: ag.concat([x, y], 0) + ag.where(x[0] > 1, x, y)[0])
        found = f(ag.constant([1, 2]), ag.constant([0.5, 1.0]))
        assert found.dtype == ag.float64 and found.numpy().tolist() == [1.5, 2.5, 1.0, 1.5]


class TestFloat32Preferred:
    tnp = ag.experimental.numpy
    NARROW = (
        lambda tnp, x: x + 1.5, lambda tnp, x: x + [1.5], lambda tnp, x: x / 2,
        lambda tnp, x: x**0.5, lambda tnp, x: x + ag.constant([1.5]), lambda tnp, x: tnp.ones(2),
        lambda tnp, x: tnp.sqrt(x), lambda tnp, x: tnp.array([1.5]), lambda tnp, x: np.sqrt(x),
        lambda tnp, x: tnp.zeros(2, float), lambda tnp, x: tnp.mean(x), lambda tnp, x: x.mean(),
        lambda tnp, x: tnp.linspace(0, 1, 3), lambda tnp, x: tnp.arange(3.0),
        lambda tnp, x: tnp.eye(2), lambda tnp, x: np.mean(x),
    )  # fmt: skip
    WIDE = (
        lambda tnp, x: x + np.ones(1), lambda tnp, x: tnp.array(np.ones(1)),
        lambda tnp, x: tnp.zeros(2, "float64"), lambda tnp, x: tnp.zeros(2, ag.float64),
        lambda tnp, x: tnp.sum(x, dtype=np.float64),
    )  # fmt: skip

    @pytest.fixture(autouse=True)
    def preferred(self):
        enable(prefer_float32=True)
        yield
        enable(enabled=False)

    @pytest.mark.slow
    @pytest.mark.parametrize("traced", [False, True])
    def test_numbers_of_python_and_defaults_are_float32(self, traced):
        def results(x):
            return [case(self.tnp, x) for case in self.NARROW]

        found = (ag.function(results) if traced else results)(ag.constant([1]))
        assert {one.dtype for one in found} == {ag.float32}

    @pytest.mark.parametrize("traced", [False, True])
    def test_arrays_of_float64_and_what_names_it_keep_it(self, traced):
        def results(x):
            return [case(self.tnp, x) for case in self.WIDE]

        found = (ag.function(results) if traced else results)(ag.constant([1]))
        assert {one.dtype for one in found} == {ag.float64}

    def test_complex_numbers_follow(self):
        assert (ag.constant([1]) * 2.5j).dtype == self.tnp.array(1j).dtype == ag.complex64


class TestDataTypes:
    def test_one_hashes_as_that_of_numpy_which_it_equals(self):
        for dtype in (ag.float32, ag.bool, ag.int8, ag.complex128):
            assert {np.dtype(dtype.name): "found"}[dtype] == "found"

    def test_functions_about_data_types_take_those_of_tensors(self):
        tnp = ag.experimental.numpy
        dtype = tnp.ones(2).dtype
        assert tnp.isdtype(dtype, "real floating") and tnp.isdtype(dtype, ag.float64)
        assert not tnp.isdtype(dtype, ("integral", "bool"))

    @pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.4.0", reason="NumPy does not ask")
    def test_numpy_takes_them(self):
        dtype = ag.experimental.numpy.ones(2).dtype
        assert np.issubdtype(dtype, np.floating) and np.zeros(1, dtype).dtype == np.float64


@pytest.mark.usefixtures("numpy_behavior")
class TestMethods:
    CASES = (
        lambda x: x.T, lambda x: x.reshape(3, 2), lambda x: x.reshape([-1]), lambda x: x.ravel(),
        lambda x: x.flatten(), lambda x: x.transpose(), lambda x: x.transpose(1, 0),
        lambda x: x.astype(np.int32), lambda x: x.sum(), lambda x: x.sum(axis=1, keepdims=True),
        lambda x: x.mean(0), lambda x: x.max(), lambda x: x.min(1), lambda x: x.prod(),
        lambda x: x.std(), lambda x: x.var(axis=0), lambda x: x.any(), lambda x: x.all(),
        lambda x: x.argmax(1), lambda x: x.argmin(), lambda x: x.argsort(axis=0),
        lambda x: x.clip(0, 1), lambda x: x.cumsum(1), lambda x: x.cumprod(), lambda x: x.round(1),
        lambda x: x.dot(x.T), lambda x: x[None].squeeze(), lambda x: x.swapaxes(0, 1),
        lambda x: x.repeat(2, 0), lambda x: x.take([0, -1], axis=1), lambda x: x.trace(),
        lambda x: x.diagonal(1), lambda x: x.conj(), lambda x: x.real, lambda x: x.imag,
        lambda x: x.copy(), lambda x: x.compress([True, False, True], axis=1),
        lambda x: x[0].searchsorted(0.5), lambda x: x.nonzero()[1],
    )  # fmt: skip

    @pytest.mark.parametrize("case", CASES)
    @pytest.mark.parametrize("traced", [False, True])
    def test_a_method_is_that_of_arrays(self, case, traced):
        array = np.array([[0.5, -2.25, 1.0], [7.5, 0.0, -0.5]])
        expected = np.asarray(case(array))
        found = (ag.function(case) if traced else case)(ag.constant(array))
        assert isinstance(found, Tensor)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected)

    def test_what_python_asks_is_answered_with_python_values(self):
        x = ag.constant([[1, 2], [3, 4]])
        assert (x.size, x.itemsize, x.nbytes, x.ndim) == (4, 4, 16, 2)
        assert x.tolist() == [[1, 2], [3, 4]]

    def test_variables_have_them_too(self):
        v = ag.Variable([[1.0, 2.0]])
        assert v.T.shape == (2, 1) and float(v.sum()) == 3.0

    def test_numpys_functions_give_tensors(self):
        x = ag.constant([[1.0, 2.0]])
        assert isinstance(np.sum(x), Tensor) and isinstance(np.concatenate([x, x]), Tensor)
        assert np.sum(x, where=[True, False]) == 1.0


class TestArrayProtocol:
    def test_an_array_of_a_tensor_cannot_change_it(self):
        x = ag.constant([1.0, 2.0])
        with pytest.raises(ValueError, match="read-only"):
            np.asarray(x)[0] = 5.0
        np.array(x)[0] = 5.0
        assert x.numpy().tolist() == [1.0, 2.0]

    def test_the_type_and_the_copy_are_as_asked(self):
        x = ag.constant([1.0, 2.0])
        assert np.asarray(x, np.int64).tolist() == [1, 2]
        assert np.asarray(x, copy=False).base is not None
        with pytest.raises(ValueError, match="without a copy"):
            np.asarray(x, np.int64, copy=False)

    def test_a_symbolic_tensor_is_no_array(self):
        with pytest.raises(TypeError, match="Use the function of the same name"):
            ag.function(lambda x: np.asarray(x), autograph=False)(ag.ones([2]))


class TestDlpack:
    @pytest.mark.parametrize("value", [[1, 2, 3], [[1.5, 2.5]], 7, np.float64([]), [True]])
    def test_a_tensor_goes_and_comes_back(self, value):
        x = ag.constant(value)
        again = ag.experimental.dlpack.from_dlpack(ag.experimental.dlpack.to_dlpack(x))
        assert again.dtype == x.dtype
        np.testing.assert_array_equal(again, x)

    def test_numpy_reads_the_memory_of_a_tensor(self):
        x = ag.constant(np.arange(10.0))
        array = np.from_dlpack(x)
        assert np.shares_memory(array, np.asarray(x))
        assert not array.flags.writeable

    def test_a_tensor_reads_the_memory_of_an_array(self):
        array = np.arange(10.0)
        x = ag.experimental.dlpack.from_dlpack(array)
        assert np.shares_memory(array, np.asarray(x))
        assert float(ag.reduce_sum(x)) == 45.0

    def test_an_older_reader_gets_a_copy(self):
        x = ag.constant(np.arange(3.0))

        class Old:
            def __dlpack__(self, **options):
                return x.__dlpack__()

            __dlpack_device__ = x.__dlpack_device__

        assert not np.shares_memory(np.from_dlpack(Old()), np.asarray(x))
        with pytest.raises(BufferError, match="copy"):
            x.__dlpack__(copy=False)

    def test_texts_have_no_such_form(self):
        with pytest.raises(BufferError):
            ag.experimental.dlpack.to_dlpack(ag.constant("text"))

    def test_the_device_is_the_processor(self):
        assert ag.constant(1).__dlpack_device__() == (1, 0)


class TestNumpyNamespace:
    tnp = ag.experimental.numpy

    def test_results_are_tensors_of_numpys_types(self):
        tnp = self.tnp
        for found, expected in (
            (tnp.ones((2, 2)), np.ones((2, 2))),
            (tnp.arange(5), np.arange(5)),
            (tnp.array([1.5, 2.0]), np.array([1.5, 2.0])),
            (tnp.sum([1, 2, 3]), np.sum([1, 2, 3])),
            (tnp.add(np.int32([1]), [0.5]), np.add(np.int32([1]), [0.5])),
            (tnp.sin(1), np.sin(1)),
            (tnp.stack([[1], [2]]), np.stack([[1], [2]])),
            (tnp.histogram([1, 2, 2], bins=2)[0], np.histogram([1, 2, 2], bins=2)[0]),
            (tnp.sum([1, 2], where=[True, False]), np.sum([1, 2], where=[True, False])),
            (tnp.linalg.norm([3.0, 4.0]), np.linalg.norm([3.0, 4.0])),
            (tnp.gcd(12, 18), np.gcd(12, 18)),
        ):
            assert isinstance(found, Tensor) and found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)

    def test_it_traces(self):
        tnp = self.tnp

        @ag.function
        def f(x, n):
            rows = tnp.zeros((n, 2), tnp.float32) + tnp.arange(n, dtype=tnp.float32)[:, None]
            return tnp.concatenate([rows, x]) * tnp.array([n, 1.0], dtype=tnp.float32)

        found = f(ag.ones([1, 2]), ag.constant(2))
        assert found.numpy().tolist() == [[0.0, 0.0], [2.0, 1.0], [2.0, 1.0]]

    def test_a_function_without_a_form_says_so_in_a_graph(self):
        with pytest.raises(TypeError, match="np.histogram cannot be traced"):
            ag.function(lambda x: self.tnp.histogram(x))(ag.ones([2]))

    def test_constants_and_types_are_there(self):
        tnp = self.tnp
        assert tnp.pi == np.pi and tnp.newaxis is None and tnp.float32 is np.float32
        assert isinstance(ag.constant(1), tnp.ndarray)
        with pytest.raises(AttributeError):
            tnp.nonsense


NUMBERS = np.array([[0.3, -2.0, 5.0], [0.1, 0.0, np.inf]])


@pytest.mark.parametrize(
    "function",
    [
        np.cbrt, np.rad2deg, np.deg2rad, np.log2, np.log10, np.exp2, np.sinc,
        lambda x: np.full_like(x, 0.1), lambda x: np.pad(x, 1, constant_values=0.1),
        lambda x: np.nan_to_num(x, posinf=0.1), lambda x: np.linalg.norm(x[0], 3),
        lambda x: np.linalg.norm(x[0], 1.7), lambda x: np.round(x[:, :2], 11),
        lambda x: np.quantile(x[0], 0.3), lambda x: np.percentile(x[0], 33.3),
        lambda x: np.interp(x[0] * 9, x[0, 1:] , x[0, :2], left=0.1, right=0.7),
        lambda x: np.isclose(x[0], x[0] * (1 + 1.0000000001e-5), atol=0),
        lambda x: np.where(x > 0, x, 0.1), lambda x: np.clip(x, 0.1, 0.7), lambda x: x * 0.1,
        lambda x: np.maximum(x, 0.1), lambda x: np.append(x, 0.1), lambda x: np.var(x[0], ddof=1),
    ],
)  # fmt: skip
def test_numbers_beside_an_array_of_float64_keep_their_digits(function):
    found = ag.function(lambda x: function(x), autograph=False)(ag.constant(NUMBERS))
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(np.asarray(found), function(NUMBERS), rtol=4e-15)
