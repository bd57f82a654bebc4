"""`jit`: names that get other arrays in branches and loops, as a buffer does that is full."""

import numpy as np
import pytest
from buffer_programs import assert_jit_keeps_names_apart
from numpy_programs import assert_native, assert_same_outcome

import allograph as ag

NUMBERS = np.random.default_rng(0).integers(0, 30, 50)


def doubled(values):
    buffer, n = np.empty(4, np.int64), 0
    for value in values:
        if value % 3 != 0:
            if n == len(buffer):
                new = np.empty(2 * len(buffer), np.int64)
                new[:n] = buffer
                buffer = new
            buffer[n] = value
            n += 1
    return buffer[:n], n


def test_a_buffer_is_replaced_when_it_is_full():
    assert_native(doubled, (NUMBERS,), (NUMBERS[:5],), (np.arange(5000)[::-2],), (NUMBERS * 0,))
    assert_same_outcome(doubled, ag.jit(doubled), (NUMBERS[:0],))


def test_two_buffers_of_several_types_get_longer_together():
    def above(x, limit):
        room, n = 2, 0
        places, values = np.zeros(room, np.int32), np.zeros(room, x.dtype)
        for i in range(len(x)):
            if x[i] > limit or x[i] != x[i]:
                if n >= room:
                    room *= 2
                    more, others = np.zeros(room, np.int32), np.zeros(room, x.dtype)
                    more[:n], others[:n] = places[:n], values[:n]
                    places, values = more, others
                places[n], values[n] = i, x[i]
                n += 1
        return places[:n], values[:n]

    x = np.random.default_rng(1).random(40)
    x[7], x[9] = np.nan, np.inf
    assert_native(above, (x, 0.3), (x.astype(np.float32)[::-1], 0.9), (x, -1.0))


def test_rows_are_put_into_a_buffer_of_rows():
    def chosen(rows, limit):
        buffer, n = np.empty((1, rows.shape[1])), 0
        for row in rows:
            if row[0] < limit:
                if n == buffer.shape[0]:
                    new = np.empty((2 * len(buffer), rows.shape[1]))
                    new[:n] = buffer[:n]
                    buffer = new
                buffer[n] = row
                n += 1
        return buffer[:n].copy()

    rows = np.random.default_rng(2).random((9, 3))
    assert_native(chosen, (rows, 0.6), (rows.T.copy().T, 2.0), (rows, -1.0))


def test_a_function_gives_the_buffer_that_replaces_one():
    def pushed(buffer, n, value):
        if n == len(buffer):
            new = np.empty(2 * n, buffer.dtype)
            new[:n] = buffer
            buffer = new
        buffer[n] = value
        return buffer, n + 1

    def kept(x):
        buffer, n = np.empty(1), 0
        for value in x:
            if value < 0.7:
                buffer, n = pushed(buffer, n, value)
        return buffer[:n].sum(), n

    assert_native(kept, (np.random.default_rng(3).random(30),), (np.array([0.9, np.nan, -0.0]),))


def test_an_object_replaces_its_buffer():
    class Buffer:
        def __init__(self):
            self.data = np.empty(2)
            self.n = 0

        def push(self, value):
            if self.n == len(self.data):
                new = np.empty(2 * self.n)
                new[: self.n] = self.data
                self.data = new
            self.data[self.n] = value
            self.n += 1

    def filled(x):
        buffer = Buffer()
        for value in x:
            buffer.push(value)
        return buffer.data[: buffer.n], buffer.n

    assert_native(filled, (np.arange(19.0),), (np.arange(3.0)[::-1],))


def test_arrays_are_joined_to_longer_ones():
    def doubled_rooms(x):
        buffer, n = np.empty(1), 0
        for value in x:
            if n == buffer.size:
                buffer = np.concatenate((buffer, np.empty(buffer.size)))
            buffer[n] = 2 * value
            n += 1
        return buffer[:n]

    def rows_of_pascal(n):
        row = np.array([1.0])
        for _ in range(n):
            longer = np.zeros(len(row) + 1)
            longer[:-1] += row
            longer[1:] += row
            row = longer
        return row

    assert_native(doubled_rooms, (np.arange(30.0),), (np.array([np.nan]),))
    assert_native(rows_of_pascal, (1,), (9,))


def test_an_argument_that_changes_before_it_is_replaced_is_the_callers():
    def replaced(buffer, x):
        n = 0
        for value in x:
            if n == len(buffer):
                new = np.empty(2 * n)
                new[:n] = buffer
                buffer = new
            buffer[n] = value
            n += 1
        return buffer[:n]

    for room in (1, 3, 40):
        assert_same_outcome(replaced, ag.jit(replaced), (np.zeros(room), np.arange(20.0)))


@pytest.mark.parametrize("read", ["other[0]", "other.sum()", "view[-1]", "len(other)"])
@pytest.mark.parametrize("where", ["before the change", "after it", "in the test", "at the end"])
def test_another_name_of_the_replaced_array_shows_what_changed(read, where):
    source = f"""
def program(x, count):
    buffer, n, s = np.zeros(3), 0, 0.0
    other, view = buffer, buffer[1:]
    while n < count[0]{f" and {read} > -1" if where == "in the test" else ""}:
        {f"s += {read}" if where == "before the change" else "s += 1"}
        if n == len(buffer):
            new = np.zeros(2 * n)
            new[:n] = buffer
            buffer = new
        buffer[n] = x[n]
        {f"s += {read}" if where == "after it" else "s += 1"}
        n += 1
    return buffer[:n], s{f", {read}" if where == "at the end" else ""}
"""
    from numpy_programs import function_of

    program = function_of(source, f"{read} {where}")
    compiled = ag.jit(program)
    for count in (1, 2, 9):
        assert_same_outcome(program, compiled, (np.arange(5.0, 20.0), np.array([count])))


def test_two_names_may_get_one_new_array():
    def both(x):
        first, second, s = np.zeros(2), np.ones(2), 0.0
        for value in x:
            first[0] += value
            s += second[0]
            if value > 0.5:
                first = np.zeros(2)
                second = first
        return first, second, s

    compiled = ag.jit(both)
    for numbers in ([0.7, 0.2, 0.9, 0.1, 0.3], [0.1, 0.2], [0.8]):
        assert_same_outcome(both, compiled, (np.array(numbers),))


def test_an_exception_leaves_what_changed_before_it():
    def filled(x, out):
        buffer, n = np.zeros(2), 0
        for i in range(len(x) + 1):
            if n == len(buffer):
                new = np.zeros(2 * n)
                new[:n] = buffer
                buffer = new
            buffer[n] = x[i]
            out[n % 3] += buffer[n]
            n += 1
        return buffer

    assert_same_outcome(filled, ag.jit(filled), (np.arange(5.0), np.zeros(3)))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(0, 60, 5))
def test_random_functions_that_replace_arrays_mean_the_same(seed):
    native = [assert_jit_keeps_names_apart(each, "python") for each in range(seed, seed + 5)]
    assert any(native)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 104))
def test_a_random_function_that_replaces_arrays_means_the_same_in_machine_code(seed):
    assert_jit_keeps_names_apart(seed)
