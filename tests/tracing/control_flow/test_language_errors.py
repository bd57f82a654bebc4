"""What control flow on tensors refuses, in which words, and what loops do beside their bodies."""

import linecache

import numpy as np
import pytest
from language_kit import assert_staged_alike, plain, staged

import allograph as ag
from allograph.tracing.structures.errors import InconsistentBranchError, InconsistentLoopError


def test_none_or_a_list():
    @ag.function
    def f(x):
        if x > 0:
            y = [x]
        else:
            y = None
        return y

    with pytest.raises(InconsistentBranchError, match=r"(?s)'y' is the list.*None is no tensor"):
        f(ag.constant(1))


def text_of(function, *inputs):
    with pytest.raises(Exception) as caught:
        ag.function(function)(*map(ag.constant, inputs))
    return str(caught.value)


def test_a_path_without_return():
    def f(x):
        if x > 0:
            return x

    text = text_of(f, 1)
    assert "the function returns int32 with shape () on one path but None" in text
    assert "Return a value on every path" in text


def test_types_that_differ_between_the_sides_are_both_named():
    def f(x):
        if x > 0:
            y = x
        else:
            y = 2.5
        return y

    text = text_of(f, 1)
    assert "int32" in text and "float32" in text and "ag.cast(y" in text


def test_the_lines_of_both_assignments_are_named():
    def branches(x):
        y = x
        if x > 0:
            y = 2.5
        return y

    def loop(x):
        y = x
        while x > 0:
            x -= 1
            y = ag.cast(x, ag.float32)
        return y

    for function, before, inside in ((branches, 1, 3), (loop, 1, 4)):
        first = function.__code__.co_firstlineno
        lines = {f"(lines {first + before} and {first + inside})"}
        lines.add(f"(lines {first + inside} and {first + before})")
        assert any(one in text_of(function, 1) for one in lines)


def test_a_name_set_on_one_side_says_where():
    def f(x):
        if x > 0:
            y = 1
        return y

    text = text_of(f, 1)
    line = f.__code__.co_firstlineno + 1
    assert "variable 'y'" in text and f"line {line} of test_language_errors.py" in text


def test_a_loop_that_changes_a_type_names_both():
    def f(n):
        total = n
        for _ in ag.range(n):
            total = ag.cast(total, ag.float32) + 1.5
        return total

    text = text_of(f, 3)
    assert "'total' enters the loop as int32" in text and "float32" in text


def test_a_loop_that_changes_a_structure():
    @ag.function
    def f(n):
        pair = (1, 2)
        while n > 0:
            pair = (1, 2, 3)
            n -= 1
        return pair

    with pytest.raises(InconsistentLoopError, match=r"\(1, 2\).*\(1, 2, 3\)"):
        f(ag.constant(1))


def test_a_name_made_in_a_loop_needs_an_iteration():
    @ag.function
    def f(n):
        for i in ag.range(n):
            last = i
        return last

    assert plain(f(ag.constant(3))) == 2
    with pytest.raises(UnboundLocalError, match="'last'.*the loop did not run"):
        f(ag.constant(0))


def test_a_name_made_in_a_loop_is_no_matter_when_nobody_reads_it():
    def f(n):
        total = 0
        for i in ag.range(n):
            last = i
            total += last
        return total

    assert staged(f, 0) == 0


def test_maximum_iterations():
    def f(n):
        i = 0
        while i < n:
            ag.autograph.experimental.set_loop_options(maximum_iterations=2)
            i += 1
        total = 0
        for k in ag.range(n):
            ag.autograph.experimental.set_loop_options(maximum_iterations=3)
            total += k
        return i, total

    assert staged(f, 9) == (2, 3)
    assert staged(f, 1) == (1, 0)


def test_options_of_a_loop_by_position():
    def f(n):
        total = 0
        for _ in ag.range(n):
            ag.autograph.experimental.set_loop_options(10, False, 2)
            total += 1
        return total

    assert staged(f, 9) == 2


@pytest.mark.parametrize("over", [ag.range, range])
def test_an_unknown_option_of_a_loop_is_an_error(over):
    def f(n):
        for _ in over(3):
            ag.autograph.experimental.set_loop_options(maximum_iteration=2)
            n += 1
        return n

    with pytest.raises(TypeError, match="unexpected keyword argument 'maximum_iteration'"):
        staged(f, 1)


def test_an_unknown_option_of_a_staged_loop_suggests_a_known_one():
    def f(n):
        while n > 0:
            ag.autograph.experimental.set_loop_options(shape_invariant=[])
            n -= 1
        return n

    with pytest.raises(TypeError, match="Did you mean 'shape_invariants'") as raised:
        staged(f, 1)
    # The traceback ends at the call, not at the line of the loop.
    assert "set_loop_options" in str(raised.traceback[-1].statement)


def test_options_after_another_statement_of_a_loop_are_refused():
    def f(n):
        while n > 0:
            n -= 1
            ag.autograph.experimental.set_loop_options(maximum_iterations=2)
        return n

    with pytest.raises(TypeError, match="not the first statement of a loop"):
        staged(f, 5)
    assert f(5) == ag.function(f)(5) == 0


def test_shape_invariants():
    def f(n):
        x = ag.zeros([1])
        for _ in ag.range(n):
            ag.autograph.experimental.set_loop_options(
                shape_invariants=[(x, ag.TensorShape([None]))]
            )
            x = ag.concat([x, x], 0)
        return x

    assert staged(f, 2) == [0.0] * 4


@pytest.mark.parametrize("kind", [ag.constant, ag.Variable, np.array])
def test_shape_invariants_of_what_becomes_a_tensor(kind):
    start = kind([0.5, 2.0])

    @ag.function(jit_compile=True)  # which keeps the shapes that are not declared
    def grown(n):
        x = start
        for i in ag.range(n):
            ag.autograph.experimental.set_loop_options(
                shape_invariants=[(x, ag.TensorShape([None]))]
            )
            x = ag.concat([x, [ag.cast(i, x.dtype)]], 0)
        return x

    traced = grown.get_concrete_function(ag.TensorSpec([], ag.int32))
    assert traced.output_shapes == ag.TensorShape([None])


def test_a_loop_without_end_but_by_return():
    def f(n):
        total = 0
        while True:
            total += n
            n -= 1
            if n <= 0:
                return total

    assert_staged_alike(f, (5,), (0,))


def test_jumps_pass_finally_and_with():
    def f(n):
        total = 0
        for i in ag.range(n):
            try:
                with ag.name_scope("inner"):
                    if i == 2:
                        continue
                    if i == 4:
                        break
                total += i
            finally:
                total += 100
        return total

    def by_hand(n):
        total = 0
        for i in range(n):
            total += 100
            if i == 4:
                break
            total += i if i != 2 else 0
        return total

    assert [staged(f, n) for n in (0, 3, 9)] == [by_hand(n) for n in (0, 3, 9)]


def test_a_return_inside_try_runs_finally():
    log = []

    def f(n):
        try:
            while n > 0:
                n -= 1
                if n == 1:
                    return n * 100
        finally:
            log.append("finally")
        return n

    assert staged(f, 3) == 100
    assert staged(f, 1) == 0
    assert log == ["finally", "finally"]


def test_the_second_operand_of_or_is_evaluated_only_when_it_is_reached():
    @ag.function
    def f(x, y):
        return y == 0 or x // y > 1

    assert [plain(f(ag.constant(4), ag.constant(y))) for y in (0, 1, 4)] == [True, True, False]


def test_a_test_is_not_evaluated_again_after_break():
    @ag.function
    def f(n):
        k = 3
        while 12 // k > 0:
            k -= 1
            if k == n:
                break
        return k

    assert plain(f(ag.constant(0))) == 0


@pytest.mark.slow
def test_long_chains_stage():
    lines = ["def f(x):", "    if x == 0:", "        y = 0"]
    for k in range(1, 40):
        lines += [f"    elif x == {k}:", f"        y = {k * k}"]
    source = "\n".join([*lines, "    else:", "        y = -1", "    return y", ""])
    linecache.cache["<chain>"] = (len(source), None, source.splitlines(True), "<chain>")
    scope = {"__name__": "chain"}
    exec(compile(source, "<chain>", "exec"), scope)
    assert_staged_alike(scope["f"], (0,), (7,), (39,), (40,))


def test_a_name_used_up_in_a_loop_inside_with_or_try_needs_no_iteration():
    def f(n):
        total = 0
        with ag.name_scope("inner"):
            for i in ag.range(n):
                seen = i
                total += seen
        try:
            for i in ag.range(n):
                other = i
                total += other
        finally:
            total += 1
        return total

    assert staged(f, 0) == 1
    assert staged(f, 3) == 7


def test_a_generator_inside_of_a_function_is_named_as_the_reason():
    def f(x):
        def positive():
            if x > 0:
                yield x

        return sum(positive())

    assert "'positive' is a generator: generators and coroutines run as they are" in text_of(f, 1)


def test_an_update_of_a_variable_of_an_enclosing_function_says_how_to_change_it():
    total = ag.Variable(0.0)

    @ag.function
    def f(x):
        total += x  # noqa: F823, F841
        return x

    with pytest.raises(UnboundLocalError) as caught:
        f(ag.constant(1.0))
    assert "total.assign_add(...)" in caught.value.__notes__[0]
