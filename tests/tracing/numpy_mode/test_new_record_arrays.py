"""`jit`: structured arrays that a function makes, and records with attributes."""

import numpy as np
import pytest
from numpy_programs import assert_native, assert_same_outcome

import allograph as ag

MARK = np.dtype([("place", np.int64), ("value", np.float32), ("ok", np.bool_)], align=True)
X = np.random.default_rng(0).random(9)


def chosen(x, t):
    out, count = np.empty(len(x), dtype=[("i", "i8"), ("v", "f8")]), 0
    for i in range(len(x)):
        if x[i] > t:
            out[count]["i"] = i
            out[count]["v"] = x[i]
            count += 1
    return out[:count]


def whole_records(x, t):
    out = np.zeros(len(x), dtype=MARK)
    for i in range(len(x)):
        out[i] = (i, x[i], x[i] > t)
    return out


def whole_fields(x, t):
    out = np.zeros(len(x), MARK)
    out["place"], out["value"], out["ok"] = 3, x, x > t
    return out, out["value"].sum(), len(out)


def matrix(x, t):
    out = np.zeros((2, 3), dtype=MARK)
    for i in range(2):
        for j in range(3):
            out[i, j]["value"] = x[i] * j
            out["place"][i, j] = i - j
    return out


def counted(x, t):
    count = 0
    for v in x:
        count += v > t
    out, at = np.zeros(count, dtype=MARK), 0
    for v in x:
        if v > t:
            out[at]["value"] = v
            at += 1
    return out


@pytest.mark.parametrize("function", [chosen, whole_records, whole_fields, matrix, counted])
def test_a_structured_array_is_made_and_returned(function):
    assert_native(function, (X, 0.4), (X, 2.0), (X, -1.0))


def test_a_field_that_is_returned_too_shares_its_memory():
    def both(x, is_first):
        out = np.zeros(len(x), dtype=MARK)
        out["value"] = x
        return (out["value"], out) if is_first else (out, out["value"])

    compiled = ag.jit(both)
    for is_first in (True, False):
        first, second = compiled(X, is_first)
        assert np.shares_memory(first, second)


def test_fields_of_a_recarray_are_attributes():
    def folded(rows, t):
        total = 0.0
        for i in range(len(rows)):
            total += rows.value[i] * rows.place[i] * t + rows[i].value
            rows.value[i] = total
        for row in rows:
            if row.ok:
                total += row.place
        return total, rows.value.sum(), rows["place"].max()

    rows = np.rec.array([(1, 2.5, True), (3, -1.0, False)], dtype=MARK)
    compiled, own, others = ag.jit(folded), rows.copy(), rows.copy()
    for _ in range(2):
        assert compiled(own, 2.0) == folded(others, 2.0)
        assert own.tolist() == others.tolist()
    assert compiled.inspect().endswith("native code; 2 calls")
    with pytest.raises(AttributeError):
        compiled(np.asarray(rows).view(np.ndarray), 2.0)  # which has no attributes


def test_methods_of_arrays_are_no_fields():
    def last(rows):
        return rows.size, rows.shape, rows["size"][-1]

    rows = np.rec.array([(1, 2.5), (3, -1.0)], dtype=[("size", "i8"), ("v", "f8")])
    assert_same_outcome(last, ag.jit(last), (rows,))


def test_fields_have_names_of_any_kind():
    def folded(rows):
        total = 0.0
        for i in range(len(rows)):
            total += rows.key[i] * rows[i].first + rows.cls[i]
            rows.fields[i] = total
        return total, rows.fields.sum()

    names = ("key", "first", "cls", "fields")
    rows = np.rec.array([(1, 2.5, 3, 0.0), (3, -1.0, 2, 0.0)], dtype=[(n, "f8") for n in names])
    compiled = ag.jit(folded)
    assert compiled(rows.copy()) == folded(rows.copy())
    assert compiled.inspect().endswith("native code; 1 call")
