"""`raise` in a part of a staged statement happens when the graph runs, as it would in Python."""

import pytest
from execution_modes import pinned

import allograph as ag


def outcome(function, *args):
    try:
        return int(function(*args))
    except Exception as error:
        return type(error), str(error)


def both(function, *inputs, native=True):
    """The outcomes of a function on each input, the same on integers, eagerly and as a graph."""
    found = [outcome(function, value) for value in inputs]
    assert [outcome(function, ag.constant(value)) for value in inputs] == found
    for jit in (False, True) if native else (False,):
        decorated = ag.function(function, **pinned(jit))
        assert [outcome(decorated, ag.constant(value)) for value in inputs] == found
    return found


def test_an_exception_under_a_staged_if_waits_for_the_values():
    def f(x):
        if x < 0:
            raise ValueError(f"negative: {x}")
        return x + 1

    assert both(f, 1, -3) == [2, (ValueError, "negative: -3")]


def test_a_raise_that_python_decides_waits_for_one_that_may_come_first():
    strict = True

    def f(x):
        if x < 0:
            raise ValueError(f"negative: {x}")
        y = x * 2
        if strict:
            raise ArithmeticError(f"twice: {y}")
        return y

    assert both(f, 1, -3) == [(ArithmeticError, "twice: 2"), (ValueError, "negative: -3")]


@pytest.mark.slow
def test_the_side_that_goes_on_gives_the_names():
    def f(x):
        if x > 2:
            y = x * 2
            kind = "large"
        else:
            raise ValueError("small")
        return y + len(kind)

    assert both(f, 5, 1) == [15, (ValueError, "small")]


@pytest.mark.slow
def test_a_chain_that_raises_everywhere_else():
    def f(x):
        if x < 0:
            raise ValueError
        elif x == 0:
            raise KeyError("{:>4}".format(x))  # noqa: UP032  # noqa: UP032
        elif x == 1:
            return 7
        else:
            raise TypeError("large")

    assert both(f, -1, 0, 1, 2) == [
        (ValueError, ""), (KeyError, "'   0'"), 7, (TypeError, "large"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "message",
    [
        lambda x: "%d is %5.1f%%, not %s" % (x, x / 2, "x"),  # noqa: UP031
        lambda x: "%03d" % x,  # noqa: UP031
        lambda x: "at " + str(abs(-3)) + f": {x:>4} {x + 1:d}",
        lambda x: " ".join([f"{x}", "and", format(x * 2, "+d")]),
    ],
)
def test_texts_wait_for_the_values(message):
    def f(x):
        if x > 2:
            raise ValueError(message(x))
        return x

    both(f, 1, 5, native=False)


@pytest.mark.slow
def test_in_loops():
    def f(n):
        total = 0
        for i in range(n):
            if total > 3:
                raise OverflowError(f"at {i} with {total}")
            total += i
        while total > 0:
            total -= 2
            if total == 1:
                raise ArithmeticError("odd")
        return total

    assert both(f, 3, 2, 5) == [
        (ArithmeticError, "odd"), -1, (OverflowError, "at 4 with 6"),
    ]  # fmt: skip


def test_a_loop_whose_body_always_raises():
    def f(n):
        for i in range(n):
            raise ValueError(f"item {i}")
        return n

    assert both(f, 0, 2) == [0, (ValueError, "item 0")]


@pytest.mark.slow
def test_after_an_early_return():
    def f(x):
        if x == 3:
            return 0
        for i in range(x):
            if i == 4:
                return i
        if x < 0:
            raise ValueError("below")
        return x

    assert both(f, 3, 9, -1, 2) == [0, 4, (ValueError, "below"), 2]


@pytest.mark.slow
def test_in_a_called_function():
    def checked(x):
        if x > 0:
            return x
        raise ValueError(f"not positive: {x}")

    def f(x):
        return checked(x) + 1 if x != 5 else checked(x - 9)

    assert both(f, 1, -1, 5) == [
        2, (ValueError, "not positive: -1"), (ValueError, "not positive: -4"),
    ]  # fmt: skip


def test_in_a_decorated_function_that_is_called_on_some_ways():
    @ag.function
    def refuse(x):
        raise ValueError("refused")

    @ag.function
    def f(x):
        return refuse(x) if x > 0 else x

    assert outcome(f, ag.constant(-1)) == -1
    assert outcome(f, ag.constant(1)) == (ValueError, "refused")


def test_the_cause_and_the_attributes_are_kept():
    class BadInputError(Exception):
        def __init__(self, value, *, limit):
            super().__init__(f"{value} is over {limit}")
            self.limit = limit

    @ag.function
    def f(x):
        if x > 2:
            raise BadInputError(x, limit=x - 1) from KeyError(f"{x}")
        return x

    assert int(f(ag.constant(1))) == 1
    with pytest.raises(BadInputError) as caught:
        f(ag.constant(5))
    assert caught.value.args == ("5 is over 4",)
    assert int(caught.value.limit) == 4
    assert caught.value.__cause__.args == ("5",)


def test_it_names_the_line_in_a_note():
    @ag.function
    def f(x):
        if x > 2:
            raise ValueError("large")
        return x

    with pytest.raises(ValueError) as caught:
        f(ag.constant(5))
    assert caught.value.args == ("large",)
    assert 'raise ValueError("large")' in caught.value.__notes__[0]


@pytest.mark.slow
@pytest.mark.parametrize("jit", [False, True])
def test_effects_before_it_happen(jit):
    calls = ag.Variable(0)

    @ag.function(**pinned(jit))
    def f(x):
        calls.assign_add(1)
        if x > 2:
            calls.assign_add(10)
            raise ValueError("large")
        calls.assign_add(100)
        return x

    with pytest.raises(ValueError, match="large"):
        f(ag.constant(5))
    assert int(calls) == 11


def test_a_handler_that_would_catch_it_is_refused():
    @ag.function
    def f(x):
        y = 1
        try:
            if x > 2:
                raise ValueError("large")
        except (KeyError, ValueError):
            y = 2
        return y

    with pytest.raises(ag.errors.UnimplementedError, match="would catch it"):
        f(ag.constant(1))


def test_other_handlers_let_it_pass_and_inner_ones_catch():
    @ag.function
    def f(x):
        y = x
        try:
            if x > 2:
                raise ValueError("large")
            try:
                raise KeyError("inner")
            except KeyError:
                y += 1
        except KeyError:
            y = 100
        finally:
            y += 10
        return y

    assert outcome(f, ag.constant(1)) == 12
    assert outcome(f, ag.constant(5)) == (ValueError, "large")


def test_an_assertion_that_is_false_on_some_ways_only():
    @ag.function
    def f(x):
        if x > 2:
            assert False, "never"  # noqa: B011
        return x

    assert outcome(f, ag.constant(1)) == 1
    assert outcome(f, ag.constant(5)) == (AssertionError, "never")


@pytest.mark.parametrize("options", [{"kernel_compiler": "none"}, {"jit_compile": True}])
def test_the_message_of_an_assertion_has_the_values_of_the_run(options):
    @ag.function(**options)
    def f(x, y):
        for i in ag.range(4):
            assert x >= i, f"{x} is less than {i}, {y}"
        return x

    assert int(f(ag.constant(3), ag.constant(0.5))) == 3
    with pytest.raises(AssertionError, match=r"^1 is less than 2, 0\.5\n"):
        f(ag.constant(1), ag.constant(0.5))


def test_gradients_flow_through_the_side_that_goes_on():
    @ag.function
    def f(x):
        if x[0] < 0.0:
            raise ValueError("negative")
        elif x[0] > 3.0:
            y = x * x
        else:
            raise KeyError("small")
        return y

    x = ag.constant([4.0, 1.0])
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert tape.gradient(y, x).numpy().tolist() == [8.0, 2.0]


@pytest.mark.slow
def test_unknown_shapes_stay_those_of_the_side_that_goes_on():
    @ag.function(input_signature=[ag.TensorSpec([None, 3])], jit_compile=True)
    def f(x):
        if ag.reduce_sum(x) < 0.0:
            raise ValueError(f"{ag.reduce_sum(x):.1f}")
        else:
            y = x * 2.0
        assert y.shape[1] == 3
        return y

    assert f(ag.ones((2, 3))).shape == (2, 3)
    assert outcome(f, -ag.ones((2, 3))) == (ValueError, "-6.0")


@pytest.mark.slow
def test_next_to_parts_of_a_loop_that_are_cut_and_fused():
    @ag.function(jit_compile=True)
    def f(x):
        total = 0.0
        for i in ag.range(ag.shape(x)[0]):
            if x[i] < 0.0:
                raise ValueError(f"at {i}: {x[i]}")
            total += ag.sin(x[i])
        return total

    x = ag.ones((50,))
    assert float(f(x)) > 42.0
    assert outcome(f, ag.concat([x, -x], 0)) == (ValueError, "at 50: -1.0")


class Checked(ag.Module):
    @ag.function(input_signature=[ag.TensorSpec([]), ag.TensorSpec([], ag.int32)])
    def __call__(self, x, n):
        if x < 0.0:
            raise ValueError("%5.2f %r" % (x, n), {"n": n}, [f"{n:>4}"]) from KeyError(n)  # noqa: UP031
        if x > 9.0:
            raise OverflowError
        return x * [1.0, 2.0][n]


@pytest.mark.parametrize(("x", "n"), [(1.0, 1), (-1.0, 1), (10.0, 1), (1.0, 3), (1.0, -3)])
def test_a_saved_function_raises_what_it_raised(tmp_path, x, n):
    module = Checked()
    ag.saved_model.save(module, tmp_path)
    loaded = ag.saved_model.load(tmp_path)
    arguments = ag.constant(x), ag.constant(n)
    assert repr(outcome(loaded, *arguments)) == repr(outcome(module, *arguments))


class Negative(ValueError):
    pass


def test_a_function_that_raises_a_class_of_the_program_is_not_saved(tmp_path):
    class Checked(ag.Module):
        @ag.function(input_signature=[ag.TensorSpec([])])
        def __call__(self, x):
            if x < 0.0:
                raise Negative("negative")
            return x

    with pytest.raises(ValueError, match="it raises Negative, a class of the program"):
        ag.saved_model.save(Checked(), str(tmp_path / "saved"))
