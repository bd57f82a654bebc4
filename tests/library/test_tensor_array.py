"""TensorArrays of elements of one shape, and of several."""

import functools

import numpy as np
import pytest

import allograph as ag


def test_elements_of_two_shapes_are_refused_with_a_cure():
    rows = ag.TensorArray(ag.float32, size=2).write(0, ag.ones([1]))
    with pytest.raises(ag.errors.InvalidArgumentError, match="(?s)shape .2,.*of .1,.*infer_shape"):
        rows.write(1, ag.ones([2]))


def test_sections_of_several_lengths_are_refused_with_a_cure():
    rows = ag.TensorArray(ag.float32, size=2)
    with pytest.raises(ag.errors.InvalidArgumentError, match=r"(?s)lengths \[1, 2\].*Slice"):
        rows.split(ag.ones([3]), [1, 2])


def test_a_size_that_follows_from_a_known_shape_is_known():
    @ag.function
    def doubled(x):
        rows = ag.TensorArray(ag.float32, size=ag.shape(x)[0])
        for i in ag.range(ag.shape(x)[0]):
            rows = rows.write(i, x[i] * 2.0)
        return rows.stack()

    assert tuple(doubled.get_concrete_function(ag.ones([3, 2])).output_shapes) == (3, 2)


class TestElementsOfSeveralShapes:
    """They are kept in a list, with `infer_shape=False`."""

    def filled(self):
        rows = ag.TensorArray(ag.int32, size=0, dynamic_size=True, infer_shape=False)
        return rows.write(0, [1]).write(1, [2, 3])

    def test_outside_of_graphs(self):
        rows = self.filled()
        assert rows.read(1).numpy().tolist() == [2, 3]
        assert rows.concat().numpy().tolist() == [1, 2, 3]
        assert int(rows.size()) == len(rows) == 2

    def test_a_loop_writes_them(self):
        @ag.function
        def ragged(n):
            rows = ag.TensorArray(ag.int32, size=0, dynamic_size=True, infer_shape=False)
            for i in ag.range(n):
                rows = rows.write(i, ag.range(i + 1))
            return rows.concat(), rows.read(n - 1), rows.size()

        joined, last, count = ragged(ag.constant(3))
        assert joined.numpy().tolist() == [0, 0, 1, 0, 1, 2]
        assert last.numpy().tolist() == [0, 1, 2] and int(count) == 3

    def test_a_branch_writes_them_and_a_loop_reads_them(self):
        @ag.function
        def total(n, long):
            rows = ag.TensorArray(ag.int32, size=n, infer_shape=False, element_shape=[None])
            for i in ag.range(n):
                if long:
                    rows = rows.write(i, ag.ones([i + 2], ag.int32))
                else:
                    rows = rows.write(i, [1])
            found = 0
            for row in rows:
                found += ag.reduce_sum(row)
            return found

        assert int(total(ag.constant(3), ag.constant(True))) == 9
        assert int(total(ag.constant(3), ag.constant(False))) == 3

    def test_one_is_an_argument(self):
        @ag.function
        def second(rows):
            return rows.read(1)

        assert second(self.filled()).numpy().tolist() == [2, 3]

    def test_sections_and_rows_become_elements(self):
        rows = self.filled().split(ag.constant([4, 5, 6]), [2, 1])
        assert rows.read(0).numpy().tolist() == [4, 5] and rows.read(1).numpy().tolist() == [6]
        assert self.filled().unstack([[1, 2], [3, 4]]).stack().numpy().tolist() == [[1, 2], [3, 4]]

    def test_they_do_not_stack(self):
        with pytest.raises(
            ag.errors.InvalidArgumentError, match="(?s)1,.*2,.*do not stack.*concat"
        ):
            self.filled().stack()

    def test_scalars_do_not_join(self):
        rows = ag.TensorArray(ag.int32, size=1, infer_shape=False).write(0, 5)
        with pytest.raises(ag.errors.InvalidArgumentError, match="(?s)scalars do not join.*stack"):
            rows.concat()

    def test_what_was_not_written_is_not_read(self):
        rows = ag.TensorArray(ag.int32, size=2, infer_shape=False)
        with pytest.raises(ag.errors.InvalidArgumentError, match="element 0 .* never written"):
            rows.read(0)
        with pytest.raises(ag.errors.OutOfRangeError, match="size 2 has no element 2"):
            rows.write(2, 1)

    @pytest.mark.parametrize("shape", [[3], [2, 2], []])
    def test_elements_of_a_shape_that_only_the_run_knows_stack(self, shape):
        @ag.function(input_signature=[ag.TensorSpec(None, ag.float32)])
        def twice(x):
            rows = ag.TensorArray(ag.float32, size=2)
            for i in ag.range(2):
                rows = rows.write(i, x)
            return rows.stack()

        assert twice(ag.ones(shape)).shape == (2, *shape)


def test_an_array_without_elements_stacks_to_an_empty_tensor():
    def squares(n):
        rows = ag.TensorArray(ag.int32, size=0, dynamic_size=True)
        for i in ag.range(n):
            rows = rows.write(i, i * i)
        return rows.stack()

    for n in (0, 3):
        eager, graph = squares(n), ag.function(squares)(ag.constant(n))
        assert eager.numpy().tolist() == graph.numpy().tolist() == [i * i for i in range(n)]
        assert eager.shape == graph.shape and eager.dtype == graph.dtype
    with pytest.raises(ag.errors.InvalidArgumentError, match="Give element_shape"):
        ag.TensorArray(ag.int32, size=2).stack()


def of_written(x):
    rows = ag.TensorArray(ag.float64, size=2, infer_shape=False)
    rows = rows.write(0, x * 5.0).write(1, x[:1] * 3.0).write(0, x * x)
    return rows.concat() * x[1]


def of_read(x):
    rows = ag.TensorArray(ag.float64, size=2, infer_shape=False).write(0, x * x).write(1, x)
    return rows.read(0) * rows.read(0) + rows.read(1)


def of_sections(x):
    rows = ag.TensorArray(ag.float64, size=2, infer_shape=False).split(x * x, [1, 2])
    return ag.reduce_sum(rows.read(1) ** 2) + rows.write(0, x[:2] * 2.0).concat()[:2]


def of_slices(x):
    rows = ag.TensorArray(ag.float64, size=3, infer_shape=False).unstack(x * x)
    return rows.stack() * rows.read(1)


def of_a_loop(x):
    rows = ag.TensorArray(ag.float64, size=3, infer_shape=False).write(0, x)
    for i in ag.range(1, 3):
        if i < 2:
            rows = rows.write(i, rows.read(i - 1)[: 3 - i] * x[i])
        else:
            rows = rows.write(i, x * rows.read(0)[i])
    return rows.concat()


def of_numbers_of_another_type(x):
    rows = ag.TensorArray(ag.int32, size=2, infer_shape=False).write(0, [1, 2]).write(1, [1])
    return ag.gather(x, rows.concat()) * x[0]


def slopes(f, x):
    """First derivatives, and those of a weighted sum of them."""
    with ag.GradientTape() as outer:
        outer.watch(x)
        with ag.GradientTape() as inner:
            inner.watch(x)
            y = ag.reduce_sum(f(x))
        first = inner.gradient(y, x)
        weighted = ag.reduce_sum(first * [1.0, 2.0, 3.0])
    return first, outer.gradient(weighted, x)


@pytest.mark.parametrize(
    "f",
    [of_written, of_read, of_sections, of_slices, of_a_loop, of_numbers_of_another_type],
    ids=lambda f: f.__name__,
)
def test_gradients_pass_through_elements_of_several_shapes(f):
    x = np.array([1.5, 2.0, -0.5])
    graph = ag.function(f, input_signature=[ag.TensorSpec([None], ag.float64)])
    around = [each.numpy() for each in slopes(graph, ag.constant(x))]
    inside = ag.function(functools.partial(slopes, f))(ag.constant(x))
    for step, (first, second) in zip(np.eye(3) * 1e-5, zip(*around, strict=True), strict=True):
        rise = [ag.reduce_sum(f(ag.constant(x + way))).numpy() for way in (step, -step)]
        turn = [slopes(f, ag.constant(x + way))[0].numpy() @ [1, 2, 3] for way in (step, -step)]
        assert first == pytest.approx((rise[0] - rise[1]) / 2e-5, abs=1e-6)
        assert second == pytest.approx((turn[0] - turn[1]) / 2e-5, abs=1e-6)
    np.testing.assert_allclose(inside, around)


def test_gradients_pass_through_elements_whose_sizes_tracing_does_not_know():
    @ag.function(input_signature=[ag.TensorSpec([None, None, 2])])
    def recurrent(x):
        state, states = ag.zeros([ag.shape(x)[0], 2]), ag.TensorArray(ag.float32, ag.shape(x)[1])
        for t in ag.range(ag.shape(x)[1]):
            state = ag.tanh(x[:, t] + state)
            states = states.write(t, state)
        return states.stack()

    def slope(f, x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    x = ag.constant(np.linspace(-1, 1, 12).reshape(2, 3, 2), ag.float32)
    expected = slope(recurrent.python_function, x)
    np.testing.assert_allclose(slope(recurrent, x), expected, rtol=1e-5)


def test_an_array_is_read_in_a_branch_before_the_branch_that_writes_it():
    @ag.function(input_signature=[ag.TensorSpec([None], ag.float64)])
    def f(x):
        count = ag.shape(x)[0]
        a, b = ag.TensorArray(ag.float64, size=count), ag.TensorArray(ag.float64, size=count)
        for i in ag.range(count):
            if i == 0:
                a, b = a.write(i, x[1:]), b.write(i, x[1:] ** 2.0)
            else:
                a = a.write(i, b.read(i - 1) * x[i])
                b = b.write(i, a.read(i - 1))
        return a.stack() * b.stack()

    x = ag.constant([1.5, 2.0, -0.5], ag.float64)
    found, expected = f(x), f.python_function(x)
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("size", [2.5, ag.constant(2.0)])
def test_a_size_is_not_rounded(size):
    with pytest.raises(ag.errors.DTypeError, match="size of a TensorArray is an integer, not 2"):
        ag.TensorArray(ag.int32, size=size)
