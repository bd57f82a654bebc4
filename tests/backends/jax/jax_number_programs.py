"""Functions of numbers, and the numbers that the tests call them with."""

from backend_programs import OF_NUMBERS

import allograph as ag


def returns_in_each_arm(x):
    if x > 2:
        return x
    elif x > 0:
        return 2 * x
    else:
        return -x


def returns_python_numbers(x):
    if x > 2:
        return 1
    if x > 0:
        return 2.5
    return 3


def newton(x):
    guess = x
    for _ in range(20):
        if abs(guess * guess - x) < 1e-5:
            break
        guess = 0.5 * (guess + x / guess)
    return guess


def newton_while(x):
    guess = x + 1.0
    while abs(guess * guess - x) > 1e-4:
        guess = 0.5 * (guess + x / guess)
    return guess


def power(x, n):
    result = 1.0
    while n > 0:
        if n % 2 == 1:
            result = result * x
        x = x * x
        n = n // 2
    return result


def nested_choice(x):
    return x * 2 if x > 0 else (x * 3 if x > -2 else x * x)


def counts_down(n):
    total = 0
    for i in range(n):
        if i % 3 == 0:
            continue
        if i > 7:
            break
        total += i
    else:
        total += 100
    return total


def range_with_step(n):
    total = 0
    for i in range(n, -2, -2):
        total = total * 2 + i
    return total


def nested_ranges(n):
    total = 0
    for i in range(n):
        for j in range(i, n):
            if j > 5:
                break
            total += i * j
    return total


def swaps(n):
    a, b = 0, 1
    while n > 0:
        a, b = b, a + b
        n -= 1
    return a


def greatest_divisor(a, b):
    while b != 0:
        a, b = b, a % b
    return a


def first_is_other(n):
    total, first = 0, True
    while n > 0:
        if first:
            total += 100
            first = False
        total += n
        n -= 1
    return total


def assigns_in_the_test(n):
    total = 0
    while (m := n - 3) > 0:
        total += m
        n -= 1
    return total


def loop_in_a_branch(x):
    total = 0.0
    if x > 0:
        while total < x:
            total += 1.5
    else:
        total = x * 2
    return total


def scale_of_the_right_kind(x):
    factor = 1 if x > 3 else 2
    return x * factor


def matches(n):
    match n:
        case 0:
            return 10
        case 1 | 2:
            return 20
        case _:
            return n


def calls_a_function(x):
    def inner(y):
        if y > 1:
            return y - 1
        return y

    return inner(x) + inner(2 * x)


def changes_outer_variable(x):
    count = 0

    def note(y):
        nonlocal count
        if y > 1:
            count += 1

    note(x)
    note(x * 4)
    return count


class Scaler:
    def __init__(self, factor):
        self.factor = factor
        self.calls = 0

    def scaled(self, x):
        self.calls += 1
        if x > 1:
            self.factor = self.factor * 2
        return x * self.factor + self.calls


def uses_an_object(x):
    scaler = Scaler(3)
    return scaler.scaled(x) + scaler.scaled(x - 1)


def changes_a_dictionary(x):
    state = {"b": x, "a": [0, 1]}
    if x > 0:
        state["b"] = x * 2
        state["a"][0] = 5
    total = 0.0
    for value in (state["b"], *state["a"]):
        total = total / 2 + value
    return total


def clips(x):
    return min(max(x, -1), 3)


def rounds(x):
    return round(x * 1.25) + int(x) + abs(x)


def any_and_all(x):
    tests = [x > 0, x > 2]
    return any(tests) + 2 * all(tests) + 4 * all([*tests, "text"])


def lazy_operands(x):
    return x > 0 and 10 / x > 3 or x == -1


def bounded(x):
    while abs(x) > 0.5:
        ag.autograph.experimental.set_loop_options(maximum_iterations=20)
        x = x * 0.7
    return x * x


def is_prime(n):
    for i in range(2, n):
        if n % i == 0:
            return False
    return n > 1


def digit_sum(n):
    total = 0
    while n:
        total += n % 10
        n //= 10
    return total


def leaves_two_loops(n):
    found = -1
    for i in range(1, n):
        for j in range(1, n):
            if i * j > n:
                found = i * 100 + j
                break
        if found > 0:
            break
    return found


def returns_from_two_loops(n):
    for i in range(n):
        for j in range(3):
            if i + j > 4:
                return i * 10 + j
        n = n - 1
    return -n


def runs_until_a_break(n):
    total = 0
    while True:
        total += n
        n -= 2
        if n < 0:
            break
        if total > 20:
            return -total
    return total


def longest_chain(n):
    best, at = 0, 0
    for start in range(1, n):
        length, value = 0, start
        while value != 1:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            length += 1
        if length > best:
            best, at = length, start
    return at


def grades(x):
    if x >= 9:
        grade = 1
    elif x >= 7:
        grade = 2
    elif 0 <= x < 3:
        grade = 6
    else:
        grade = 3
    return grade * 10


def sets_a_pair(x):
    if x > 1:
        low, high = 1, x
    else:
        low, high = x, 1
    return high - low


def continues_a_while(n):
    total = 0
    while n > 0:
        n -= 1
        if n % 3 == 1:
            continue
        total += n
    return total


def leaky(x):
    slope = 0.1 if x < 0 else 1.0
    return slope * x


def piecewise(x):
    if x < -1:
        return -2 * x - 1
    if x < 1:
        y = x * x
    elif x < 2:
        y = 2 * x - 1
    else:
        y = x + 1
    return y


def bisects(x):
    low, high = 0.0, 10.0
    for _ in range(25):
        middle = 0.5 * (low + high)
        if middle * middle > x:
            high = middle
        else:
            low = middle
    return low


def integrates(x):
    position, speed = x, 0.0
    for step in range(12):
        force = -position if position > 0 else -2 * position
        if step == 6:
            speed = -speed
        speed += 0.1 * force
        position += 0.1 * speed
    return position


def recovers(x):
    try:
        y = x * 2
        if y > 4:
            y = 4.0
    finally:
        x = x + 1
    return x + y


def deletes(x):
    part = x * 2
    if x > 2:
        part = part + 1
    total = part
    del part
    return total


def has_defaults(x, low=-1, *, high=2):
    def inner(value, scale=3):
        return value * scale if low < value < high else value

    return inner(x) + inner(x, scale=2)


def spreads(x):
    def summed(a, b, *rest, c=0):
        return a + 2 * b + 3 * sum(rest) + c

    values = [x, 1, x * 2]
    if x > 1:
        values[1] = 5
    return summed(*values, **{"c": x})


def nested_records(x):
    state = {"point": (x, 0), "steps": [0]}
    while state["point"][0] < 8:
        first, second = state["point"]
        state = {"point": (first + 2, second + first), "steps": [state["steps"][0] + 1]}
    return state["point"][1] + state["steps"][0]


def truth_of_numbers(n):
    return (n and 5) + (0 or n) + (not n)


def is_not_in(n):
    return 1 if n not in (2, 5) else 0


def counts_with_step(n):
    total = 0
    for i in range(10, 0, -3):
        if i < n:
            total += i
    return total


def keyed_extremes(x):
    return max(x, -3, 2, key=lambda v: v * v) + min([x, 1], key=lambda v: -v)


def sorts(x):
    low, middle, high = sorted([x, 4, 2 * x])
    return low + 10 * middle + 100 * high


def sorts_by_a_key(x):
    rows = sorted([(x, 1), (2, 5), (x, 0)], key=lambda row: row[0] % 3, reverse=True)
    return rows[0][1] + 10 * rows[1][1] + 100 * rows[2][0]


def compares_tuples(x):
    return ((x, 2) < (2, x)) + 2 * ((x, 1) == (3, 1)) + 4 * ([1, x] >= [1, 2, x])


def counts_in_a_list(x):
    return [x, 1, 2 * x].count(2)


def largest_of_pairs(x):
    return max(enumerate((x, 4, -x)), key=lambda pair: (pair[1] % 3, -pair[0]))[0]


NUMBERS = [
    *OF_NUMBERS, (returns_in_each_arm, 3, 1, -4), (returns_python_numbers, 3, 1, -1),
    (newton, 2.0, 9.0, 0.5), (newton_while, 2.0, 9.0), (nested_choice, 1.5, -1.0, -3.0),
    (counts_down, 0, 5, 9, 20), (range_with_step, 0, 5, 6, -7), (nested_ranges, 0, 4, 9),
    (swaps, 0, 1, 9), (first_is_other, 0, 1, 5), (assigns_in_the_test, 2, 9),
    (loop_in_a_branch, 4.0, -4.0), (scale_of_the_right_kind, 2, 5, 2.5), (matches, 0, 1, 2, 5),
    (calls_a_function, 0.25, 1.5, 3.0), (changes_outer_variable, 0.1, 0.5, 2.0),
    (uses_an_object, 0.5, 1.5, 3.0), (changes_a_dictionary, 2.0, -2.0), (clips, -5, 2, 9, 0.5),
    (rounds, 0.4, -1.5, 2.0), (any_and_all, -1, 1, 3), (lazy_operands, 2.0, 0.0, -1.0, 8.0),
    (bounded, 3.0, -0.7, 0.1), (is_prime, 1, 2, 9, 13), (digit_sum, 0, 9, 405),
    (leaves_two_loops, 1, 4, 7), (returns_from_two_loops, 0, 4, 9),
    (runs_until_a_break, 1, 5, 40), (longest_chain, 1, 8), (grades, 10, 8, 2, 5, -1),
    (sets_a_pair, 4, 0), (continues_a_while, 0, 7),
    (leaky, 2.0, -2.0), (piecewise, -3.0, 0.5, 1.5, 4.0), (bisects, 2.0, 50.0),
    (integrates, 1.0, -0.5), (recovers, 1.0, 3.0), (deletes, 1, 5), (has_defaults, 1, -4, 2),
    (spreads, 0, 4), (nested_records, 1, 9), (truth_of_numbers, 0, 3),
    (is_not_in, 2, 3), (counts_with_step, 0, 8), (keyed_extremes, 1, 5, -7),
    (sorts, 1, 3, 9), (sorts_by_a_key, 0, 2, 5), (compares_tuples, 1, 2, 3),
    (counts_in_a_list, 1, 2, 5), (largest_of_pairs, 1, 5, -4),
]  # fmt: skip
DIFFERENTIATED = [
    newton, nested_choice, returns_in_each_arm, calls_a_function, clips, bounded, leaky, piecewise,
    integrates, recovers, has_defaults,
]  # fmt: skip
