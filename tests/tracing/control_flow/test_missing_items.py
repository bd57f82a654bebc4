"""Items and attributes that a staged statement may have set: used, they are checked."""

import collections
import json
from collections import deque

import pytest
from execution_modes import pinned
from language_kit import assert_staged_alike, plain

import allograph as ag


class Record:
    pass


def in_a_loop(n):
    d = {"n": n}
    for i in ag.range(n):
        d["last"] = i
    return d


def on_one_side(x):
    d = {"x": x}
    if x > 0:
        d["extra"] = x
    return d


def deleted_on_one_side(x):
    d = {"x": x, "extra": x}
    if x <= 0:
        del d["extra"]
    return d


def attribute_in_a_loop(n):
    record = Record()
    for i in ag.range(n):
        record.last = i
    return record


READS = {
    "the item": lambda d: d["last"],
    "arithmetic": lambda d: d["last"] + 1,
    "reflected arithmetic": lambda d: 1 - d["last"],
    "a comparison": lambda d: d["last"] > 1,
    "the length": lambda d: len(d),
    "the keys": lambda d: len(list(d)),
    "a loop over the items": lambda d: [v for _, v in d.items()],
    "get without a default": lambda d: d.get("last"),
    "the truth of another item": lambda d: 1 if d else 0,
    "a copy": lambda d: dict(d),
    "a structure": lambda d: [(d, 1)],
    "a function of a tensor": lambda d: ag.square(d["last"]),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS.keys())
def test_an_item_that_only_a_loop_sets_is_checked_wherever_it_is_used(read):
    @ag.function
    def f(n):
        d = in_a_loop(n)
        del d["n"]
        return read(d)

    assert plain(f(ag.constant(3))) == plain(read({"last": ag.constant(2)}))
    with pytest.raises(UnboundLocalError, match=r"cannot read d\['last'\].*the loop did not run"):
        f(ag.constant(0))


def test_an_attribute_that_only_a_loop_sets_is_checked():
    f = ag.function(lambda n: attribute_in_a_loop(n).last * 2)
    assert int(f(ag.constant(3))) == 4
    with pytest.raises(UnboundLocalError, match="cannot read record.last"):
        f(ag.constant(0))


@pytest.mark.parametrize("ask", [hasattr, lambda o, name: getattr(o, name, 7)])
def test_whether_an_attribute_exists_is_answered_when_the_graph_runs(ask):
    f = ag.function(lambda n: ask(attribute_in_a_loop(n), "last"))
    record = Record()
    without = ask(record, "last")
    record.last = 2
    assert [plain(f(ag.constant(n))) for n in (0, 3)] == [without, ask(record, "last")]


@pytest.mark.parametrize("make", [on_one_side, deleted_on_one_side])
def test_an_item_on_one_side_of_an_if_is_refused_at_the_line_that_uses_it(make):
    with pytest.raises(UnboundLocalError, match=r"cannot read d\['extra'\].*only where its test"):
        ag.function(make)(ag.constant(1))


def test_an_item_that_is_replaced_before_it_is_used_needs_no_check():
    @ag.function
    def f(x):
        d = on_both(x)
        return d["extra"] + len(d)

    def on_both(x):
        d = {"x": x}
        if x > 0:
            d["extra"] = x
        d["extra"] = 7
        return d

    assert [int(f(ag.constant(x))) for x in (1, -1)] == [9, 9]


def test_an_item_that_nothing_uses_is_not_checked():
    @ag.function
    def f(n):
        scratch, total = {}, 0
        for i in ag.range(n):
            scratch["twice"] = i * 2
            total += scratch["twice"]
        return total

    assert [int(f(ag.constant(n))) for n in (0, 3)] == [0, 6]


def test_a_later_loop_sets_what_an_earlier_one_may_have_set():
    @ag.function
    def f(n, m):
        d = {}
        for i in ag.range(n):
            d["last"] = i
        for i in ag.range(m):
            d["last"] = i * 10
        return d["last"]

    def call(n, m):
        return int(f(ag.constant(n), ag.constant(m)))

    assert [call(3, 0), call(0, 3), call(2, 2)] == [2, 20, 10]
    with pytest.raises(UnboundLocalError, match=r"d\['last'\]"):
        call(0, 0)


def test_the_next_trace_starts_without_what_the_last_one_left():
    record = Record()

    @ag.function
    def f(n):
        for i in ag.range(n):
            record.last = i
        return record.last

    assert int(f(ag.constant(3))) == 2
    assert int(f(ag.constant(3, ag.int64))) == 2


def test_a_structure_that_only_a_loop_makes_is_checked():
    @ag.function
    def f(n):
        for i in ag.range(n):
            row = {"i": i}
        return {"row": row}

    assert plain(f(ag.constant(3))) == {"row": {"i": 2}}
    with pytest.raises(UnboundLocalError, match="'row'"):
        f(ag.constant(0))


def test_an_object_that_only_a_loop_makes_is_checked():
    @ag.function
    def f(n):
        for _ in ag.range(n):
            mode = None
        return 1 if mode is None else 2

    assert int(f(ag.constant(1))) == 1
    with pytest.raises(UnboundLocalError, match="'mode'"):
        f(ag.constant(0))


# ---- containers that a function changes, and those whose content is no state --------------


def add(stats, value):
    stats["sum"] = stats["sum"] + value


def test_what_a_function_changes_in_a_loop_is_carried():
    @ag.function
    def f(n):
        stats = {"sum": ag.constant(0)}
        for i in ag.range(n):
            add(stats, i)
        return stats["sum"]

    assert [int(f(ag.constant(n))) for n in (0, 4)] == [0, 6]


def test_what_a_function_changes_in_a_branch_stays_in_the_branch():
    @ag.function
    def f(x):
        stats = {"sum": x}
        if x > 0:
            if x > 5:
                add(stats, 10)
        return stats["sum"]

    assert [int(f(ag.constant(x))) for x in (-1, 3, 6)] == [-1, 3, 16]


def test_what_a_function_changes_in_an_unrolled_loop_stays_in_the_branch():
    @ag.function
    def f(x):
        stats = {"sum": x}
        for k in [1, 2]:
            if x > k:
                add(stats, k)
            if x > 5:
                stats["sum"] += 1
                if x > 6:
                    add(stats, 100)
        return stats["sum"]

    assert [int(f(ag.constant(x))) for x in (0, 2, 3, 6, 7)] == [0, 3, 6, 11, 212]


def test_what_an_inner_function_changes_in_its_own_branch_stays_there():
    @ag.function
    def f(x):
        rows = {"n": x}

        def inner():
            if x > 0:
                rows.update(n=x * 2)

        inner()
        return rows["n"]

    assert [int(f(ag.constant(x))) for x in (-1, 3)] == [-1, 6]


def test_a_name_that_some_iterations_of_an_unrolled_loop_set_is_checked():
    @ag.function
    def f(x):
        for k in [1, 2, 3]:
            if x == k:
                found = k * 10
        return found

    assert int(f(ag.constant(2))) == 20
    with pytest.raises(UnboundLocalError, match="'found'"):
        f(ag.constant(7))


@pytest.mark.parametrize("change", [lambda d: d.update(new=1), lambda d: d.pop("sum")])
def test_a_function_that_changes_the_keys_in_a_branch_is_refused(change):
    @ag.function
    def f(x):
        stats = {"sum": x}
        if x > 0:
            change(stats)
        return stats

    with pytest.raises(TypeError, match="'stats' is the dict"):
        f(ag.constant(1))


@pytest.mark.parametrize(
    "make, change",
    [(set, set.add), (deque, deque.append), (bytearray, bytearray.append)],
    ids=["set", "deque", "bytearray"],
)
def test_a_set_or_deque_that_a_branch_changes_is_refused(make, change):
    @ag.function
    def f(x):
        seen = make()
        if x > 0:
            change(seen, 1)
        return len(seen)

    with pytest.raises(TypeError, match="'seen' is"):
        f(ag.constant(1))


def test_a_set_that_is_only_read_in_a_branch_is_no_state():
    @ag.function
    def f(x):
        names = {"a", "b"}
        if x > 0:
            x = x + len(names)
        return x

    assert int(f(ag.constant(1))) == 3
    assert json.dumps(plain(f(ag.constant(-1)))) == "-1"


def deleted_item(n):
    d = {}
    for i in ag.range(n):
        d["v"] = i
        if i > 1:
            del d["v"]
    return d.get("v", -5)


def deleted_name(n):
    for i in ag.range(n):
        v = i
        if i > 1:
            del v
    return v


@pytest.mark.parametrize("program", [deleted_item, deleted_name])
def test_what_some_iterations_delete_is_refused(program):
    with pytest.raises(TypeError, match="is deleted in some iterations"):
        ag.function(program)(ag.constant(3))


def test_what_every_iteration_deletes_is_local_to_it():
    @ag.function
    def f(n):
        total = 0
        for i in ag.range(n):
            v = i
            if i > 1:
                v = v + 1
            total += v
            del v
        return total

    assert int(f(ag.constant(4))) == 8


@pytest.mark.parametrize("always", [True, False])
def test_an_item_from_before_a_loop_that_the_loop_deletes_is_refused(always):
    @ag.function
    def f(n):
        d = {"v": n}
        for i in ag.range(n):
            if always or i > 1:
                d.pop("w", 0)
                del d["v"]
        return d.get("v", -5)

    with pytest.raises(TypeError, match=r"'d(\['v'\])?'"):
        f(ag.constant(3))


def test_an_attribute_that_two_statements_may_set_is_followed_through_a_third():
    @ag.function
    def f(x):
        record = Record()
        if x > 1:
            record.extra = x
        if x > 2:
            record.extra = 5
        for i in ag.range(x):
            if i > 1:
                x = x + 1
        return x

    assert [int(f(ag.constant(x))) for x in (0, 2, 4)] == [0, 2, 6]


def test_an_item_that_leaked_from_a_loop_is_a_tensor_without_a_value():
    box = {}

    @ag.function
    def f(n):
        for i in ag.range(n):
            box["x"] = i * 2
        return n

    f(ag.constant(3))
    assert box["x"].dtype == ag.int32
    with pytest.raises(AttributeError, match="numpy"):
        box["x"].numpy()
    with pytest.raises(TypeError, match="out of scope"):
        box["x"] + 1


def test_deleting_what_may_be_missing_is_refused():
    @ag.function
    def f(x):
        d = {"v": x}
        for k in [1, 2]:
            if x > k:
                del d["v"]
        return x

    with pytest.raises(UnboundLocalError, match=r"cannot read d\['v'\]"):
        f(ag.constant(3))


# ---- questions about items ---------------------------------------------------------------


def counted(x):
    counts = {}
    for _ in range(x):
        counts["n"] = counts.get("n", 0) + 1
    return counts.get("n", -1)


def begun_where_it_is_missing(x):
    sums = {}
    for i in range(x):
        if "n" not in sums:
            sums["n"] = 10
        sums["n"] += i
    return sums["n"] if "n" in sums else -1


def the_largest_so_far(x):
    record = Record()
    for i in range(x):
        if not hasattr(record, "best") or i % 3 > record.best:
            record.best = i % 3
    return getattr(record, "best", -1)


def counted_in_a_loop_in_a_loop(x):
    counts = {}
    for i in range(x):
        for j in range(i):
            counts["n"] = counts.get("n", 0) + j
    return counts.get("n", -1)


def asked_after_a_branch_of_the_loop(x):
    found = {}
    for i in range(x):
        if i > 1:
            found["n"] = i
        if "n" in found:
            found["n"] += 10
    return found.get("n", -1)


def asked_after_a_branch(x):
    found = {"x": x}
    if x > 1:
        found["n"] = x
    return found.get("n", -1), 1 if "n" in found else 0


@pytest.mark.parametrize(
    "program",
    [
        counted, begun_where_it_is_missing, the_largest_so_far, counted_in_a_loop_in_a_loop,
        asked_after_a_branch_of_the_loop, asked_after_a_branch,
    ],
)  # fmt: skip
def test_a_question_about_an_item_is_answered_in_each_iteration(program):
    assert_staged_alike(program, (0,), (1,), (2,), (5,))


def test_the_items_of_a_dictionary_are_not_counted_in_a_loop_that_adds_one():
    @ag.function
    def f(n):
        found = {}
        for i in ag.range(n):
            found["n"] = i + len(found)
        return found["n"]

    with pytest.raises(UnboundLocalError, match=r"cannot read found\['n'\]"):
        f(ag.constant(2))


@pytest.mark.parametrize("native", [False, True])
def test_a_read_is_checked_even_if_nothing_uses_the_value(native):
    @ag.function(**pinned(native))
    def f(n):
        for i in ag.range(n):
            last = i
        unused = last + 1  # noqa: F841
        return n

    assert int(f(ag.constant(2))) == 2
    with pytest.raises(UnboundLocalError, match="'last'"):
        f(ag.constant(0))


class Zero(dict):
    def __missing__(self, key):
        return 0


def default_after_a_branch(n):
    counts = collections.defaultdict(int)
    if n > 0:
        counts["k"] += 7
    return counts.get("k", 5), counts["k"], counts["k"]


def default_after_a_loop(n):
    counts = collections.Counter()
    for i in range(n):
        if i > 0:
            counts["k"] += i
        counts["j"] += counts["k"]
    return counts["k"], counts["j"], counts["z"]


def default_without_an_item(n):
    counts = Zero()
    for _ in range(n):
        counts["k"] = counts["k"] + 2
    return counts["k"] + 100 if "k" in counts else counts["k"]


@pytest.mark.parametrize(
    "program", [default_after_a_branch, default_after_a_loop, default_without_an_item]
)
def test_an_item_that_is_missing_has_the_default_of_its_dictionary(program):
    assert_staged_alike(program, (0,), (1,), (3,))


def test_no_item_is_made_where_none_was_set():
    @ag.function
    def f(n):
        counts = collections.defaultdict(int)
        for _ in range(n):
            counts["k"] += 7
        return len(counts)

    assert plain(f(ag.constant(2))) == 1
    with pytest.raises(ag.errors.InvalidArgumentError, match=r"counts\['k'\], which is missing"):
        f(ag.constant(0))
