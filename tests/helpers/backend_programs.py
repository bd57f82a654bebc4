"""Programs whose control flow any backend of converted code has: loops with `else`, `break`,
`continue` and `return`, choices, chains of comparisons.
"""


def steps_to_one(n):
    steps = 0
    while n > 1:
        if n % 2 < 1:
            n = n // 2
        else:
            n = 3 * n + 1
        steps = steps + 1
    return steps


def returns_early(n):
    for i in range(3):
        if n > i:
            return n + i
    return n


def breaks(n):
    while n > 3:
        if n % 7 < 1:
            break
        n = n - 1
    else:
        return n + 100
    return n


def continues(n):
    total = 0
    for x in n:
        if x > 5:
            continue
        if x < 0:
            break
        total = total + x
    else:
        total = total + 1000
    return total


def returns_from_a_loop(n):
    for x in n:
        if x > 3:
            return x
    return -1


def chooses(n):
    return 1 if n > 1 and (n < 5 or n > 7) and not n > 9 else 0.5


def compares_in_a_row(n):
    return 1 < n < 5


def nested_loops(n):
    total, i = 0, 0
    while i < n:
        j = 0
        while j < i:
            if j > 3:
                break
            total = total + j
            j = j + 1
        i = i + 1
    return total


def changes_its_kind(n):
    total = 0
    for x in n:
        total = total + x * 0.5
    return total


OF_NUMBERS = [
    (steps_to_one, 6, 7, 1, 27), (returns_early, 0, 1, 5), (breaks, 9, 5, 1),
    (chooses, 1, 3, 6, 8, 10), (compares_in_a_row, 3, 7, 0), (nested_loops, 0, 7),
]  # fmt: skip
OF_LISTS = [
    (continues, [1, 2, 9], [1, -1, 3], []), (returns_from_a_loop, [1, 2, 7, 9], [1], []),
    (changes_its_kind, [1, 2], []),
]  # fmt: skip
