"""TensorArrays of elements of one shape, and of several."""

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
