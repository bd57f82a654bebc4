"""How often the body of a loop is recorded: once, and once more for each change of its options."""

import dis

import numpy as np
import pytest

import allograph as ag
from allograph.autograph.operators import raising, statement_state
from allograph.tracing.numpy_mode.refusal import Fallback, How, Options, RefusedError, fallen_back


def counted(xs):
    counts = {}
    for k in xs:
        counts[k] = counts.get(k, 0) + 1
    return len(counts)


def halved(xs):
    total, most = 0, 0
    for x in xs:
        total = total * 0.5 + x
        most = total if total > most else most
    return total, most


def appended(xs):
    small, large = [], []
    for x in xs:
        if x < 2:
            small.append(x)
        else:
            large.append(x * 0.5)
    return len(small), len(large)


def written(a, steps):
    for _ in range(steps):
        for i in range(1, len(a) - 1):
            a[i] = (a[i - 1] + a[i + 1]) / 2
    return a


@pytest.fixture
def tally(monkeypatch):
    """The runs of the bodies of loops, and the changes that were asked for."""
    runs: list = []
    changes: list = []
    run, init = statement_state.State.block, raising.Retrace.__init__

    def counting(state, body, values=None, **options):
        if values is not None:
            runs.append(body)
        return run(state, body, values, **options)

    def noting(request, change):
        changes.append(type(change).__name__)
        init(request, change)

    monkeypatch.setattr(statement_state.State, "block", counting)
    monkeypatch.setattr(raising.Retrace, "__init__", noting)
    return runs, changes


@pytest.mark.parametrize(
    ("function", "args", "loops"),
    [
        (counted, (np.array([1, 2, 2, 3]),), 3),  # with those that find a key and make room
        (halved, (np.arange(4.0),), 1),
        (appended, (np.arange(4.0),), 1),
        (written, (np.arange(4.0), 3), 2),
    ],
)
def test_a_body_is_recorded_once_for_each_change(function, args, loops, tally):
    runs, changes = tally
    compiled = ag.jit(function)
    compiled(*args)
    assert "native code" in compiled.inspect()
    assert len(runs) <= loops * (1 + len(changes))


def test_a_dictionary_in_a_loop_takes_few_recordings(tally):
    ag.jit(counted)(np.array([1, 2, 2, 3]))
    assert len(tally[0]) <= 15


def test_recordings_grow_with_the_depth_of_loops_not_with_its_power(tally):
    def nested(a):
        total = 0
        for i in range(len(a)):
            row = 0
            for j in range(len(a)):
                item = 0
                for k in range(len(a)):
                    item = item * 0.5 + a[i, j, k]
                row = row * 0.5 + item
            total = total * 0.5 + row
        return total

    array = np.arange(125.0).reshape(5, 5, 5)
    compiled = ag.jit(nested)
    assert compiled(array) == nested(array)
    assert "native code" in compiled.inspect()
    assert tally[1] == ["Layouts"] * 3
    assert len(tally[0]) == 2 + 3 + 4


def test_what_is_learned_in_one_call_is_not_taken_for_another(tally):
    def total(values, start):
        sum_ = start
        for value in values:
            sum_ = sum_ + value
        return sum_

    def both(a, b):
        whole = 0
        for _ in range(len(a)):
            whole = whole * 0.5 + total(a, 0) + total(b, 0)
        return total(b, 0), total(a, 0), whole

    floats, integers = np.arange(6) * 0.5, np.arange(6)
    for args in ((floats, integers), (integers, floats)):
        found, expected = ag.jit(both)(*args), both(*args)
        assert list(map(type, found)) == list(map(type, expected))
        assert found == expected


def test_what_a_loop_reads_and_then_writes_is_one_change(tally):
    def added(n):
        a, b, c = np.zeros(4), np.zeros(4), np.zeros(4)
        for i in range(n):
            a[i], b[i], c[i] = a[i - 1] + i, b[i - 1] + 2, c[i - 1] - i
        return a + b + c

    assert np.array_equal(ag.jit(added)(4), added(4))
    assert tally[1] == ["SharedWrites"]
    assert len(tally[0]) == 2


def test_a_loop_that_reads_only_what_it_has_written_is_recorded_once(tally):
    def filled(n):
        a, b = np.zeros(4), np.zeros((4, 2))
        for i in range(n):
            a[i] = 2 * i
            for k in range(2):
                if k < i:
                    b[i, k] = a[i] + a[i - 1]
        return a, b

    found, expected = ag.jit(filled)(4), filled(4)
    assert all(map(np.array_equal, found, expected))
    assert tally[1] == []
    assert len(tally[0]) == 1


def test_a_loop_over_constants_is_found_too_large_in_its_first_iteration(tally):
    def sums(a):
        out = np.zeros(a.shape)
        for column in range(a.shape[1]):
            total = a[0, column]
            for row in range(a.shape[0]):
                total += np.sin(a[row, column]) * np.cos(a[row, column]) + 1.0
                out[row, column] = total * total - total if total > 1 else -total
        return out

    array = np.ones((20, 4))
    assert np.allclose(ag.jit(sums)(array), sums(array))
    assert tally[1] == ["OfCode"]
    assert len(tally[0]) == 1 + 2


def test_each_fall_back_is_tried_once():
    options = Options(4, captured=(np.ones(1),), code=frozenset({(How.LARGE, len.__name__)}))
    tried = []
    while options is not None:
        tried.append(options)
        options = fallen_back(options, set(Fallback), RefusedError("no form"))
    assert len(tried) == 2 + len(Fallback) + 1
    assert len({str(one) for one in tried}) == len(tried)


def test_a_function_that_is_called_often_is_disassembled_once_for_each_question(monkeypatch):
    codes, disassemble = [], dis.get_instructions
    monkeypatch.setattr(
        dis, "get_instructions", lambda code: codes.append(code) or disassemble(code)
    )

    def scaled(x):
        return x * 2.0 + 1.0

    @ag.jit
    def program(x):
        for _ in range(9):
            x = scaled(x)
        return x

    assert program(np.ones(3))[0] == 1023
    assert codes.count(scaled.__code__) == 2  # what it reads, and what it does
