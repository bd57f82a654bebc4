"""`x[i] = v` in converted code: tensors are replaced, containers change."""

import linecache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag


def converted(function):
    return ag.autograph.to_graph(function)


def test_an_item_of_an_eager_tensor_is_replaced():
    @converted
    def put(x):
        x[1] = 9
        x[2] += 5
        x[:1] = 7
        return x

    before = ag.constant([1, 2, 3])
    assert put(before).numpy().tolist() == [7, 9, 8]
    assert before.numpy().tolist() == [1, 2, 3]


# ---- items of items ---------------------------------------------------------------------------

ROWS = np.arange(24.0).reshape(2, 3, 4)


def in_each_way(function, *args):
    """The results of a function of tensors: converted, traced, and in native code."""
    yield converted(function)(*args)
    yield ag.function(function)(*args)
    yield ag.function(function, jit_compile=True)(*args)


def number(x, i, j):
    x[i][j] = -1
    return x


def update(x, i, j):
    x[i][j] += 0.5
    x[-1][0][j] *= 2
    return x


def slices(x, i, j):
    x[i:][0][j] = -1
    x[:, j][i] = -2
    x[..., 1:][0][1][::2] = -3
    return x


def several(x, i, j):
    x[i][0], x[i][1] = x[i][1], x[i][0]
    x[0][1] = x[1][j] = 4
    return x


@pytest.mark.parametrize("function", [number, update, slices, several])
@pytest.mark.parametrize("index", [0, 1, -1])
def test_an_item_of_an_item_of_a_tensor_is_that_of_an_array(function, index):
    wanted = function(ROWS.copy(), index, 1)
    for i in (index, ag.constant(index)):
        for result in in_each_way(function, ag.constant(ROWS), i, 1):
            np.testing.assert_array_equal(result, wanted)


def loop(x, n):
    for i in ag.range(n):
        for j in ag.range(i):
            x[i][j] = x[j][i] + 1
    return x


def test_loops_assign_items_of_items():
    grid = np.arange(16.0).reshape(4, 4)
    wanted = grid.copy()
    wanted[np.tril_indices(4, -1)] = grid.T[np.tril_indices(4, -1)] + 1
    for result in in_each_way(loop, ag.constant(grid), ag.constant(4)):
        np.testing.assert_array_equal(result, wanted)


subscripts = st.one_of(
    st.integers(-2, 1),
    st.slices(2).filter(lambda one: len(range(2)[one])),
    st.just(Ellipsis),
)


@given(st.lists(subscripts, min_size=2, max_size=4), st.booleans())
def test_random_subscripts_of_subscripts(keys, traced):
    source = "def put(x, keys):\n    x" + "".join(f"[keys[{at}]]" for at in range(len(keys)))
    put = compiled_function(source + " = -1.5\n    return x")
    array = np.arange(16.0).reshape(2, 2, 2, 2)
    try:
        wanted = put(array.copy(), keys)
    except (IndexError, TypeError):  # more subscripts than axes
        return
    run = ag.function(put) if traced else converted(put)
    np.testing.assert_array_equal(run(ag.constant(array), keys), wanted)


def compiled_function(source):
    file = f"<{source}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    scope = {}
    exec(compile(source, file, "exec"), scope)
    return scope["put"]


def test_items_of_items_of_containers_change_in_place():
    @converted
    def put(rows, key, value):
        rows[0][key] = value
        rows[-1][key][0] += value
        return rows

    rows = [{"a": [1]}, {"b": [2]}]
    inner = rows[1]["b"]
    assert put(rows, "b", 5) is rows
    assert rows == [{"a": [1], "b": 5}, {"b": [7]}]
    assert rows[1]["b"] is inner


def test_tensors_in_containers_and_attributes_are_replaced():
    class Grid:
        def __init__(self):
            self.rows = [ag.zeros(2), ag.zeros(2)]
            self.cells = ag.zeros((2, 2))

    @ag.function
    def put(grid, i, value):
        grid.rows[1][i] = value
        grid.cells[i][0] += value
        return grid.rows, grid.cells

    rows, cells = put(Grid(), ag.constant(1), 3.0)
    assert [row.numpy().tolist() for row in rows] == [[0, 0], [0, 3]]
    assert cells.numpy().tolist() == [[0, 0], [3, 0]]


def test_keys_are_evaluated_in_the_order_of_python():
    class Noted(list):
        def __getitem__(self, key):
            order.append(f"[{key}]")
            return super().__getitem__(key)

    def said(value, name):
        order.append(name)
        return value

    def put(rows):
        rows[said(0, "i")][said(1, "j")] = said(5, "value")
        rows[said(0, "i")][said(1, "j")] += said(5, "value")
        return rows

    orders = []
    for run in (put, converted(put)):
        order = []
        assert run(Noted([[1, 2]])) == [[1, 10]]
        orders.append(order)
    assert orders[0] == orders[1]


@pytest.mark.parametrize("key", [[0, 1], np.array([1, 0]), np.array([True, False])])
def test_what_numpy_would_assign_in_a_copy_is_refused(key):
    @ag.function
    def put(x):
        x[key][0] = 1.0
        return x

    with pytest.raises(Exception, match="NumPy assigns it in a copy, which is lost") as raised:
        put(ag.zeros((2, 2)))
    assert "x[key][0] = 1.0" in str(raised.value)


def test_arrays_selected_by_indices_are_copies_in_numpy_programs():
    @ag.jit
    def put(x, k):
        x[k][0] = 9.0
        x[1][0] = 5.0
        return x

    x = np.zeros((3, 2))
    assert put(x, np.array([0, 2])).tolist() == [[0, 0], [5, 0], [0, 0]]


def test_items_of_lists_of_lists_are_assigned_at_staged_indices():
    def diagonal(n, t):
        table = [[0.0] * 3 for _ in range(3)]
        first = table[0]
        for i in ag.range(n):
            table[i][i] = t
            table[i][0] += t * 2.0
            if i > 0:
                table[i - 1][i] = t
        first[1] += 1.0
        return table, first

    def cube(n, t):
        table = [[[0.0] * 2 for _ in range(2)] for _ in range(2)]
        for i in ag.range(2):
            for j in ag.range(n - 1):
                table[i][j][1 - i] += t
        return table

    for f in (diagonal, cube):
        for dtype in (ag.float32, ag.float64):
            given = ag.constant(3), ag.constant(2.5, dtype)
            made, wanted = ag.function(f)(*given), f(*given)
            assert ag.nest.map_structure(float, made) == ag.nest.map_structure(float, wanted)


def test_a_whole_item_is_assigned_at_a_staged_index():
    def f(n, t):
        table = [[0.0] * 2 for _ in range(3)]
        pairs = [(0.0, 1), (2.0, 3)]
        for i in ag.range(n):
            table[i] = [t, t * 2.0]
        pairs[n - 1] = (t, 7)
        return table, pairs

    given = ag.constant(2), ag.constant(2.5)
    made, wanted = ag.function(f)(*given), f(*given)
    assert ag.nest.map_structure(float, made) == ag.nest.map_structure(float, wanted)
    assert made[1][1][1].dtype is ag.int32


def item_is_kept(i, t):
    table = [[0.0] * 2 for _ in range(2)]
    item = table[i]
    table[i][0] = t
    return item[0]


def item_of_a_growing_list_is_kept(n, t):
    rows = [[1, 2], [3, 4]]
    for i in ag.range(n):
        rows.append([i, i])
    item = rows[n - 1]
    rows[1][0] = 50
    return item[0]


def item_is_changed_under_another_name(i, t):
    table = [[0.0] * 2 for _ in range(2)]
    item, row = table[i], table[1]
    row[0] = t
    return item[0]


def item_is_changed_by_a_function(i, t):
    def put(row):
        row.append(t)

    table = [[0.0] * 2 for _ in range(2)]
    item = table[i]
    put(table[0])
    return item[-1]


def old_row_is_changed(i, t):
    table = [[0.0] * 2 for _ in range(2)]
    row = table[0]
    table[i] = [t, t]
    row[0] = 7.0
    return table[0][0]


def one_row_is_there_twice(i, t):
    table = [[0.0] * 2] * 2
    table[i][0] = t
    return table


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (item_is_kept, "'item', which was read from it before"),
        (item_of_a_growing_list_is_kept, "'item', which was read from it before"),
        (item_is_changed_under_another_name, "'item', which was read from it before"),
        (item_is_changed_by_a_function, "'item', which was read from it before"),
        (old_row_is_changed, "the list 'row', and one of the two is changed"),
        (one_row_is_there_twice, "a list that may have it twice"),
    ],
)
def test_items_that_would_be_stale_are_refused(function, words):
    lists = ag.autograph.experimental.Feature.LISTS
    traced = ag.function(function, experimental_autograph_options=lists)
    with pytest.raises(ag.errors.OperatorNotAllowedInGraphError, match=words):
        traced(ag.constant(1), ag.constant(2.5))


def test_items_of_other_lists_may_change_beside_one_that_is_kept():
    def f(i, t):
        one, other = [[0.0] * 2 for _ in range(2)], [[1.0] * 2 for _ in range(2)]
        item = one[i]
        other[i][0] = t
        kept = item[0]
        again = one[i]
        one[i][1] = again[0] + t + kept
        return other, one

    given = ag.constant(1), ag.constant(2.5)
    made, wanted = ag.function(f)(*given), f(*given)
    assert ag.nest.map_structure(float, made) == ag.nest.map_structure(float, wanted)
