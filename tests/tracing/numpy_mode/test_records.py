"""Objects of data classes that a function of `jit` makes: their fields are state of loops."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from test_jit import assert_same, check, is_native

import allograph as ag

pytestmark = pytest.mark.slow
X = np.arange(40.0) % 7


@dataclass
class Body:
    place: float
    speed: float = 0.0

    def move(self, step):
        self.place += self.speed * step
        self.speed -= step


@dataclass
class Tally:
    counts: np.ndarray
    sums: np.ndarray
    last: int = -1

    def take(self, i, x):
        self.counts[i % 4] += 1
        self.sums[i % 4] += x
        self.last = i


@dataclass
class Doubled:
    data: np.ndarray
    total: float = field(init=False, default=0.0)

    def __post_init__(self):
        self.total = 2.0 * self.data.sum()


@dataclass
class Items:
    size: int
    items: list = field(default_factory=list)


@dataclass
class Fresh:
    buffer: np.ndarray = field(default_factory=lambda: np.zeros(3))


@dataclass(frozen=True)
class Point:
    x: float
    y: float

    def moved(self, dx):
        return Point(self.x + dx, self.y * 2)


def numbers_as_fields(x):
    body = Body(1.0)
    for i in range(len(x)):
        body.move(0.01)
        x[i] = body.place
    return body.speed


def arrays_as_fields(x):
    tally = Tally(np.zeros(4, np.int64), np.zeros(4))
    for i in range(len(x)):
        tally.take(i, x[i])
    return tally.counts, tally.sums, tally.last


def given_by_name(x):
    body = Body(speed=2.0, place=x[0])
    for _ in range(20):
        body.move(0.5)
    return body.place, body.speed


def another_in_each_iteration(x):
    body = Body(0.0)
    for i in range(len(x)):
        body = Body(body.place + x[i], body.speed + 1)
    return body.place, body.speed


def two_names(x):
    body = Body(0.0)
    other = body
    for i in range(len(x)):
        body.move(x[i])
    return other.place, other.speed


def after_its_making(x):
    doubled = Doubled(x)
    for i in range(len(x)):
        x[i] += doubled.total
    return doubled.total


def a_list_as_a_field(x):
    made = Items(len(x))
    for i in range(made.size):
        made.items.append(x[i])
    return np.array(made.items)


def frozen(x):
    point = Point(0.0, 1.0)
    for i in range(len(x)):
        point = point.moved(x[i])
    return point.x, point.y


NATIVE = [
    numbers_as_fields, arrays_as_fields, given_by_name, another_in_each_iteration, two_names,
    after_its_making, a_list_as_a_field, frozen,
]  # fmt: skip


@pytest.mark.parametrize("function", NATIVE)
def test_records_are_native(function):
    check(function, X.copy())


def fresh_arrays_by_default(x):
    made = Fresh()
    made.buffer[0] += x[0] + 1
    return made.buffer


def set_in_the_function(x):
    body = Body(0.0)
    for i in range(len(x)):
        body.place += x[i]
    return body.place


def returned(x):
    return Body(x[0], 1.0)


def set_by_a_function(x):
    def move(body, step):
        body.speed -= body.place * step
        body.place += body.speed * step

    body = Body(1.0)
    for i in range(len(x)):
        move(body, x[i])
    return body


def of_several_bodies(x):
    bodies = [Body(float(i), 0.5) for i in range(5)]
    for i in range(len(x)):
        for body in bodies:
            body.place += body.speed * x[i]
            if body.place > 3:
                body.speed = -body.speed
    return [body.place for body in bodies]


def another_object_each_time(x):
    body = Body(1.0)
    for i in range(len(x)):
        body = Body(body.place + x[i], body.speed - 1)
    return {"body": body, "arrays": Tally(x[1:], x * 2)}, x


@pytest.mark.parametrize(
    "function",
    [set_in_the_function, returned, set_by_a_function, of_several_bodies, another_object_each_time],
)
def test_attributes_are_set_and_objects_returned(function):
    check_objects(function, X, native=True)


def of_two_names_after_a_loop(x):
    one = other = Body(1.0)
    for i in range(len(x)):
        one = Body(one.place + x[i])
        other = one
    one.place += 5
    return other.place


def of_two_names_after_a_branch(x):
    one, other = Body(1.0), Body(2.0)
    if x[0] == 0:
        other = one
    one.place += 5
    return other.place


def of_two_names_and_moved(x):
    one = other = Body(1.0)
    for i in range(len(x)):
        one = Body(one.place + x[i])
        other = one
    one.move(1.0)
    return other.place


def returned_twice(x):
    one, other = Body(1.0), Body(2.0)
    for i in range(len(x)):
        one = Body(one.place + x[i])
        other = one
    return one, other


GLOBAL = Body(1.0)


def of_a_global(x):
    GLOBAL.move(x[1])
    for i in range(len(x)):
        GLOBAL.move(x[i])
    return GLOBAL.place


@pytest.mark.parametrize(
    "function",
    [
        of_two_names_after_a_loop, of_two_names_after_a_branch, of_two_names_and_moved,
        returned_twice, of_a_global,
    ],
)  # fmt: skip
def test_objects_that_may_have_another_name_are_left_to_numpy(function):
    check_objects(function, X, native=False)


def check_objects(function, x, native):
    compiled = ag.jit(function)
    for _ in range(2):
        GLOBAL.place, GLOBAL.speed = 1.0, 0.0
        made = as_plain(compiled(x.copy())), as_plain(GLOBAL)
        GLOBAL.place, GLOBAL.speed = 1.0, 0.0
        assert_same(made, (as_plain(function(x.copy())), as_plain(GLOBAL)))
    assert is_native(compiled) is native, compiled.inspect()


def as_plain(value):
    """Objects and dictionaries as tuples of their attributes and items."""
    if isinstance(value, (Body, Tally)):
        return type(value), as_plain(vars(value))
    if isinstance(value, (list, tuple)):
        return type(value)(map(as_plain, value))
    return tuple(as_plain(one) for one in value.items()) if type(value) is dict else value


def test_other_uses_of_records_are_left_to_numpy():
    check(fresh_arrays_by_default, X.copy(), native=False)
