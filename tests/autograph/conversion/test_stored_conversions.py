"""Converted code on disk: later processes read it, and it is what they would convert."""

import contextlib
import io
import linecache
import marshal
import os
import subprocess
import sys
import traceback
import types
from pathlib import Path

import pytest

import allograph as ag
from allograph.autograph import operators
from allograph.autograph.conversion import compile as compiling
from allograph.autograph.conversion import converted_functions
from allograph.autograph.conversion.display_names import OUTLINED
from allograph.autograph.errors import NoSourceError
from allograph.autograph.replacements import CHANGE_LISTS
from allograph.runtime.storage.cache_trust import usual_folder

pytest.importorskip("platformdirs", reason="nothing is kept on disk without it")

is_posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no owners of files here")
STEPS = """
def steps(n):
    count = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
    return count
"""


@pytest.fixture
def conversions(tmp_path, monkeypatch):
    """The functions that are converted, where the cache is a new one."""
    monkeypatch.setenv("ALLOGRAPH_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("ALLOGRAPH_KEY_FILE", str(tmp_path / "keys" / "key"))
    names, real = [], compiling.converted_code

    def noted(function, view):
        names.append(function.__name__)
        return real(function, view)

    monkeypatch.setattr(compiling, "converted_code", noted)
    return names


@pytest.fixture
def stored(conversions, tmp_path):
    """The file of the one function that is stored."""

    def file() -> Path:
        (path,) = (tmp_path / "cache").glob("conversions-*/*")
        return path

    return file


def functions_of(source, file="<a program>", **names):
    """The names of a program whose lines are known, as a new process has them."""
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    exec(compile(source, file, "exec"), names)
    return types.SimpleNamespace(**names)


def converted(function):
    return converted_functions.convert_function(function, operators)


def copied(function):
    """A function with a code object of its own, which this process has not converted."""
    copy = types.FunctionType(
        function.__code__.replace(),
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__kwdefaults__, copy.__qualname__ = function.__kwdefaults__, function.__qualname__
    return copy


def parts(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from parts(constant)


# ---- what is read is what would be converted ----------------------------------------------------


def nested(x, /, y=2, *rest, scale: float = 1.0, **more):
    def power(z, n=2):
        return z**n if n > 0 else -z

    rows = [power(i) for i in range(3) if i != y]
    for i, row in enumerate(rows):
        if row > 3 and not rest:
            break
        x = x + row * scale + sum(more.values(), i)
    while x > 100:
        x = x - (lambda z: z if z > 50 else 50)(x)
    return x


class Base:
    def name(self):
        return "base"


class Below(Base):
    __hidden = 7

    def name(self):
        inner = super().name()
        if self.__hidden > 3:
            return inner + __class__.__name__
        return inner


def closures(first):
    second = first + 1

    def choose(x):
        nonlocal second
        if x > first:
            second += x
        return second

    return choose


FUNCTIONS = [nested, Below.name, closures(1), lambda x: x if x > 0 else -x]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_code_that_is_read_is_the_code_that_was_stored(conversions, function):
    first, second = converted(copied(function)), converted(copied(function))
    assert conversions == [function.__name__]
    pairs = list(zip(parts(first.__code__), parts(second.__code__), strict=True))
    assert len(pairs) > 1 or function.__name__ == "<lambda>"
    for made, read in pairs:
        assert made is not read and made == read
        assert made.co_qualname == read.co_qualname
        assert list(made.co_positions()) == list(read.co_positions())
        assert OUTLINED.get(made) == OUTLINED.get(read)
        is_noted = converted_functions.CONVERTED_CODE.__contains__
        assert is_noted(made) == is_noted(read)


def test_what_is_read_does_what_python_does(conversions):
    for _ in range(2):
        assert converted(copied(nested))(1, 3, scale=2.0, a=4) == nested(1, 3, scale=2.0, a=4)
        assert converted(copied(nested))(400) == nested(400)
        assert converted(copied(Below.name))(Below()) == "baseBelow"
    assert conversions == ["nested", "name", "name"]  # of both classes


def test_closures_globals_and_defaults_are_those_of_each_function(conversions):
    body = "        return x + y + k + g if x > 0 else k\n"
    source = f"def outer(k):\n    def f(x, y=k):\n{body}    return f\n"
    one, two = (functions_of(source, g=g) for g in (100, 200))
    assert [converted(one.outer(k))(1) for k in (1, 2)] == [103, 105]
    assert [converted(two.outer(k))(1) for k in (1, 2)] == [203, 205]
    assert conversions == ["f"]


def test_a_name_that_is_of_a_closure_here_and_a_global_there_is_told_apart(conversions):
    inner = "    def f(x):\n        return x + k if x > 0 else k\n    return f\n"
    free = functions_of(f"def outer(k):\n{inner}").outer(1)
    of_module = functions_of(f"def outer(z):\n{inner}", k=5).outer(1)
    assert (converted(free)(1), converted(of_module)(1)) == (2, 6)
    assert conversions == ["f", "f"]


def test_the_class_around_a_method_decides_its_private_names(conversions):
    def method_of(name):
        method = "    def get(self):\n        return self.__x if self else None\n"
        of = vars(functions_of(f"class {name}:\n{method}"))[name]
        value = of()
        vars(value)[f"_{name}__x"] = name
        return converted(of.get)(value)

    assert (method_of("A"), method_of("B")) == ("A", "B")
    assert conversions == ["get", "get"]


@pytest.mark.parametrize("run", [ag.function, ag.jit])
def test_a_function_is_not_converted_again(conversions, run):
    program = functions_of(STEPS)
    assert [int(run(copied(program.steps))(27)) for _ in range(2)] == [111, 111]
    assert conversions == ["steps"]


# ---- what it is named by -------------------------------------------------------------------------


CHANGES = {
    "another text": lambda: functions_of(STEPS.replace("count += 1", "count += 2")),
    "another file": lambda: functions_of(STEPS, "<another program>"),
    "another line": lambda: functions_of("\n" + STEPS),
    "an option of the compiler": lambda: functions_of("from __future__ import annotations" + STEPS),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_made_of_something_else_is_converted(conversions, change):
    converted(functions_of(STEPS).steps)
    converted(CHANGES[change]().steps)
    assert conversions == ["steps", "steps"]


@pytest.mark.parametrize("fact", ["version", "a module of the converter"])
def test_another_version_converts_again(conversions, monkeypatch, fact):
    converted(functions_of(STEPS).steps)
    versions = converted_functions._versions()
    other = ("another", *versions[1:]) if fact != "version" else (*versions[:2], "4.0", 0)
    monkeypatch.setattr(converted_functions, "_versions", lambda: other)
    converted(functions_of(STEPS).steps)
    assert conversions == ["steps", "steps"]


def test_a_program_in_which_more_functions_change_lists_converts_again(conversions):
    converted(functions_of(STEPS).steps)
    CHANGE_LISTS.add("changes_its_list")  # as `replaces(changes_its_list, changes=True)` does
    try:
        converted(functions_of(STEPS).steps)
    finally:
        CHANGE_LISTS.remove("changes_its_list")
    assert conversions == ["steps", "steps"]


def test_the_versions_know_every_module_that_converts():
    code = "import allograph.autograph.conversion.compile, sys; print(*sys.modules)"
    loaded = in_a_process(code).split()
    rows = (name.split(".")[2:] for name in loaded if name.startswith("allograph.autograph."))
    folders = {f"autograph/{row[0]}" for row in rows if len(row) > 1}
    assert folders - {"autograph/operators"} <= set(converted_functions.FOLDERS)


def test_the_other_text_of_a_function_whose_lines_end_below_is_not_stored(conversions, tmp_path):
    text = "def f(x):\n    y = '''\nno indentation'''\n    return y if x > 0 else x\n"
    for _ in range(2):
        assert converted(functions_of(text).f)(1) == "\nno indentation"
    assert conversions == ["f", "f"]


def test_the_file_has_changed_since_it_was_loaded(conversions, tmp_path):
    """Python runs the old code, and it may not be taken for the new one."""
    path = tmp_path / "program.py"
    path.write_text(STEPS)
    names = {"__name__": "program"}
    exec(compile(STEPS, str(path), "exec"), names)
    converted(copied(names["steps"]))
    path.write_text(STEPS.replace("3 * n", "5 * n"))
    with pytest.raises(NoSourceError, match="has changed since it was loaded"):
        converted(copied(names["steps"]))


# ---- what watches --------------------------------------------------------------------------------


RAISES = """
def fails(x):
    total = 0
    for i in range(3):
        if i == x:
            raise ValueError(i)
        total += i
    return total
"""


def frames_of(function, *arguments):
    try:
        function(*arguments)
    except ValueError as error:
        entries = traceback.extract_tb(error.__traceback__)
        return [(each.name, each.lineno) for each in entries if each.filename == "<a program>"]


def test_tracebacks_are_the_same(conversions):
    shown = [frames_of(ag.autograph.to_graph(functions_of(RAISES).fails), 1) for _ in range(2)]
    assert conversions == ["fails"]
    assert shown[0] == shown[1] and ("fails", 6) in shown[0]


def lines_of(function, argument):
    """The lines at which a tracer stops while a function runs."""
    lines = []

    def trace(frame, event, _):
        if frame.f_code.co_filename == "<a program>" and event == "line":
            lines.append(frame.f_lineno)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function(argument)
    finally:
        sys.settrace(before)
    return lines


def test_a_tracer_stops_at_the_same_lines(conversions):
    stops = [lines_of(converted(functions_of(STEPS).steps), 6) for _ in range(2)]
    assert conversions == ["steps"]
    assert stops[0] == stops[1] and {3, 4, 5, 6, 7} <= set(stops[0])


def test_a_function_that_is_debugged_is_converted_for_it(conversions, monkeypatch):
    """Its frames show all variables, which stored code does not."""
    converted(functions_of(STEPS).steps)
    monkeypatch.setattr(sys, "gettrace", lambda: print)
    converted(functions_of(STEPS).steps)
    converted(functions_of(STEPS).steps)
    monkeypatch.undo()
    assert conversions == ["steps"] * 3


def test_a_function_with_a_breakpoint_is_converted_for_it(conversions, tmp_path):
    source = STEPS.replace("count += 1", "breakpoint()")
    for _ in range(2):
        converted(functions_of(source).steps)
    assert conversions == ["steps", "steps"]
    assert not (tmp_path / "cache").exists()


def test_the_generated_code_of_what_is_stored_is_shown(conversions, monkeypatch):
    steps = functions_of(STEPS).steps
    shown = ag.autograph.to_code(steps)
    converted(copied(steps))
    assert ag.autograph.to_code(copied(steps)) == shown
    monkeypatch.setenv("ALLOGRAPH_DEBUG", "code")
    with contextlib.redirect_stderr(io.StringIO()) as text:
        converted(copied(steps))
    assert text.getvalue().startswith("---- code: steps\n") and "ag__.while_stmt" in text.getvalue()
    assert conversions == ["steps"]


MEASURED = """
import coverage
measure = coverage.Coverage(data_file=None, include=["*program.py"])
measure.start()
import allograph as ag
from program import steps
ag.autograph.to_graph(steps)(6)
measure.stop()
_, lines, _, missing, _ = measure.analysis2("program.py")
print(lines, missing)
"""


@pytest.mark.slow
def test_coverage_sees_all_lines(conversions, tmp_path):
    pytest.importorskip("coverage")
    (tmp_path / "program.py").write_text(STEPS)
    assert in_a_process(PROGRAM, tmp_path) == "111 True\n"
    assert in_a_process(MEASURED, tmp_path) == "[2, 3, 4, 5, 6, 7] []\n"


# ---- whose files ---------------------------------------------------------------------------------


def in_a_process(code, folder=None):
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


CHANGED = {
    "nothing": lambda content: b"",
    "a part": lambda content: content[:-1],
    "a part of the digest": lambda content: content[:20],
    "another byte": lambda content: content[:-1] + bytes([content[-1] ^ 1]),
    "another digest": lambda content: bytes([content[0] ^ 1]) + content[1:],
    "no digest": lambda content: content[32:],
}


@pytest.fixture
def reads_nothing(monkeypatch):
    def refuse(data):
        raise AssertionError("the bytes of a stranger are read")

    return lambda: monkeypatch.setattr(marshal, "loads", refuse)


@pytest.mark.parametrize("change", CHANGED)
def test_a_changed_file_is_not_read(conversions, stored, reads_nothing, change):
    converted(functions_of(STEPS).steps)
    stored().write_bytes(CHANGED[change](stored().read_bytes()))
    reads_nothing()
    assert converted(functions_of(STEPS).steps)(27) == 111
    assert conversions == ["steps", "steps"]


@is_posix
@pytest.mark.parametrize("which", ["cache", "conversions"])
def test_a_folder_that_others_may_write_is_not_read(conversions, stored, reads_nothing, which):
    converted(functions_of(STEPS).steps)
    folder = stored().parent if which == "conversions" else stored().parent.parent
    folder.chmod(0o777)
    reads_nothing()
    assert converted(functions_of(STEPS).steps)(27) == 111
    assert conversions == ["steps", "steps"]


@is_posix
def test_a_folder_of_another_user_is_not_read(conversions, stored, reads_nothing, monkeypatch):
    converted(functions_of(STEPS).steps)
    stored()
    another = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: another)
    reads_nothing()
    assert converted(functions_of(STEPS).steps)(27) == 111


@is_posix
def test_a_key_that_others_may_read_is_not_used(conversions, stored, reads_nothing, tmp_path):
    converted(functions_of(STEPS).steps)
    (tmp_path / "keys" / "key").chmod(0o644)
    reads_nothing()
    assert converted(functions_of(STEPS).steps)(27) == 111


@is_posix
def test_the_files_are_the_users_alone(conversions, stored):
    converted(functions_of(STEPS).steps)
    assert stored().stat().st_mode & 0o777 == 0o600
    assert stored().parent.stat().st_mode & 0o777 == 0o700


def test_a_file_under_the_name_of_another_function_is_not_read(conversions, stored, reads_nothing):
    converted(functions_of(STEPS).steps)
    content, path = stored().read_bytes(), stored()
    path.unlink()
    converted(functions_of(STEPS, "<another program>").steps)
    stored().write_bytes(content)
    reads_nothing()
    converted(functions_of(STEPS, "<another program>").steps)
    assert conversions == ["steps"] * 3


def test_where_nothing_can_be_written_functions_are_converted(conversions, tmp_path, monkeypatch):
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("ALLOGRAPH_CACHE_DIR", str(tmp_path / "a file" / "cache"))
    for _ in range(2):
        assert converted(functions_of(STEPS).steps)(27) == 111
    assert conversions == ["steps", "steps"]


def test_without_the_package_that_names_the_folder_functions_are_converted(
    conversions, monkeypatch
):
    monkeypatch.delenv("ALLOGRAPH_CACHE_DIR")
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setitem(sys.modules, "platformdirs", None)
    usual_folder.cache_clear()
    for _ in range(2):
        assert converted(functions_of(STEPS).steps)(27) == 111
    assert conversions == ["steps", "steps"]


def test_stored_conversions_are_cleared_with_the_kernels(conversions, stored):
    converted(functions_of(STEPS).steps)
    home, size = stored().parent, stored().stat().st_size
    assert ag.kernel_cache.clear() >= size
    assert not home.exists()


# ---- other processes -----------------------------------------------------------------------------


PROGRAM = """
import program, sys
import allograph as ag

print(ag.autograph.to_graph(program.steps)(27), "gast" in sys.modules)
"""


@pytest.mark.slow
def test_a_later_process_does_not_load_the_converter(conversions, tmp_path):
    (tmp_path / "program.py").write_text(STEPS)
    outputs = [in_a_process(PROGRAM, tmp_path) for _ in range(2)]
    assert outputs == ["111 True\n", "111 False\n"]


@pytest.mark.slow
def test_processes_store_and_read_the_same_file_at_once(conversions, tmp_path):
    (tmp_path / "program.py").write_text(STEPS)
    command = [sys.executable, "-c", PROGRAM]
    several = [
        subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) for _ in range(4)
    ]
    assert all(each.communicate()[0].startswith("111 ") for each in several)
    (path,) = (tmp_path / "cache").glob("conversions-*/*")
    assert in_a_process(PROGRAM, tmp_path) == "111 False\n"
