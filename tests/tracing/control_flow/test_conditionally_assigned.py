"""Variables that an iteration of a loop on tensors may set: right if one did, an error if not."""

import functools
from dataclasses import dataclass

import pytest
from execution_modes import pinned
from language_kit import assert_staged_alike, plain, staged

import allograph as ag
from allograph.tracing.structures import errors


def test_a_name_set_before_break():
    def f(n):
        while True:
            n += 1
            if n > 10:
                found = n * 2
                break
        return found

    assert_staged_alike(f, (3,), (12,))


def test_a_search_that_finds():
    def f(x, wanted):
        for i in range(len(x)):
            if x[i] == wanted:
                place = i
                break
        return place

    assert staged(f, [4, 5, 6], 5) == 1


def test_a_search_that_fails_names_the_variable_and_the_line():
    @ag.function
    def f(x, wanted):
        for v in x:
            if v == wanted:
                found = v
                break
        return found

    line = f.python_function.__code__.co_firstlineno + 3
    with pytest.raises(UnboundLocalError, match=f"'found': no iteration .* line {line} of"):
        f(ag.constant([4, 5, 6]), ag.constant(7))


def test_for_else_gives_the_value_that_no_iteration_gave():
    def f(x, wanted):
        for v in x:
            if v == wanted:
                found = v * 10
                break
        else:
            found = -1
        return found

    for wanted, expected in [(5, 50), (7, -1)]:
        assert staged(f, [4, 5, 6], wanted) == expected


def test_return_inside_a_loop_with_else():
    def f(x, wanted):
        for v in x:
            if v == wanted:
                return v * 10
        else:
            return -1

    for wanted, expected in [(5, 50), (7, -1)]:
        assert staged(f, [4, 5, 6], wanted) == expected


def test_the_last_iteration_that_sets_it_counts():
    def f(x, wanted):
        for v in x:
            if v % wanted == 0:
                last = v
        return last

    assert staged(f, [4, 5, 6, 7], 2) == 6


def test_a_name_set_unless_continue():
    def f(x, skipped):
        for v in x:
            if v == skipped:
                continue
            last = (v, v + 1)
        return last

    assert staged(f, [4, 5, 6], 6) == (5, 6)


def test_read_only_where_a_flag_says_so():
    def f(x, wanted):
        found = False
        for v in x:
            if v == wanted:
                found, value = True, v * 10
        return value if found else -1

    for wanted, expected in [(5, 50), (7, -1)]:
        assert staged(f, [4, 5, 6], wanted) == expected


def test_through_a_loop_inside_a_loop():
    def f(rows, wanted):
        for row in rows:
            for v in row:
                if v == wanted:
                    sum_ = row[0] + row[1]
        return sum_

    assert staged(f, [[1, 2], [3, 4], [5, 6]], 4) == 7


def test_through_two_loops_one_after_the_other():
    @ag.function
    def f(x, one, two):
        for v in x:
            if v == one:
                found = v
        for v in x:
            if v == two:
                found = v * 100
        return found

    x = ag.constant([4, 5, 6])
    assert [plain(f(x, *map(ag.constant, pair))) for pair in [(5, 9), (9, 6), (5, 6)]] == [
        5,
        600,
        600,
    ]
    with pytest.raises(UnboundLocalError, match="'found'"):
        f(x, ag.constant(8), ag.constant(9))


def test_a_branch_after_the_loop_completes_it():
    @ag.function
    def f(x, wanted, default):
        for v in x:
            if v == wanted:
                found = v
        if default > 0:
            found = default
        return found

    x = ag.constant([4, 5, 6])
    assert plain(f(x, ag.constant(9), ag.constant(1))) == 1
    assert plain(f(x, ag.constant(5), ag.constant(0))) == 5
    with pytest.raises(UnboundLocalError, match="'found'"):
        f(x, ag.constant(9), ag.constant(0))


def test_its_gradient():
    @ag.function
    def f(x, limit):
        for v in x:
            if v > limit:
                found = v * v
                break
        return found

    x = ag.constant([1.0, 2.0, 3.0])
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = f(x, ag.constant(1.5))
    assert plain(y) == 4.0
    assert plain(tape.gradient(y, x)) == [0.0, 4.0, 0.0]


@pytest.mark.parametrize("jit", [False, True])
def test_native_code_checks_only_where_it_is_read(jit):
    @ag.function(**pinned(jit))
    def f(x, wanted, trusting):
        found = False
        for v in x:
            if v == wanted:
                found, value = True, v * 10
        if found:
            return value
        total = -1
        for _ in range(trusting):
            total += value
        return total

    x = ag.constant([4, 5, 6])
    zero, one = ag.constant(0), ag.constant(1)
    assert plain(f(x, ag.constant(5), one)) == 50
    assert plain(f(x, ag.constant(7), zero)) == -1
    with pytest.raises(UnboundLocalError, match="'value'"):
        f(x, ag.constant(7), one)


def test_in_the_body_itself_it_has_no_value():
    @ag.function
    def f(x):
        for v in x:
            if v > 1:
                w = v
            ag.print(w)
        return x

    with pytest.raises(UnboundLocalError, match="'w'"):
        f(ag.constant([1, 2]))


def test_what_every_iteration_sets_is_checked_only_where_it_is_read():
    def f(n, trusting):
        i = 0
        while i < n:
            i += 1
            last = i
        if trusting > 0:
            return last
        return -1

    for row in [(3, 1), (3, 0), (0, 0)]:
        assert staged(f, *row) == f(*row)
    with pytest.raises(UnboundLocalError, match="'last': only the body of a loop sets it"):
        staged(f, 0, 1)


def test_a_branch_after_the_loop_may_replace_what_every_iteration_sets():
    def f(n, default):
        i = 0
        while i < n:
            i += 1
            last = i
        if default > 0:
            last = default
        return last

    assert_staged_alike(f, (3, 0), (3, 7), (0, 7))


def test_a_loop_inside_a_loop_that_does_not_run_needs_no_value():
    def f(n, a, b):
        row = [a, 2]
        while n > 0:
            n -= 1
            while a < b:
                a += 1
                try:
                    row[0], b = b, row[1]
                finally:
                    b -= 1
        return row[0] + b

    assert_staged_alike(f, (2, 1, 5), (2, 5, 1), (0, 0, 0))


def test_a_loop_that_goes_on_with_it_reads_what_its_own_turns_gave():
    def f(n, wanted, more):
        for i in range(n):
            if i == wanted:
                found = i
        for j in range(more):
            found = found + j
        return found

    assert_staged_alike(f, (3, 2, 4), (3, 0, 0), (4, 1, 1))


def test_a_list_that_a_loop_made_stays_one_list():
    def f(n, more):
        i = 0
        while i < n:
            i += 1
            pair = [i, 2 * i]
        if more > 0:
            pair[0] = more
        pair.append(7)
        return pair[0] + pair[1] + pair[2]

    assert_staged_alike(f, (3, 0), (3, 5))
    with pytest.raises(UnboundLocalError, match="'pair'"):
        staged(f, 0, 0)


def test_attributes_and_items_that_every_iteration_sets():
    def f(n, more):
        places = {}
        while n > 0:
            n -= 1
            places["last"] = n
        while more > 0:
            more -= 1
            places["last"] += more
        return places["last"]

    assert_staged_alike(f, (3, 0), (3, 2))


def test_it_may_be_updated_and_be_the_default_of_a_parameter():
    def f(n):
        while n > 0:
            n -= 1
            last = n + 3
        last += 1

        def add(x, y=last):
            return x + y

        return add(last)

    assert_staged_alike(f, (3,), (1,))
    with pytest.raises(UnboundLocalError, match="'last'"):
        staged(f, 0)


def test_a_function_inside_updates_what_every_iteration_sets():
    def f(n, more):
        while n > 0:
            n -= 1
            last = n + 3

        def grown():
            nonlocal last
            last += more
            return last

        while more > 0:
            more -= 1
            n += grown()
        return n + last

    assert_staged_alike(f, (3, 0), (1, 4))


def test_classes_and_generators_read_what_every_iteration_sets():
    def f(n):
        while n > 0:
            n -= 1
            last = n + 3

        class Holder:
            held = last

        def rows():
            yield last

        return Holder.held + sum(rows())

    assert_staged_alike(f, (3,), (1,))


def test_fields_of_an_object_that_every_iteration_makes():
    @dataclass
    class Pair:
        one: int
        two: int

    def f(n):
        while n > 0:
            n -= 1
            pair = Pair(n, n + 1)
            table = {"k": n}
        if pair.two > 0:
            pair.one += 5
            table["k"] += 1
        return pair.one + table["k"] * 100

    assert_staged_alike(f, (3,), (1,))


class TestNamesOfTheSideThatStays:
    """A name is read where only the side that sets it arrives; the other one has returned."""

    def test_after_a_with(self):
        def f(n):
            with ag.name_scope("scope"):
                if n <= 2:
                    return n
                r = n * 2
            return r

        assert_staged_alike(f, (1,), (5,))

    def test_set_before_the_else_returns(self):
        def f(n):
            with ag.name_scope("scope"):
                if n > 4:
                    r = n
                elif n > 2:
                    r = n + 1
                else:
                    return n - 1
                r += 3
            return r * 2

        assert_staged_alike(f, (1,), (3,), (5,))

    def test_after_a_finally(self):
        def f(n):
            try:
                if n > 2:
                    r = n
                else:
                    return n - 1
            finally:
                k = 1
            return r + k

        assert_staged_alike(f, (1,), (5,))

    def test_its_gradient(self):
        @ag.function
        def f(x):
            with ag.GradientTape() as tape:
                tape.watch(x)
                if x < 0.0:
                    return x
                y = x**3
            return tape.gradient(y, x)

        assert [float(f(ag.constant(x))) for x in (-1.0, 2.0)] == [-1.0, 12.0]

    def test_a_name_that_nobody_set_is_still_an_error(self):
        @ag.function
        def f(n):
            with ag.name_scope("scope"):
                if n > 2:
                    r = n
            return r

        with pytest.raises(UnboundLocalError, match="'r'"):
            f(ag.constant(5))


class TestGradientsOfNamesThatALoopSets:
    """A read of the name is checked, after the tape as under it; the gradient is the same."""

    def alike(self, f):
        x, n = ag.constant(2.0), ag.constant(3)
        wanted = ag.nest.map_structure(float, f(x, n))
        assert ag.nest.map_structure(float, ag.function(f)(x, n)) == wanted

    def test_as_a_target_after_the_tape(self):
        def f(x, n):
            with ag.GradientTape(persistent=True) as tape:
                tape.watch(x)
                best = None
                for i in ag.range(n):
                    y = x**3
                    if best is None or y < best:
                        best = y * 2
                with tape.stop_recording():
                    unrecorded = y * 1
                z = y * unrecorded
            return [tape.gradient(one, x) for one in (y, best, z)]

        self.alike(f)

    def test_as_a_source(self):
        def derivative(function, at):
            with ag.GradientTape() as tape:
                tape.watch(at)
                y = function(at)
            return tape.gradient(y, at)

        def f(x, n):
            for _i in ag.range(n):
                w = x * 1.0
            with ag.GradientTape() as tape:
                tape.watch(w)
                y = w**3 if n > 2 else w
            return [tape.gradient(y, w), derivative(lambda v: v * w, w)]

        self.alike(f)

    def test_as_items_and_attributes(self):
        def f(x, n):
            found = {}
            with ag.GradientTape(persistent=True) as tape:
                tape.watch(x)
                for _i in ag.range(n):
                    found["y"] = x**3
                    found["pair"] = [x * 2, x * 5]
            first, second = found["pair"]
            both = tape.gradient(found["pair"], x)
            return [tape.gradient(one, x) for one in (found["y"], first, second)] + [both]

        self.alike(f)

    def test_as_a_jacobian_and_forward(self):
        def f(x, n):
            with ag.GradientTape() as tape, ag.autodiff.ForwardAccumulator(x, 1.0) as forward:
                tape.watch(x)
                for _i in ag.range(n):
                    y = x**3
            return [tape.jacobian(y, x), forward.jvp(y)]

        self.alike(f)


class Held:
    def __init__(self, value):
        self.value = value
        self.rows = [1, value]


def made_in_a_for(n):
    for i in ag.range(n):
        held = Held(n + i)
    return held.value  # here


def made_in_a_while(n):
    while n > 0:
        held = Held(0)
        held.rows.append(n)
        n -= 1
    return held.rows[-1]  # here


def held_by_another(n):
    for i in ag.range(n):
        held = Held(0)
        held.value = functools.partial(Held, Held(i))
    made = held  # here
    return made.value().value.value


@pytest.mark.parametrize("f", [made_in_a_for, made_in_a_while, held_by_another])
def test_an_object_that_a_loop_made_is_refused_where_it_holds_tensors_of_the_body(f):
    f(3)
    with pytest.raises(errors.InconsistentLoopError, match="only its body knows") as caught:
        ag.function(f)(ag.constant(3))
    lines = open(__file__).read().splitlines()
    assert "# here" in lines[caught.value.where.line - 1]


def test_an_object_that_a_loop_made_may_hold_what_is_known_outside():
    def f(x, n):
        y = x * 2
        for i in ag.range(n):
            held = Held(y)
            held.inner = Held(held)
            x = x + held.value + i
        return held.inner.value.rows[1] + x

    decorated = ag.function(f)
    assert int(decorated(ag.constant(3), ag.constant(2))) == f(3, 2)
    with pytest.raises(UnboundLocalError):
        decorated(ag.constant(3), ag.constant(0))


@pytest.mark.parametrize(
    "make", [lambda v: {"a": Held(v)}, lambda v: [Held(v)], lambda v: Record(Held(v))]
)
def test_a_container_of_objects_that_a_loop_makes_is_refused_where_it_is_read(make):
    def read(x, after):
        total = 0
        for i in ag.range(x):
            made = make(x + i)
            total += i
        return (made, total)[1] if after else total

    assert int(ag.function(read)(ag.constant(3), False)) == 3
    with pytest.raises(errors.InconsistentLoopError, match="only its body knows"):
        ag.function(read)(ag.constant(3), True)


@dataclass
class Record:
    held: object


def test_a_loop_that_sets_a_name_and_reads_variables_is_native():
    weight = ag.Variable(2.0)

    @ag.function(jit_compile=True)
    def f(n):
        for _ in ag.range(n):
            last = weight * 2.0
            weight.assign(last)
        return last

    assert float(f(ag.constant(3))) == 16.0 and float(weight) == 16.0
    with pytest.raises(UnboundLocalError, match="'last'"):
        f(ag.constant(0))
    assert float(weight) == 16.0
