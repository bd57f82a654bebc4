"""An array of which a loop sets items is copied once on the plan, before the loop."""

import numpy as np
import pytest

import allograph as ag


def squares(table, n):
    i = 0
    while i < n:
        table[i] = i * i
        i += 1
    return table


def planned(f, *args):
    """The result of a plan, and its text."""
    concrete = ag.function(f, kernel_compiler="none").get_concrete_function(*args)
    return concrete(*args), concrete.executable.plan.source


def test_the_array_of_the_caller_stays_as_it_is():
    given = ag.constant([7, 7, 7, 7])
    made, text = planned(squares, given, ag.constant(3))
    assert made.numpy().tolist() == [0, 1, 4, 7]
    assert given.numpy().tolist() == [7, 7, 7, 7]
    assert text.count(".copy()") == 1


def test_a_constant_stays_as_it_is_from_call_to_call():
    f = ag.function(lambda n: squares(ag.zeros([3], ag.int32), n), kernel_compiler="none")
    assert f(ag.constant(3)).numpy().tolist() == [0, 1, 4]
    assert f(ag.constant(0)).numpy().tolist() == [0, 0, 0]


def test_an_array_that_is_read_too_is_copied_each_turn():
    def sums(table, n):
        old = table
        i = 1
        while i < n:
            old, table = table, ag.tensor_set_item(table, i, table[i] + table[i - 1])
            i += 1
        return old, table

    given = np.arange(5, dtype=np.float32)
    (old, new), text = planned(sums, ag.constant(given), ag.constant(5))
    assert new.numpy().tolist() == np.cumsum(given).tolist()
    assert old.numpy().tolist() == [0, 1, 3, 6, 4]
    assert ".copy()" not in text


def test_an_array_whose_old_content_is_kept_is_copied_each_turn():
    def last_two(table, n):
        old = table
        i = 0
        while i < n:
            old, table = table, ag.tensor_set_item(table, i, 9)
            i += 1
        return old, table

    (old, new), text = planned(last_two, ag.constant([1, 2, 3, 4]), ag.constant(3))
    assert new.numpy().tolist() == [9, 9, 9, 4]
    assert old.numpy().tolist() == [9, 9, 3, 4]
    assert ".copy()" not in text


def test_rows_of_an_inner_loop_are_set_where_they_are():
    def table(n):
        made = ag.zeros([3, 4], ag.int32)
        for i in ag.range(n):
            row = ag.zeros([4], ag.int32)
            for j in ag.range(4):
                row[j] = 10 * i + j
            made[i] = row
        return made

    made, text = planned(table, ag.constant(3))
    assert made.numpy().tolist() == [[10 * i + j for j in range(4)] for i in range(3)]
    assert text.count(".copy()") == 2


def test_a_failure_leaves_the_array_of_the_caller_as_it_is():
    given = ag.constant([7, 7])
    with pytest.raises(IndexError):
        ag.function(squares, kernel_compiler="none")(given, ag.constant(3))
    assert given.numpy().tolist() == [7, 7]


def test_a_scalar_gets_an_axis_in_native_code():
    @ag.function(jit_compile=True)
    def inserted(x, one, i):
        if i > 0:
            return ag.concat([x[:2], one[None], x[2:]], 0)
        return ag.concat([one[None], x], 0)

    x, one = ag.constant([1, 2, 3]), ag.constant(5)
    assert inserted(x, one, ag.constant(1)).numpy().tolist() == [1, 2, 5, 3]
    assert inserted(x, one, ag.constant(0)).numpy().tolist() == [5, 1, 2, 3]


@pytest.mark.parametrize("limit", [1e30, -1.0])
def test_memory_that_branches_exchange_is_free_when_none_of_its_names_is_needed(limit):
    @ag.jit
    def chosen(a, b, limit):
        forward, backward = np.cumsum(a, 0), np.cumsum(a[::-1], 0)
        total = (forward[::-1] * backward).sum()
        if limit > total:
            rows = np.cumsum(b, 0)
        else:
            wide = np.cumsum(b, 1)
            rows = np.cumsum(np.cumsum(wide[::-1], 0)[::-1] + wide, 0)
        other = np.cumsum(a * 7.0, 0)
        scaled = np.cumsum(b * 5.0, 0)
        return total, (rows[::-1] * scaled).sum(), (other * other[::-1]).sum()

    a, b = (np.linspace(0, 1, 3000).reshape(shape) for shape in ((1000, 3), (1500, 2)))
    results = chosen(a, b, limit)
    np.testing.assert_allclose(results, chosen.python_function(a, b, limit), rtol=1e-12)
