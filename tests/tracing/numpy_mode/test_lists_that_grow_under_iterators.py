"""Iterators of Python give the items that a list gets while it is gone through."""

import pytest

import allograph as ag


def grown(rows, x):
    if x % 3 > 0:
        rows.append(x)
    return rows


def zipped_and_grown_by_a_function(a, b):
    rows, total = [b, 5], 1
    for _, x in zip(range(3), rows, strict=False):
        total = total * 2 + x
        rows = grown(rows, (a + 6) % 19)
    return total, len(rows)


def zipped_and_grown_in_a_loop(a, b):
    rows, total = [b, 5], 1
    other = rows
    for _, x in zip(range(3), other, strict=False):
        total = total * 2 + x
        for _ in range(a):
            rows.append(7)
    return total, len(rows)


def mapped(a, b):
    rows, total = [b, 5], 1
    for x in map(abs, rows):
        total = total * 2 + x
        if a > 0 and total < 99:
            rows.append(7)
    return total, len(rows)


def of_a_generator(a, b):
    rows, total = [b, 5], 1
    for x in (2 * row for row in rows):
        total = total * 2 + x
        if a > 0 and total < 99:
            rows.append(7)
    return total, len(rows)


def grown_before_it_is_walked(a, b):
    rows, total = [b, 5], 1
    pairs = zip(range(3), rows, strict=False)
    if a > 0:
        rows.append(7)
    for _, x in pairs:
        total = total * 2 + x
    return total


def numbered_and_grown(a, b):
    rows = [b, 5]
    numbered = enumerate(rows)
    if a > 0:
        rows.append(7)
    return list(numbered)


@pytest.mark.parametrize("program", [zipped_and_grown_by_a_function, zipped_and_grown_in_a_loop,
                                     mapped, of_a_generator, grown_before_it_is_walked,
                                     numbered_and_grown])  # fmt: skip
def test_iterators_give_the_items_that_a_list_gets(program):
    compiled = ag.jit(program, kernel_compiler="python")
    for arguments in [(0, 0), (1, 2), (2, 3)]:
        assert compiled(*arguments) == program(*arguments)
