"""A handler never runs for an exception that depends on a tensor: it is right, or refused."""

import contextlib
import re

import pytest

import allograph as ag
from allograph.tracing.structures import errors

ITEM = 3  # one that no list here has


class SwallowsAll:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return True


class SwallowsNothing:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


def in_an_if(x):
    if x > 0:
        return [1][ITEM]
    return 2


def in_a_loop(x):
    n = 0
    for i in ag.range(x):
        n = [i][ITEM]
    return n


def in_a_while(x):
    while x > 0:
        x = [x][ITEM]
    return x


def in_an_expression(x):
    return [1][ITEM] if x > 0 else 2


def in_an_operand(x):
    return x > 0 and [1][ITEM] > 2


def in_a_comprehension(x):
    return sum([[v][ITEM] for v in ag.range(x)])


def by_cond(x):
    return ag.cond(x > 0, lambda: [1][ITEM], lambda: 2)


def in_a_function(x):
    return ag.function(in_an_if)(x)


RAISING = [
    in_an_if, in_a_loop, in_a_while, in_an_expression, in_an_operand, in_a_comprehension, by_cond,
    in_a_function,
]  # fmt: skip


@pytest.mark.parametrize("raising", RAISING)
def test_a_handler_around_a_staged_statement_is_refused(raising):
    def f(x):
        try:
            return raising(x)
        except IndexError:
            return 7

    with pytest.raises(errors.StagedHandlerError, match=r"IndexError [^\n]*\n.*\n.*ITEM"):
        ag.function(f)(ag.constant(1))


@pytest.mark.parametrize("raising", RAISING)
def test_without_a_handler_the_exception_is_what_it_was(raising):
    with pytest.raises(IndexError, match="list index out of range"):
        ag.function(raising)(ag.constant(1))


@pytest.mark.parametrize("manager", [SwallowsAll, lambda: contextlib.suppress(IndexError)])
def test_a_with_that_would_swallow_it_is_refused(manager):
    def f(x):
        n = 0
        with manager():
            n = in_an_if(x)
        return n

    with pytest.raises(errors.StagedHandlerError, match="IndexError"):
        ag.function(f)(ag.constant(1))


def test_a_handler_that_is_not_converted_is_refused():
    @ag.autograph.do_not_convert
    def safely(function, *args):
        try:
            return function(*args)
        except IndexError:
            return 7

    choose = ag.autograph.to_graph(in_an_if)
    with pytest.raises(errors.StagedHandlerError, match="IndexError"):
        ag.function(lambda x: safely(choose, x))(ag.constant(1))


def test_a_handler_with_another_class_lets_it_pass():
    def f(x):
        try:
            return in_an_if(x)
        except KeyError:
            return 7

    with pytest.raises(IndexError):
        ag.function(f)(ag.constant(1))


def test_a_handler_does_not_hide_what_cannot_be_staged():
    def f(x):
        try:
            if x > 0:
                n = x
            else:
                n = 1.5
        except TypeError:
            n = 7
        return n

    with pytest.raises(errors.InconsistentBranchError, match="'n' is int32"):
        ag.function(f)(ag.constant(1))


def test_a_retry_in_an_endless_loop_is_refused():
    def f(x):
        while True:
            try:
                return in_an_if(x)
            except IndexError:
                continue

    with pytest.raises(errors.StagedHandlerError):
        ag.function(f)(ag.constant(1))


def test_a_handler_inside_the_block_is_right():
    def f(x):
        n = 0
        for i in ag.range(x):
            if i > 1:
                try:
                    n = [1][ITEM]
                except IndexError:
                    n += 4
        return n

    decorated = ag.function(f)
    assert [int(decorated(ag.constant(x))) for x in (1, 2, 3, 4)] == [f(x) for x in (1, 2, 3, 4)]


def test_a_loop_that_is_traced_again_may_stand_in_a_handler():
    def f(x):
        total = 0
        try:
            for v in x:
                total = total + v
        except TypeError:
            total = -1
        return total

    assert int(ag.function(f)(ag.constant([2, 3], ag.int64))) == 5


@pytest.mark.parametrize("manager", [SwallowsAll, lambda: contextlib.suppress(KeyError)])
def test_a_staged_raise_in_a_with_that_would_swallow_it_is_refused(manager):
    def f(x):
        n = 0
        with manager():
            if x > 0:
                raise KeyError("a")
            n = 5
        return n

    with pytest.raises(errors.StagedHandlerError, match="this KeyError"):
        ag.function(f)(ag.constant(1))


@contextlib.contextmanager
def cleaning_up(done):
    try:
        yield
    finally:
        done.append(1)


@pytest.mark.parametrize(
    "manager",
    [SwallowsNothing, lambda: contextlib.suppress(IndexError), lambda: cleaning_up([])],
)
def test_a_staged_raise_passes_a_with_that_does_not_swallow_it(manager):
    def f(x):
        n = 0
        with manager():
            if x > 0:
                raise KeyError("a")
            n = 5
        return n

    decorated = ag.function(f)
    assert int(decorated(ag.constant(-1))) == 5
    with pytest.raises(KeyError, match="a"):
        decorated(ag.constant(1))


def test_an_assertion_on_a_tensor_in_a_handler_is_refused():
    def f(x):
        try:
            assert x > 0
        except AssertionError:
            x = 0
        return x

    with pytest.raises(errors.StagedHandlerError, match="AssertionError"):
        ag.function(f)(ag.constant(1))


def test_python_itself_swallows_where_no_tensor_decides():
    def f(x):
        n = 0
        with SwallowsAll():
            n = 1
            n = [1][ITEM]
        with contextlib.suppress(KeyError):
            n += 1
            raise KeyError
        return x + n

    assert int(ag.function(f)(ag.constant(1))) == f(1) == 3


def changes_a_set(x):
    seen = set()
    if x > 0:
        seen.add(1)
    return x + len(seen)


def needs_a_python_value(x):
    return bool.__call__(x)


def may_have_no_value(x):
    if x > 0:
        found = x
    return found


@pytest.mark.parametrize("refused", [changes_a_set, needs_a_python_value, may_have_no_value])
def test_no_handler_catches_the_refusal_of_a_construct(refused):
    def in_a_try(x):
        try:
            return refused(x)
        except Exception:
            return -1

    def in_a_with(x):
        n = 0
        with SwallowsAll():
            n = refused(x)
        return n

    for f in (in_a_try, in_a_with):
        with pytest.raises((TypeError, UnboundLocalError)):
            ag.function(f)(ag.constant(1))


@pytest.mark.parametrize("options", [{"kernel_compiler": "none"}, {"jit_compile": True}])
def test_a_finally_that_always_jumps_comes_after_staged_statements(options):
    def program(x):
        total = 0
        for i in ag.range(4):
            try:
                if x > i:
                    total += x
                    continue
                if x == 0:
                    return 77
            finally:
                total += 1
                continue
        try:
            if total > 5:
                total = total * 2
                return 0
        finally:
            return total

    staged = ag.function(program, **options)
    for x in (-1, 0, 2, 9):
        assert int(staged(ag.constant(x))) == program(x)


@pytest.mark.parametrize("options", [{"kernel_compiler": "none"}, {"jit_compile": True}])
def test_a_tensor_decides_whether_a_finally_jumps(options):
    def program(x):
        total = 0
        for i in ag.range(4):
            try:
                if x > i:
                    total += x
                    continue
                if x == 0:
                    return 77
            finally:
                total += 1
                if total > 8:
                    break
                if x < 0:
                    return total
            total += 10
        try:
            if total > 5:
                return total * 2
        finally:
            total += 1
            if x == 1:
                return total
        return -total

    staged = ag.function(program, **options)
    for x in range(-2, 10):
        assert int(staged(ag.constant(x))) == program(x)


@pytest.mark.parametrize("refused", [changes_a_set, needs_a_python_value, may_have_no_value])
@pytest.mark.parametrize("jumps", [True, False])
def test_a_finally_that_may_jump_discards_no_refusal(refused, jumps):
    @ag.function
    def program(x):
        try:
            x = refused(x)
        finally:
            if jumps:
                return x
        return x

    with pytest.raises((TypeError, UnboundLocalError)):
        program(ag.constant(1))


def test_a_finally_that_a_tensor_lets_jump_discards_no_error_of_the_trace():
    @ag.function
    def program(x):
        try:
            x = int("q")
        finally:
            if x > 2:
                return x

    with pytest.raises(errors.StagedHandlerError, match="whether `finally` jumps"):
        program(ag.constant(1))


def test_a_staged_error_that_a_finally_discards_is_refused():
    @ag.function
    def program(x):
        try:
            if x > 2:
                raise ValueError("large")
        finally:
            return x

    with pytest.raises(errors.StagedHandlerError, match="this ValueError"):
        program(ag.constant(1))


def reads_an_item(rows):
    return rows[9]


def assigns_an_item(rows):
    rows[9] = 1


@pytest.mark.parametrize("faulty", [reads_an_item, assigns_an_item, lambda rows: rows.pop()])
def test_an_index_into_a_list_that_grew_in_a_loop_is_refused_where_a_handler_catches_it(faulty):
    def f(n):
        rows = [0]
        for i in ag.range(n):
            rows.append(i)
        try:
            faulty(rows)
        except IndexError:
            rows.append(7)
        return len(rows)

    lists = ag.autograph.experimental.Feature.LISTS
    with pytest.raises(errors.StagedHandlerError, match="this IndexError is raised"):
        ag.function(f, experimental_autograph_options=lists)(ag.constant(2))


class MaySwallow:
    def __init__(self, swallows):
        self.swallows = swallows

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return self.swallows


def test_an_index_is_read_where_a_context_manager_may_catch_its_error():
    def f(n):
        rows = [5]
        with MaySwallow(False):
            for i in ag.range(n):
                rows.append(rows[-1] + i)
        return rows[-1]

    lists = ag.autograph.experimental.Feature.LISTS
    assert int(ag.function(f, experimental_autograph_options=lists)(ag.constant(3))) == 8


total = ag.Variable(0)


class Counting:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        total.assign_add(1)


def assigning_in_finally(x):
    try:
        if x > 0:
            raise ValueError(1)
    finally:
        total.assign_add(1)  # here
    return x


def asserting(x):
    try:
        assert x < 1
    finally:
        if x < 5:  # here
            total.assign(3)
    return x


def raising_in_finally(x):
    for i in ag.range(x):
        try:
            if i > 1:
                raise ValueError(1)
        finally:
            raise KeyError(2)  # here
    return x


def raising_in_a_with(x):
    if x > 0:
        with Counting():
            raise ValueError(1)
    return x


def raising_in_an_inner_try(x):
    try:
        try:
            if x > 0:
                raise ValueError(1)
        except KeyError:
            x = 0
        x = x + 1
    finally:
        ag.print(x)  # here
    return x


@pytest.mark.parametrize(
    "f, here",
    [
        (assigning_in_finally, "# here"),
        (asserting, "# here"),
        (raising_in_finally, "# here"),
        (raising_in_a_with, "total.assign_add(1)"),
        (raising_in_an_inner_try, "# here"),
    ],
)
def test_effects_of_a_cleanup_after_a_staged_raise_are_refused_at_their_line(f, here):
    """A graph ends where it raises: what Python does afterwards would silently be left out."""
    with pytest.raises(errors.StagedHandlerError, match="nothing after it has raised") as caught:
        ag.function(f)(ag.constant(1))
    lines = open(__file__).read().splitlines()
    named = re.search(r"line (\d+)", str(caught.value))
    assert here in lines[int(named[1]) - 1]


def test_a_cleanup_is_right_where_no_exception_is_staged_before():
    def f(x):
        with Counting():
            if x > 0:
                x = x + 1
        try:
            x = x * 2
            if x < 0:
                total.assign_add(10)
        finally:
            total.assign_add(100)
        if x > 100:
            raise ValueError(x)
        return x

    decorated = ag.function(f)
    for value in (3, -3):
        outcomes = []
        for form in (f, decorated):
            total.assign(0)
            outcomes.append((int(form(ag.constant(value))), int(total)))
        assert outcomes[0] == outcomes[1]


def test_a_cleanup_may_change_what_is_no_state_of_the_graph():
    events = []

    def f(x):
        try:
            if x > 0:
                raise ValueError(1)
            y = x * 2
        finally:
            events.append("end")
            y = x + 1
        return y

    decorated = ag.function(f)
    assert int(decorated(ag.constant(-3))) == -2
    with pytest.raises(ValueError, match="1"):
        decorated(ag.constant(3))


def test_a_cleanup_does_not_hide_an_error_of_tracing():
    def f(x):
        try:
            if x > 0:
                raise ValueError(1)
            return [1][ITEM]
        finally:
            total.assign_add(1)

    with pytest.raises(IndexError):
        ag.function(f)(ag.constant(1))


class Failing:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        raise ValueError


def replaced_by_an_error(x):
    n = 0
    try:
        try:
            if x > 5:
                raise KeyError("k")
        except KeyError:
            n = 5
        finally:
            n = {}["k"]
    except LookupError:
        n += 1
    return n


def replaced_by_a_raise(x):
    if x < 0:
        raise ValueError(x)
    try:
        if x > 5:
            raise KeyError("k")
    except KeyError:
        x = -x
    finally:
        raise ValueError(x)


def replaced_by_a_manager(x):
    with contextlib.suppress(ValueError):
        with contextlib.suppress(KeyError):
            with Failing():
                if x > 5:
                    raise KeyError("k")
    return x


@pytest.mark.parametrize("f", [replaced_by_an_error, replaced_by_a_raise, replaced_by_a_manager])
def test_what_a_finally_or_a_manager_raises_does_not_replace_a_refusal(f):
    with pytest.raises(
        errors.StagedHandlerError, match="handlers run while the function is traced"
    ):
        ag.function(f)(ag.constant(9))


def test_a_refusal_in_an_inner_function_is_not_replaced_in_the_outer_one():
    inner = ag.function(lambda x: caught(x))

    def caught(x):
        try:
            if x > 5:
                raise KeyError("k")
        except KeyError:
            x = -x
        return x

    def f(x):
        try:
            return inner(x)
        finally:
            raise ValueError

    with pytest.raises(errors.StagedHandlerError):
        ag.function(f)(ag.constant(9))
