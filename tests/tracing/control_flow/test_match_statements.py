"""`match` on tensors."""

import collections
import enum

import pytest
from language_kit import assert_staged_alike, plain

import allograph as ag


class Colour(enum.IntEnum):
    RED = 1
    GREEN = 2


def test_literals_and_a_wildcard():
    def f(x):
        match x:
            case 1:
                return 10
            case 2:
                y = 20
            case -3:
                y = 30
            case _:
                y = 40
        return y

    assert_staged_alike(f, (1,), (2,), (-3,), (9,))


def test_nothing_happens_when_nothing_matches():
    def f(x):
        y = 0
        match x:
            case 1:
                y = 10
        return y

    assert_staged_alike(f, (1,), (2,))


def test_alternatives_guards_and_captures():
    def f(x):
        match x:
            case 1 | 2:
                return 10
            case (3 | 4) as n if n > 3:
                return n * 100
            case n if n > 7:
                return n
            case _:
                return 30

    assert_staged_alike(f, (1,), (2,), (3,), (4,), (9,), (5,))


def test_names_of_values():
    def f(x):
        match x:
            case Colour.RED:
                return 1
            case Colour.GREEN:
                return 2
        return 0

    assert_staged_alike(f, (1,), (2,), (3,))


def kind_of(value):
    match value:
        case True:
            return 1
        case False:
            y = 2
        case None:
            y = 3
        case _:
            y = 4
    return y


def test_truth_of_what_stands_for_a_bool():
    assert_staged_alike(lambda x: kind_of(bool(x > 0)), (1,), (-1,))


def test_a_tensor_of_bools_is_neither_true_nor_false():
    """The patterns ask which object it is, as `is` does: eager code and graphs agree."""
    truth = ag.constant(True)
    assert plain(ag.function(kind_of)(truth)) == kind_of(truth) == 4
    assert plain(ag.function(lambda x: (x is True, kind_of(x > 0)))(ag.constant(1))) == (False, 4)


def test_none_is_no_tensor():
    def f(x):
        match x:
            case None:
                return 1
            case _:
                return 2

    assert_staged_alike(f, (1,))


Point = collections.namedtuple("Point", "x y")


def test_values_inside_of_structures():
    def shape(value):
        match value:
            case (0, y):
                return y * 100
            case [x, 1 | 2, *_]:
                return x
            case {"k": 5, **rest}:
                return rest["other"]
            case {"k": k}:
                return k
            case Point(x=7, y=n) if n > 1:
                return n
            case _:
                return -1

    def f(a, b):
        return shape((a, b)), shape([a, b, b]), shape({"k": a, "other": b}), shape(Point(a, b))

    assert_staged_alike(f, (0, 3), (4, 1), (5, 9), (7, 2), (7, 1))


def test_jumps_inside_of_cases():
    def f(n):
        total = 0
        while n > 0:
            n -= 1
            match n % 4:
                case 0:
                    continue
                case 3 if total > 20:
                    break
                case m:
                    total += m
        return total

    assert_staged_alike(f, (3,), (30,), (0,))


@pytest.mark.slow
def test_many_cases():
    lines = ["def f(x):", "    match x:"]
    lines += [f"        case {k}: y = {k * k}" for k in range(60)]
    lines += ["        case _: y = -1", "    return y", ""]
    f = load("\n".join(lines))
    decorated = ag.function(f)
    assert plain([decorated(ag.constant(k)) for k in (0, 59, 60)]) == [0, 59 * 59, -1]


def load(source):
    import linecache

    linecache.cache["<many cases>"] = (len(source), None, source.splitlines(True), "<many cases>")
    scope = {"__name__": "many_cases"}
    exec(compile(source, "<many cases>", "exec"), scope)
    return scope["f"]


def a_list_that_grows(n):
    rows = []
    for i in range(n):
        rows.append(i)
    match rows:
        case []:
            return 0
        case [x]:
            return x + 10
    return -1


def a_tuple_or_none(n):
    y = None
    if n > 0:
        y = (3, n)
    match y:
        case (p, q):
            return p + q
    return -1


def a_tuple_or_none_in_a_tuple(n):
    y = None
    if n > 0:
        y = (3, n)
    match (y, 1):
        case ((p, q), 1):
            return p + q
    return -1


def a_range(n):
    match range(n):
        case []:
            return 0
    return 1


@pytest.mark.parametrize(
    "f", [a_list_that_grows, a_tuple_or_none, a_tuple_or_none_in_a_tuple, a_range]
)
def test_python_does_not_match_parts_of_what_a_tensor_makes(f):
    decorated = ag.function(f, experimental_autograph_options=ag.autograph.experimental.Feature.ALL)
    with pytest.raises(ag.errors.SymbolicValueError, match="matched with a pattern of its parts"):
        decorated(ag.constant(1))


def test_a_part_that_may_be_none_is_matched():
    def f(n):
        y = None
        if n > 0:
            y = n
        match (y, n):
            case (None, k):
                return k - 5
            case (v, 3):
                return v * 2
            case (v, _):
                return v

    assert_staged_alike(f, (0,), (1,), (3,))


def test_structure_after_a_comparison_of_a_tensor():
    def f(n):
        match (n, (n + 1, 2)):
            case (1, [k, 3]):
                return k
            case (2, [k, 2]) if k > 0:
                return k * 10
            case (_, [k, 2]):
                return k * 100
        return n

    assert_staged_alike(f, (1,), (2,), (3,))
