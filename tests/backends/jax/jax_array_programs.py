"""Functions of an array of four numbers, and the arrays that the tests call them with."""

from collections import defaultdict
from typing import NamedTuple

from backend_programs import changes_its_kind, continues, returns_from_a_loop


def running_maximum(xs):
    highest, out = xs[0], xs * 0
    for i in range(len(xs)):
        highest = max(highest, xs[i])
        out[i] = highest
    return out


def scan_with_index(xs):
    best, at, i = -1.0, -1, 0
    while i < len(xs):
        if xs[i] > best and not (xs[i] == 7.0):
            best, at = xs[i], i
        i += 1
    return best, at


def last_item(xs):
    for x in xs:
        last = x * 2
    return last


def enumerates(xs):
    total = 0.0
    for i, x in enumerate(xs, 1):
        total += i * x
    return total


def zips(xs):
    total = 0.0
    for left, right in zip(xs, xs[1:]):
        if left < right:
            total += right - left
    return total


def reverses(xs):
    total = 0.0
    for x in reversed(xs):
        total = total / 2 + x
    return total


def zip_and_enumerate(xs):
    total = 0.0
    for i, (a, b) in enumerate(zip(xs, reversed(xs))):
        total += i * a - b
    return total


def sums(xs):
    return sum(xs) + max(xs) - min(xs) + len(xs)


def any_item(xs):
    return any(xs > 3) + 2 * all(xs > 0) + 4 * any(x > 6 for x in xs)


def sets_items(xs):
    if xs[0] > 1:
        xs[0] = 9.0
    else:
        xs[1] = 8.0
    xs[-1] += 0.5
    return xs


def sets_where_a_mask_is(xs):
    xs[xs > 3] = -1
    table = xs[:, None] * xs
    table[xs < 0] = 2.5
    return xs, table


def sorts_by_insertion(xs):
    for i in range(1, len(xs)):
        j, key = i, xs[i]
        while j > 0 and xs[j - 1] > key:
            xs[j] = xs[j - 1]
            j -= 1
        xs[j] = key
    return xs


def two_dimensions(xs):
    table = xs[:, None] * xs
    total = 0.0
    for row in table:
        for value in row:
            if value > 2:
                total += value
    return total


def appends(xs):
    rows = []
    for x in xs:
        rows.append(x * 2)
    return rows[0] + rows[-1]


def comprehends(xs):
    return sum([x * x for x in xs]) + sum(x + 1 for x in xs)


def is_in(xs):
    return (3.0 in xs) + 2 * (xs[0] in (1.0, 2.0))


def unpacks(xs):
    a, *rest = xs
    return a * len(rest) + rest[-1]


def binary_search(xs):
    low, high = 0, len(xs)
    while low < high:
        middle = (low + high) // 2
        if xs[middle] < 3:
            low = middle + 1
        else:
            high = middle
    return low


def horner(xs):
    value = 0.0
    for coefficient in xs:
        value = value * 0.5 + coefficient
    return value


def relaxes(xs):
    change = 1.0
    while change > 1e-3:
        new = 0.5 * xs
        change = abs(new - xs).max()
        xs = new
    return xs


def counts_and_prefix(xs):
    out = xs * 0
    total, count = 0.0, 0
    for i, x in enumerate(xs):
        if x > 0:
            total += x
            count += 1
        out[i] = total
    return out, count


def bubbles(xs):
    for end in range(len(xs) - 1, 0, -1):
        for i in range(end):
            if xs[i] > xs[i + 1]:
                xs[i], xs[i + 1] = xs[i + 1], xs[i]
    return xs


def position_of_largest(xs):
    best, at = xs[0], 0
    for i, x in enumerate(xs):
        if x > best:
            best, at = x, i
    return at


def counts_in_bins(xs):
    counts = xs * 0
    for x in xs:
        if 0 <= x < 4:
            counts[int(x)] += 1
    return counts


def longest_run(xs):
    best = run = 0
    last = xs[0] - 1
    for x in xs:
        run = run + 1 if x >= last else 1
        best = max(best, run)
        last = x
    return best


def multiplies_matrices(xs):
    left, right = xs[:, None] + xs, xs[:, None] - xs
    out = left * 0
    for i in range(len(xs)):
        for j in range(len(xs)):
            total = 0.0
            for k in range(len(xs)):
                total += left[i, k] * right[k, j]
            out[i, j] = total
    return out


def moving_average(xs):
    out, last = xs * 0, 0.0
    for i, x in enumerate(xs):
        last = x if i == 0 else 0.7 * last + 0.3 * x
        out[i] = last
    return out


def two_that_sum(xs):
    for i in range(len(xs)):
        for j in range(i + 1, len(xs)):
            if xs[i] + xs[j] == 5.0:
                return i * 10 + j
    return -1


def descends(xs):
    weight = xs * 0
    for step in range(20):
        gradient = 2 * (weight - xs)
        if abs(gradient).max() < 0.5:
            break
        weight = weight - 0.2 * gradient
    return weight


def trains_leaves(xs):
    weights = {"w": xs * 0, "b": [xs[0], xs[1]]}
    for x in xs:
        error = (weights["w"] * x).sum() + weights["b"][0] - x
        if abs(error) > 0.5:
            weights = {
                "w": weights["w"] - 0.01 * error,
                "b": [b - 0.1 * error for b in weights["b"]],
            }
    return weights["w"], weights["b"][1]


def leaves_of_a_tree(xs):
    tree = {"a": xs, "b": (xs * 2, [xs + 1])}
    total = 0.0
    for leaf in (tree["a"], *tree["b"][:1], *tree["b"][1]):
        if leaf.sum() > 10:
            total += leaf.max()
    return total


def recurrent_cell(xs):
    hidden, gate = xs * 0, 0.5
    for x in xs:
        update = gate * hidden + (1 - gate) * x
        hidden = update if update.sum() > 0 else 0.1 * update
    return hidden


def drops_after_a_break(xs):
    product = 1.0
    for x in xs:
        if x == 0:
            break
        product *= x
        if product > 50:
            return 50.0
    return product


def chains_of_comparisons(xs):
    total = 0
    for left, right in zip(xs, xs[1:]):
        if 0 < left < right <= 7:
            total += 1
    return total


def counts_down_an_index(xs):
    i = len(xs) - 1
    while i >= 0 and xs[i] < 3:
        i -= 1
    return i


def squares_of_chosen(xs):
    return sum([x * x if x > 1 else -x for x in xs])


def several_results(xs):
    low = high = xs[0]
    for x in xs[1:]:
        if x < low:
            low = x
        elif x > high:
            high = x
    return {"low": low, "range": (high - low, high)}


class Counted(NamedTuple):
    count: int
    parts: dict


def in_the_order_of_keys(xs):
    counted = Counted(0, {"z": xs[0], "a": xs[1]})
    for x in xs:
        counted = Counted(counted.count + 1, {"z": counted.parts["z"] + x, "a": x})
        latest = {"y": x, "b": counted.parts["z"] * 2}
    if xs[0] > xs[1]:
        chosen = Counted(1, {"q": xs[0], "c": xs[1]})
    else:
        chosen = Counted(2, {"q": xs[2], "c": xs[1]})
    total = counted.count + chosen.count
    for parts in (counted.parts, latest, chosen.parts):
        for name in parts:
            total = total * 3 + parts[name]
    return total


def in_the_order_of_keys_with_a_default(xs):
    sums = defaultdict(float, z=xs[0], a=xs[1])
    for x in xs:
        sums["z"] = sums["z"] + x
    total = 0
    for name in sums:
        total = total * 3 + sums[name]
    return total


def any_and_all_of_no_items(xs):
    return any(xs[:0] > 1), all(xs[:0] > 1), xs[0] in []


ARRAYS = [
    changes_its_kind, continues, returns_from_a_loop, running_maximum, scan_with_index, last_item,
    enumerates, zips, reverses, zip_and_enumerate, sums, any_item, sets_items, sets_where_a_mask_is,
    sorts_by_insertion, two_dimensions, appends, comprehends, is_in, unpacks, binary_search, horner,
    relaxes, counts_and_prefix, bubbles, position_of_largest, counts_in_bins, longest_run,
    multiplies_matrices, moving_average, two_that_sum, descends, trains_leaves, leaves_of_a_tree,
    recurrent_cell, drops_after_a_break, chains_of_comparisons, counts_down_an_index,
    squares_of_chosen, several_results, in_the_order_of_keys, in_the_order_of_keys_with_a_default,
    any_and_all_of_no_items,
]  # fmt: skip
ROWS = [[1.0, 2.0, 9.0, 3.0], [2.0, 1.0, 3.5, 7.0], [-1.0, 4.0, 1.0, 1.0], [5.5, 5.5, 0.5, 2.5]]
DIFFERENTIATED = [
    continues, returns_from_a_loop, running_maximum, last_item, enumerates, zips, reverses,
    two_dimensions, appends, comprehends, horner, counts_and_prefix, multiplies_matrices,
    moving_average, descends, trains_leaves, leaves_of_a_tree, recurrent_cell, squares_of_chosen,
    several_results,
]  # fmt: skip
