"""Short random programs in which lists that grow hold lists, which they share with one another and
with names. One of these changes, and others are read. Some also sort and search lists of numbers,
and have dictionaries and deques of them.
"""

import random

STARTS = (
    "[]", "[one]", "[one, one]", "[one, two]", "[[1, 2], [3, b]]", "[[0, 5]] * 2",
    "[one for _ in range(count)]", "[[i, a] for i in range(count)]", "[list(one) for _ in (0, 1)]",
    "[[i, b] for i in range(count) if i > 0]", "[two] + [one for _ in range(count)]",
)  # fmt: skip
TAKEN = ("one", "two", "[i, 4]", "list(one)", "rows[0]", "rows[-1]", "[one[0], i]", "rows[i]")
GROWS = (
    "rows.append({})", "rows.insert(0, {})", "rows = rows + [{}]", "rows += [{}]",
    "rows.extend([{}, {}])", "rows[-1] = {}", "rows = [{}, *rows]",
)  # fmt: skip
AROUND = ("for i in range(count):", "if count > 1:", "for i in range(2):", "for i in range(b % 3):")
COPIES = (
    "rows[:]", "rows.copy()", "list(rows)", "rows + rows", "rows * 2", "[row for row in rows]",
    "list(reversed(rows))", "sorted(rows)", "[max(rows), min(rows)]", "[*rows]", "rows[1:]", "rows",
    "[list(row) for row in rows]",
)  # fmt: skip
PLACES = ("rows[0]", "rows[-1]", "other[0]", "other[-1]", "one", "two", "rows[count - 1]")
NAMED = (
    "row = rows[0] if a > 1 else rows[-1]", "row = max(rows, key=lambda row: row[1])",
    "row = min(rows)", "row = rows[0]", "row, *_ = rows[:1]", "row = {0: rows[-1]}[0]",
)  # fmt: skip
WALKS = ("for k, row in enumerate(rows):", "for row, k in zip(rows, range(2)):", "for row in rows:")
READS = ("{}[{}]", "{}[{}]", "({} + [7])[{}]", "({} * 2)[-1 - {}]", "len({} + [{}])",
         "int(isinstance({}, list)) + {}", "int({} == [a, 2]) + {}")  # fmt: skip
ORDERS = (
    "rows.sort()", "rows.sort(reverse=True)", "rows.reverse()", "rows.remove(rows[0])",
    "rows.remove(one)", "rows.insert(-1, two)", "rows.sort(key=lambda row: row[1])",
    "rows.insert(i, rows.pop())",
)  # fmt: skip
NUMBERS = (
    ["numbers = [b % 5, a % 4]", "for k in range(c % 4):", "    numbers.append((a * k + b) % 7)"],
    ["numbers = []", "for k in range(b % 5):", "    numbers.append((a + k * k) % 5)"],
    ["numbers = [k * b % 5 for k in range(4)]"],
    ["numbers = [k * b % 5 for k in range(count + 2)]"],
    ["numbers = [b % 5] * 4"],
    ["numbers = [0] * (count + 2)"],
    ["numbers = [2] * 2 + [a % 4, 1]"],
)
KEYED = ["keyed = {{{}: a}}", "for k in range(b % 4):", "    keyed[(a + k) % 5] = k"]
STEPS = (
    "numbers.sort()", "numbers.sort(reverse=True)", "numbers = sorted(numbers)",
    "numbers = sorted(numbers, key=lambda n: -n)", "numbers.insert(0, b)", "numbers.insert(1, a)",
    "numbers.insert(-1, c)", "numbers.insert(b, 3)", "numbers.remove(numbers[0])",
    "numbers.remove(b % 5)", "numbers.append(max(numbers))", "numbers.append(numbers.index(b % 5))",
    "numbers.append(numbers.count(a % 4))", "numbers.append(max(keyed))", "keyed[min(keyed)] = b",
    "keyed[0] = a", "numbers.append(min(keyed, key=keyed.get))", "ends.reverse()",
    "ends.appendleft(a)", "ends.append(numbers[-1])", "ends.popleft()", "numbers += sorted(keyed)",
    "ends = deque(numbers)", "numbers.insert(0, ends.pop())", "numbers.reverse()",
    "numbers.append(max(numbers, key=lambda n: -n))", "keyed = dict(zip(numbers, range(4)))",
    "numbers.append(reduce(lambda n, m: n * 2 + m, numbers, a) % 9)", "keyed = dict(keyed)",
    "numbers.append(reduce(lambda n, m: n * 2 - m, numbers) % 7)", "keyed = dict([(a % 5, 2)])",
    "numbers.append(min(range(4), key=lambda k: k * a % 5))",
    "numbers.append(max((n for n in numbers if n > 3), default=-1))",
    "numbers.append(min(keyed.items(), key=lambda pair: -pair[1])[0])",
    "numbers.append(max(a, b, c, key=lambda n: n % 3))", "numbers[count - 1] = a % 6",
    "numbers[b % 2] += 3", "numbers[-count] = b % 5",
)  # fmt: skip
ANSWERS = (
    "numbers", "list(ends)", "max(keyed), min(keyed)", "sorted(numbers)", "numbers.count(2)",
    "numbers.index(numbers[-1])", "max(keyed.values())", "ends[0], ends[-1]", "sum(numbers)",
    "rows.count(one)", "rows.index(two)", "rows.count([a, 2])",
)  # fmt: skip


def item_program(seed: int) -> str:
    choose = random.Random(seed)
    pick = choose.choice
    lines = ["zero = a - a", "count = zero + 2", "i = zero", "one = [c % 7, 2]", "two = [b % 5, 8]"]
    lines += [f"rows = {pick(STARTS)}", "other = rows"]
    for _ in range(pick((0, 1, 1, 2))):
        grows = pick(GROWS)
        grown = grows.format(*(pick(TAKEN) for _ in range(grows.count("{}"))))
        lines += [pick(AROUND), f"    {grown}"] if choose.random() < 0.8 else [grown]
    if choose.random() < 0.6:
        lines += [f"other = {pick(COPIES)}"]
    for _ in range(pick((1, 1, 2))):
        place = pick(PLACES)
        lines += [pick((f"{place}[0] = a + 11", f"{place}[1] += 3", f"{place}[0] = 12"))]
        if choose.random() < 0.3:
            lines[-1:] = [pick(AROUND[:2]), f"    {lines[-1]}"]
    places = PLACES
    if choose.random() < 0.4:
        walks = choose.random() < 0.4
        lines += ["row = [a, b]", pick(WALKS)] if walks else [pick(NAMED)]
        places = (*PLACES, "row")
        change = pick(("row[0] = 12", "row[1] += 3", "n = row[0]"))
        lines += ["    " + change] if walks else [change]
        if not walks and choose.random() < 0.4:
            lines[-1:] = [pick(AROUND[:3]), f"    {change}"]
    reads = [pick(READS).format(place, pick((0, 1))) for place in choose.sample(places, 3)]
    head = ""
    if seed % 2:
        head = "from collections import deque\nfrom functools import reduce\n\n\n"
        more = random.Random(~seed)
        order = more.choice(ORDERS)
        lines += more.choice(([], [order], [f"{more.choice(AROUND)}\n        {order}"]))
        keyed = more.random() < 0.3  # which graphs refuse
        lines += numbers_changed(more, keyed)
        reads += more.sample([each for each in ANSWERS if keyed or "keyed" not in each], 2)
    lines += [f"return {', '.join(reads)}, len(rows)"]
    return head + "def program(a, b, c):\n" + "".join(f"    {line}\n" for line in lines)


def numbers_changed(choose: random.Random, keyed: bool) -> list[str]:
    """Lines that sort and search a list of numbers, a deque, and a dictionary if they are keyed."""
    pick = choose.choice
    lines = [*pick(NUMBERS), "ends = deque(numbers)"]
    if keyed:
        first, *others = KEYED
        lines += [first.format(pick(("b % 3", "0", "4"))), *others]
    for _ in range(pick((1, 2, 3))):
        step = pick([each for each in STEPS if keyed or "keyed" not in each])
        lines += [pick(AROUND), f"    {step}"] if choose.random() < 0.4 else [step]
    return lines
