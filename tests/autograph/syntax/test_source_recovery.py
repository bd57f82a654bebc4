"""Where the source of a function comes from."""

import functools
import importlib
import linecache
import subprocess
import sys

import pytest

import allograph as ag
from allograph.autograph.errors import NoSourceError
from allograph.autograph.syntax import source_recovery
from allograph.autograph.syntax.source_recovery import source_of


def test_without_columns_one_of_several_lambdas_on_a_line_has_no_source(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import allograph as ag\n"
        "x = ag.constant(3)\n"
        "one, two = (lambda x: x if x > 0 else -x), (lambda x: x * 2 if x > 0 else 0)\n"
        "alone = lambda x: x * 5 if x > 0 else 0\n"
        "print(int(ag.function(alone)(x)))\n"
        "ag.function(two)(x)\n"
    )
    command = [sys.executable, "-X", "no_debug_ranges", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "15\n"
    assert "several lambdas are on its line" in done.stderr


def test_the_right_one_of_two_lambdas_on_a_line():
    one, two = (lambda x: x if x > 0 else -x), (lambda x: x * 2 if x > 0 else 0)
    assert "* 2" not in ag.autograph.to_code(one)
    assert "* 2" in ag.autograph.to_code(two)
    assert ag.autograph.to_graph(two)(4) == 8


def test_a_lambda_that_returns_a_lambda_is_the_outer_one():
    convert = ag.autograph.to_graph
    constant, adder = convert(lambda x: lambda: x), convert(lambda x: lambda x: lambda y: x + y)
    assert (constant(3)(), adder(1)(2)(3), convert(lambda: lambda: 4)()()) == (3, 5, 4)


def test_a_lambda_over_several_lines():
    f = functools.partial(
        lambda x, y: (
            x if x > y else y
        ),
        3,
    )  # fmt: skip
    assert ag.autograph.convert()(f)(5) == 5


def test_a_file_is_parsed_once_for_its_lambdas(monkeypatch):
    one, two = (lambda x: x + 1), (lambda x: x + 2)
    assert source_of(one).source == "lambda x: x + 1"
    monkeypatch.setattr(source_recovery, "parsed", None)
    found = source_of(two)
    assert found.source == "lambda x: x + 2"
    assert source_of(two).node is not found.node  # conversion changes it


def test_a_lambda_of_a_file_that_does_not_parse_as_a_whole(tmp_path):
    file = tmp_path / "notebook.py"
    file.write_text("%magic\n\nf = (lambda x:\n     x + 1)\n", encoding="utf-8")
    code = compile(file.read_text(encoding="utf-8").replace("%magic", ""), str(file), "exec")
    scope = {}
    exec(code, scope)
    found = source_of(scope["f"])
    assert (found.source, found.node.lineno) == ("lambda x: x + 1", 3)


def test_a_decorated_function_is_found():
    def noting(function):
        @functools.wraps(function)
        def wrapper(*args):
            return function(*args)

        return wrapper

    @noting
    def halve(x):
        while x > 10:
            x = x // 2
        return x

    assert "ag__.while_stmt" in ag.autograph.to_code(halve)


def test_without_source_the_error_says_why_and_what_to_do():
    scope = {}
    exec("def ghost(x):\n    return x\n", scope)
    with pytest.raises(NoSourceError, match=r"ghost.*exec\(\).*do_not_convert"):
        ag.autograph.to_code(scope["ghost"])


def test_an_object_may_inherit_its_call():
    class Base:
        def __call__(self, x):
            return x if x > 0 else -x

    class Derived(Base):
        pass

    assert "ag__.if_exp" in ag.autograph.to_code(Derived())


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match="no Python function"):
        ag.autograph.to_code(3)


def test_the_source_of_a_command_is_that_of_the_command_line():
    command = (
        "import allograph as ag\n"
        "@ag.function\n"
        "def size(x):\n"
        "    return x if x > 0 else -x\n"
        "print(int(size(ag.constant(-3))))\n"
        "made = {}\n"
        "exec('def size(x):\\n    return x if x > 1 else -x', made)\n"
        "exec(chr(10) * 99 + 'def size_later(x):\\n    return x if x > 1 else -x', made)\n"
        "try:\n"
        "    ag.function(made['size_later'])(ag.constant(-3))\n"
        "except TypeError as error:\n"
        "    print('no source' in str(error))\n"
        "try:\n"
        "    ag.function(made['size'])(ag.constant(-3))\n"
        "except TypeError as error:\n"
        "    print('no source' in str(error))\n"
    )
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True)
    assert done.stdout.split() == ["3", "True", "True"], done.stderr


BEFORE = """
import allograph as ag

@ag.function
def scaled(x):
    if x > 0:
        return x * 2
    return -x

size = ag.function(lambda x: x if x > 0 else -x)
"""


@pytest.fixture
def module_of(tmp_path, monkeypatch):
    """The module of a file, and its path."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(tmp_path)

    def load(source):
        path = tmp_path / "changing.py"
        path.write_bytes(source.encode() if isinstance(source, str) else source)
        monkeypatch.delitem(sys.modules, "changing", raising=False)
        importlib.invalidate_caches()
        return importlib.import_module("changing"), path

    return load


@pytest.mark.parametrize(
    "old, new",
    [
        ("x * 2", "x * 7"),
        ("        return x * 2", "        x = x + 1\n        return x * 2"),
        ("return -x\n", "return -x + 0\n"),
    ],
)
def test_a_file_that_has_changed_since_it_was_loaded_is_not_converted(module_of, old, new):
    module, path = module_of(BEFORE)
    path.write_text(BEFORE.replace(old, new))
    with pytest.raises(TypeError, match="has changed since it was loaded. Load it again"):
        module.scaled(ag.constant(3))
    assert module.scaled.python_function(3) == 6


def test_what_another_loader_has_rewritten_is_not_compared(module_of, monkeypatch):
    """As pytest rewrites assertions in the file that was saved a moment ago."""
    module, path = module_of(BEFORE)
    path.write_text(BEFORE.replace("x * 2", "2 * x"))
    monkeypatch.setattr(module, "__loader__", object())
    assert int(module.scaled(ag.constant(3))) == 6


def test_a_lambda_of_a_changed_file_is_not_converted(module_of):
    module, path = module_of(BEFORE)
    path.write_text(BEFORE.replace("else -x", "else +x"))
    with pytest.raises(TypeError, match="has changed since it was loaded"):
        module.size(ag.constant(-3))


def test_what_has_changed_elsewhere_in_a_file_does_not_matter(module_of):
    module, path = module_of(BEFORE)
    path.write_text(BEFORE + "\nlater = 1\n")
    assert int(module.scaled(ag.constant(3))) == 6 and int(module.size(ag.constant(-3))) == 3


def test_code_that_has_replaced_that_of_a_definition_is_not_converted(module_of):
    module, _ = module_of(BEFORE)
    function = module.scaled.python_function
    constants = (*function.__code__.co_consts, "another")
    function.__code__ = function.__code__.replace(co_consts=constants)
    with pytest.raises(NoSourceError):
        source_of(function)


FORMS = {
    "a form feed in the body": BEFORE.replace("    if x", "\f    if x"),
    "a form feed before a decorator": BEFORE.replace("@ag", "\f@ag", 1),
    "a byte order mark": b"\xef\xbb\xbf" + BEFORE.encode(),
    "the ends of lines of Windows": BEFORE.replace("\n", "\r\n"),
    "the ends of lines of old systems": BEFORE.replace("\n", "\r"),
    "tabs": BEFORE.replace("    ", "\t"),
    "another encoding": f"# coding: latin-1\n{BEFORE}".replace("-x\n", "-x  # é\n").encode(
        "latin-1"
    ),
    "continued lines": BEFORE.replace("if x > 0:\n", "if x \\\n > 0:\n").replace(
        "x * 2", "x \\\n * 2"
    ),
    "letters that other programs end lines at": BEFORE.replace(
        "x * 2", "x * 2  # \x0b \x1c \u2028"
    ),
    "no end of the last line": BEFORE.rstrip("\n"),
}


@pytest.mark.parametrize("source", FORMS.values(), ids=FORMS)
def test_sources_of_every_form_are_converted(module_of, source):
    module, _ = module_of(source)
    found = [int(module.scaled(ag.constant(x))) for x in (3, -3)]
    assert [*found, int(module.size(ag.constant(-3)))] == [6, 3, 3]


def test_made_code_whose_lines_are_in_the_cache_of_lines_is_converted():
    name, scope = "<made by a test>", {}
    source = "def size(x):\n    return x if x > 0 else -x\n"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    exec(compile(source, name, "exec"), scope)
    assert int(ag.function(scope["size"])(ag.constant(-3))) == 3
