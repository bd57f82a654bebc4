"""A call of converted code takes as few frames as possible: deep recursion stays possible."""

import sys

import pytest

import allograph as ag


@ag.autograph.do_not_convert
def depth():
    frame, count = sys._getframe(1), 0
    while frame is not None:
        frame, count = frame.f_back, count + 1
    return count


def plain(n):
    if n == 0:
        return depth()
    return plain(n - 1)


@ag.autograph.convert()
def decorated(n):
    if n == 0:
        return depth()
    return decorated(n - 1)


def chosen(n):
    return depth() if n == 0 else chosen(n - 1)


def chain(n):
    if n == 0:
        return depth()
    elif n > 100:
        return 0
    else:
        return chain(n - 1)


class Counter:
    def method(self, n):
        if n == 0:
            return depth()
        return self.method(n - 1)

    def __call__(self, n):
        if n == 0:
            return depth()
        return self(n - 1)


@pytest.mark.parametrize(
    "function, expected",
    [
        (plain, 1),
        (decorated, 1),
        (Counter().method, 1),
        (Counter(), 1),
        (chosen, 2),  # the lambda around the operand
        (chain, 2),  # the function for the block
    ],
)
def test_frames_for_each_call_in_a_recursion(function, expected):
    @ag.autograph.convert()
    def run(n):
        return function(n)

    assert (run(20) - run(10)) / 10 == expected


def test_what_a_call_changes_in_its_arguments_is_python_s():
    order = []

    def told(value):
        order.append(value)
        return value

    def f(a, b=0, *, c=0):
        return a, b, c

    @ag.autograph.convert()
    def run():
        return f(told(1), c=told(2), b=told(3)), f(*[4, 5])

    assert run() == ((1, 3, 2), (4, 5, 0)) and order == [1, 2, 3]


def test_what_cannot_be_called_is_python_s_own_error():
    @ag.autograph.convert()
    def run(function):
        return function(1)

    with pytest.raises(TypeError, match="'NoneType' object is not callable"):
        run(None)
