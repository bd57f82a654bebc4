"""Generator expressions while a graph is built: evaluated item by item, where they are consumed."""

import itertools

import pytest
from language_kit import assert_staged_alike

import allograph as ag
from allograph.tracing.structures.errors import InconsistentBranchError, StagedHandlerError

REFUSED = ag.errors.OperatorNotAllowedInGraphError


class Steps(list):
    """What is evaluated, in order."""

    def note(self, mark, value):
        self.append(mark)
        return value


@pytest.mark.parametrize(
    "consume",
    [
        lambda items, steps: list(map(lambda v: steps.note("f", v), items)),
        lambda items, steps: list(filter(lambda v: steps.note("f", True), items)),
        lambda items, steps: list(zip(items, (steps.note("z", k) for k in range(2)))),
        lambda items, steps: [steps.note("f", v) for v in items],
        lambda items, steps: [v for v in items if steps.note("f", True)],
        lambda items, steps: max(items, key=lambda v: steps.note("k", v)),
        lambda items, steps: min(items, key=lambda v: steps.note("k", v)),
        lambda items, steps: sorted(items, key=lambda v: steps.note("k", v)),
        lambda items, steps: next(items),
        lambda items, steps: list(itertools.islice(items, 2)),
        lambda items, steps: 2 in (steps.note(k, k) for k in (1, 2, 3)),
        lambda items, steps: any(steps.note(k, k > 1) for k in (1, 2, 3)),
        lambda items, steps: dict(enumerate(items)),
    ],
)
def test_items_are_evaluated_in_the_order_of_python(consume):
    def f(x):
        steps = Steps()
        consume((steps.note(i, x + i) for i in range(3)), steps)
        consume((steps.note(i, x + i) for i in range(3) if steps.note("t", i)), steps)
        return x + len(steps), str(steps)

    x = ag.constant(2)
    orders = []
    expected, order = f(x)
    staged = ag.function(lambda x: orders.append(f(x)) or orders[-1][0])(x)
    assert orders[0][1] == order
    assert int(staged) == int(expected)


def test_the_body_of_a_loop_runs_between_the_items():
    def f(x):
        steps = Steps()
        for v in (steps.note("i", x + i) for i in range(3)):
            steps.append(v)
        return [i for i, step in enumerate(steps) if type(step) is str]

    assert_staged_alike(f, (1,))


def refuses(f, *args, match):
    with pytest.raises(REFUSED, match=match):
        ag.function(f)(*map(ag.constant, args))


@pytest.mark.parametrize(
    "consume",
    [
        lambda note, x: any(note(x > k) for k in (1, 2)),
        lambda note, x: all(note(x > k) for k in (1, 2) if k),
        lambda note, x: any(note(k) for k in (0, 1, 2) if x > k),
        lambda note, x: x in (note(k) for k in (1, 2)),
        lambda note, x: [note(k) for k in (1, 2) if x > k],
        lambda note, x: [note(k) for k in ag.range(x)],
        lambda note, x: list(map(note, ag.range(x))),
        lambda note, x: max(ag.range(x + 3), key=note),
    ],
)
def test_what_only_a_tensor_reaches_may_not_change_a_list(consume):
    def f(x):
        seen = []
        consume(lambda value: (seen.append(1), value)[1], x)
        return len(seen)

    refuses(f, 2, match="changes 'seen'")


def test_a_loop_that_a_tensor_leaves_may_not_take_items_that_change_a_variable():
    def f(x):
        count = 0

        def item(k):
            nonlocal count
            count += 1
            return x + k

        for v in (item(k) for k in range(3)):
            if v > 2:
                break
        return count

    refuses(f, 2, match="changes 'count'")


def test_a_name_that_an_item_of_any_assigns_is_refused():
    def f(x):
        return any((n := x + k) > 3 for k in range(3)) and n

    refuses(f, 2, match="assigns a name")


def test_an_assertion_that_python_may_not_reach_is_refused():
    def positive(v):
        assert v > 0
        return v > 1

    refuses(lambda x: any(positive(x - k) for k in range(3)), 2, match="raises")


def test_a_handler_around_items_that_python_may_not_reach_is_refused():
    def f(x):
        try:
            return any([x > 0][k] for k in range(3))
        except IndexError:
            return x < 0

    with pytest.raises(StagedHandlerError, match="IndexError is raised is known only"):
        ag.function(f)(ag.constant(2))


def test_any_evaluates_nothing_after_a_known_item_that_decides():
    assert_staged_alike(lambda x: any(True if k else x > 5 for k in (0, 1, *"a") if k != "b"), (2,))


def test_next_of_items_with_a_staged_test_names_the_cure():
    refuses(lambda x: next(k for k in range(3) if x > k), 2, match="Make a list of them")


def test_tests_of_which_some_are_staged_and_tests_over_any_iterable():
    def f(x):
        mixed = [k for k in range(4) if k == 1 or x > k]
        total = sum(k for k in range(4) if k == 1 or x > k)
        of_pairs = [v for i, v in enumerate((5, 6, 7)) if x > i]
        of_items = [v for k, v in {0: 5, 1: 6}.items() if x > k]
        return [sum(mixed), total, sum(of_pairs), sum(of_items)]

    assert_staged_alike(f, (0,), (2,), (9,))


def test_a_test_is_evaluated_once_for_each_item():
    def f(x):
        seen = []
        kept = [k for k in range(3) if (seen.append(k), x > k)[1]]
        return sum(kept) + 10 * len(seen)

    assert_staged_alike(f, (0,), (2,))


def test_keys_of_plain_items_may_be_tensors():
    def f(x):
        return [
            max(range(3), key=lambda k: (k - x) ** 2),
            *sorted((1, 5), key=lambda k: (k - x) ** 2),
        ]

    assert_staged_alike(f, (0,), (2,), (9,))


def test_a_lambda_reads_a_free_variable_that_has_no_value():
    def f():
        n = 0
        while n < min(1, 2, key=lambda k: k + last):
            n += 1
            last = 3
        return n

    with pytest.raises(NameError, match="cannot access free variable 'last'"):
        ag.autograph.to_graph(f)()


def test_a_known_value_is_searched_in_items_that_are_tensors():
    def f(x):
        return [2 in (x, 3), x in [1, x], 5 not in (x, 1), x in (1, 2), None in (x, None)]

    assert_staged_alike(f, (0,), (2,), (5,))


def test_in_says_that_one_of_its_tests_has_a_shape():
    with pytest.raises(InconsistentBranchError, match=r"this test has the shape \(2,\)"):
        ag.function(lambda x: 3 in (x, 4))(ag.constant([1, 2]))


def test_a_tensor_in_a_string_is_the_error_of_python():
    with pytest.raises(TypeError, match="requires string as left operand"):
        ag.function(lambda x: x in "abc")(ag.constant(1))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: {k for k in range(3) if x > k},
        lambda x: {k: k for k in range(3) if x > k},
        lambda x: [k for k in range(3) for j in range(2) if x > j],
        lambda x: sum(k for k in range(3) if x > k for j in range(2)),
    ],
)
def test_a_test_that_no_tensor_can_make_is_named(f):
    refuses(f, 2, match="a tensor decides which items")


def test_a_loop_that_a_tensor_leaves_may_not_advance_an_iterator_with_attributes():
    class Count:
        at = 0

        def __iter__(self):
            return self

        def __next__(self):
            self.at += 1
            return self.at

    def f(x):
        count = Count()
        for v, _ in zip(count, range(3)):
            if x > v:
                break
        return count.at

    refuses(f, 2, match=r"changes 'count.at'")
