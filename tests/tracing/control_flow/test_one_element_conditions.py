"""A tensor of one element is a condition, as in eager code."""

import pytest

import allograph as ag


def sign(x):
    if x > 0:
        return 1
    return -1


def halvings(x):
    count = 0
    while x > 1:
        x, count = x / 2, count + 1
    return count


@pytest.mark.parametrize("shape", [[1], [1, 1]])
def test_of_a_known_shape(shape):
    x = ag.fill(shape, 8.0)
    assert int(ag.function(sign)(x)) == sign(x)
    assert int(ag.function(halvings)(x)) == halvings(x)


def test_of_a_shape_that_the_run_knows():
    f = ag.function(sign, input_signature=[ag.TensorSpec([1, None])])
    assert int(f(ag.constant([[3.0]]))) == 1
    with pytest.raises(ag.errors.InvalidArgumentError, match=r"\(1, 2\), not \(1, 1\)"):
        f(ag.constant([[3.0, 4.0]]))


def test_of_more_elements_is_refused():
    with pytest.raises(TypeError, match="ambiguous"):
        ag.function(sign)(ag.constant([1.0, 2.0]))


@pytest.mark.parametrize("value", ["ab", "", 2.5, 0, [1.5], [[0]], True])
def test_a_loop_with_a_break_asks_for_the_truth_of_its_test_alone(value):
    def f(x, n):
        count = 0
        while x:
            count += 1
            if count > n:
                break
        return count

    for n in (0, 3):
        expected = n + 1 if ag.constant(value) else 0
        assert int(ag.function(f)(ag.constant(value), ag.constant(n))) == expected
