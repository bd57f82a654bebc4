"""`jit`: objects of the program's own classes, made inside, are attributes of the graph."""

import dataclasses

import numpy as np
import pytest
from native_calls import is_native
from numpy_programs import assert_native, assert_same_outcome

import allograph as ag

pytestmark = pytest.mark.slow

A = np.random.default_rng(0).random(40)
LOG = []


class Moments:
    scale = 2

    def __init__(self, start=0):
        self.count, self.mean, self.seen = start, 0.0, None

    def push(self, x):
        self.count += 1
        self.mean += (x * self.scale - self.mean) / self.count
        if self.seen is None or x > self.seen:
            self.seen = x
        return self

    @property
    def total(self):
        return self.mean * self.count


class Stack:
    def __init__(self, room):
        self.items, self.size = np.zeros(room), 0

    def append(self, x):
        self.items[self.size] = x
        self.size += 1

    def pop(self):
        self.size -= 1
        return self.items[self.size]


class Weighted(Moments):
    def __init__(self, weight):
        super().__init__(1)
        self.weight = weight

    def push(self, x):
        return super().push(x * self.weight)


def test_methods_change_attributes_in_loops():
    def moments(a):
        one, other = Moments(), Weighted(0.5)
        for x in a:
            one.push(x).push(-x)
            if x > 0.5:
                other.push(x)
        return one.count, one.mean, one.seen, other.total

    assert_native(moments, (A,), (A[:3],), (np.arange(30),))


def test_a_stack_of_an_array_and_a_size():
    def sums(a):
        stack, total = Stack(len(a)), 0.0
        for x in a:
            if x > 0.3:
                stack.append(x)
            elif stack.size > 0:
                total += stack.pop()
        return total, stack.size, stack.items

    assert_native(sums, (A,), (A[:3],))


def test_objects_in_lists_and_under_two_names():
    def several(a):
        made = [Moments(i) for i in range(3)]
        last = made[-1]
        for x in a:
            for one in made:
                one.push(x)
            last.push(2 * x)
            inner = Moments()
            made[0].mean  # noqa: B018 - it is read
            last.push(inner.push(x).mean)
        return made[0].mean, made[2].count, last.mean

    assert_native(several, (A,), (A[:3],))


class Noisy:
    def __init__(self):
        self.count = 0

    def push(self, x):
        self.count += 1
        LOG.append(x)


class Sized:
    def __init__(self):
        self.count = 0

    def __len__(self):
        self.count += 1
        return self.count


OUTER = Moments()


@pytest.mark.parametrize("change", ["noisy", "sized", "outer", "returned", "attribute", "deleted"])
def test_other_effects_are_left_to_python(change):
    def noisy(a):
        made = Noisy()
        made.push(1)
        return made.count

    def sized(a):
        made = Sized()
        return len(made) + len(made)

    def outer(a):
        OUTER.push(a[0])
        return OUTER.count - OUTER.count

    def returned(a):
        return Moments().push(a[0]).push

    def attribute(a):
        OUTER.count = 7
        return OUTER.count

    def deleted(a):
        made = Moments()
        del made.count
        return made.mean

    function = locals()[change]
    compiled = ag.jit(function)
    LOG.clear()
    for calls in range(1, 4):
        compiled(A)
        assert len(LOG) == calls * (change == "noisy")
    if change != "returned":
        assert_same_outcome(function, compiled, (A,))
    assert not is_native(compiled)


def test_a_class_that_changes_is_traced_again():
    def mean(a):
        made = Moments()
        for x in a:
            made.push(x)
        return made.mean

    compiled = ag.jit(mean)
    assert compiled(A) == pytest.approx(mean(A))
    Moments.scale = 3
    try:
        assert compiled(A) == pytest.approx(mean(A))
    finally:
        Moments.scale = 2
    assert compiled(A) == pytest.approx(mean(A))


def a_key_in_its_first_iteration(n):
    table = {"n": n}
    for _ in range(n):
        if "k" not in table:
            table["k"] = 7
        table["k"] += 2
    return table


class Box:
    def __init__(self, value):
        self.value = value


def an_attribute_in_its_first_iteration(n):
    box = Box(n)
    for _ in range(n):
        if not hasattr(box, "more"):
            box.more = 7
        box.more += 2
    return box.more


@pytest.mark.parametrize(
    "function", [a_key_in_its_first_iteration, an_attribute_in_its_first_iteration]
)
def test_what_a_loop_finds_missing_is_there_in_its_next_iteration(function):
    compiled = ag.jit(function)
    for n in (1, 3, 40):
        assert compiled(n) == function(n)


def one_of_two_names(b, c):
    record = other = Tally(b)
    if c % 3 > 0:
        other = Tally(6)
    return record, other


def changed_before_the_other_name_is_read(b, c):
    record, other = one_of_two_names(b, c)
    before, record.count = record.count, 4
    read, record.count = other.count, before
    return read


def changed_by_the_other_name(b, c):
    record, other = one_of_two_names(b, c)
    third, before = other, other.count
    third.count += 4
    read = record.count
    third.count = before
    return read


def changed_in_a_loop_that_chooses_again(b, c):
    record = other = Tally(b)
    total = 0
    for i in range(c + 5):
        before, record.count = record.count, 4 + i
        total = (total * 2 + other.count) % 23
        record.count = before
        other = record if i % 2 else Tally(i)
    return total


def changed_after_another_one(b, c):
    _, other = one_of_two_names(b, c)
    third = Tally(7)
    third.count += 4
    return third.count + other.count


@dataclasses.dataclass
class Tally:
    count: int


@pytest.mark.parametrize(
    ("function", "is_native"),
    [
        (changed_before_the_other_name_is_read, False),
        (changed_by_the_other_name, False),
        (changed_in_a_loop_that_chooses_again, False),
        (changed_after_another_one, True),
    ],
)
def test_an_object_of_two_names_that_changes_for_a_while(function, is_native):
    compiled = ag.jit(function)
    for b, c in ((1, 0), (1, 1), (2, 5)):
        assert compiled(b, c) == function(b, c)
    assert ("native code" in compiled.inspect()) == is_native


class Point:
    scale = 2.0

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Point(self.x + self.scale * other.x, self.y + other.y)

    def __mul__(self, number):
        return Point(self.x * number, self.y * number)

    def __neg__(self):
        return Point(-self.x, -self.y)

    def __lt__(self, other):
        return self.x < other.x

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def move(self, x):
        self.x += x


ORIGIN = Point(1.0, 2.0)


def operators_of_its_own(rows):
    total = Point(0.0, -0.0)
    for i in range(len(rows)):
        total = total + -Point(rows[i, 0], rows[i, 1]) * 0.5
    return total.x, total.y


def least_of_new_objects(rows):
    best = Point(rows[0, 0], rows[0, 1])
    for i in range(1, len(rows)):
        point = Point(rows[i, 0], rows[i, 1])
        if point < best:
            best = point
    return best.y


def another_object_in_each_iteration(rows):
    point = Point(0, 0.0)
    for i in range(len(rows)):
        point = Point(point.x + rows[i, 0], point.y - rows[i, 1])
    return point.x, point.y


def an_object_from_outside(rows):
    total = Point(0.0, 0.0)
    for i in range(len(rows)):
        total = total + ORIGIN
    return total.x * rows[0, 0], total.y


ROWS = np.array([[0.5, 1.0], [-2.0, 3.0], [np.nan, -1.0], [0.25, np.inf]])


@pytest.mark.parametrize(
    "function",
    [
        operators_of_its_own, least_of_new_objects, another_object_in_each_iteration,
        an_object_from_outside,
    ],
)  # fmt: skip
def test_objects_with_operators_are_native(function):
    assert_native(function, (ROWS,), (ROWS[::-1],), (ROWS[:2].T,), (ROWS[:1],))


def test_operators_read_what_objects_from_outside_hold_in_each_call(monkeypatch):
    compiled = ag.jit(an_object_from_outside)
    assert compiled(ROWS) == an_object_from_outside(ROWS)
    monkeypatch.setattr(ORIGIN, "x", 5.0)
    assert compiled(ROWS) == an_object_from_outside(ROWS)
    monkeypatch.setattr(Point, "scale", 3.0)
    assert compiled(ROWS) == an_object_from_outside(ROWS)
    monkeypatch.setattr(Point, "__add__", lambda self, other: Point(7.0, other.y))
    assert compiled(ROWS) == an_object_from_outside(ROWS)


def moved_under_another_name(rows):
    best, point = Point(rows[0, 0], 1.0), Point(0.0, 1.0)
    for i in range(1, len(rows)):
        point.move(rows[i, 0])
        if point < best:
            best = point
        else:
            point = Point(rows[i, 0], best.y)
        best.move(1.0)
    return best.x, point.x


NOTES = []


class Noted:
    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        NOTES.append(other)
        return Noted(self.x + other.x)


def with_notes(rows):
    total = Noted(0.0)
    for i in range(len(rows)):
        total = total + Noted(rows[i, 0])
    return total.x


@pytest.mark.parametrize("function", [moved_under_another_name, with_notes])
def test_objects_that_change_under_two_names_and_operators_that_call_are_left_to_python(function):
    compiled = ag.jit(function)
    rows = np.where(np.isnan(ROWS), 0.5, ROWS)
    for each in (rows, rows[::-1], rows[:2]):
        del NOTES[:]
        expected, notes = function(each), len(NOTES)
        assert compiled(each) == expected
        assert len(NOTES) == 2 * notes
    assert not is_native(compiled)
