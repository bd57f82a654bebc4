"""Lists that grow while a graph runs, and comprehensions over tensors."""

from itertools import count

import pytest
from language_kit import LISTS, assert_staged_alike, plain, staged

import allograph as ag


def test_append_in_a_loop():
    def f(n):
        out = []
        while n > 0:
            out.append(n)
            n -= 1
        return ag.stack(out)

    assert staged(f, 3) == [3, 2, 1]


def test_returning_a_grown_list_gives_its_items_as_one_tensor():
    def f(n):
        out = []
        for i in ag.range(n):
            out.append(i * i)
        return out

    assert_staged_alike(lambda n: f(n), (4,), (1,))


def test_append_to_a_list_with_items_reads_the_last():
    def f(n):
        out = [1.0]
        for _ in ag.range(n):
            out.append(out[-1] * 2)
        return ag.autograph.stack(out)

    assert staged(f, 3) == [1.0, 2.0, 4.0, 8.0]


def test_the_length_of_a_grown_list():
    def f(n):
        out = []
        while n > 0:
            out.append(n)
            n -= 1
        return len(out)

    assert staged(f, 3) == 3


def test_pop_in_a_loop():
    def f(n):
        out = []
        for i in ag.range(n):
            out.append(i)
        total = 0
        while len(out) > 1:
            total += out.pop()
        return total, out[0]

    assert staged(f, 4) == (6, 0)


def test_pop_of_an_empty_list_is_pythons_error():
    def f(n):
        out = []
        for i in ag.range(n):
            out.append(i)
        return out.pop()

    with pytest.raises(IndexError):
        staged(f, 0)


@pytest.mark.parametrize("index", [0, 1, -1, -2])
def test_pop_and_insert_at_an_index(index):
    def f(n):
        out = [10, 20, 30]
        for i in ag.range(n):
            out.insert(index, i)
            out.pop(index)
        return out

    expected = [10, 20, 30]
    for i in range(2):
        expected.insert(index, i)
        expected.pop(index)
    assert staged(f, 2) == expected


@pytest.mark.parametrize("index", [0, -1, 1])
def test_del_of_an_item(index):
    def f(n):
        out = [n, 1, 5]
        for i in ag.range(n):
            out.append(i)
            if i > 1:
                del out[index]
        del out[i]
        return out

    def deleted(n):
        out = [n]
        if n > 1:
            out.append(n)
        del out[1]
        return out

    for value in (2, 4):
        assert staged(f, value) == f(value)
    with pytest.raises(IndexError, match="list assignment index out of range"):
        ag.function(deleted)(ag.constant(0))
    assert [int(one) for one in ag.function(deleted)(ag.constant(5))] == [5]


def test_extend_reverse_and_item_assignment():
    def f(n):
        out = []
        for i in ag.range(n):
            out.extend([i, i * 10])
            out.reverse()
            out[-1] = 7
        return out

    expected = []
    for i in range(3):
        expected.extend([i, i * 10])
        expected.reverse()
        expected[-1] = 7
    assert staged(f, 3) == expected


def test_a_list_grows_in_one_branch():
    def f(x):
        out = []
        for value in x:
            if value > 1:
                out.append(value)
        return out

    assert staged(f, [3, 1, 2]) == [3, 2]
    assert staged(f, [3, 0, 0]) == [3]


def test_branches_may_disagree_in_length():
    def f(n):
        out = [1]
        if n > 0:
            out.append(2)
        return out

    assert_staged_alike(f, (1,), (0,))


def test_a_list_of_an_object_grows():
    class Log:
        def __init__(self):
            self.rows = []

    def f(n):
        log = Log()
        for i in ag.range(n):
            log.rows.append(i + 1)
        return log.rows

    assert staged(f, 3) == [1, 2, 3]


def test_both_branches_append_in_a_python_loop():
    def f(n):
        out = []
        for _ in range(3):
            if n > 0:
                out.append(n)
            else:
                out.append(0)
            n -= 1
        return tuple(out)

    assert_staged_alike(f, (2,), (5,))


def test_rows_of_any_shape_grow():
    def f(x):
        out = []
        for row in x:
            out.append(row * 2)
        return ag.concat(out, 0), ag.stack(out)

    assert staged(f, [[1, 2], [3, 4]]) == ([2, 4, 6, 8], [[2, 4], [6, 8]])


def test_an_item_of_another_type_is_refused():
    @ag.function(experimental_autograph_options=ag.autograph.experimental.Feature.LISTS)
    def f(n):
        out = [1]
        for _ in ag.range(n):
            out.append(2.5)
        return out

    with pytest.raises(TypeError, match=r"float32.*int32"):
        f(ag.constant(2))


def test_a_comprehension():
    def f(x):
        return [2 * value for value in x]

    assert staged(f, [3, 1, 2]) == [6, 2, 4]


def test_a_comprehension_with_a_test_evaluates_only_what_is_kept():
    def f(x):
        return [10 // value for value in x if value != 0 if value > -5]

    assert staged(f, [3, 0, 2, -9]) == [3, 5]


def test_generators_are_gathered_by_what_takes_them():
    def f(x):
        return (
            sum(value for value in x),
            any(value > 2 for value in x),
            all(value > 2 for value in x),
            max(value * value for value in x),
            min(-value for value in x),
        )

    assert_staged_alike(f, ([3, 1, 2],), ([0, -7],))


def test_any_evaluates_no_item_after_the_one_that_decides():
    def f(x):
        seen, known = [], {1: False, 2: True}
        found = any(seen.append(k) or known[k] for k in (1, 2, 3))
        late = any(seen.append(k) or (k > 1 and x > k) for k in (1, 2))
        return [x + len(seen), found, late]

    assert_staged_alike(f, (0,), (2,), (7,))


def test_all_evaluates_no_item_after_the_one_that_decides():
    def f(x):
        seen, known = [], {1: True, 2: False}
        found = all(not seen.append(k) and known[k] for k in (1, 2, 3))
        kept = all(x > k for k in (1, 2, 3) if x > k - 4)
        return [x + len(seen), found, kept]

    assert_staged_alike(f, (0,), (2,), (7,))


total = ag.Variable(0)


def counted(value):
    total.assign_add(1)
    return value


@pytest.mark.parametrize(
    "f",
    [
        lambda x: any(counted(x > k) for k in [1, 2, 3]),
        lambda x: all(counted(k < x) for k in ag.range(5)),
        lambda x: any(counted(k) for k in [1, 2, 3] if x > k),
    ],
)
def test_any_and_all_refuse_effects_that_python_may_leave_out(f):
    with pytest.raises(ag.errors.OperatorNotAllowedInGraphError, match="may not reach"):
        ag.function(f)(ag.constant(2))


def test_any_keeps_the_effects_of_its_first_item():
    def f(x):
        total.assign(0)
        return any(counted(x > k) if k == 1 else x > k for k in [1, 2, 3])

    assert bool(ag.function(f)(ag.constant(2)))
    assert int(total) == 1


def test_filter_and_map():
    def f(x):
        total = 0
        for value in filter(lambda value: value % 2 == 0, map(lambda value: value + 1, x)):
            total += value
        return total

    assert_staged_alike(f, ([1, 2, 3, 4],), ([0, 0, 0, 0],))


def test_a_filter_is_enumerated_and_zipped():
    def f(x):
        total = 0
        for i, (value, other) in enumerate(zip(filter(lambda value: value > 1, x), x)):
            total += i * value * other
        return total

    assert_staged_alike(f, ([1, 2, 3, 4],))


def test_a_key_sorts():
    def f(x):
        return sorted(x, key=lambda v: v % 3), sorted(x, key=lambda v: v % 3, reverse=True)

    assert_staged_alike(f, ([5, 3, 1, 2, 6, 4],))


def test_list_and_tuple_of_a_map():
    def f(x):
        return ag.stack(list(map(lambda value: value + 1, x))), len(list(x))

    assert staged(f, [1, 2, 3]) == ([2, 3, 4], 3)


def test_reversed():
    def f(x):
        out = []
        for value in reversed(x):
            out.append(value)
        return out

    assert staged(f, [1, 2, 3]) == [3, 2, 1]


def test_what_was_a_list_stays_one_outside_of_graphs():
    @ag.autograph.to_graph
    def f(x):
        out = [value for value in x if value > 1]
        out.append(ag.constant(0))
        return out

    assert type(f([1, 2])) is list
    assert plain(f(ag.constant([1, 2]))) == [2, 0]


def test_a_counter_becomes_a_float_in_a_list_of_floats():
    def f(x):
        count, out = 0, [0.5]
        for _ in x:
            count += 1
            out.append(count)
        return out

    assert staged(f, [7, 8]) == [0.5, 1.0, 2.0]


class TestWithoutTheFeature:
    """As in the reference, a list is filled once, while the loop is traced."""

    def test_using_what_a_loop_put_into_a_list_is_an_error_that_says_what_to_do(self):
        def fill(n, use):
            out = []
            for i in ag.range(n):
                out.append(i)
            return use(out)

        for use in (ag.stack, len, lambda out: out[0], lambda out: out, list, lambda out: 1 in out):
            f = ag.function(lambda n: fill(n, use))
            with pytest.raises(ag.errors.OutOfScopeError, match=r"'out'(.|\n)*Feature.LISTS"):
                f(ag.constant(3))

    def test_the_error_shows_the_loop_that_changed_the_list_even_if_the_list_is_returned(self):
        @ag.function
        def f(n):
            out = []
            for i in ag.range(n):
                out.append(i)
            return out

        with pytest.raises(ag.errors.OutOfScopeError, match=r"for i in ag\.range\(n\)"):
            f(ag.constant(3))

    def test_how_many_python_values_a_loop_put_into_a_list_is_unknown(self):
        @ag.function
        def f(n, change):
            names = ["before"]
            if change == "append":
                for _ in ag.range(n):
                    names.append("traced")
            elif change == "del":
                for _ in ag.range(n):
                    del names[0]
            else:
                for _ in ag.range(n):
                    n += len(names)
            return len(names)

        for change in ("append", "del"):
            with pytest.raises(ag.errors.OutOfScopeError, match="the list 'names' was changed"):
                f(ag.constant(3), change)
        assert int(f(ag.constant(3), "read")) == 1

    def test_a_list_that_is_not_used_afterwards_does_no_harm(self):
        @ag.function
        def f(n):
            total, seen = 0, []
            while n > 0:
                seen.append(n)
                total += n
                n -= 1
            return total

        assert int(f(ag.constant(3))) == 6

    def test_python_loops_fill_lists_as_ever(self):
        @ag.function
        def f(x):
            out = []
            for i in range(3):
                out.append(x * i)
            return ag.stack(out)

        assert f(ag.constant(2)).numpy().tolist() == [0, 2, 4]


def test_the_truth_of_a_grown_list():
    def f(n):
        waiting, total = [n], 0
        while waiting:
            value = waiting.pop()
            total += value
            if value > 1:
                waiting.append(value // 2)
                waiting.append(value - value // 2 - 1)
        return total, not waiting

    assert_staged_alike(f, (9,), (0,))


def test_items_are_stacked_along_any_axis():
    def f(n):
        out, x = [], ag.zeros([2])
        for _ in ag.range(n):
            x = x + 1.0
            out.append(x)
        return ag.stack(out, axis=1), ag.stack(out, axis=-1), ag.concat(out, 0)

    assert staged(f, 3) == (2 * [[1.0, 2.0, 3.0]], 2 * [[1.0, 2.0, 3.0]], [1.0, 1, 2, 2, 3, 3])


def test_two_lists_grow_side_by_side():
    def f(x):
        positive, others = [], []
        for value in x:
            if value > 0:
                positive.append(value)
            else:
                others.append(-value)
        return positive, others, len(positive) * 10 + len(others)

    assert staged(f, [1, -2, 3]) == ([1, 3], [2], 21)


def test_what_reads_a_list_reads_a_grown_one():
    def f(n):
        out = []
        for i in ag.range(n):
            out += [i]
        total = 0
        for i, value in enumerate(out):
            total += i * value
        return total, sum(out), max(out), sorted(out, reverse=True), out[1:], out[::-1], 2 in out

    assert staged(f, 4) == (14, 6, 3, [3, 2, 1, 0], [1, 2, 3], [3, 2, 1, 0], True)


def test_a_list_of_another_function_does_not_grow():
    def fill(out, n):
        for i in ag.range(n):
            out.append(i)
        return out

    @ag.function
    def f(n):
        return fill([], n)

    with pytest.raises(TypeError, match=r"copy one that was passed in, rows = list\(out\)"):
        f(ag.constant(3))


def test_builtins_take_the_items_of_a_generator_over_plain_values():
    def f(a, b):
        parts = {"a": a, "b": b}
        return (
            any(v > 2 for v in (a, b)),
            all(v > place for place, v in enumerate([a, b])),
            max(v % 7 for v in [a, b]),
            max(parts.values()),
            min((v for v in parts.values()), key=lambda v: v % 3),
            sum(v * v for v in (a, b)),
        )

    assert_staged_alike(f, (1, 2), (5, 1), (-8, 7))


def test_a_generator_that_is_kept_is_evaluated_when_it_is_walked():
    def f(a, b):
        k = 2
        products = (v * k for v in (a, b))
        large = (v for v in [a, b, 5] if v > k)
        parts = (v + k for v in [a, b])
        first = next(parts)
        k = 3
        return sum(products), sum(large), first, sum(parts), sum(products)

    assert_staged_alike(f, (1, 2), (5, 1), (-8, 7))


def test_a_generator_that_is_kept_reads_what_a_branch_assigned():
    def f(a, b):
        parts = (v * a for v in [b, 5])
        if b > 3:
            a = 10
        a = sum(parts)
        return a

    assert_staged_alike(f, (1, 2), (5, 7))


def test_any_and_all_take_no_item_after_the_one_that_decides():
    @ag.function
    def f(x):
        return x + int(any(n > 3 for n in count())) + int(all(n < 3 for n in count()))

    assert int(f(ag.constant(1))) == 2


def test_a_plain_list_of_tensors_is_sorted_to_a_list():
    def f(a, b, c):
        low, middle, high = sorted([a, b, c])
        return low, middle, high, sorted((v for v in (a, b)), key=lambda v: v % 3, reverse=True)

    assert_staged_alike(f, (3, 1, 2), (5, 5, -9))


def test_tensors_are_sorted_by_python_where_the_keys_are_plain():
    @ag.function
    def f(x, y):
        return sorted([x, y], key=lambda v: v.shape[0])[0]

    assert plain(f(ag.constant([1, 2]), ag.constant([3]))) == [3]


def test_pop_of_an_empty_list_raises_index_error():
    def f(n):
        rows = [0, 1]
        for _ in ag.range(n):
            rows.pop()
        rows.append(7)
        return len(rows)

    assert staged(f, 2) == 1
    with pytest.raises(IndexError, match="pop from empty list"):
        staged(f, 3)


@pytest.mark.parametrize("index", range(-5, 5))
def test_pop_and_insert_at_an_index_are_those_of_python(index):
    def grown(n):
        rows = []
        for i in ag.range(n):
            rows.append(i)
        return rows

    def inserted(n):
        rows = grown(n)
        rows.insert(index, 9)
        return rows

    def without(n):
        rows = grown(n)
        rows.pop(index)
        return rows

    expected = [0, 1, 2]
    expected.insert(index, 9)
    assert staged(inserted, 3) == expected
    if -3 <= index < 3:
        expected = [0, 1, 2]
        expected.pop(index)
        assert staged(without, 3) == expected
    else:
        with pytest.raises(IndexError, match="pop index out of range"):
            staged(without, 3)


def unread_of_a_grown_list(index):
    rows = [index]
    for i in ag.range(3):
        rows.append(i)
    rows[index]
    return index


def unread_of_a_list_of_known_length(index):
    rows = [3, 1, 4, 1]
    rows[index]
    return index


@pytest.mark.parametrize("function", [unread_of_a_grown_list, unread_of_a_list_of_known_length])
@pytest.mark.parametrize("index", [4, -5, 9])
def test_an_item_that_nobody_reads_is_not_out_of_range_without_a_word(function, index):
    features = ag.autograph.experimental.Feature.LISTS
    compiled = ag.function(function, experimental_autograph_options=features)
    assert [int(compiled(ag.constant(one))) for one in (3, -4, 0)] == [3, -4, 0]
    with pytest.raises(IndexError, match="list index out of range"):
        compiled(ag.constant(index))


@pytest.mark.parametrize("index", [4, -5, 9])
def test_an_assignment_out_of_range_to_a_list_that_nobody_reads_is_pythons_error(index):
    def assigned(index):
        rows = [index]
        for i in ag.range(3):
            rows.append(i)
        rows[index] = 7
        return index

    assert [staged(assigned, one) for one in (3, -4, 0)] == [3, -4, 0]
    with pytest.raises(IndexError, match="list assignment index out of range"):
        staged(assigned, index)


# ---- looking for items, and sorting ----------------------------------------------------------

growing = ag.function(experimental_autograph_options=ag.autograph.experimental.Feature.LISTS)


def test_items_of_a_grown_list_are_counted_and_found():
    def f(n):
        out = []
        for i in ag.range(n):
            out.append((i * 3) % 5)
        return out.count(3), out.count(7), out.index(3), out.index(0)

    assert [*staged(f, 7)] == [2, 0, 1, 0]


def test_the_first_equal_item_is_removed_from_a_grown_list():
    def f(n):
        out = []
        for i in ag.range(n):
            out.append((i * 3) % 5)
        out.remove(3)
        out.remove(0)
        return out

    assert_staged_alike(lambda n: f(n), (7,), (6,))


@pytest.mark.parametrize("reverse", [False, True])
def test_a_grown_list_is_sorted(reverse):
    def f(n):
        out = []
        for i in ag.range(n):
            out.append((i * 3) % 5)
        out.sort(reverse=reverse)
        return out

    assert staged(f, 7) == sorted([0, 3, 1, 4, 2, 0, 3], reverse=reverse)


@pytest.mark.parametrize("method", ["index", "remove"])
def test_an_item_that_a_grown_list_does_not_have_is_a_value_error(method):
    @growing
    def f(n):
        out = []
        for i in ag.range(n):
            out.append(i)
        getattr(out, method)(7)
        return out

    assert f(ag.constant(8)) is not None
    with pytest.raises(ValueError, match="not in"):
        f(ag.constant(5))


def test_a_grown_list_is_not_sorted_by_a_key():
    @growing
    def f(n):
        out = []
        for i in ag.range(n):
            out.append(i)
        out.sort(key=lambda item: -item)
        return out

    with pytest.raises(ag.errors.UnimplementedError, match="sorted without a key"):
        f(ag.constant(3))


def test_methods_of_the_class_take_a_list_that_grows():
    def f(n):
        rows = [0]
        for i in ag.range(n):
            list.append(rows, i)
            list.insert(rows, 0, i * 2)
        list.extend(rows, [n, 7])
        list.reverse(rows)
        return rows, list.pop([1, 2]), list.__getitem__(rows, 0)

    decorated = ag.function(
        f, experimental_autograph_options=ag.autograph.experimental.Feature.LISTS
    )
    rows, last, first = decorated(ag.constant(3))
    expected = f(3)
    assert (rows.numpy().tolist(), int(last), int(first)) == expected


def test_a_list_that_a_called_function_grows_in_a_loop_is_state():
    def put(rows, x):
        rows.append(x)
        return rows

    def grown(n):
        rows = [0]
        for i in range(n):
            put(rows, i)
        return rows

    def assigned(n):
        rows = [0]
        for i in range(n):
            rows = put(rows, i)
        return rows

    for function in (grown, assigned):
        decorated = ag.function(
            function, experimental_autograph_options=ag.autograph.experimental.Feature.LISTS
        )
        assert decorated(ag.constant(3)).numpy().tolist() == [0, 0, 1, 2]


def rising(x):
    stack = []
    for one in x:
        while stack and stack[-1] > one:
            stack.pop()
        stack.append(one)
    return stack


def next_larger(x):
    found, waiting = [0] * 5, []
    for i, one in enumerate(x):
        while len(waiting) > 0 and x[waiting[-1]] < one:
            found[waiting.pop()] = one
        waiting.append(i)
    return found, waiting


def runs(x):
    found = []
    for one in x:
        if found and found[-1][0] == one:
            found[-1] = (one, found[-1][1] + 1)
        else:
            found.append((one, 1))
    return [count for _, count in found]


def sums(x):
    found = []
    for one in x:
        largest = 0
        for other in found:
            if other > largest:
                largest = other
        found.append(largest + one + sum(found) + len(found[-2:]))
    return found


def kept(x):
    found, both = [], []
    for one in x:
        if one in found:
            found.remove(one)
        elif found == [one + 1]:
            del found[0]
        else:
            found.append(one)
        both = [one] + both * 2
    return found, both


def reordered(x):
    found, middle = [], 0
    for one in x:
        found.reverse()
        found.sort()
        middle += max(found, default=2) - min(found, default=1)
        found = sorted(found) + [one]
    return found, middle


def read_before_another_loop(x):
    found, count = [], 0
    for one in x:
        if found and found[-1] > one:
            count += 1
    for one in x:
        if found and found[-1] > one:
            count += 1
        found.append(one)
    return found, count


def read_in_inner_loops(x):
    count = 0
    for one in x:
        found = []
        for other in x:
            for k in range(2):
                if found and found[0] == k:
                    found.pop(0)
            found.append(other)
        count = count * 3 + len(found) + one
    return count


@pytest.mark.parametrize(
    "function",
    [
        rising, next_larger, runs, sums, kept, reordered, read_before_another_loop,
        read_in_inner_loops,
    ],
)  # fmt: skip
def test_a_list_may_be_read_before_the_loop_puts_its_first_item_into_it(function):
    unknown = ag.function(
        function,
        input_signature=[ag.TensorSpec([None], ag.int32)],
        experimental_autograph_options=LISTS,
    )
    for row in ([3, 1, 2], [5], [-1, 7, 0, 2, 9], [2, 2, 2, 2], [1, 0, 1, 0]):
        assert plain(unknown(row)) == plain(function(row))


def test_reading_a_list_that_never_has_an_item_is_the_error_of_python():
    @ag.function(experimental_autograph_options=LISTS)
    def f(x):
        found, total = [], 0
        for one in x:
            total += found[-1] if one > 5 else one
            if one > 7:
                found.append(one)
        return total

    assert int(f(ag.constant([1, 2, 3]))) == 6
    with pytest.raises(IndexError, match="list index out of range"):
        f(ag.constant([1, 6]))
