"""Variables changed in part: the same eagerly, in functions, and in NumPy."""

import numpy as np
import pytest
from example_counts import examples
from execution_modes import PLAN
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag

HOW = {
    "update": lambda array, i, value: array.__setitem__(i, value),
    "add": lambda array, i, value: array.__setitem__(i, array[i] + value),
    "sub": lambda array, i, value: array.__setitem__(i, array[i] - value),
    "max": lambda array, i, value: array.__setitem__(i, np.maximum(array[i], value)),
    "min": lambda array, i, value: array.__setitem__(i, np.minimum(array[i], value)),
}
rows = st.lists(st.tuples(st.integers(0, 4), st.integers(-9, 9)), max_size=6)


@pytest.mark.parametrize("how", HOW)
@examples(25)
@given(rows=rows, staged=st.booleans())
def test_rows_are_changed_one_after_the_other(how, rows, staged):
    start = np.arange(10, dtype=np.float32).reshape(5, 2)
    v = ag.Variable(start)
    indices = np.array([i for i, _ in rows], np.int32)
    values = np.array([[x, x + 1] for _, x in rows], np.float32).reshape(-1, 2)

    def change():
        getattr(v, "scatter_" + how)(ag.IndexedSlices(values, indices))

    (ag.function(change) if staged else change)()
    for i, x in zip(indices, values, strict=True):
        HOW[how](start, i, x)
    assert v.numpy().tolist() == start.tolist()


@pytest.mark.parametrize("how", HOW)
def test_slices_at_index_vectors_are_changed(how):
    start = np.arange(6, dtype=np.int32).reshape(2, 3)
    v = ag.Variable(start)
    getattr(v, "scatter_nd_" + how)([[1, 2], [0, 0]], [3, 4])
    for place, value in (((1, 2), 3), ((0, 0), 4)):
        HOW[how](start, place, value)
    assert v.numpy().tolist() == start.tolist()


def test_changes_keep_program_order_in_a_function():
    v = ag.Variable([1, 2, 3])

    @ag.function
    def f():
        before = v.sparse_read([0])
        v.scatter_add(ag.IndexedSlices([10], [0]))
        for i in ag.range(2):
            v.scatter_nd_add([[i]], [100])
        return before, v.gather_nd([[0], [1]])

    before, after = f()
    assert (before.numpy().tolist(), after.numpy().tolist()) == ([1], [111, 102])


def test_an_index_outside_is_an_error_and_changes_nothing():
    v = ag.Variable([1, 2])
    with pytest.raises(ag.errors.OutOfRangeError):
        v.scatter_nd_update([[2]], [5])
    assert v.numpy().tolist() == [1, 2]


def test_rows_are_given_as_indexed_slices():
    with pytest.raises(TypeError, match="IndexedSlices"):
        ag.Variable([1]).scatter_add([1])


def test_indexed_slices_are_a_tensor():
    slices = ag.IndexedSlices([[1.0], [2.0], [3.0]], [2, 0, 2], [3, 1])
    assert (slices + ag.zeros([3, 1])).numpy().tolist() == [[2.0], [0.0], [4.0]]
    with pytest.raises(ValueError, match="dense_shape"):
        ag.convert_to_tensor(ag.IndexedSlices([1.0], [0]))


def test_a_variable_has_no_value_while_its_function_is_traced():
    seen = []

    class Counter(ag.Module):
        v = None

        @ag.function
        def f(self, x):
            if self.v is None:
                self.v = ag.Variable(x * 2.0)
                seen.append(self.v.is_initialized())
                with pytest.raises(RuntimeError, match="no value yet"), ag.init_scope():
                    self.v.numpy()
            return self.v + 1.0

    counter = Counter()
    assert float(counter.f(ag.constant(3.0))) == 7.0
    assert seen == [False]
    assert counter.v.is_initialized()


def test_assign_leaves_constraints_to_optimizers():
    v = ag.Variable(1.0, constraint=lambda x: ag.maximum(x, 0.0))
    v.assign(-2.0)
    assert float(v) == -2.0
    ag.keras.optimizers.SGD(1.0).apply_gradients([(ag.constant(5.0), v)])
    assert float(v) == 0.0


class TestParts:
    """`variable[key].assign(value)`."""

    def test_a_part_is_replaced_and_the_variable_given_back(self):
        v = ag.Variable([1.0, 2.0, 3.0])
        assert v[1].assign(10.0) is v
        v[:1].assign([7.0])
        assert v.numpy().tolist() == [7.0, 10.0, 3.0]

    def test_the_value_spreads_over_the_part(self):
        v = ag.Variable(np.zeros((2, 3), np.int32))
        v[:, 1].assign(5)
        v[-1, ::2].assign([1, 2])
        assert v.numpy().tolist() == [[0, 5, 0], [1, 5, 2]]

    @pytest.mark.parametrize("options", [PLAN, {}], ids=["plan", "auto"])
    def test_a_loop_of_a_graph_assigns_one_part_after_the_other(self, options):
        v = ag.Variable([0.0] * 5)

        @ag.function(**options)
        def cumulated(x):
            total = 0.0
            for i in ag.range(5):
                total += x[i]
                v[i].assign(total)
            return v[4] * 2.0

        assert float(cumulated(ag.constant([1.0, 2.0, 3.0, 4.0, 5.0]))) == 30.0
        assert v.numpy().tolist() == [1.0, 3.0, 6.0, 10.0, 15.0]

    def test_a_wrong_place_or_shape_changes_nothing(self):
        v = ag.Variable([1.0, 2.0])
        with pytest.raises(IndexError):
            v[2].assign(0.0)
        with pytest.raises(ag.errors.InvalidArgumentError):
            v[:].assign([1.0, 2.0, 3.0])
        assert v.numpy().tolist() == [1.0, 2.0]

    def test_what_is_no_part_of_a_variable_cannot_be_assigned_to(self):
        v = ag.Variable([1.0, 2.0])
        for tensor in (v + 0.0, ag.constant([1.0])[0], v[0] + 1.0):
            assert not hasattr(tensor, "assign")


TWOS = [["2"], [b"2"], np.array(["2"]), ag.constant([2]), [2 + 0j]]


@pytest.mark.parametrize("value", TWOS, ids=repr)
def test_the_cure_for_a_value_of_another_type_runs(value):
    variable = ag.Variable([1.0])
    with pytest.raises(ag.errors.DTypeError, match="cannot assign") as caught:
        variable.assign(value)
    _, _, cure = str(caught.value).rpartition("Cast the value: ")
    assert variable.assign(eval(cure)).numpy().tolist() == [2.0]


def test_what_is_no_tensor_has_no_cast_as_a_cure():
    with pytest.raises(ag.errors.DTypeError, match="cannot assign") as caught:
        ag.Variable(1.0).assign(object())
    assert "Cast" not in str(caught.value)
