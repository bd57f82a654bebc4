"""Python control flow on tensors: what it computes, and what it refuses."""

from collections import namedtuple

import numpy as np
import pytest
from language_kit import assert_staged_alike

import allograph as ag
from allograph.tracing.structures.errors import InconsistentBranchError, InconsistentLoopError

Sums = namedtuple("Sums", "count total")


def test_a_branch_may_change_a_structure():
    @ag.function
    def swap(state, flag):
        if flag:
            state = {"a": state["b"], "b": state["a"]}
        return state

    out = swap({"a": ag.constant(1), "b": ag.constant(2)}, ag.constant(True))
    assert (int(out["a"]), int(out["b"])) == (2, 1)


def test_a_number_adopts_the_type_of_the_other_branch():
    @ag.function
    def pick(x):
        if x > 0:
            y = x
        else:
            y = 0.0
        return y

    assert pick(ag.constant(-1.0, ag.float64)).dtype == ag.float64


def test_a_python_int_becomes_the_float_of_the_other_side():
    @ag.function
    def pick(x):
        if x > 0:
            y = x
        else:
            y = 0
        return y

    assert pick(ag.constant(-1.0)).dtype == ag.float32
    assert pick(ag.constant(-1.0, ag.float64)).dtype == ag.float64


def test_an_int_tensor_does_not_become_a_float_silently():
    @ag.function
    def pick(x, n):
        if x > 0:
            y = x
        else:
            y = n
        return y

    with pytest.raises(InconsistentBranchError, match=r"'y' is float32.*int32"):
        pick(ag.constant(1.0), ag.constant(0))


def test_a_python_int_that_a_float_cannot_hold_is_refused():
    @ag.function
    def pick(x):
        if x > 0:
            y = x
        else:
            y = 2**24 + 1
        return y

    with pytest.raises(InconsistentBranchError, match=r"'y' is float32.*int32"):
        pick(ag.constant(1.0))
    assert int(pick(ag.constant(-1.0, ag.float64))) == 2**24 + 1


def test_a_choice_of_ints_becomes_the_float_of_a_third_side():
    @ag.function
    def pick(x):
        if x > 1:
            y = x
        elif x > 0:
            y = 1
        else:
            y = 2
        return y

    assert [float(pick(ag.constant(x))) for x in (3.5, 0.5, -1.0)] == [3.5, 1.0, 2.0]


def test_branches_may_disagree_in_shape():
    @ag.function
    def pick(x, flag):
        if flag:
            y = x
        else:
            y = ag.concat([x, x], 0)
        return y

    concrete = pick.get_concrete_function(ag.TensorSpec([2]), ag.TensorSpec([], ag.bool))
    assert concrete.structured_outputs.shape.as_list() == [None]
    assert pick(ag.ones([2]), ag.constant(False)).shape == (4,)


def test_a_name_set_on_one_side_only_is_missed_where_it_is_read():
    @ag.function
    def half(x):
        if x > 0:
            y = x
        return y

    with pytest.raises(UnboundLocalError, match="y"):
        half(ag.constant(1.0))


def test_a_name_set_on_one_side_only_is_fine_when_nobody_reads_it():
    @ag.function
    def half(x):
        if x > 0:
            y = x + 1
            x = y
        return x

    assert int(half(ag.constant(1))) == 2


def test_a_loop_refuses_a_tensor_that_changes_its_type():
    @ag.function
    def total(x):
        s = ag.constant(0)
        for value in x:
            s = ag.cast(s, ag.float32) + value
        return s

    with pytest.raises(InconsistentLoopError, match=r"int32.*float32"):
        total(ag.constant([1.0, 2.0]))


def test_the_test_of_a_condition_must_be_a_scalar():
    @ag.function
    def f(x):
        if x > 0:
            return x
        return -x

    with pytest.raises(ValueError, match="ambiguous"):
        f(ag.constant([1, -1]))


def test_and_does_not_evaluate_what_it_does_not_reach():
    @ag.function
    def safe(x, y):
        if y != 0 and x // y > 1:
            return 1
        return 0

    assert int(safe(ag.constant(5), ag.constant(0))) == 0
    assert int(safe(ag.constant(5), ag.constant(2))) == 1


def test_a_return_inside_nested_loops():
    @ag.function
    def find(matrix, wanted):
        for i in ag.range(2):
            for j in ag.range(3):
                if matrix[i, j] == wanted:
                    return i * 10 + j
        return -1

    matrix = ag.constant([[1, 2, 3], [4, 5, 6]])
    assert [int(find(matrix, ag.constant(k))) for k in (6, 1, 9)] == [12, 0, -1]


def test_and_or_of_a_truth_and_a_number_is_what_python_computes():
    def f(x, y):
        while x and y > 2:
            x, y = y % x, x
        return (x > 1 and y) + 10 * (x or y > 1), (y < 1 or 2 * x) + 0

    assert_staged_alike(f, (6, 8), (0, 5), (-3, 0), (7, 1))


def test_an_operand_that_assigns_stands_in_tests_with_others():
    def f(x, y):
        while (x := x - 1) > 0 and y < 50:
            y += 2 if 3 < (n := x * y) < 40 else 1
        if not ((n := x + y) > 10 or y > 9):
            y = -n
        return x, y, n

    assert_staged_alike(f, (6, 8), (0, 5), (-3, 0), (7, 1), (4, 1))


def test_builtins_on_tensors():
    @ag.function
    def summary(x):
        total = 0
        for i, (a, b) in enumerate(zip(x, reversed(x))):
            total += i * a * b
        return total, len(x), min(x), max(x), sum(x), int(2.7 + float(x[0]))

    out = summary(ag.constant([1, 2, 3]))
    assert [int(value) for value in out] == [1 * 4 + 2 * 3, 3, 1, 3, 6, 3]


def test_a_range_with_a_negative_step():
    @ag.function
    def digits(n):
        acc = 0
        for i in ag.range(n, 0, -2):
            acc = acc * 10 + i
        return acc

    assert [int(digits(ag.constant(k))) for k in (5, 6, 0)] == [531, 642, 0]


def test_cond_and_while_loop_work_eagerly_too():
    assert int(ag.cond(ag.constant(True), lambda: 1, lambda: 2)) == 1
    last, total = ag.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s + i), (0, 0))
    assert (int(last), int(total)) == (4, 6)


@pytest.mark.parametrize("decorate", [lambda f: f, ag.function], ids=["eager", "graph"])
@pytest.mark.parametrize("kind", [Sums, lambda *items: list(items), lambda *items: items])
def test_while_loop_gives_variables_in_a_container_like_the_first_ones(decorate, kind):
    after = decorate(
        lambda: ag.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s + i), kind(0, 0))
    )()
    assert type(after) is type(kind(0, 0)) and [int(item) for item in after] == [4, 6]


def test_while_loop_honours_shape_invariants():
    @ag.function
    def grow(n):
        return ag.while_loop(
            lambda i, x: i < n,
            lambda i, x: (i + 1, ag.concat([x, [i]], 0)),
            (0, ag.zeros([0], ag.int32)),
            shape_invariants=(ag.TensorShape([]), ag.TensorShape([None])),
        )[1]

    assert grow(ag.constant(3)).numpy().tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("start", "spec", "grown"),
    [
        (ag.zeros([1]), ag.TensorSpec([None]), lambda x: ag.concat([x, x], 0)),
        (
            ag.ragged.constant([[1], [2, 3]]),
            ag.RaggedTensorSpec([None, None], ag.int32),
            lambda x: ag.concat([x, x], 0),
        ),
        (
            ag.ragged.constant([[1], [2, 3]]),
            ag.TensorShape([2, None]),
            lambda x: ag.concat([x, x], 1),
        ),
        (
            ag.sparse.from_dense([1.0, 0.0]),
            ag.SparseTensorSpec([None], ag.float32),
            lambda x: ag.sparse.concat(0, [x, x]),
        ),
    ],
)
def test_shape_invariants_may_be_specifications(start, spec, grown):
    def grow(n):
        return ag.while_loop(
            lambda i, x: i < n,
            lambda i, x: (i + 1, grown(x)),
            (0, start),
            shape_invariants=(ag.TensorSpec([], ag.int32), spec),
        )[1]

    found, expected = (f(ag.constant(2)) for f in (ag.function(grow), grow))
    for one, other in zip(
        ag.nest.flatten(found, True), ag.nest.flatten(expected, True), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_while_loop_stops_after_maximum_iterations():
    @ag.function
    def count(n):
        return ag.while_loop(lambda i: i < n, lambda i: (i + 1,), (0,), maximum_iterations=3)[0]

    assert int(count(ag.constant(100))) == 3


def test_switch_case_picks_by_index():
    @ag.function
    def pick(index):
        return ag.switch_case(index, [lambda: 10, lambda: 20, lambda: 30])

    assert [int(pick(ag.constant(k))) for k in (0, 1, 2, 9)] == [10, 20, 30, 30]


@pytest.mark.parametrize("decorate", [lambda f: f, ag.function], ids=["eager", "graph"])
def test_an_empty_tensor_array_is_a_loop_variable(decorate):
    def doubles(n):
        rows = ag.TensorArray(ag.int32, size=0, dynamic_size=True)
        _, rows = ag.while_loop(
            lambda i, rows: i < n, lambda i, rows: (i + 1, rows.write(i, 2 * i)), [0, rows]
        )
        return rows.stack()

    assert decorate(doubles)(ag.constant(3)).numpy().tolist() == [0, 2, 4]


@pytest.mark.parametrize("decorate", [lambda f: f, ag.function], ids=["eager", "graph"])
def test_case_without_a_default_needs_a_predicate_that_holds(decorate):
    @decorate
    def f(x):
        return ag.case([(x > 5, lambda: ag.constant(1)), (x > 3, lambda: ag.constant(2))])

    assert [int(f(ag.constant(x))) for x in (9, 4)] == [1, 2]
    with pytest.raises(ag.errors.InvalidArgumentError, match="no predicate holds"):
        f(ag.constant(1))


@pytest.mark.parametrize("decorate", [lambda f: f, ag.function], ids=["eager", "graph"])
def test_exclusive_case_takes_one_predicate_at_most(decorate):
    @decorate
    def f(x):
        pairs = [(x > 5, lambda: ag.constant(1)), (x > 3, lambda: ag.constant(2))]
        return ag.case(pairs, default=lambda: ag.constant(3), exclusive=True)

    assert [int(f(ag.constant(x))) for x in (4, 1)] == [2, 3]
    with pytest.raises(ag.errors.InvalidArgumentError, match="several predicates hold"):
        f(ag.constant(9))


@pytest.mark.parametrize(
    "choose",
    [
        lambda x: ag.cond(x > 0, lambda: x, lambda: (x, 1)),
        lambda x: ag.cond(x > 0, lambda: x, lambda: 2.5),
        lambda x: ag.switch_case(x, [lambda: x, lambda: 2.5]),
        lambda x: ag.case([(x > 0, lambda: None)], default=lambda: x),
    ],
)
def test_functions_of_cond_that_return_several_types_are_named_as_such(choose):
    with pytest.raises(InconsistentBranchError, match="one function returns .*another"):
        ag.function(choose)(ag.constant(1))
