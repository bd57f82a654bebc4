"""A variable that is None on one side of an `if` on a tensor: whether it is, the graph knows."""

import pytest
from language_kit import assert_staged_alike, plain

import allograph as ag


def set_on_one_side(x):
    y = None
    if x > 0:
        y = x
    if y is None:
        return -1
    return y + 1


def in_an_expression(x):
    y = x * 2 if x > 0 else None
    return 5 if None == y else y  # noqa: E711


def asked_by_membership(x):
    y = None
    if x > 0:
        y = x
    return 3 if y in (None,) else 4 if y in (None, 2) else y


def one_after_the_other(a):
    best, b = None, 3 - a
    if a > 0:
        best = a
    if b > 0:
        best = b if best is None else best + b
    return -1 if best is None else best


def made_none_again(n):
    y = n
    if n > 1:
        y = None
        if n > 2:
            y = n
    if n > 7:
        raise ValueError("too many")
    return 10 if y is None else y


def in_some_iterations(n):
    best = None
    for i in range(n):
        if i % 3 == 2 and (best is None or i > best):
            best = i
    return -1 if best is None else best


def before_and_in_a_loop(n):
    y = None
    if n > 0:
        y = n
    for i in range(n):
        if y is not None and y > 3:
            y = None
        elif y is None:
            y = i
    return -1 if y is None else y


def passed_along(n):
    before, last, total = None, None, 0
    while n > 0:
        n -= 1
        before = last
        last = None if n % 2 == 0 else n
        if before is not None:
            total += before
    return total, -1 if before is None else before


def asked_for_the_class(x):
    y = None
    if x > 0:
        y = x
    is_number, is_missing = isinstance(y, int | ag.Tensor), isinstance(y, (type(None), str))
    return 1 if is_number else 2, 3 if is_missing else 4, 5 if isinstance(y, str) else 6


def in_an_item_and_an_attribute(x):
    class Box:
        pass

    box, table = Box(), {"k": None}
    box.v = None
    if x > 0:
        box.v, table["k"] = x, (x, x + 1)
    return -1 if box.v is None else box.v, 0 if table["k"] is None else table["k"][1]


def in_a_called_function(x):
    def found(v):
        result = None
        if v > 2:
            result = v - 2
        return result if result is not None else 0

    return found(x) + found(x + 1)


def matched(x):
    y = None
    if x > 0:
        y = x
    match y:
        case None:
            return 7
        case 2:
            return 8
        case _:
            return y


def asked_for_its_truth(x):
    y, z = None, None
    if x > 1:
        y, z = x - 3, (x, 0)
    first = 1 if y else 2
    second = 3 if not y else 4
    return first, second, y or 5, bool(y), 6 if z else 7, bool(z), 8 if (y and x) is None else 9


@pytest.mark.parametrize(
    "program",
    [
        set_on_one_side, asked_for_its_truth, in_an_expression, asked_by_membership,
        one_after_the_other,
        made_none_again, in_some_iterations, before_and_in_a_loop, passed_along,
        in_an_item_and_an_attribute, in_a_called_function, matched,
        asked_for_the_class,
    ],
)  # fmt: skip
def test_whether_it_is_none_is_known_when_the_graph_runs(program):
    assert_staged_alike(program, *((n,) for n in (0, 1, 2, 3, 5, 7)))


def test_the_type_of_what_may_be_none_is_refused_at_the_line_of_the_question():
    @ag.function
    def f(x):
        y = None
        if x > 0:
            y = x
        return type(y) is type(None)

    with pytest.raises(ag.errors.SymbolicValueError, match="type of 'y'.*None") as caught:
        f(ag.constant(0))
    assert "return type(y) is type(None)" in str(caught.value)


def test_any_other_use_of_none_is_an_error_at_the_line_of_the_use():
    @ag.function
    def f(x, use):
        y = None
        if x > 0:
            y = x
        if use:
            return y * 2
        return x

    assert plain(f(ag.constant(0), False)) == 0
    assert plain(f(ag.constant(3), True)) == 6
    with pytest.raises(ag.errors.InvalidArgumentError) as caught:
        f(ag.constant(0), True)
    assert "'y': it is None on the side" in str(caught.value)
    assert "return y * 2" in str(caught.value)
    assert "Ask `if y is not None:`" in str(caught.value)


def test_how_many_parts_none_has_is_an_error():
    @ag.function
    def f(x):
        y = None
        if x > 0:
            y = (x, x + 1)
        return x + len(y)

    assert plain(f(ag.constant(3))) == 5
    with pytest.raises(ag.errors.InvalidArgumentError, match="'y': it is None on the side"):
        f(ag.constant(0))


def first_of_two(y):
    first, _ = y
    return 5 * (first > -1)


@pytest.mark.parametrize("use", [len, max, sorted, first_of_two, lambda y: 3 in y])
def test_parts_of_what_is_none_before_a_loop_are_an_error(use):
    def program(n):
        y = None
        for i in range(n):
            y = (i, 7)
        return use(y)

    f = ag.function(program)
    assert plain(f(ag.constant(2))) == program(2)
    with pytest.raises(ag.errors.UnsetError, match="'y': it is None before the loop"):
        f(ag.constant(0))


@pytest.mark.parametrize(
    "ask", [ag.zeros_like, ag.ones_like, ag.shape, ag.rank, ag.size, lambda y: y.shape[0]]
)
def test_what_needs_its_shape_alone_requires_a_value(ask):
    @ag.function
    def f(x, wanted):
        y = None
        if wanted:
            y = x
        return ask(y)

    x = ag.constant([1.0, 2.0])
    assert plain(f(x, ag.constant(True))) == plain(ask(x))
    with pytest.raises(ag.errors.InvalidArgumentError, match="'y': it is None on the side"):
        f(x, ag.constant(False))


@pytest.mark.slow
def test_native_code_and_gradient():
    @ag.function(jit_compile=True)
    def f(x):
        y = None
        if x > 0:
            y = x * x
        total = x if y is None else x * y
        for _ in range(3):
            if y is not None:
                total += y
        return total

    for value, expected, slope in ((2.0, 20.0, 24.0), (-1.0, -1.0, 1.0)):
        x = ag.constant(value)
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert (plain(y), plain(tape.gradient(y, x))) == (expected, slope)


def first_after(xs, x):
    for one in xs:
        if one > x:
            return one


def two_returns(x):
    for i in range(x):
        if i > 3:
            if x > 7:
                return None
            return i, x
    return None


def test_a_called_function_returns_none_on_some_paths():
    def f(x):
        found, other = first_after([1, 4], x), two_returns(x)
        total = -1 if found is None else found
        if other is not None:
            total += other[0] + other[1]
        return total

    assert_staged_alike(f, (0,), (2,), (5,), (9,))


def test_items_are_none_on_a_side():
    def f(x):
        rows, pair, table = [None, x], (x, None), {"a": x, "b": None}
        if x > 0:
            rows[0] = x
            pair = (None, x)
            table = {"a": None, "b": x}
        total = 0 if table["a"] is None else 5
        for one in (*rows, *pair):
            if one is not None:
                total = total + one
        return total

    assert_staged_alike(f, (2,), (-3,))


def test_the_decorated_function_does_not_return_none():
    with pytest.raises(ag.errors.InvalidArgumentError, match="the function returns"):
        ag.function(first_after)([1, 2], ag.constant(3))
    f = ag.function(two_returns)
    with pytest.raises(ag.errors.InvalidArgumentError, match="the function returns"):
        f(ag.constant(3))


def test_an_item_that_may_be_missing_may_be_none():
    def f(x):
        table = {"v": x}
        if x > 2:
            if x > 5:
                return 1
            table["found"] = first_after([3], x)
        return table["v"]

    assert_staged_alike(f, (1,), (4,), (7,))


def test_a_tuple_does_not_take_it_for_another_value():
    def f(x):
        found = None
        if x > 1:
            found = x
        pair = (found, 1)
        return (found, 1) == (None, 1), (None, 2) != pair

    for x in (1, 2):
        assert [bool(one) for one in ag.function(f)(ag.constant(x))] == list(f(x))


MISSING = object()


def test_is_of_two_values_that_may_be_none_is_refused_and_a_sentinel_is_neither():
    @ag.function
    def asks(n, which):
        y = z = None
        if n > 1:
            y = (1, 2)
        if n > 0:
            z = (3, 4)
        return y is MISSING if which == "sentinel" else y is (z if which == "other" else n)

    assert not asks(ag.constant(0), "sentinel")
    for which in ("other", "data"):
        with pytest.raises(ag.errors.SymbolicValueError, match="`is` compares what may be None"):
            asks(ag.constant(0), which)
