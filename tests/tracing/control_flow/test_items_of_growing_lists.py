"""The items of a list that grows are copies in a graph: what else holds one is not changed."""

import pytest
from language_kit import assert_staged_alike, staged

from allograph.runtime.core.errors import SymbolicValueError


class Box:
    def __init__(self, content):
        self.content = content


# ---- what a loop or a branch appends, and binds to a name ----------------------------


def appended_in_a_loop(x):
    rows, current = [], [0, 0]
    for i in range(x):
        current = [i, x]
        rows.append(current)
    current[0] = 5
    return rows[-1][0]


def appended_in_a_loop_as_a_dictionary(x):
    rows, current = [], {"k": x}
    for i in range(x):
        current = {"k": i}
        rows.append(current)
    current["k"] = 5
    return rows[-1]["k"]


def appended_in_a_dictionary(x):
    rows, current = [], [0, 0]
    for i in range(x):
        current = [i, x]
        rows.append({"a": current})
    current[0] = 5
    return rows[-1]["a"][0]


def appended_in_a_tuple(x):
    rows, current = [], ([0, x], 1)
    for i in range(x):
        current = ([i, x], i)
        rows.append(current)
    current[0][0] = 9
    return rows[-1][0][0]


def appended_as_an_attribute(x):
    rows, box = [], Box([0, 0])
    for i in range(x):
        box.content = [i, x]
        rows.append(box.content)
    box.content[0] = 5
    return rows[-1][0]


def appended_and_changed_in_a_later_loop(x):
    rows, current = [], [0, 0]
    for i in range(x):
        current = [i, x]
        rows.append(current)
    for i in range(x):
        current[0] = i + 7
    return rows[-1][0]


def appended_and_changed_in_the_next_iteration(x):
    rows, current = [], [0, x]
    for i in range(x):
        current[0] = 7
        current = [i, x]
        rows.append(current)
    return rows[0][0]


def appended_before_the_list_grows_again(x):
    rows, current = [], [0, 0]
    for i in range(x):
        current = [i, x]
        rows.append(current)
    for i in range(x):
        rows.append([i, 2])
    current[0] = 50
    return rows[2][0]


def appended_in_a_branch(x):
    rows, one = [[2, x]], [0, 0]
    if x > 0:
        one = [1, x]
        rows = [one, [3, x]]
    one[0] = 50
    return rows[0][0]


def read_in_a_loop(x):
    rows, last = [], {"k": x}
    for i in range(x):
        rows.append({"k": i})
    for item in rows:
        last = item
    last["k"] = 50
    return rows[-1]["k"]


# ---- what a list holds before it grows ------------------------------------------------


def held_before_a_branch(x):
    rows = [[1, x], [2, x]]
    first = rows[0]
    if x > 0:
        rows.append([3, x])
    first[0] = 50
    return rows[0][0]


def held_before_a_branch_and_changed_in_the_list(x):
    rows = [[1, x], [2, x]]
    first = rows[0]
    if x > 0:
        rows.append([3, x])
    rows[0][0] = 50
    return first[0]


def held_by_an_object(x):
    rows = [[1, x], [2, x]]
    box = Box(rows[0])
    if x > 0:
        rows.append([3, x])
    box.content[0] = 50
    return rows[0][0]


def held_in_a_tuple(x):
    rows = [([1, x], 2)]
    first = rows[0]
    for i in range(x):
        rows.append(([i, i], i))
    first[0][0] = 50
    return rows[0][0][0]


def held_by_a_list_that_is_bound_anew(x):
    rows = [[1, x], [2, x]]
    first = rows[0]
    for i in range(x):
        rows = rows + [[i, i]]
    first[0] = 50
    return rows[0][0]


def held_by_one_of_two_lists(x):
    first = [1, x]
    rows = [first] if x > 0 else [first, [3, x]]
    first[0] = 50
    return rows[0][0]


def held_by_one_of_two_lists_and_changed_there(x):
    first = [1, x]
    rows = [first] if x > 0 else [first, [3, x]]
    rows[0][0] = 50
    return first[0]


def held_before_a_branch_and_set_back(x):
    rows = [{"k": 1}, {"k": x}]
    first = rows[0]
    if x > 0:
        rows.append({"k": 3})
    first["k"] = 50
    n = rows[0]["k"]
    first["k"] = 1
    return n


# ---- what lists hold at two places ----------------------------------------------------


def twice_in_one_iteration(x):
    rows = []
    for i in range(x):
        one = [i, x]
        rows.append(one)
        rows.append(one)
    rows[0][0] = 50
    return rows[1][0]


def twice_in_two_lists(x):
    rows, more = [], []
    for i in range(x):
        one = [i, x]
        rows.append(one)
        more.append(one)
    more[0][0] = 50
    return rows[0][0]


def twice_in_two_iterations(x):
    rows, one = [], [1, x]
    for _ in range(x):
        rows.append(one)
    rows[0][0] = 50
    return rows[1][0]


def twice_by_a_name_of_the_iteration_before(x):
    rows, before = [], [1, x]
    for i in range(x):
        rows.append(before)
        before = [i, x]
        rows.append(before)
    rows[1][0] = 50
    return rows[2][0]


def twice_and_taken_out(x):
    rows, one = [], [1, x]
    for _ in range(x):
        rows.append(one)
    last = rows.pop()
    last[0] = 50
    return rows[0][0]


def held_in_a_tuple_and_changed_in_the_list(x):
    rows = [([1, x], 2)]
    first = rows[0][0]
    for i in range(x):
        rows = rows + [([i, i], i)]
    rows[0][0][0] = 50
    return first[0]


SHARING = [
    value for name, value in list(globals().items())
    if name.split("_")[0] in {"appended", "held", "read", "twice"}
]  # fmt: skip


@pytest.mark.parametrize("function", SHARING, ids=lambda one: one.__name__)
def test_an_item_that_a_list_took_or_gave_is_not_changed(function):
    changed = "(is changed after it was put into a list|an item of .* is changed)"
    stale = "the list that took it would stay what it was"
    with pytest.raises(SymbolicValueError, match=f"({changed}|{stale})"):
        staged(function, 3)


def test_the_error_names_what_is_changed_and_the_statement():
    with pytest.raises(SymbolicValueError, match=r"the list 'current' is changed(.|\n)*for i in"):
        staged(appended_in_a_loop, 3)


def test_items_that_are_not_changed_afterwards_are_right():
    def f(x):
        rows, current = [[x, 1]], [0, 0]
        first = rows[0]
        if x > 2:
            rows = rows + [[x, 2]]
        for i in range(x):
            current = [i, x]
            current[1] = i + 3
            rows.append(current)
        n = first[0] + current[1] + rows[-1][0]
        current = [5, n]
        current[0] = 7
        return rows[0][0], rows[-1][1], current[0], current[1]

    assert_staged_alike(f, (0,), (2,), (5,))


def test_an_item_that_is_bound_anew_in_each_iteration_is_changed_in_the_list():
    def f(x):
        rows, current = [], [9, x]
        for i in range(x):
            rows.append(current)
            current = [i, x]
        rows[0][0] = 50
        return rows[0][0] + rows[-1][0]

    assert_staged_alike(f, (1,), (4,))


def test_a_copy_of_what_was_appended_may_be_changed():
    def f(x):
        rows, current = [], [0, 0]
        for i in range(x):
            current = [i, x]
            rows.append(list(current))
        current[0] = 5
        return rows[-1][0] + current[0]

    assert_staged_alike(f, (1,), (4,))
