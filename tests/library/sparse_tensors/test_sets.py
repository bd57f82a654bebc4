"""Sets in the last axis of dense and sparse tensors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag

ROWS = st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=1, max_size=3)


def rows_of(found):
    """The values of each row of a sparse tensor."""
    rows = [[] for _ in range(found.dense_shape.numpy()[0])]
    for (row, _), value in zip(found.indices.numpy().tolist(), found.values.numpy().tolist()):
        rows[row].append(value)
    return rows


@pytest.mark.slow
@given(ROWS, ROWS)
def test_sets_are_those_of_python(a, b):
    count = min(len(a), len(b))
    a, b = a[:count], b[:count]
    pairs = [(set(one), set(other)) for one, other in zip(a, b)]
    assert rows_of(ag.sets.union(a, b)) == [sorted(x | y) for x, y in pairs]
    assert rows_of(ag.sets.intersection(a, b)) == [sorted(x & y) for x, y in pairs]
    assert rows_of(ag.sets.difference(a, b)) == [sorted(x - y) for x, y in pairs]
    assert rows_of(ag.sets.difference(a, b, aminusb=False)) == [sorted(y - x) for x, y in pairs]


def test_sparse_sets_of_strings_are_combined_in_graphs():
    words = ag.sparse.from_dense([[["b", "a"], ["c", ""]], [["", ""], ["d", "d"]]])
    both = ag.function(lambda sp: ag.sets.union(sp, ag.constant([[["x"], ["c"]], [["y"], ["y"]]])))
    found = both(words)
    assert found.values.numpy().tolist() == [b"a", b"b", b"x", b"c", b"y", b"d", b"y"]
    assert found.dense_shape.numpy().tolist() == [2, 2, 3]
    assert ag.function(ag.sets.size)(words).numpy().tolist() == [[2, 1], [0, 1]]


def test_rows_that_do_not_fit_are_refused():
    with pytest.raises(ag.errors.InvalidArgumentError, match="do not fit"):
        ag.sets.union([[1], [2]], [[1]])
