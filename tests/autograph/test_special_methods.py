"""Methods that Python itself calls: those that are converted, and what is said of the others."""

import dataclasses
import functools

import pytest

import allograph as ag


class Gauge:
    def __init__(self, value):
        if value > 0:
            self.value = value
        else:
            self.value = -value

    def __enter__(self):
        if self.value > 2:
            self.value += 1
        return self

    def __exit__(self, *error):
        if self.value > 2:
            self.value *= 2

    def __contains__(self, item):
        if item > self.value:
            return False
        return item > 1

    def __add__(self, other):
        if other > 0:
            return self.value + other
        return self.value

    @property
    def level(self):
        return 1 if self.value > 2 else 0


class Checked(Gauge):
    def __init__(self, value, least=0):
        super().__init__(value)
        if self.value < least:
            self.value = self.value * 0 + least


@pytest.mark.parametrize("x", [-5, 1, 3])
def test_constructors_context_managers_and_in_are_converted(x):
    def f(x):
        gauge = Checked(x, least=2)
        with gauge as same:
            inside = same.value + 0
        return inside, gauge.value, (1 if x in gauge else 0), (1 if x not in Gauge(x) else 0)

    expected = f(x)
    assert tuple(map(int, ag.function(f)(ag.constant(x)))) == expected


def test_a_constructor_returns_nothing():
    def same(self, x):
        return x

    Wrong = type("Wrong", (), {"__init__": same})
    with pytest.raises(TypeError, match="should return None"):
        ag.function(lambda x: Wrong(x))(ag.constant(1))


def message_of(f):
    with pytest.raises(ag.errors.OperatorNotAllowedInGraphError) as caught:
        ag.function(f)(ag.constant(1))
    return str(caught.value)


def test_an_operator_or_a_property_says_what_converts_it():
    assert "Gauge.__add__' is called by Python" in message_of(lambda x: Gauge(1) + x)
    cure = "decorate it with @ag.autograph.to_graph"
    assert "Gauge.level' is called" in (said := message_of(lambda x: Gauge(x).level))
    assert cure in said


def test_what_the_cure_says_works():
    @dataclasses.dataclass
    class Level:
        value: object

        @ag.autograph.to_graph
        def __post_init__(self):
            if self.value > 2:
                self.value = self.value * 2

        @property
        @ag.autograph.to_graph
        def sign(self):
            return 1 if self.value > 0 else -1

        @ag.autograph.to_graph
        def __add__(self, other):
            if other > 0:
                return self.value + other
            return self.value

    def f(x):
        return Level(x).value, Level(x).sign, Level(x) + x

    for x in (-1, 3):
        assert tuple(map(int, ag.function(f)(ag.constant(x)))) == f(x)


def test_a_generated_constructor_is_not_what_is_named():
    @dataclasses.dataclass
    class Level:
        value: object

        def __post_init__(self):
            self.value = 1 if self.value > 2 else 0

    assert "Level.__post_init__' is called by Python" in message_of(
        lambda x: dataclasses.replace(Level(0), value=x).value
    )


def test_a_function_that_libraries_call_is_named():
    @functools.lru_cache
    def size(n):
        return 1 if n.x > 0 else 0

    class Key:
        def __init__(self, x):
            self.x = x

    assert "size' is called by Python or by a library" in message_of(lambda x: size(Key(x)))


def test_a_builtin_that_asks_for_a_truth_is_no_fault_of_the_function():
    said = message_of(lambda x: {1: 0} == {1: x})
    assert "A function that is called here, and is not converted" in said


def test_do_not_convert_is_named():
    @ag.autograph.experimental.do_not_convert
    def size(x):
        return 1 if x > 0 else 0

    assert "size' is under do_not_convert" in message_of(lambda x: size(x))


class Doubled:
    """A property and items that functions set."""

    def __init__(self):
        self._x = 1
        self.items = {"k": 1}

    @property
    def x(self):
        return self._x * 2

    @x.setter
    def x(self, value):
        self._x = value + 1

    def __setitem__(self, key, value):
        self.items[key] = value * 2

    def __getitem__(self, key):
        return self.items[key]


class Shifted:
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value + 3)


class Raised(dict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value + 10)


class RaisedList(list):
    def __setitem__(self, key, value):
        super().__setitem__(key, value + 10)


class Descriptor:
    def __get__(self, owner, cls=None):
        return owner.kept

    def __set__(self, owner, value):
        owner.kept = value * 2


class Described:
    part = Descriptor()


def set_by_functions(n):
    made, shifted, described = Doubled(), Shifted(), Described()
    raised, listed = Raised(k=1), RaisedList([1, 2])
    shifted.x, described.part = n, n
    if n > 1:
        made.x = n
        made["k"] = n
        shifted.x = n * 2
        described.part = n + 1
        raised["k"] = listed[0] = n
    else:
        made.x = 7
    for i in range(n):
        made.x += i
        made["k"] += i
        shifted.x += 1
        described.part = i
        raised["k"] += i
        listed[1] = listed[0] + i
    return (
        made.x, made._x, made["k"], shifted.x, described.part, raised["k"], list(listed),
    )  # fmt: skip


@pytest.mark.parametrize("n", [0, 1, 2, 4])
def test_what_a_function_of_the_program_sets_is_set_once(n):
    def numbers(result):
        return [int(one) for one in ag.nest.flatten(result)]

    assert numbers(ag.function(set_by_functions)(ag.constant(n))) == numbers(set_by_functions(n))


@dataclasses.dataclass
class Measured:
    x: object
    k: dataclasses.InitVar[int] = 2
    total: object = dataclasses.field(init=False, default=0)

    def __post_init__(self, k):
        if self.x > 0:
            self.total = self.x * k
        else:
            self.total = -self.x


@dataclasses.dataclass
class Marked(Measured):
    mark: int = 0

    def __post_init__(self, k):
        super().__post_init__(k)
        if self.total > 3:
            self.mark = 7


@dataclasses.dataclass(frozen=True)
class Fixed:
    x: object

    def __post_init__(self):
        if self.x > 0:
            object.__setattr__(self, "x", self.x + 1)


@pytest.mark.parametrize("x", [3, -2, 0, 1])
def test_the_post_init_of_a_data_class_is_converted(x):
    def f(x):
        one, other, fixed = Measured(x), Marked(x, 4, mark=1), Fixed(x)
        if x > 0:
            one = Measured(x * 2, k=5)
        return one.total, other.total, other.mark, fixed.x, sorted(vars(one)) == ["total", "x"]

    assert [int(y) for y in ag.function(f)(ag.constant(x))] == [int(y) for y in f(x)]


def test_functions_that_functools_dispatches_are_converted():
    @functools.singledispatch
    def size(x):
        return x if x > 0 else -x

    @size.register(list)
    def _(x):
        return sum(size(item) for item in x)

    class Sizes:
        @functools.singledispatchmethod
        def of(self, x):
            return size(x) if x > 0 else 0

    sizes = ag.function(lambda x: (size([x, [x - 1]]), Sizes().of(x)))(ag.constant(-2))
    assert [part.numpy() for part in sizes] == [5, 0]
