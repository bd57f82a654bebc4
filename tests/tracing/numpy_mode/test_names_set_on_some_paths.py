"""Numbers that some paths alone assign to a name: other reads of it raise, as in Python."""

import pytest

import allograph as ag


def later_return(x, kind):
    if kind == 1:
        factor = x
    elif kind == 2:
        return 5.0
    else:
        factor = x * 2
    if factor == x:
        return 3.0
    return factor


def earlier_return(x, kind):
    if kind > 1:
        shift = x
        if kind == 3:
            return shift
    if kind > 2:
        return x * shift
    return x if kind < 2 else shift + 1


def in_a_loop(x, kind):
    total = 0.0
    for i in range(kind + 2):
        if i == kind:
            last = i * 3
        if i >= kind:
            total += last
    return total + x


def of_two_branches(x, kind):
    if kind == 1:
        left = x
    else:
        right = 2
    return left if kind == 1 else right * x


@pytest.mark.parametrize("function", [later_return, earlier_return, in_a_loop, of_two_branches])
def test_a_name_that_is_set_where_it_is_read_is_native(function):
    compiled = ag.jit(function)
    for kind in (1, 2, 3, 0) * 3:
        assert compiled(1.5, kind) == function(1.5, kind)
    assert "native code" in compiled.inspect()


def unset(x, kind):
    if kind > 1:
        value = x
    return value * 2


def deleted(x, kind):
    value = x
    if kind == 1:
        del value
    return value


def set_again(x, kind):
    if kind > 1:
        value = x
    if kind > 2:
        value = value + 1
    return value


@pytest.mark.parametrize("function", [unset, deleted, set_again])
def test_a_read_of_a_name_that_is_not_set_raises_as_python_does(function):
    compiled = ag.jit(function)
    for kind in (2, 3, 4) * 2:
        assert compiled(1.5, kind) == function(1.5, kind)
    for _ in range(2):
        with pytest.raises(UnboundLocalError, match="variable 'value'"):
            compiled(1.5, 1)
    assert compiled(1.5, 3) == function(1.5, 3)


def held_by_a_loop(x, kind):
    if kind > 1:
        value = x
    for i in range(kind):
        if i > 1:
            value = value + i
    return value


def is_held(x, kind):
    if kind > 1:
        value = x
    try:
        return value
    except UnboundLocalError:
        return -1.0


@pytest.mark.parametrize("function", [held_by_a_loop, is_held])
def test_a_name_that_may_not_be_set_means_the_same_in_later_statements(function):
    compiled = ag.jit(function)
    for kind in (2, 3, 4, 2):
        assert compiled(1.5, kind) == function(1.5, kind)
    for _ in range(2):
        if function is is_held:
            assert compiled(1.5, 1) == -1.0
        else:
            with pytest.raises(UnboundLocalError):
                compiled(1.5, 1)


def key_of_a_branch(x, n):
    found = {"n": n}
    for i in range(n):
        if x > i:
            found["k"] = i
    return found


def key_before_a_break(x, n):
    found = {"n": n}
    for i in range(n):
        if i > x:
            break
        found["k"] = i
    return found.get("k", -1), len(found)


def key_of_an_elif(x, n):
    found = {"n": n}
    while n > 0:
        n -= 1
        if x < 0:
            n -= 1
        elif x > 3:
            found["k"] = n
    return found


def key_of_the_last_iteration(x, n):
    found, total = {"n": n}, 0
    for i in range(n):
        total += sum(found.values())
        if x > 3:
            found["k"] = i
    return total


def name_of_a_branch(x, n):
    for i in range(n):
        if x > 3:
            last = i
    try:
        return last
    except UnboundLocalError:
        return -1


def key_that_nothing_uses(x, n):
    found = {}
    if x > 3:
        found["k"] = n
    try:
        found["k"]
        return 1
    except KeyError:
        return -1


@pytest.mark.parametrize(
    "function",
    [
        key_that_nothing_uses, key_of_a_branch, key_before_a_break, key_of_an_elif,
        key_of_the_last_iteration, name_of_a_branch,
    ],
)  # fmt: skip
def test_what_a_loop_sets_on_some_paths_is_not_missing_after_it(function):
    compiled = ag.jit(function, kernel_compiler="python")
    for args in ((5, 3), (0, 3), (5, 0), (-1, 2)):
        assert compiled(*args) == function(*args)
