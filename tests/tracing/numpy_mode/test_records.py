"""Objects of data classes that a function of `jit` makes: their fields are state of loops."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from test_jit import check

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


@pytest.mark.parametrize("function", [fresh_arrays_by_default, set_in_the_function, returned])
def test_other_uses_of_records_are_left_to_numpy(function):
    check(function, X.copy(), native=False)
