"""A list that grows may hold a list at two places, or share it: what changes one is refused, or is
right.
"""

import pytest

import allograph as ag

FEATURES = ag.autograph.experimental.Feature.ALL


def on_tensors(function, n):
    decorated = ag.function(function, experimental_autograph_options=FEATURES)
    return ag.nest.map_structure(lambda one: one.numpy(), decorated(ag.constant(n)))


def rows_of(n):
    return [[i, 3] for i in range(n)]


def appended_again(n):
    one = [n, 9]
    rows = [one]
    for _ in range(n):
        rows.append(one)
    rows[0][0] = 12
    return rows[1][0]


def appended_by_a_branch(n):
    one = [n, 9]
    rows = [one]
    if n > 0:
        rows.append(one)
    rows[0][0] = 12
    return rows[-1][0]


def twice_at_the_start(n):
    one = [n, 9]
    rows = [one, one]
    for _ in range(n):
        rows.append([n, 7])
    rows[0][0] = 12
    return rows[1][0]


def of_a_comprehension(n):
    one = [n, 9]
    rows = [one for _ in range(n)]
    rows[0][0] = 12
    return rows[1][0]


def inserted_again(n):
    rows = [[n, 9]]
    for _ in range(n):
        rows.insert(0, rows[0])
    rows[0][0] = 12
    return rows[1][0]


def of_copy(make):
    def changed(n):
        rows = rows_of(n)
        other = make(rows)
        other[0][0] = 12
        return rows[0][0], rows[1][0]

    return changed


COPIES = {
    "slice": lambda rows: rows[:],
    "copy": lambda rows: rows.copy(),
    "list": lambda rows: list(rows),
    "sum": lambda rows: rows + rows,
    "product": lambda rows: rows * 2,
    "comprehension": lambda rows: [row for row in rows],
    "reversed": lambda rows: list(reversed(rows)),
    "sorted": lambda rows: sorted(rows, reverse=True),
    "largest": lambda rows: [max(rows)],
}
SHARED = [appended_again, appended_by_a_branch, twice_at_the_start, of_a_comprehension,
          inserted_again, *map(of_copy, COPIES.values())]  # fmt: skip
NAMES = ["again", "branch", "start", "comprehension of one", "inserted", *COPIES]


@pytest.mark.parametrize("function", SHARED, ids=NAMES)
def test_an_item_that_lists_share_is_not_changed_in_one_of_them(function):
    with pytest.raises(ag.errors.SymbolicValueError, match="is changed"):
        on_tensors(function, 2)


def own(n):
    rows = rows_of(n)
    rows[0][0] = 12
    return rows[0][0], rows[1][0]


def moved(n):
    rows = rows_of(n)
    row = rows.pop()
    rows.append(row)
    rows[0][0] = 12
    return rows[1][0], rows[0][0]


def of_two_names(n):
    rows = rows_of(n)
    other = rows
    other[0][0] = 12
    return rows[0][0]


@pytest.mark.parametrize("function", [own, moved, of_two_names])
def test_an_item_that_one_place_holds_changes_there(function):
    assert on_tensors(function, 3) == function(3)


def test_a_plain_list_that_tensors_order_gives_copies():
    def changed(n):
        rows = [[n, 1], [3, n]]
        ordered = sorted(rows)
        rows[0][1] = 12
        return ordered[0][1], ordered[1][1]

    with pytest.raises(ag.errors.SymbolicValueError, match="is changed"):
        on_tensors(changed, 2)


def test_a_checked_read_of_a_statement_that_is_traced_again_is_not_used():
    class Box:
        pass

    def program(n):
        zero, box, info = n - n, Box(), {"n": n}
        for _ in range(zero + 1):
            info["k"] = (info.get("k", 3) + n) % 53
        for _ in range(zero + 3):
            info.pop("m", 0)
            box.extra = n % 97
        return info["k"] + box.extra

    assert on_tensors(program, 5) == program(5)
