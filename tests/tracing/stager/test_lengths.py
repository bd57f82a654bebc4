"""`len` of what a graph knows or computes, and numbers that strings spell."""

import operator

import pytest

import allograph as ag


def test_a_known_length_is_an_int_so_that_range_of_it_is_pythons():
    seen = []

    @ag.function
    def f(x):
        seen.append(len(x))
        return [x[i] * i for i in range(len(x))]

    assert list(map(float, f(ag.constant([1.0, 2.0, 3.0])))) == [0.0, 2.0, 6.0]
    assert seen == [3] and type(seen[0]) is int


def test_an_unknown_length_is_a_tensor():
    @ag.function(input_signature=[ag.TensorSpec([None])])
    def f(x):
        total = 0.0
        for i in range(len(x)):
            total += x[i]
        return total, len(x)

    total, length = f(ag.constant([1.0, 2.0]))
    assert (float(total), int(length)) == (3.0, 2)


def test_the_length_of_a_variable_is_known():
    v = ag.Variable([1.0, 2.0])

    @ag.function
    def f():
        assert type(len(v)) is int
        return ag.constant(len(v))

    assert int(f()) == 2


def test_a_scalar_has_no_length():
    @ag.function
    def f(x):
        return len(x)

    with pytest.raises(TypeError, match="a scalar tensor has no length"):
        f(ag.constant(1.0))


def test_the_length_of_a_tensor_array_of_fixed_size_is_an_int():
    @ag.function
    def f(x):
        assert type(len(ag.TensorArray(ag.float32, size=3))) is int
        return x

    f(1)
    assert len(ag.TensorArray(ag.float32, size=3)) == 3


def test_the_length_of_a_tensor_array_that_grows_is_that_when_the_graph_runs():
    @ag.function
    def f(n):
        rows = ag.TensorArray(ag.int32, size=0, dynamic_size=True)
        for i in ag.range(n):
            rows = rows.write(i, i * i)
        if rows:
            return len(rows)
        return -1

    assert [int(f(ag.constant(n))) for n in (4, 0)] == [4, -1]


def test_a_loop_reads_the_elements_of_a_tensor_array():
    @ag.function
    def f(n):
        rows = ag.TensorArray(ag.int32, size=n)
        for i in ag.range(n):
            rows = rows.write(i, i * i)
        total = 0
        for row in rows:
            total += row
        return total

    assert int(f(ag.constant(4))) == 14


@pytest.mark.parametrize("text", ["2.5", " -1e3 ", "7"])
def test_float_of_a_string_is_what_it_spells(text):
    f = ag.function(lambda s: float(s))
    assert float(f(ag.constant(text))) == float(text)


def test_int_of_a_string_is_what_it_spells():
    f = ag.function(lambda s: int(s))
    assert int(f(ag.constant("-12"))) == -12


def test_float_of_another_string_is_a_value_error():
    @ag.function
    def f(s):
        return float(s)

    with pytest.raises(ValueError, match="could not convert string to float"):
        f(ag.constant("two"))


def test_an_iterator_of_a_tensor_of_known_length_gives_its_items():
    @ag.function
    def first_and_rest(x):
        items = iter(x)
        return next(items), [item * 2 for item in items]

    first, rest = first_and_rest(ag.constant([1, 2, 3]))
    assert (int(first), [int(item) for item in rest]) == (1, [4, 6])


def test_an_iterator_of_a_tensor_of_unknown_length_is_refused():
    @ag.function(input_signature=[ag.TensorSpec([None], ag.int32)])
    def first(x):
        return next(iter(x))

    with pytest.raises(TypeError, match="iterating over the symbolic tensor"):
        first(ag.constant([1, 2, 3]))


def test_the_length_hint_of_a_scalar_is_the_default():
    def hint(x):
        return operator.length_hint(x, 3)

    for x in (ag.constant(0), ag.constant([1, 2])):
        assert int(ag.function(hint)(x)) == hint(x)
