"""TensorArrays: elements of one shape, and how others are refused."""

import pytest

import allograph as ag


def test_elements_of_two_shapes_are_refused_with_a_cure():
    rows = ag.TensorArray(ag.float32, size=2, infer_shape=False).write(0, ag.ones([1]))
    with pytest.raises(ag.errors.InvalidArgumentError, match="(?s)shape .2,.*of .1,.*ag.concat"):
        rows.write(1, ag.ones([2]))


def test_elements_whose_length_a_loop_computes_are_refused_with_a_cure_that_works():
    @ag.function
    def ragged(n):
        rows = ag.TensorArray(ag.float32, size=0, dynamic_size=True, infer_shape=False)
        for i in ag.range(n):
            rows = rows.write(i, ag.ones([i + 1]))
        return rows.concat()

    @ag.function
    def cured(n):
        rows = ag.zeros([0])
        for i in ag.range(n):
            rows = ag.concat([rows, ag.ones([i + 1])], 0)
        return rows

    with pytest.raises(ag.errors.InvalidArgumentError, match=r"(?s)not fully known.*ag.concat"):
        ragged(ag.constant(3))
    assert cured(ag.constant(3)).shape == (6,)


def test_sections_of_several_lengths_are_refused_with_a_cure():
    rows = ag.TensorArray(ag.float32, size=2, infer_shape=False)
    with pytest.raises(ag.errors.InvalidArgumentError, match=r"(?s)lengths \[1, 2\].*Slice"):
        rows.split(ag.ones([3]), [1, 2])
