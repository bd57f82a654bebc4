"""Strings that show tensors while a function is traced: as tensors and in messages, they have the
values that the tensors have when the graph runs.
"""

import warnings

import pytest
from language_kit import LISTS

import allograph as ag


def text(result):
    """Strings of tensors as str, whatever structure they stand in."""
    return ag.nest.map_structure(
        lambda one: one.decode() if isinstance(one, bytes) else one, plain_strings(result)
    )


def plain_strings(result):
    return ag.nest.map_structure(lambda one: one.numpy() if ag.is_tensor(one) else one, result)


def staged(function, *inputs):
    decorated = ag.function(function, experimental_autograph_options=LISTS)
    return text(decorated(*map(ag.constant, inputs)))


def formats(x):
    label = f"{x}"
    return (
        label, f"{x:.2f}|{x:>8.1f}|{x!r}|{x!s}|{x=}", "a" + label + "b" + f"{1}", label * 2,
        "%.3f and %s" % (x, x), "{:.1f} {n} {}".format(x, label, n=3),  # noqa: UP031, UP032
        str(x), repr(x),
        format(x, ".1f"), str([x, "k"]), f"{(x, 1)}", f"{'-' * 3:>{2 + 3}}", f"{x.dtype.name}",
        ", ".join([label, "x", f"{x + 1}"]), f"<{label}>", len(label), f"{[label]}",
    )  # fmt: skip


def numbers(x):
    count, total = 0, 0.0
    for i in range(int(x)):
        count += i
        total = total + 0.5
    return str(count), f"{total} {count:03d}", repr(int(x)), str(len(f"{x}")), str(float(x))


def choices(x):
    label = "none"
    if x > 1:
        label = f"high {x:.1f}"
    if label == "high 3.5":
        label += "!"
    rows = ""
    for i in ag.range(3):
        rows += f"{i};"
    return label, rows, ", ".join(f"{i * 2}" for i in ag.range(3)), label != "none"


@pytest.mark.parametrize("function", [formats, numbers, choices], ids=lambda f: f.__name__)
def test_a_string_shows_the_values_that_tensors_have_when_the_graph_runs(function):
    for x in (3.5, 0.25):
        assert staged(function, x) == text(function(ag.constant(x)))


@pytest.mark.parametrize("form", [str, repr, "{}".format, lambda rows: f"{[tuple(rows)]}"])
def test_the_text_of_a_list_that_grows_is_refused(form):
    def program(n):
        rows = [i for i in range(n)]
        try:
            return form(rows) == "[0, 1]"
        except Exception:
            return False

    with pytest.raises(ag.errors.UnimplementedError, match="the text of a list that grows"):
        ag.function(program)(ag.constant(2))


@pytest.mark.parametrize("form", [str, repr, "{}".format, lambda counts: f"{counts}"])
def test_the_text_of_a_range_that_a_tensor_bounds_is_refused(form):
    """It was that of a tensor: the bounds of an empty range are not known from its items."""
    with pytest.raises(ag.errors.SymbolicValueError, match="the text of a value of range"):
        ag.function(lambda n: form(range(n)) == "range(0, 3)")(ag.constant(3))


def test_messages_show_values_wherever_the_string_was_made(capsys):
    def described(x):
        return f"x is {x:.1f}"

    @ag.function
    def f(x, way):
        label = described(x)
        print("traced:", label)
        ag.print(label, [label], output_stream="stdout")
        if way == 0:
            assert x > 5, label
        if way == 1:
            raise ValueError(label)
        ag.debugging.assert_less(x, 1.0, message=label)
        return x

    for way, error in ((0, AssertionError), (1, ValueError), (2, ag.errors.InvalidArgumentError)):
        with pytest.raises(error, match=r"x is 3\.5"):
            f(ag.constant(3.5), ag.constant(way))
    traced, *printed = capsys.readouterr().out.splitlines()
    assert traced == 'traced: x is Tensor("x:0", shape=(), dtype=float32)'
    assert printed == ['x is 3.5 ["x is 3.5"]'] * 3


def test_a_warning_of_tracing_names_the_tensor():
    @ag.function
    def f(x):
        warnings.warn(f"careful with {x}", stacklevel=1)
        return x

    with pytest.warns(UserWarning, match='careful with Tensor\\("x:0"'):
        f(ag.constant(1.0))


def test_what_depends_on_the_characters_is_refused():
    uses = (
        lambda x: {f"{x}": x},
        lambda x: f"{x}".upper(),
        lambda x: f"{x}"[0],
        lambda x: "a" in f"{x}",
        lambda x: f"{x}" < "a",
    )
    for use in uses:
        with pytest.raises(TypeError, match="the characters of 'Tensor"):
            ag.function(use)(ag.constant(1.0))


def test_a_string_made_by_code_that_is_not_converted_is_no_value():
    @ag.autograph.do_not_convert
    def shown(x):
        return "the value " + str(x)

    @ag.function
    def f(x):
        return ag.strings.upper(shown(x))

    with pytest.raises(TypeError, match="names a tensor, whose value is known only"):
        f(ag.constant(1.0))


def test_a_format_of_another_type_is_pythons_error_while_tracing():
    def f(x):
        try:
            return f"{x:d}"
        except ValueError:
            return "no integer"

    assert staged(f, 1.5) == "no integer"
    assert staged(f, 7) == "7"


def test_ints_and_floats_of_tensors_adopt_data_types():
    def g(x):
        whole, near = int(x), round(float(x) / 3)
        return whole * 0.5 + float(x), whole * ag.constant([1.5]), near * 0.5, str(near), round(x)

    assert text(ag.function(g)(ag.constant(3.5))) == text(g(ag.constant(3.5)))


def test_a_stack_of_strings_some_of_which_are_known_has_all_of_them():
    @ag.function
    def f(s):
        return ag.stack([ag.strings.upper(s), "b"])

    assert f(ag.constant("a")).numpy().tolist() == [b"A", b"b"]
