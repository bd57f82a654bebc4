"""What docs/jit.md says of constructs: a program for each line, which is native or is not."""

import bisect
import cmath
import collections
import copy
import enum
import functools
import heapq
import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from test_jit import assert_same, is_native

import allograph as ag

PAGE = Path(ag.__file__).parent / "docs" / "jit.md"
A, N = np.arange(6.0), np.arange(8)
M = np.arange(9.0).reshape(3, 3)
Pair = collections.namedtuple("Pair", "x y")
Kind = enum.IntEnum("Kind", "LOW HIGH")
TOTALS = [0.0]
PROGRAMS: dict[str, list] = {}  # by line, without its mark


def of_line(line: str, *args):
    """The program is one that the line tells of."""

    def note(program):
        PROGRAMS.setdefault(line, []).append((program, args))
        return program

    return note


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    def __lt__(self, other):
        return self.x < other.x


class Noisy:
    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        self.x += bisect.bisect([1, 2], other)
        return self


class Slotted:
    __slots__ = ("x",)

    def __init__(self, x):
        self.x = x


def scaled(x, factor=2.0):
    return x * factor


# ---- data types and arguments -------------------------------------------------------------------

NUMBERS = [np.ones(3, dtype) for dtype in "?bhlBHL"] + [np.ones(3, dtype) for dtype in "fdFD"]
RECORDS = np.zeros(3, [("x", "f8"), ("n", "i4")])


@of_line("bool, all integers, float32, float64, complex64 and complex128.", *NUMBERS)
def added_numbers(*arrays):
    total = 0
    for array in arrays:
        total = total + array.sum()
    return total


@of_line(
    "structured arrays of these: arguments, also a `recarray`, and those that are made inside and "
    "returned.", RECORDS, RECORDS.view(np.recarray),
)  # fmt: skip
def filled_records(records, more):
    made = np.zeros(3, [("x", "f8"), ("n", "i4")])
    for i in range(len(records)):
        made[i]["x"] = records[i]["x"] + more.x[i] + 1
    return made


@of_line("float16, strings, objects and dates.", np.ones(3, np.float16))
@of_line("arrays and numbers.", A)
def summed(a):
    total = 0.0
    for x in a:
        total += x
    return total


@of_line(
    "tuples, named tuples and lists of these; dictionaries with strings or integers as keys; up to "
    "32 parts.", (A, 2), Pair(A, 1.0), [A, A], {"a": A}, {1: 2.0},
)  # fmt: skip
def of_parts(pair, named, parts, options, numbers):
    return pair[0] * pair[1] + named.x * named.y + parts[1] + options["a"] * numbers[1]


@of_line("slices with any bounds; keyword-only arguments.", A, slice(1, None, 2))
def of_slice(a, part, *, factor=2.0):
    return a[part] * factor


@of_line(
    "strings, `None`, data types, members of enumerations, tuples of numbers such as shapes.",
    A, "twice", None, np.float32, Kind.HIGH, (2, 3),
)  # fmt: skip
def of_constants(a, how, out, dtype, kind, shape):
    factor = 2 if how == "twice" and out is None and kind == Kind.HIGH else 1
    return (a * factor).astype(dtype).reshape(shape)


@of_line("functions; up to 8 that are closures or have defaults.", A, scaled)
def of_functions(a, function):
    return function(a)


@of_line("lists and dictionaries of the caller that the function changes or returns.", A, [1.0])
def changed_list(a, values):
    values[0] = a[0] + a[1]


@of_line(
    "bytes, records, sets, objects of the user's classes, and keywords of any name (`**options`).",
    A, {1, 2},
)  # fmt: skip
def of_set(a, numbers):
    return a.sum() + len(numbers)


@of_line("arrays that share memory, where one of them changes.", A, A)
def of_shared_memory(a, b):
    a[1:] = b[:-1] * 2


# ---- arrays made inside -------------------------------------------------------------------------


@of_line("any view.", M)
def of_views(m):
    m.T[0] += 1
    m.reshape(-1)[::-2] *= 2
    return m.ravel()[1:]


@of_line("`arange`, `zeros`, `ones`, `full`, `empty` and those `_like` another array.", A)
def of_new_arrays(a):
    made = np.empty(6)
    made[:] = np.arange(6) + np.zeros(6) + np.ones_like(a) + np.full(6, a[1])
    return made


@of_line(
    "a first size that is computed, as in `np.empty(count)` and `np.zeros((count, 3))`, without a "
    "limit.", A,
)  # fmt: skip
def of_first_size(a):
    count = 0
    for x in a:
        if x > 2:
            count += 1
    made = np.zeros((count, 3))
    for i in range(count):
        made[i] = i
    return made


@of_line("several sizes that are computed, as in `np.zeros((count, count))`, up to 64 each.", N)
def of_several_sizes(a):
    count = 0
    for x in a:
        count += x % 3 == 1
    made = np.zeros((count, count))
    for i in range(count):
        made[i, i] = 1
    return made.sum()


@of_line("names for one of several arrays, as in `c = a if t else b`.", A, 2 * A, 1.0)
def of_one_array(a, b, t):
    c = a if t > 0 else b
    return c.sum()


@of_line("names whose array gets smaller in a loop.", A)
def of_smaller_arrays(a):
    while len(a) > 1:
        a = a[a > a.mean()]
    return len(a)


@of_line(
    "names of arrays of several computed sizes, as after `if count == 0: return np.empty(0)`.", A
)
def of_computed_sizes(a):
    count = np.count_nonzero(a > 2)
    if count == 0:
        return np.empty(0)
    return np.zeros(count)


@of_line(
    "a buffer that a branch in a loop replaces when it is full, and other arrays "
    "that get longer in "
    "a loop.", A,
)  # fmt: skip
def of_buffers(a):
    buffer, count = np.empty(2), 0
    for x in a:
        if count == len(buffer):
            longer = np.empty(2 * len(buffer))
            longer[:count] = buffer
            buffer = longer
        buffer[count] = x
        count += 1
    return buffer[:count]


@of_line(
    "an array that changes, and is used under another name that a branch or a loop may have given "
    "it.", A, 1.0,
)  # fmt: skip
def of_changed_names(a, t):
    b = np.zeros(6)
    c = a if t > 0 else b
    c[0] = 7.0
    b = c if t > 2 else b
    b[1] = 5.0
    return a, b, c


@of_line(
    "new arrays lie in the order of C, also where NumPy keeps the order of Fortran: elements are "
    "the same.", M,
)  # fmt: skip
def of_orders(m):
    return m.T + 1


# ---- loops and branches -------------------------------------------------------------------------


@of_line(
    "`while`, and `for` over `range`, arrays, lists, `np.ndindex`, `np.ndenumerate` and `a.flat`.",
    M,
)
def of_loops(m):
    total, count = 0.0, 0
    while count < 3:
        count += 1
    for i, j in np.ndindex(m.shape):
        total += m[i, j] * i
    for (i, _), x in np.ndenumerate(m):
        total += x * i
    for x in m.flat:
        total += x
    return total + count


@of_line("`zip`, `enumerate` and `reversed` of these; `itertools.product` of ranges.", A)
def of_builtins(a):
    total = 0.0
    for i, (x, y) in enumerate(zip(a, reversed(a))):  # noqa: B905
        total += i * x - y
    for i, j in itertools.product(range(len(a)), range(5)):
        total += a[i] * j
    return total


@of_line(
    "`itertools.combinations` of up to 4 items, and `itertools.permutations` of up to 12.", A, 4
)
def of_permutations(a, n):
    total = 0.0
    for x, y in itertools.combinations(a, 2):
        total += x * y
    for i, j, k in itertools.combinations(range(len(a)), 3):
        total += a[i] * a[j] - k
    for p in itertools.permutations(range(n)):
        total = total * 2 % 97 + a[p[0]] - a[p[1]] * a[p[-1]]
    for x, y in itertools.permutations([1, 3, 5, 7, 2], 2):
        total = total * 2 % 97 + x * y
    return total


@of_line(
    "`if`, `break`, `continue`, `return`, `and`, `or`, `in`, `assert` and conditional expressions.",
    A,
)
def of_branches(a):
    assert a[0] < 9
    total = 0.0
    for x in a:
        if x in (1, 2) or (x > 3 and x < 4):
            continue
        if x > 4.5:
            break
        total += x if x > 1 else 1
    return total


@of_line("`try`, and `with np.errstate(...)` that ignores or warns.", A)
def of_handlers(a):
    total = 0.0
    with np.errstate(divide="ignore"):
        for i in range(1, len(a)):
            try:
                total += a[i] / a[i - 1 or 1]
            except IndexError:
                total = -1.0
    return total


@of_line(
    "names and results that are an integer at one time and a float at another, as "
    "after `best = np.inf`.",
    N,
)
def of_two_types(a):
    best = np.inf
    for i in range(len(a)):
        if i * 3 % 8 < best:
            best = i * 3 % 8
    return best


@of_line(
    "numbers that some paths alone assign to a name, as beside a `return`; Python runs calls that "
    "read another.",
    A,
)
def of_some_paths(a):
    if a[0] > 2:
        factor = a[0]
    elif a[1] > 9:
        return 0.0
    else:
        factor = 2.5
    return factor * a[2]


@of_line("names and results that are complex at one time, and a float or an integer at another.", A)
def of_complex(a):
    total = 0
    for x in a:
        total = total + 1j if x > 2 else total + 1
    return total


@of_line(
    "names and results that are a number, a tuple or an array at one time, and `None` at another.",
    N,
)
def of_none(a):
    for i in range(len(a)):
        if a[i] > 5:
            return i, a[i]
    return None


@of_line("results that are a tuple at one time, and a number or `None` at another.", N)
def of_numbers_or_tuples(a):
    last = 0.5
    for i in range(len(a)):
        if a[i] % 2:
            last = i, a[i]
    for i in range(len(a)):
        if a[i] > 5:
            return i, last
    return -1


@of_line(
    "names of numbers of several types none of which holds the others; results that are a number "
    "or an array.",
    N,
)
def of_numbers_or_arrays(a):
    return -1 if a[0] > 5 else a + 1


@of_line("another `with`, generators, and a call that reaches a `raise`.", A)
def of_generators(a):
    def doubled():
        for x in a:
            yield 2 * x

    return sum(doubled())


# ---- lists, dictionaries, sets and queues -------------------------------------------------------


@of_line(
    "comprehensions of numbers, of arrays of one shape, and of lists or tuples of "
    "these, also with `if`.",
    A,
)
def of_comprehensions(a):
    return [x for x in a if x > 1], [a * x for x in a], [(x, 2 * x) for x in a], [[x, x] for x in a]


@of_line(
    "lists of these that loops append to, take from, reverse or change items of, "
    "also as heaps of `heapq`.",
    N,
)
def of_lists(a):
    items, heap = [], []
    for x in a:
        items.append(x * 3 % 5)
        heapq.heappush(heap, x * 5 % 8)
    items.reverse()
    items[0] = 7
    while len(items) > 4:
        heapq.heappush(heap, items.pop())
    return items, heapq.heappop(heap)


@of_line(
    "`sorted` and `sort` of numbers and tuples, also with `key`; `insert`, `remove`, "
    "`index` and `count` of lists.",
    N,
)
def of_sorted_lists(a):
    items = sorted([(x * 3 % 5, x) for x in a], key=lambda pair: -pair[1])
    numbers = [x * 3 % 7 for x in a]
    numbers.sort()
    numbers.insert(1, 3)
    numbers.remove(3)
    return items, numbers, numbers.index(4), numbers.count(0)


@of_line(
    "`min` and `max` with `key` and `default`; `functools.reduce`; `dict` of pairs, "
    "and of a dictionary.",
    N,
)
def of_best_items(a):
    places = dict(dict([(x * 3 % 5, i) for i, x in enumerate(a)]))
    total = functools.reduce(lambda x, y: x * 3 % 7 + y, a)
    return max(places, key=places.get), min((x for x in a if x > 9), default=-1), total


@of_line("comprehensions with several `for`; comprehensions of sets and dictionaries.", N)
def of_several_loops(a):
    rows = [[x, y] for x in a if x > 4 for y in a if y > x]
    counts = {x: len({y % 3 for y in a if y > x}) for x in a}
    return [x for row in rows for x in row], counts


@of_line("comprehensions over lists and dictionaries whose number of items is computed.", N)
def of_computed_numbers(a):
    items = [x for x in a if x % 3]
    return [2 * x for x in items]


@of_line("`+` and `*` of lists, `+=`, `*=`, and `del` of an item.", N)
def of_added_lists(a):
    items = [x for x in a if x > 2] + [1] * 3
    for x in a:
        items += [x]
    items *= 2
    del items[0]
    return items


@of_line(
    "lists of lists of several lengths, which may grow, be exchanged, and have several names.", N
)
def of_rows(a):
    rows = [[] for _ in range(8)]
    for x in a:
        rows[x * 3 % 5].append(x)
    rows[0], rows[1] = rows[1], rows[0]
    last = rows[-1]
    last.append(3)
    return [len(row) for row in rows]


@of_line("tables, as `t = [[0] * n for _ in range(m)]` with `t[i][j] = x` in loops.", N)
def of_tables(a):
    table = [[0] * 8 for _ in range(9)]
    for i in range(8):
        for j in range(8):
            table[i + 1][j] = table[i][a[j]] + i * j
    return table[8]


@of_line("`collections.deque` of numbers and tuples.", N)
def of_queues(a):
    queue, total = collections.deque([(0, 1)]), 0
    while queue:
        x, y = queue.popleft()
        total = total * 2 + y
        if x + 1 < len(a):
            queue.append((x + 1, a[x]))
    return total


@of_line(
    "sets and dictionaries of integers, or of tuples of integers, with numbers, "
    "tuples of numbers or lists as values.",
    N,
)
def of_hash_tables(a):
    seen, counts, groups = set(), {}, {}
    for x in a:
        seen.add((x % 3, x % 2))
        counts[x % 3] = counts.get(x % 3, 0) + 1
        groups.setdefault(x % 3, []).append(x)
    return len(seen), counts, len(groups[1])


@of_line(
    "`del d[key]`, `pop`, `remove`, `discard` and `clear` of these, as long as they "
    "have up to 1,024 keys.",
    N,
)
def of_keys_taken(a):
    counts, seen = {}, set()
    for x in a:
        counts[x] = 2 * x
        seen.add(x)
        if x % 3 == 2:
            del counts[x]
            counts.pop(x - 1)
            seen.remove(x)
            seen.discard(x + 9)
    total = len(counts) * 10 + len(seen)
    counts.clear()
    return total + len(counts)


@of_line(
    "`get` of such dictionaries, also without a default, where the result is `None` "
    "for what is missing.",
    N,
)
def of_missing_keys(a):
    places, total = {}, 0
    for i in range(len(a)):
        place = places.get(a[i] * 3 % 5)
        if place is not None:
            total += place
        places[a[i] * 3 % 5] = i
    return total


@of_line("computed indices of lists of computed numbers.", N, 3)
def of_computed_indices(a, n):
    parts, total = [n, 2 * n, n * n], 0
    for x in a:
        total = total * 3 % 101 + parts[x % 3]
    return total


@of_line(
    "`d[i] = x` at a computed index of a list that is written out or repeated, as `d = [0] * n`.",
    N,
    3,
)
def of_items_at_computed_indices(a, n):
    counts, ends = [0] * 5, [n, 2, 3]
    counts[n] = a[0]
    ends[n - 2] += 4
    return counts, ends


@of_line(
    "computed keys of constant tuples, and of constant dictionaries with integers as "
    "keys, also by `get`.",
    N,
)
def of_constant_keys(a):
    steps, costs, total = (3, 1, 2), {0: 5, 2: 7}, 0
    for x in a:
        total += steps[x % 3] + costs.get(x, 1)
    return total


@of_line(
    "lists of arrays of several shapes that a loop of more than 16 iterations makes.", np.arange(20)
)
def of_shapes(a):
    rows = []
    for i in range(len(a)):
        rows.append(np.zeros(i) + a[i])
    return sum(row.sum() for row in rows)


@of_line(
    "arrays that change while they are in a list; lists and dictionaries from outside that change.",
    A,
)
def of_outer_lists(a):
    for x in a:
        TOTALS[0] += x


@of_line("lists of lists of lists; lists of lists of arrays of several shapes.", N)
def of_deep_lists(a):
    cubes = []
    for x in a:
        cubes.append([[x], [x, x]])
    return len(cubes)


@of_line("dictionaries of arrays or `None`; sets and dictionaries with floats as keys.", A)
def of_float_keys(a):
    counts = {}
    for x in a:
        counts[x] = 1
    return len(counts)


# ---- indices, functions and classes -------------------------------------------------------------


@of_line(
    "integers, members of an `IntEnum`, index arrays and masks, on both sides of assignments.",
    A,
    N[:3],
)
def of_indices(a, places):
    a[Kind.LOW] = a[0] + 2
    a[places] = a[places] * 2
    a[a > 4] = 4
    return a[a > 3]


@of_line("slices with fixed or computed bounds and steps, on both sides of assignments.", A)
def of_slices(a):
    for i in range(1, len(a)):
        a[i] -= a[:i] @ a[:i]
        a[i::2] += a[1]
    return a


@of_line(
    "sorting what a mask or a computed slice chose of more than 64 elements.", np.arange(100.0)
)
def of_sorted_masks(a):
    for i in range(3):
        a[: len(np.sort(a[a > i]))] += 1
    return a


@of_line(
    "the user's functions, also lambdas and functions defined inside; other `jit` functions.", A
)
def of_user_functions(a):
    double = lambda x: x * 2  # noqa: E731
    return scaled(a) + double(a)


@of_line(
    "functions defined inside that read and change lists, sets and dictionaries of "
    "the function around.",
    N,
)
def of_inner_functions(a):
    seen = set()

    def is_new(x):
        if x in seen:
            return False
        seen.add(x)
        return True

    count = 0
    for x in a:
        if is_new(x * 3 % 5):
            count += 1
    return count


@of_line(
    "methods and operators of arrays; `ufunc.at` and `reduceat` of vectors; "
    "`ufunc.accumulate` and `outer`.",
    A,
    N[:3],
)
def of_methods(a, places):
    np.add.at(a, places, 1.0)
    return a.cumsum(), np.maximum.accumulate(a), np.multiply.outer(a, a), np.add.reduceat(a, places)


@of_line("the functions of `math` and `cmath`; `round(x, places)`.", A)
def of_mathematics(a):
    total = 0.0
    for x in a:
        total += round(math.sin(x) + cmath.exp(x * 1j).real, 2)
    return total


@of_line("the functions of NumPy [below](#functions-of-numpy).", A)
def of_numpy(a):
    return np.where(a > 2, np.sqrt(a), 0).sum()


@of_line(
    "objects of the user's classes that are made inside, whose attributes are set, "
    "and which may be returned.",
    A,
)
def of_objects(a):
    total = Point(0.0, 1.0)
    for x in a:
        total.x += x
    return total.x, total.y


@of_line(
    "new objects in each iteration, and names that are one of several objects which do not change.",
    A,
)
def of_new_objects(a):
    last, total = Point(0.0, 0.0), 0.0
    for x in a:
        point = Point(x, last.x)
        total += point.x * point.y
        last = point
    return total


@of_line(
    "special methods such as `__add__` and `__lt__` that are expressions, and call "
    "no more than the class.",
    A,
)
def of_special_methods(a):
    total = Point(0.0, 0.0)
    for x in a:
        total = total + Point(x, 1.0)
    return total.x, total < Point(1.0, 0.0)


@of_line(
    "classes with `__slots__`, or with special methods that call functions or change an object.", A
)
def of_slots(a):
    return Slotted(a[0]).x + 1


@of_line(
    "classes with `__slots__`, or with special methods that call functions or change an object.", A
)
def of_changing_methods(a):
    return (Noisy(1) + a[1]).x


@of_line("`print`, files, functions of libraries that take functions.", A)
def of_printing(a):
    print(a[0])


@of_line(
    "attributes of objects from outside that the function sets, and assignments to globals.", A
)
def of_globals(a):
    global LATEST  # noqa: PLW0603
    LATEST = a[0]


# NumPy runs such calls of a function that is native.
OF_CALLS = {"arrays that share memory, where one of them changes."}


# ---- the page -----------------------------------------------------------------------------------


def lines_of_the_page() -> dict[str, bool]:
    """The lines on constructs, and whether they are of native ones."""
    rows = (line[4:].split(":** ", 1) for line in PAGE.read_text("utf-8").splitlines()
            if line.startswith("- **"))  # fmt: skip
    return {text: mark != "Run by NumPy" for mark, text in rows}


def outcome(function, args):
    """The result, and the arguments afterwards; equal ones are one object."""
    args = copy.deepcopy(args)
    result = function(*args)
    return result, [list(each.values()) if type(each) is dict else each for each in args]


# ---- recursion ----------------------------------------------------------------------------------


@of_line(
    "functions that call themselves where computed values decide, also several that call one "
    "another.", 6,
)  # fmt: skip
def of_mutual_recursion(n):
    def first(n):
        return 1 if n <= 0 else n - second(first(n - 1))

    def second(n):
        return 0 if n <= 0 else n - first(second(n - 1))

    return first(n)


@of_line(
    "functions defined inside that assign numbers of the function around, which are `nonlocal`.", N
)
def of_numbers_around(n):
    total, last = 0, 0.5

    def add(x):
        nonlocal total, last
        total += x
        if x > 2:
            last = x * 2

    for x in n:
        add(x)
    return total, last


@of_line("arguments and results that are real numbers, `None`, or tuples of these.", N, 3)
def of_tuples_by_recursion(n, least):
    def found(i):
        return None if i < 0 or n[i] == least else (n[i], i) if n[i] < 5 else found(i - 1)

    return found(7)


@of_line(
    "arrays, lists, sets, dictionaries and tables around such a function, which it reads and "
    "changes.", M, N,
)  # fmt: skip
def of_state_by_recursion(grid, n):
    path, table, seen = [], [[0] * 3 for _ in range(3)], set()

    def walk(i, j):
        if 0 <= i < 3 and 0 <= j < 3 and grid[i, j] >= 0 and (i, j) not in seen:
            seen.add((i, j))
            table[i][j] = len(path)
            path.append(i * n[3] + j)
            grid[i, j] = -1.0
            walk(i + 1, j)
            walk(i, j + 1)

    walk(n[0], 0)
    return path, table, len(seen)


@of_line(
    "numbers around such a function, which it or one that it calls assigns, as `nonlocal count`.",
    N, 12,
)  # fmt: skip
def of_numbers_around_recursion(n, limit):
    count, most = 0, 0

    def note(total):
        nonlocal most
        most = max(most, total)

    def walk(i, total):
        nonlocal count
        if total > limit:
            return
        if i == len(n):
            count += 1
            note(total)
            return
        walk(i + 1, total + n[i])
        walk(i + 1, total)

    walk(0, 0)
    return count, most


@of_line(
    "a function that calls itself with another array or list each time, as with `a[:k]`, or "
    "returns a new one.", N,
)  # fmt: skip
def of_parts_by_recursion(n):
    def least(part):
        if part[0] < 1 or len(part) == 1:
            return part[0]
        return min(least(part[: len(part) // 2]), least(part[1:]))

    return least(n[n > 0])


def test_each_line_of_the_page_has_a_program():
    assert PROGRAMS.keys() == lines_of_the_page().keys()


@pytest.mark.parametrize("line", PROGRAMS)
def test_a_line_says_what_is_native(line):
    before = ag.config.get_kernel_compiler()
    ag.config.set_kernel_compiler("python")
    try:
        for program, args in PROGRAMS[line]:
            compiled = ag.jit(program)
            assert_same(outcome(compiled, args), outcome(program, args))
            is_told = lines_of_the_page()[line] or line in OF_CALLS
            assert is_native(compiled) == is_told, compiled.inspect()
    finally:
        ag.config.set_kernel_compiler(before)
