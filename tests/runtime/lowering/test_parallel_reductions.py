"""Loops whose turns only reduce what they carry are shared, and give what they give in turn."""

import numpy as np
import pytest
from example_counts import examples
from execution_modes import pinned
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("llvmlite")

import allograph as ag
from allograph.runtime.core import thresholds

pytestmark = pytest.mark.slow
set_threads = ag.config.threading.set_intra_op_parallelism_threads
COUNTS = (0, 1, 2, 3, 127, 128, 129, 1000)
LOWEST, HIGHEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


@pytest.fixture(autouse=True)
def two_turns_are_enough(monkeypatch):
    monkeypatch.setattr(thresholds, "PARALLEL_FROM", 0)
    yield
    set_threads(0)


def integers(seed=0, low=-50, high=50, size=1000, dtype=np.int64):
    return ag.constant(np.random.default_rng(seed).integers(low, high, size).astype(dtype))


def floats(seed=0, size=1000):
    """Few different ones, so that there are ties; NaN and both zeros among them."""
    values = np.array([-1.5, -0.0, 0.0, 1.0, 2.5, np.nan, 3.0, 3.0])
    return ag.constant(np.random.default_rng(seed).choice(values, size))


def text_of(function, *arguments):
    return function.get_concrete_function(*arguments).kernels()[0].source


def bits(tensors):
    return [one.numpy().tobytes() for one in ag.nest.flatten(tensors)]


def agree(native, plan, *arguments):
    """One and two threads give the bits of the plan."""
    expected = bits(plan(*arguments))
    for number in (1, 2):
        set_threads(number)
        assert bits(native(*arguments)) == expected


def shared_text(body, x, *others, counts=COUNTS):
    """The text of a shared loop, which agrees with the plan for each number of turns, and for other
    arrays of the same type.
    """
    native, plan = (ag.function(body, **pinned(choice)) for choice in (True, False))
    for count in counts:
        for one in (x, *others):
            agree(native, plan, one, ag.constant(count))
    text = text_of(native, x, ag.constant(counts[-1]))
    assert "run_region(" in text
    return text


def in_turn_text(body, *arguments):
    """The text of a loop that is not shared."""
    native, plan = (ag.function(body, **pinned(choice)) for choice in (True, False))
    agree(native, plan, *arguments)
    text = text_of(native, *arguments)
    assert "run_region(" not in text
    return text


# ---- reductions --------------------------------------------------------------------------------

STEPS = {
    "sum": lambda total, x: total + x,
    "sum, the other way": lambda total, x: x + total,
    "difference": lambda total, x: total - x,
    "product": lambda total, x: total * (2 * x + 1),
    "largest": ag.maximum,
    "smallest": ag.minimum,
    "and": lambda total, x: total & (x | 8),
    "or": lambda total, x: total | (x & 8),
    "exclusive or": lambda total, x: total ^ x,
    "selected": lambda total, x: ag.where(x > 0, total + x, total),
}


@pytest.mark.parametrize("dtype", [np.int64, np.int8], ids=["int64", "int8"])
def test_reductions_of_integers_are_put_together_from_chunks(dtype):
    def reduced(x, n):
        totals = tuple(ag.constant(np.array(5, dtype)) for _ in STEPS)
        for i in ag.range(n):
            pairs = zip(STEPS.values(), totals, strict=True)
            totals = tuple(step(total, x[i]) for step, total in pairs)
        return totals

    shared_text(reduced, integers(dtype=dtype))


def test_a_sum_that_only_some_turns_change():
    def counted(x, n):
        hits, total = 0, ag.constant(0, ag.int64)
        for i in ag.range(n):
            if x[i] % 3 == 0:
                hits += 1
                if x[i] > 7:
                    total -= x[i]
            else:
                total += 2
        return hits, total

    shared_text(counted, integers())


def test_a_sum_in_an_inner_loop():
    def pairs(x, n):
        count = 0
        for i in ag.range(n):
            for j in ag.range(i):
                if x[i] == x[j]:
                    count += 1
        return count

    shared_text(pairs, integers(), counts=(0, 1, 2, 130))


def test_a_number_that_inner_loops_only_hand_on():
    def smallest(x, n):
        least = ag.constant(100, ag.int64)
        for i in ag.range(n):
            for _ in ag.range(n % 5):
                for _ in ag.range(i % 4):
                    least = ag.minimum(least, least)
            least = ag.minimum(least, x[i])
        return least

    shared_text(smallest, integers())


def test_booleans_that_are_set_or_taken_back():
    def found(x, n):
        some = ag.constant(False)
        every, seen, odd = ag.constant(True), ag.constant(False), ag.constant(False)
        for i in ag.range(n):
            some = some or x[i] == 49
            every = every and x[i] < 49
            odd = ag.logical_xor(odd, x[i] > 0)
            if x[i] == 48:
                seen = True
        return some, every, seen, odd

    shared_text(found, integers())


@pytest.mark.parametrize(
    "step",
    [
        lambda total, x, i: total + ag.cast(x, ag.float64),
        lambda total, x, i: ag.maximum(total, ag.cast(x, ag.float64)),
        lambda total, x, i: total // 2.0 + 1.0,
    ],
    ids=["sum", "largest", "halves"],
)
def test_floats_are_reduced_in_turn(step):
    def reduced(x, n):
        total = ag.constant(0.0, ag.float64)
        for i in ag.range(n):
            total = step(total, x[i], i)
        return total

    in_turn_text(reduced, integers(), ag.constant(1000))


@pytest.mark.parametrize("kind", ["read", "mixed", "in the test", "another reads it"])
def test_a_number_that_the_body_reads_is_reduced_in_turn(kind):
    def reduced(x, n):
        total, other = ag.constant(1, ag.int64), ag.constant(0, ag.int64)
        for i in ag.range(n):
            if kind == "read":
                total += total % 7
            elif kind == "mixed":
                total = total * 3 + x[i]
            elif kind == "in the test":
                if total < 100:
                    total += x[i]
            else:
                total += x[i]
                other = ag.maximum(other, total)
        return total, other

    in_turn_text(reduced, integers(), ag.constant(1000))


# ---- choices -----------------------------------------------------------------------------------

COMPARISONS = {
    ">": lambda x, best: x > best,
    ">=": lambda x, best: x >= best,
    "<": lambda x, best: x < best,
    "<=": lambda x, best: x <= best,
    "best <": lambda x, best: best < x,
    "best >=": lambda x, best: best >= x,
}
TESTS = tuple(COMPARISONS.values())


@pytest.mark.parametrize("values", [integers, floats])
@pytest.mark.parametrize("name", COMPARISONS)
def test_the_first_or_the_last_of_equal_candidates_wins(name, values):
    wins = COMPARISONS[name]

    def best_of(x, n):
        best, at, other = x[-1], -1, ag.cast(0, x.dtype)
        for i in ag.range(n):
            if wins(x[i], best):
                best, at, other = x[i], i, x[i] + x[0]
        return best, at, other

    x = values().numpy()
    extremes = (-50, -1.5, 49)  # of both types among them
    text = shared_text(best_of, *(ag.constant(np.append(x, x.dtype.type(f))) for f in extremes))
    assert ("|= " in text or " = True" in text) == ("=" in name)


def test_choices_by_selections():
    def best_of(x, n):
        found = tuple((ag.constant(0.0, ag.float64), -1) for _ in COMPARISONS)
        for i in ag.range(n):
            rows = [(wins(x[i], best), best, at) for wins, (best, at) in zip(TESTS, found)]
            found = tuple((ag.where(w, x[i], best), ag.where(w, i, at)) for w, best, at in rows)
        return found

    shared_text(best_of, floats())


def test_nan_as_the_first_best_stays():
    def best_of(x, n):
        best, at = ag.constant(np.nan, ag.float64), -1
        for i in ag.range(n):
            if x[i] >= best:
                best, at = x[i], i
        return best, at

    shared_text(best_of, floats())


def test_integers_may_be_kept_where_the_test_holds():
    def best_of(x, n):
        best, at = ag.constant(0, ag.int64), -1
        for i in ag.range(n):
            if x[i] <= best:
                pass
            else:
                best, at = x[i], i
        return best, at

    shared_text(best_of, integers())


def test_floats_kept_where_the_test_holds_would_take_nan():
    def best_of(x, n):
        best = ag.constant(0.0, ag.float64)
        for i in ag.range(n):
            if x[i] <= best:
                pass
            else:
                best = x[i]
        return best

    in_turn_text(best_of, floats(), ag.constant(1000))


@pytest.mark.parametrize("order", ["before", "after", "around"])
def test_a_choice_may_ask_for_more(order):
    def best_of(x, n):
        best, at = ag.constant(0.0, ag.float64), -1
        for i in ag.range(n):
            if order == "before":
                if i % 3 == 1 and x[i] >= best:
                    best, at = x[i], i
            elif order == "after":
                if x[i] >= best and i % 3 == 1:
                    best, at = x[i], i
            elif i % 3 == 1:
                if x[i] >= best:
                    best, at = x[i], i
        return best, at

    shared_text(best_of, floats())


def test_the_nearest_pair_is_found_in_an_inner_loop():
    def nearest(x, n):
        best, a, b = ag.constant(100, ag.int64), -1, -1
        for i in ag.range(n):
            for j in ag.range(i):
                distance = ag.abs(x[i] - x[j])
                if distance <= best:
                    best, a, b = distance, i, j
        return best, a, b

    shared_text(nearest, integers(low=-10000, high=10000), counts=(0, 1, 2, 130))


def test_two_choices_and_a_sum_in_one_loop():
    def summary(x, n):
        low, high, total = ag.constant(40, ag.int64), ag.constant(-40, ag.int64), 0
        low_at = high_at = -1
        for i in ag.range(n):
            if x[i] < low:
                low, low_at = x[i], i
            if x[i] >= high:
                high, high_at = x[i], i
            total += i
        return low, low_at, high, high_at, total

    shared_text(summary, integers())


@pytest.mark.parametrize("kind", ["another candidate", "counted", "only sometimes", "read after"])
def test_what_is_not_a_plain_choice_is_made_in_turn(kind):
    def best_of(x, n):
        best, at, records = ag.constant(0, ag.int64), -1, 0
        for i in ag.range(n):
            if x[i] > best:
                if kind == "another candidate":
                    best, at = x[i] - 1, i
                elif kind == "counted":
                    best, records = x[i], records + 1
                elif kind == "only sometimes":
                    best = x[i]
                else:
                    best, at = x[i], i
            if kind == "only sometimes":
                if x[i] + 3 > best:
                    best, at = x[i] + 3, i
            if kind == "read after":
                records += ag.cast(at, ag.int32)
        return best, at, records

    in_turn_text(best_of, integers(), ag.constant(1000))


# ---- turns -------------------------------------------------------------------------------------

LOOPS = {
    "<": lambda i, end: i < end,
    "<=": lambda i, end: i <= end,
    ">": lambda i, end: i > end,
    ">=": lambda i, end: i >= end,
    "!=": lambda i, end: i != end,
    "end >": lambda i, end: end > i,
}


def from_to(test, step, dtype=np.int64):
    def walked(start, end):
        i, total, last = start, ag.constant(0, ag.int64), start
        while test(i, end):
            total += ag.cast(i, ag.int64) * 3
            last = ag.maximum(last, i)
            i += ag.constant(np.array(step, dtype))
        return i, total, last

    return (ag.function(walked, **pinned(choice)) for choice in (True, False))


@pytest.mark.parametrize(("name", "step"), [("<", 1), ("<=", 7), (">", -1), (">=", -3),
                                            ("!=", 2), ("!=", -2), ("end >", 3)])  # fmt: skip
def test_turns_are_counted_from_anywhere(name, step):
    native, plan = from_to(LOOPS[name], step)
    for start in (-100, -1, 0, 40):
        for turns in (0, 1, 2, 5, 500):
            ends = (
                {start + turns * step}
                if name == "!="
                else {start + turns * step + d for d in (-1, 0, 1)}
            )
            for end in ends:
                agree(native, plan, *map(ag.constant, map(np.int64, (start, end))))
    assert "run_region(" in text_of(native, *map(ag.constant, map(np.int64, (0, 1))))


@pytest.mark.parametrize(("name", "step", "start", "end"), [
    ("<", 1, HIGHEST - 9, HIGHEST), ("<=", 3, LOWEST, LOWEST + 50), (">", -1, LOWEST + 9, LOWEST),
    (">=", -2, HIGHEST, HIGHEST - 300), ("<", 1, HIGHEST, LOWEST), (">", -5, LOWEST, HIGHEST),
    ("!=", 1, HIGHEST - 5, LOWEST + 5), ("<", 1 << 31, -(1 << 38), 1 << 38),
])  # fmt: skip
def test_turns_near_the_ends_of_int64(name, step, start, end):
    native, plan = from_to(LOOPS[name], step)
    agree(native, plan, *map(ag.constant, map(np.int64, (start, end))))


@pytest.mark.parametrize(("name", "step", "start", "end"), [
    ("<", 3, 0, 126), ("<", 3, -128, 125), ("!=", 1, 120, -120), (">", -1, -120, -128),
    (">=", -1, 127, -127), ("!=", 3, 0, 2),
])  # fmt: skip
def test_counters_of_few_bits_may_overflow(name, step, start, end):
    native, plan = from_to(LOOPS[name], step, np.int8)
    agree(native, plan, *map(ag.constant, map(np.int8, (start, end))))


@pytest.mark.parametrize(("name", "step", "start", "end"), [
    ("<", 1, 3, 200), ("<", 1, 2**64 - 5, 9), (">", -1, 90, 0), (">", -1, 3, 2**64 - 9),
    ("<=", 1, 2**64 - 90, 2**64 - 2), (">", -1, 2**64 - 2, 2**64 - 90),
    ("!=", 1, 2**63 - 3, 2**63 + 9),
])  # fmt: skip
def test_counters_without_a_sign(name, step, start, end):
    def walked(start, end):
        i, total, last = start, ag.constant(0, ag.int64), start
        while LOOPS[name](i, end):
            total += ag.cast(i, ag.int64) * 3
            last = ag.maximum(last, i)
            i = i + one if step > 0 else i - one
        return i, total, last

    one = ag.constant(np.uint64(1))
    native, plan = (ag.function(walked, **pinned(choice)) for choice in (True, False))
    agree(native, plan, *map(ag.constant, map(np.uint64, (start, end))))


def test_a_number_of_turns_that_is_known_needs_no_test():
    def summed(x):
        total = ag.constant(0, ag.int64)
        for i in ag.range(1000):
            total += x[i]
        return total

    native, plan = (ag.function(summed, **pinned(choice)) for choice in (True, False))
    agree(native, plan, integers())
    assert "run_region(" in text_of(native, integers())
    assert "trip_count(" not in text_of(native, integers())


def test_few_turns_run_as_the_loop_stands(monkeypatch):
    monkeypatch.setattr(thresholds, "PARALLEL_FROM", 1000.0)

    def summed(x, n):
        total = ag.constant(0, ag.int64)
        for i in ag.range(n):
            total += x[i]
        return total

    assert "while True:" in shared_text(summed, integers()).split("else:")[-1]


def test_rows_are_written_in_as_many_turns_as_there_are():
    def rows(x, n):
        made, total = (
            ag.TensorArray(ag.int64, size=1000, element_shape=()),
            ag.constant(0, ag.int64),
        )
        for i in ag.range(n):
            made = made.write(i, x[i] * 2)
            total += x[i]
        return made.stack(), total

    shared_text(rows, integers())


def test_rows_counted_from_both_ends_are_written_in_turn():
    def rows(x, start, end):
        i = start
        while i < end:
            x[i] = i * 2
            i += 1
        return x

    native, plan = (ag.function(rows, **pinned(choice)) for choice in (True, False))
    for start, end in ((-3, 998), (-1000, 0), (0, 1000), (5, 5), (3, 1)):
        agree(native, plan, integers(), *(ag.constant(np.int64(one)) for one in (start, end)))
    assert "run_region(" in text_of(native, integers(), *map(ag.constant, map(np.int64, (0, 1))))


@pytest.mark.parametrize("offset", [-1, 0, 1])
def test_rows_beside_the_counter_are_written_in_any_order_where_none_is_below_zero(offset):
    def rows(x, start, end):
        i = start
        while i < end:
            x[i + offset] = i * 2
            i += 1
        return x

    native, plan = (ag.function(rows, **pinned(choice)) for choice in (True, False))
    for start, end in ((-3, 998), (-998, 0), (0, 999), (1, 999), (5, 5), (3, 1)):
        agree(native, plan, integers(), *(ag.constant(np.int64(one)) for one in (start, end)))
    assert "run_region(" in text_of(native, integers(), *map(ag.constant, map(np.int64, (0, 1))))


@pytest.mark.parametrize("start", [0, 1])
def test_rows_beside_a_counter_from_a_known_number(start):
    def rows(x, y, n):
        for i in ag.range(start, n - 1):
            x[i - 1] = y[i] * 2
            y[i + 1] = y[i] + 1
        return x

    def others(x, y, n):
        total = ag.zeros([1000], ag.int64)
        for i in ag.range(start, n - 1):
            x[i - 1] = y[i] * 2
            total[i + 1] = y[i - 1] + y[i + 1]
        return x, total

    n = ag.constant(1000)
    for body, is_shared in ((rows, False), (others, start == 1)):
        native, plan = (ag.function(body, **pinned(choice)) for choice in (True, False))
        agree(native, plan, integers(), integers(1), n)
        assert ("run_region(" in text_of(native, integers(), integers(1), n)) == is_shared


@pytest.mark.parametrize(("start", "end"), [(999, -1), (990, -10), (-5, -900)])
def test_rows_counted_down_by_numbers_that_are_known(start, end):
    def rows(x):
        i = ag.constant(start)
        while i > end:
            x[i] = ag.cast(i, ag.int64) * 2
            i -= 1
        return x

    native, plan = (ag.function(rows, **pinned(choice)) for choice in (True, False))
    agree(native, plan, integers())
    assert ("run_region(" in text_of(native, integers())) == (end == -1)


def test_a_shared_loop_inside_another_loop():
    def table(x, n):
        made = ag.constant(0, ag.int64)
        while made < 100_000:
            best = ag.constant(0, ag.int64)
            for i in ag.range(n):
                if x[i] - made > best:
                    best = x[i] - made
            made = made * 2 + best + 1
        return made

    shared_text(table, integers())


def test_a_choice_of_what_is_computed_around_the_loop_too():
    """The remainder is hoisted out of the test of the branch, and stays in the branch."""

    def table(x, n):
        made = ag.constant(0, ag.int64)
        while made < 100_000:
            best = ag.constant(0, ag.int64)
            for i in ag.range(n):
                if x[i] + made % 5 > best:
                    best = x[i] + made % 5
            made = made * 2 + best + 1
        return made

    shared_text(table, integers())


def test_an_index_out_of_range_is_found_in_any_piece():
    @ag.function(jit_compile=True)
    def summed(x, n):
        total = ag.constant(0, ag.int64)
        for i in ag.range(n):
            total += x[i]
        return total

    x = integers()
    assert summed(x, ag.constant(1000)).numpy() == x.numpy().sum()
    with pytest.raises(ag.errors.InvalidArgumentError, match="range"):
        summed(x, ag.constant(1001))


def test_an_index_that_only_a_piece_asks_for_is_no_error():
    def found(x, n):
        seen, best, at = ag.constant(False), ag.constant(45, ag.int64), ag.constant(0, ag.int64)
        for i in ag.range(n):
            seen = seen or x[i] == x[0]
            value = x[i % 1000]
            if value > best:
                best, at = value, x[at_of(value, i)]
        return seen, best, at

    def at_of(value, i):
        return ag.where(value == 49, i % 1000, i + ag.where(i > 500, 1000, 0))

    shared_text(found, integers(), counts=(0, 1, 500, 2000))


def test_a_loop_of_known_length_asks_in_turn_where_a_piece_has_failed():
    def found(x):
        seen = ag.constant(False)
        for i in ag.range(2000):
            seen = seen or x[i] == x[0]
        return seen

    native, plan = (ag.function(found, **pinned(choice)) for choice in (True, False))
    agree(native, plan, integers())
    assert "run_region(" in text_of(native, integers())


# ---- any of them -------------------------------------------------------------------------------


@examples(25)
@given(st.data())
def test_random_reductions_compute_what_the_plan_does(data):
    steps = data.draw(st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=3))
    name = data.draw(st.sampled_from(sorted(COMPARISONS)))
    every = data.draw(st.integers(1, 4))
    stride = data.draw(st.sampled_from([1, 2, 5]))

    def reduced(x, y, start, end):
        numbers = [ag.constant(7, ag.int64) for _ in steps]
        best, at, low = ag.constant(0.5, ag.float64), -1, ag.constant(0.0, ag.float64)
        i = start
        while i <= end:
            for place, one in enumerate(steps):
                numbers[place] = STEPS[one](numbers[place], x[i])
            if i % every == 0:
                if COMPARISONS[name](y[i], best):
                    best, at = y[i], i
            if y[i] < low and x[i] > 0:
                low = y[i]
            i += stride
        return numbers, best, at, low, i

    native, plan = (ag.function(reduced, **pinned(choice)) for choice in (True, False))
    for seed in range(2):
        start, end = data.draw(st.integers(0, 500)), data.draw(st.integers(-2, 999))
        x = integers(seed, LOWEST, HIGHEST)
        agree(native, plan, x, floats(seed), *map(ag.constant, (start, end)))
    assert "run_region(" in text_of(native, x, floats(), *map(ag.constant, (0, 1)))
