"""What a person sees when user code fails: the own lines, whatever the exception is."""

import pickle
import traceback

import pytest

import allograph as ag


def files_of(error):
    return [frame.filename for frame in traceback.extract_tb(error.__traceback__)]


def inner(x):
    if x is not None:
        raise ValueError("no positive numbers")
    return x


@ag.function
def outer(x):
    for _ in range(2):
        x = inner(x)
    return x


def failed(call, kind=Exception):
    with pytest.raises(kind) as caught:
        call()
    return caught.value


def test_an_exception_of_the_user_keeps_its_class_and_names_the_line():
    error = failed(lambda: outer(ag.constant(3)), ValueError)
    assert type(error) is ValueError
    assert error.args == ("no positive numbers",)
    assert "".join(traceback.format_exception(error)).count('raise ValueError("no positive') == 1


def test_an_exception_without_a_plain_message_stays_as_it_is():
    class CodeError(Exception):
        def __init__(self, code, text):
            super().__init__(code, text)

    @ag.function
    def f(x):
        raise CodeError(7, "x")

    error = failed(lambda: f(ag.constant(1)), CodeError)
    assert error.args == (7, "x") and not hasattr(error, "__notes__")


def test_an_eager_error_shows_the_users_line_once_and_nothing_else():
    error = failed(lambda: ag.matmul(ag.ones([2, 3]), ag.ones([2, 3])))
    shown = "".join(traceback.format_exception(error))
    assert files_of(error) == [__file__] * 2
    assert shown.count("error = failed(lambda: ag.matmul") == 1
    assert error.__context__ is None and "line" in str(error)


@pytest.mark.parametrize(
    "call",
    [
        lambda: ag.matmul(),
        lambda: ag.constant([[1, 2], [3]]),
        lambda: ag.constant(1) + ag.constant(1.0),
        lambda: ag.constant([1])[7],
        lambda: ag.Variable(1).assign(1.5),
        lambda: ag.data.Dataset.from_tensor_slices([1]).batch(0),
        lambda: ag.keras.layers.Dense(3)(ag.constant(1.0)),
        lambda: ag.keras.layers.Dense(3, activation="rellu"),
        lambda: ag.reduce_men([1]),
        lambda: ag.math.lgo([1]),
    ],
)
def test_no_frame_of_the_package_is_shown(call):
    error = failed(call)
    assert set(files_of(error)) == {__file__}
    assert error.__cause__ is None and error.__context__ is None


def test_a_context_of_the_user_stays():
    try:
        {}["missing"]
    except KeyError as missing:
        error = failed(lambda: ag.matmul(ag.ones([2, 3]), ag.ones([2, 3])))
        assert error.__context__ is missing


def test_internal_frames_are_hidden():
    error = failed(lambda: outer(ag.constant(3)))
    users = [file for file in files_of(error) if file == __file__]
    hidden = [file for file in files_of(error) if "autograph" in file and file != __file__]
    assert len(users) >= 3
    assert all("operators" not in file for file in hidden)


def test_the_environment_shows_internal_frames(monkeypatch):
    monkeypatch.setenv("ALLOGRAPH_FULL_TRACEBACK", "1")
    assert any("operators" in file for file in files_of(failed(lambda: outer(ag.constant(3)))))


def lines_in_this_file(call):
    """The functions and lines of this file that a failing call went through, below the call."""
    rows = traceback.extract_tb(failed(call).__traceback__)
    return [(row.name, row.lineno) for row in rows if row.filename == __file__][2:]


def nested(x):
    for i in range(3):
        while x > 0:
            if i == 2 and (x < 2 or inner(x)):
                return [1 / (x - k) for k in range(3)]
            x = x - 1
        x = 3
    return sorted([x], key=lambda one: inner(one))


def failing_operand(x):
    return x > 0 and inner(x) or (inner(2) if x else (lambda: inner(3))())


@pytest.mark.parametrize("function", [nested, failing_operand])
@pytest.mark.parametrize("argument", [0, 1, 2])
def test_a_traceback_has_one_row_for_each_call_as_in_python(function, argument):
    plain = lines_in_this_file(lambda: function(argument))
    assert lines_in_this_file(lambda: ag.autograph.convert()(function)(argument)) == plain


def test_plain_converted_code_hides_them_too():
    error = failed(lambda: ag.autograph.convert()(inner)(1), ValueError)
    assert str(error) == "no positive numbers"
    assert all("operators" not in file for file in files_of(error))


def test_errors_survive_pickling():
    error = failed(lambda: outer(ag.constant(3)))
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is ValueError and str(again) == str(error)


def test_notes_survive_pickling():
    error = failed(lambda: ag.constant(1) + ag.constant(1.5), TypeError)
    error.add_note("noted")
    assert pickle.loads(pickle.dumps(error)).__notes__ == error.__notes__


def test_a_cause_stays():
    @ag.function
    def f(x):
        try:
            {}["missing"]
        except KeyError as error:
            raise ValueError("no entry") from error

    error = failed(lambda: f(ag.constant(1)), ValueError)
    assert type(error.__cause__) is KeyError
    assert pickle.loads(pickle.dumps(error)).args == error.args


def test_a_failed_trace_leaves_nothing_behind():
    calls = []

    @ag.function
    def f(x):
        calls.append(1)
        if len(calls) == 1:
            raise RuntimeError("first")
        return x + 1

    failed(lambda: f(ag.constant(1)), RuntimeError)
    assert int(f(ag.constant(1))) == 2
    assert ag.executing_eagerly()


def test_a_stack_shows_the_generated_line_through_which_conversion_was_entered():
    frames = []

    @ag.function
    def traced(x):
        frames.extend(traceback.extract_stack())
        return x

    traced(ag.constant(1))
    (entry,) = [one for one in frames if one.name == "traced" and one.filename != __file__]
    assert "ag__.converted_call" in entry.line


def test_a_function_without_source_says_so_when_it_meets_a_tensor():
    scope = {}
    exec("def f(x):\n    if x > 0:\n        return 1\n    return 2\n", scope)
    error = failed(lambda: ag.function(scope["f"])(ag.constant(1)), TypeError)
    assert error.cure.startswith("no source for 'f'")
    assert "Write it in a file" in str(error)


@pytest.mark.parametrize("words", ["generator", "class 'Inner'", "eval"])
def test_what_no_tensor_can_drive_is_named(words):
    def numbers(x):
        while x > 0:
            yield x
            x = x - 1

    def in_a_generator(x):
        return sum(numbers(x))

    def in_a_class_body(x):
        class Inner:
            if x > 0:
                value = 1

        return Inner.value

    def with_eval(x):
        if eval("x + 1") > 0:
            return x
        return -x

    programs = {
        "generator": in_a_generator,
        "class 'Inner'": in_a_class_body,
        "eval": with_eval,
    }
    error = failed(lambda: ag.function(programs[words])(ag.constant(1)), TypeError)
    assert words in "\n".join([str(error), *getattr(error, "__notes__", [])])
