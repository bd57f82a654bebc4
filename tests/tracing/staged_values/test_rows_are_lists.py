"""What a list that grows in a staged loop has taken is, where it is read, the list or tuple that it
is in Python, and a copy of it.
"""

import pytest

import allograph as ag

FEATURES = ag.autograph.experimental.Feature.ALL


def rows_of(n):
    rows = []
    for i in range(n):
        rows.append([i, n])
    return rows


def pairs_of(n):
    pairs = []
    for i in range(n):
        pairs.append((i, n))
    return pairs


def on_tensors(function, n=3):
    decorated = ag.function(function, experimental_autograph_options=FEATURES)
    return ag.nest.map_structure(lambda leaf: leaf.numpy(), decorated(ag.constant(n)))


QUESTIONS = {
    "a sum": lambda n: rows_of(n)[1] + [7],
    "a sum of two": lambda n: rows_of(n)[1] + rows_of(n)[0],
    "a product": lambda n: rows_of(n)[1] * 2,
    "a comparison": lambda n: rows_of(n)[1] == [1, n],
    "its class": lambda n: isinstance(rows_of(n)[1], list),
    "its length": lambda n: len(rows_of(n)[1]),
    "a slice": lambda n: rows_of(n)[1][::-1],
    "a sum of tuples": lambda n: pairs_of(n)[1] + (7,),
    "a comparison of tuples": lambda n: pairs_of(n)[1] == (1, n),
    "the greatest by a key": lambda n: max(rows_of(n), key=lambda row: -row[0]),
}


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_an_item_answers_as_the_list_that_it_is(question):
    assert on_tensors(question) == question(3)


@pytest.mark.parametrize("operate", [lambda row: -row, lambda row: row - 1, lambda row: row > 1])
def test_an_item_has_no_operators_of_tensors(operate):
    with pytest.raises(TypeError):
        on_tensors(lambda n: operate(rows_of(n)[0]))


@pytest.mark.parametrize("rows", [rows_of, pairs_of])
def test_a_list_of_pairs_is_one_tensor_where_it_is_returned(rows):
    assert on_tensors(rows).tolist() == [[0, 3], [1, 3], [2, 3]]


def test_a_list_that_is_not_empty_before_the_loop_is_returned_as_one_tensor():
    def rows_from(n):
        rows = [[n, 9]] * 2
        for i in range(n):
            rows.append([i, n])
        return rows

    assert on_tensors(rows_from).tolist() == rows_from(3)


def changed_in_a_loop(row, n):
    for _ in range(n):
        row[1] += 3


def of_max(n):
    rows = rows_of(n)
    changed_in_a_loop(max(rows), n)
    return rows[0][1]


def of_a_list_of_both(n):
    rows = rows_of(n)
    other = [max(rows), min(rows)]
    for _ in range(n):
        other[0][1] += 3
    return rows[-1][1]


def of_a_choice(n):
    rows = rows_of(n)
    row = rows[0] if n > 5 else rows[1]
    row[1] = 12
    return rows[1][1]


def of_enumerate(n):
    rows = rows_of(n)
    for _, row in enumerate(rows):
        row[1] = 12
    return rows[1][1]


def of_zip(n):
    rows = rows_of(n)
    for row, _ in zip(rows, range(2)):
        row[1] = 12
    return rows[1][1]


def of_an_item_of_an_item(n):
    rows = []
    for i in range(n):
        rows.append([[i, n], [n, i]])
    part = rows[0][1]
    part[0] = 12
    return rows[0][1][0]


def of_a_dict(n):
    rows = rows_of(n)
    held = {key: rows[key] for key in (0, 1)}
    for _ in range(n):
        held[0][1] = 12
    return rows[0][1]


@pytest.mark.parametrize("change", [of_max, of_a_list_of_both, of_a_choice, of_enumerate,
                                    of_zip, of_an_item_of_an_item, of_a_dict])  # fmt: skip
def test_a_copy_of_an_item_does_not_change(change):
    with pytest.raises(TypeError, match="an item of|goes through"):
        on_tensors(change)


def test_a_copy_that_is_asked_for_changes():
    def second(n):
        rows = rows_of(n)
        row = rows[1][:]
        for _ in range(n):
            row[1] += 3
        return row[1], rows[1][1]

    assert on_tensors(second) == second(3)


def test_two_readings_of_an_item_are_not_compared_by_identity():
    with pytest.raises(TypeError, match="`is` compares an item of a list"):
        on_tensors(lambda n: rows_of(n)[0] is rows_of(n)[0])


def test_an_iterator_over_rows_is_refused():
    def first(n):
        rows = [[n, 9]]
        for i in range(n):
            rows.append([i, n])
        return next(iter(rows))

    with pytest.raises(TypeError, match="iterating over"):
        on_tensors(first)
