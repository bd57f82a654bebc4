"""What a function reads from outside, and no guard sees, is read in each call: NumPy runs it."""

import array
import collections
import functools
import itertools
import types
import warnings

import numpy as np
import pytest

import allograph as ag


class Holder:
    """An object with special methods, an iterator, and an array that is none of NumPy's."""

    def __init__(self):
        self.n, self.items, self.numbers = 2, iter(range(50)), array.array("d", [0.0, 1.0])

    def __len__(self):
        return self.n

    def __getitem__(self, at):
        return self.n + at

    def __iter__(self):
        return iter([self.n])

    def __bool__(self):
        return self.n % 2 == 0

    def __float__(self):
        return float(self.n)

    def __add__(self, other):
        return self.n + other


class Counting(type):
    @property
    def total(cls):
        return cls.n


class Counted(metaclass=Counting):
    n = 1


def renew() -> None:
    """New globals: iterators, and things with items."""
    renew.k = Counted.n = 1
    globals().update(
        NUMBERS=iter(range(50)), COUNT=itertools.count(), MADE=(i * i for i in range(50)),
        OF_ARRAY=iter(np.arange(50.0)), HELD=[iter(range(50))], TABLE={"k": iter(range(50))},
        ARRAY=array.array("d", range(5)), BYTES=bytearray(range(5)),
        VIEW=memoryview(bytearray(5)), LIST=collections.UserList([1, 2]), HOLDER=Holder(),
        MAPS=collections.ChainMap({"a": 1}), PLAIN={"a": 1},
        PARTIAL=functools.partial(lambda held, x: x + held[0], [1]),
    )  # fmt: skip
    globals()["PROXY"] = types.MappingProxyType(PLAIN)  # noqa: F821 - made above


def taken(a):
    a[0] += next(NUMBERS)  # noqa: F821


def counted(a):
    a[0] += next(COUNT)  # noqa: F821


def generated(a):
    for one in MADE:  # noqa: F821
        a[0] += one
        break


def of_array(a):
    a[0] += next(enumerate(OF_ARRAY))[1]  # noqa: F821


def summed(a):
    a[0] += sum(NUMBERS)  # noqa: F821


def zipped(a):
    for _, one in zip(range(2), NUMBERS):  # noqa: B905, F821
        a[0] += one


def held(a):
    a[0] += next(HELD[0])  # noqa: F821


def of_table(a):
    a[0] += next(TABLE["k"])  # noqa: F821


def of_object(a):
    a[0] += next(HOLDER.items)  # noqa: F821


def warned(a):
    warnings.warn("once in each call", stacklevel=1)
    a[0] += 1.0


TAKING = [taken, counted, generated, of_array, summed, zipped, held, of_table, of_object, warned]
CHANGED = {  # what reads something, and what changes it between calls
    "an array": (lambda a: a[0] + ARRAY[0], "ARRAY[0] += 1"),  # noqa: F821
    "a sum": (lambda a: a[0] + sum(BYTES), "BYTES[0] += 1"),  # noqa: F821
    "a view": (lambda a: a[0] + VIEW[0], "VIEW[0] += 1"),  # noqa: F821
    "a list": (lambda a: a[0] + LIST[0], "LIST[0] += 1"),  # noqa: F821
    "maps": (lambda a: a[0] + MAPS["a"], "MAPS['a'] += 1"),  # noqa: F821
    "a proxy": (lambda a: a[0] + PROXY["a"], "PLAIN['a'] += 1"),  # noqa: F821
    "an array of an object": (lambda a: a[0] + HOLDER.numbers[0], "HOLDER.numbers[0] += 1"),  # noqa: F821
    "a length": (lambda a: a[0] + len(HOLDER), "HOLDER.n += 1"),  # noqa: F821
    "an item": (lambda a: a[0] + HOLDER[1], "HOLDER.n += 1"),  # noqa: F821
    "items": (lambda a: a[0] + sum(HOLDER), "HOLDER.n += 1"),  # noqa: F821
    "a truth": (lambda a: a[0] + (1 if HOLDER else 0), "HOLDER.n += 1"),  # noqa: F821
    "a number": (lambda a: a[0] + float(HOLDER), "HOLDER.n += 1"),  # noqa: F821
    "an attribute of a function": (lambda a: a[0] + renew.k, "renew.k += 1"),
    "an argument of a partial": (lambda a: PARTIAL(a[0]), "PARTIAL.args[0][0] += 1"),  # noqa: F821
    "a property of a class": (lambda a: a[0] + Counted.total, "Counted.n += 1"),
    "globals": (lambda a: a[0] + globals()["PLAIN"]["a"], "PLAIN['a'] += 1"),
    "eval": (lambda a: a[0] + eval("PLAIN['a']"), "PLAIN['a'] += 1"),
    "an operator": (lambda a: a[0] + (HOLDER + 1), "HOLDER.n += 1"),  # noqa: F821
}


def calls(function, change: str = "") -> list:
    """The results of three calls, the array after each, and how often each has warned."""
    renew()
    array, results = np.zeros(3), []
    for _ in range(3):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            results.append((function(array), array.tolist(), len(told)))
        exec(change, globals())
    return results


@pytest.mark.parametrize("function", TAKING)
def test_what_a_call_takes_from_outside_is_taken_in_each_call(function):
    compiled = ag.jit(function)
    assert calls(compiled) == calls(function)
    assert "native" not in compiled.inspect()


@pytest.mark.parametrize("name", CHANGED)
def test_what_changes_between_calls_is_read_in_each_call(name):
    function, change = CHANGED[name]
    assert calls(ag.jit(function), change) == calls(function, change)
