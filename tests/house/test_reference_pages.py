"""The reference pages hold what is true: outputs, grammar, options and errors.

On these pages a ```` ```python ```` block that prints is followed by a ```` ```text ```` block with
exactly what it prints. `pytest --update-golden` rewrites the outputs.
"""

import ast
import builtins
import contextlib
import inspect
import io
import keyword
import re
import textwrap
import tokenize
from pathlib import Path

import numpy as np
import pytest
from source_tree import ROOMS

import allograph as ag
from allograph.loading import modules
from allograph.runtime.core.public_names import PUBLIC
from allograph.runtime.ir.op import TABLE
from allograph.runtime.kernel_ir.nodes import Unsupported, walk
from allograph.runtime.kernel_ir.reader import statements
from allograph.runtime.numpy_protocol.registry import FUNCTIONS

ROOT = Path(__file__).parents[2]
ALL = list(modules(*ROOMS))  # what tests look for may move from file to file
DOCS = ROOT / "docs"
PAGES = [
    "errors", "extend", "first_ten_minutes", "from_jax", "from_numba", "from_scratch",
    "from_tf_function", "grammar", "jit", "limits", "numba", "options", "ten_programs",
]  # fmt: skip
BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n*```text\n(?P<output>.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)


def text_of(name):
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def the_only(accepts):
    """The one object at the top of a module for which `accepts(object)` holds."""
    found = {id(one): one for module in ALL for one in vars(module).values() if accepts(one)}
    (one,) = found.values()
    return one


def rows_after(text, title):
    """The first column of the table below a heading or a line, without its quotes."""
    table = re.split(r"\n[|-]+\n", text[text.index(title) :], maxsplit=1)[1].split("\n\n")[0]
    return [row.split(" |")[0].strip("| `") for row in table.splitlines()]


# ---- outputs ---------------------------------------------------------------------------------


def outputs_of(page, folder):
    """What each block of a page prints; every block runs as a file of its own, `example.py`."""
    namespace = {"__name__": f"page_{page.stem}"}  # no module of Numba
    for number, block in enumerate(BLOCK.finditer(page.read_text(encoding="utf-8"))):
        script = folder / f"{page.stem}_{number}.py"
        script.write_text(block["code"], encoding="utf-8")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block["code"], str(script), "exec"), namespace)
        shown = printed.getvalue().replace(str(script), "example.py")
        yield block, shown.replace(script.name, "example.py")


@pytest.fixture
def without_registrations():
    """What a page registers is of no other test: operations, public names, NumPy functions."""
    tables = TABLE, PUBLIC, FUNCTIONS
    before = [dict(table) for table in tables]
    yield
    for table, rows in zip(tables, before, strict=True):
        for name in table.keys() - rows.keys():
            del table[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_a_page_shows_what_its_blocks_print(name, tmp_path, golden_update, without_registrations):
    page = DOCS / f"{name}.md"
    text, chunks, end = page.read_text(encoding="utf-8"), [], 0
    for block, printed in outputs_of(page, tmp_path):
        if golden_update and block["output"] is not None:
            chunks += [text[end : block.start("output")], printed]
            end = block.end("output")
        else:
            assert printed == (block["output"] or "")
    if golden_update:
        page.write_text("".join([*chunks, text[end:]]), encoding="utf-8")


# ---- grammar ---------------------------------------------------------------------------------

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|/(?:[^/\\]|\\.)*/|\w+|[=;|\[\]{}()]')


class Rules:
    """The rules of docs/grammar.md, in the notation that the page explains."""

    def __init__(self, text):
        self.tokens = TOKEN.findall(" ".join(re.findall(r"```ebnf\n(.*?)```", text, re.DOTALL)))
        self.rules = {}
        while self.tokens:
            name = self.tokens.pop(0)
            assert self.tokens.pop(0) == "=" and name not in self.rules
            self.rules[name] = self.choice(";")

    def choice(self, end):
        options = [[]]
        while (token := self.tokens.pop(0)) != end:
            if token == "|":
                options.append([])
            elif token in ("[", "{", "("):
                options[-1].append((token, self.choice({"[": "]", "{": "}", "(": ")"}[token])))
            else:
                options[-1].append((token[0] if token[0] in '"/' else "name", token))
        return options

    def match(self, source, name, start=0):
        """Where the first match of a rule ends, or None."""
        return self.first(source, self.rules[name], start)

    def first(self, source, options, start):
        ends = (self.all_of(source, option, start) for option in options)
        return next((end for end in ends if end is not None), None)

    def all_of(self, source, items, at):
        for kind, content in items:
            at = self.one(source, kind, content, at)
            if at is None:
                return None
        return at

    def one(self, source, kind, content, at):
        if kind == "name" and content in self.rules:
            return self.match(source, content, at)
        if kind in ('"', "/", "name"):
            return source.terminal(kind, content, at)
        end = self.first(source, content, at)
        if kind == "{":
            while end is not None and end > at:
                at, end = end, self.first(source, content, end)
        return at if end is None and kind != "(" else end


class Printed:
    """Characters, with a sign of its own for each change of the indentation."""

    SIGNS = {"NEWLINE": "\n", "INDENT": "\1", "DEDENT": "\2"}

    def __init__(self, text):
        margins, self.text = [0], ""
        for line in filter(str.strip, text.splitlines()):
            margin = len(line) - len(line.lstrip())
            self.text += "\1" if margin > margins[-1] else ""
            margins += [margin] if margin > margins[-1] else []
            while margin < margins[-1]:
                margins.pop()
                self.text += "\2"
            self.text += line[margin:] + "\n"
        self.text += "\2" * (len(margins) - 1)
        self.end = len(self.text)

    def terminal(self, kind, content, at):
        if kind == "/":
            found = re.compile(content[1:-1]).match(self.text, at)
            return found and found.end()
        wanted = self.SIGNS[content] if kind == "name" else content[1:-1]
        return at + len(wanted) if self.text.startswith(wanted, at) else None


class Tokens:
    """Python's tokens, without comments."""

    def __init__(self, text):
        skipped = (tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER)
        rows = tokenize.generate_tokens(io.StringIO(text).readline)
        self.rows = [row for row in rows if row.type not in skipped]
        self.end = len(self.rows)

    def terminal(self, kind, content, at):
        if at == self.end:
            return None
        name, string = tokenize.tok_name[self.rows[at].type], self.rows[at].string
        is_word = name == "NAME" and keyword.iskeyword(string)
        fits = name == content and not is_word if kind == "name" else string == content[1:-1]
        return at + 1 if fits else None


RULES = Rules(text_of("grammar"))


def fits(rule, source):
    return RULES.match(source, rule) == source.end


def test_the_rules_tell_what_has_their_form():
    line = "graph f(x: float32[?]) -> (y):\n  y: float32[?] = neg(x) a=(1, 'b')    # f.py:3\n"
    assert fits("graphs", Printed(line))
    for old, new in [("(y):", "(y)"), ("  y", "y"), ("[?]", "[a]"), ("(1,", "(1"), ("3\n", "\n")]:
        assert not fits("graphs", Printed(line.replace(old, new)))


def weigh(x, n):
    total = ag.zeros([2])
    for i in ag.range(n):
        ag.autograph.experimental.set_loop_options(maximum_iterations=9)
        total += x[i, 1:] * float("inf")
    ag.print("total", total)
    if n > 2:
        total = ag.concat([total, total], 0)[::2]
    return total, ag.strings.join(["a", ag.as_string(n)])


variable = ag.Variable([1.0, 2.0])
VECTOR, SCALAR = ag.TensorSpec([2], ag.float32), ag.TensorSpec([], ag.int32)


def remember(x):
    variable.assign_add(x)
    return ag.py_function(np.sum, [variable], ag.float32), ag.sort(x) + np.arange(100.0)[:2]


@ag.function(output_signature=SCALAR)
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


EXAMPLES = [
    (weigh, ag.TensorSpec([None, 3]), SCALAR),
    (remember, VECTOR),
    (fibonacci.python_function, SCALAR),
    (lambda x: ag.reshape(x, ag.constant([2, -1])), ag.TensorSpec(None)),
]


@pytest.mark.parametrize("function, types", [(row[0], row[1:]) for row in EXAMPLES])
def test_graphs_and_programs_have_the_form_that_the_page_states(function, types):
    concrete = ag.function(function).get_concrete_function(*types)
    assert fits("graphs", Printed(concrete.graph.as_text()))
    assert fits("program", Printed(str(concrete.program)))


KERNELS = [
    (lambda x: ag.reduce_sum(ag.exp(x), axis=1), ag.ones([2000, 3000])),
    (lambda x: ag.sort(x, axis=1), ag.ones([20, 300])),
    (lambda x: ag.matmul(x, x) + ag.nn.softmax(x), ag.ones([8, 8])),
    (lambda x: x[ag.argmax(x)] // 3, ag.constant([3, 1, 2])),
]


@pytest.mark.parametrize("function, argument", KERNELS)
def test_kernels_have_the_form_that_the_page_states(function, argument):
    pytest.importorskip("llvmlite")
    for kernel in ag.function(function, jit_compile=True).get_concrete_function(argument).kernels():
        assert fits("kernel", Tokens(kernel.source))


SAMPLES = {
    **{"Assign": "x = y = 1", "AugAssign": "x[1] <<= 2", "Break": "break", "Continue": "continue"},
    **{"Expr": "f(x)", "For": "for i in range(3):\n  pass", "While": "while x:\n  pass"},
    **{"If": "if x:\n  pass\nelif y:\n  pass\nelse:\n  pass", "Pass": "pass"},
    **{"Raise": "raise IndexError", "Return": "return (x, )", "Attribute": "x.shape[0]"},
    **{"BinOp": "-x + 2 * y", "BoolOp": "x or y and z", "Call": "f(x, *y)", "Constant": "1.5"},
    **{"Compare": "x < y != z", "IfExp": "x if y else z", "Name": "x", "Subscript": "x[1:, i]"},
    **{"Tuple": "x, y = y, (x, z)", "UnaryOp": "not ~x"},
}
REFUSED = [
    "with x: pass", "try:\n  pass\nfinally:\n  pass", "x: int = 1", "del x", "assert x",
    "x = [1]", "x = {}", "x = 'a'", "x = f'{y}'", "x is y", "x in y", "(x := 1)", "x[::2]",
    "while x:\n  pass\nelse:\n  pass", "for i in x:\n  pass\nelse:\n  pass", "lambda: 1", "f(x=1)",
    "import x", "await x",
]  # fmt: skip


def in_a_kernel(lines):
    body = "".join(f"    {line}\n" for line in lines.splitlines())
    return Tokens(f"def kernel(x):\n{body}")


@pytest.mark.parametrize("name", SAMPLES)
def test_the_grammar_of_kernels_has_this_construct(name):
    lines = SAMPLES[name]
    tree = ast.parse("def f():\n" + textwrap.indent(lines, "  "))
    assert name in {type(node).__name__ for node in ast.walk(tree.body[0])}
    assert fits("kernel", in_a_kernel(lines))


@pytest.mark.parametrize("lines", REFUSED)
def test_the_grammar_of_kernels_has_no_construct_like_this(lines):
    assert not fits("kernel", in_a_kernel(lines))


UNREAD = [lines for lines in REFUSED if lines not in ("x = 'a'", "x is y", "x in y")]


@pytest.mark.parametrize("lines", [*SAMPLES.values(), *UNREAD])
def test_kernel_ir_has_the_constructs_of_the_grammar_and_no_others(lines):
    has_other = any(isinstance(part, Unsupported) for part in walk(statements(lines)))
    assert has_other == (lines in UNREAD)


AS_ARRAY = {"reshape", "view"}  # methods that kernels know


def test_the_page_names_what_kernels_may_call():
    pytest.importorskip("llvmlite")
    rows = " ".join(rows_after(text_of("grammar"), "### What a kernel may call"))
    named = set(re.findall(r"\w+", rows))
    table = the_only(lambda one: isinstance(one, dict) and {np.empty, builtins.divmod} <= set(one))
    assert {function.__name__ for function in table} <= named
    methods = the_only(  # not the functions of `keras.ops`
        lambda one: isinstance(one, dict) and {"reshape", "view", "matmul"} & set(one) == AS_ARRAY
    )
    assert set(methods) <= named


def test_the_page_names_the_constructors_of_attributes():
    rows = rows_after(text_of("grammar"), "A constructor is a value")
    named = {row.partition("(")[0] for row in rows}
    table = the_only(lambda one: isinstance(one, dict) and {"dtype", "scalar", "data"} <= set(one))
    assert set(table) | {"object"} == named


# ---- options ---------------------------------------------------------------------------------


def test_the_page_of_options_has_every_environment_variable_and_no_other():
    paths = [path for folder in ROOMS for path in (ROOT / folder).rglob("*.py")]
    sources = " ".join(path.read_text(encoding="utf-8") for path in paths)
    read = set(re.findall(r"ALLOGRAPH_[A-Z_]+", sources))
    text = text_of("options")
    assert read == set(re.findall(r"^\| `(ALLOGRAPH_\w+)` \|", text, re.MULTILINE))
    assert read == set(re.findall(r"ALLOGRAPH_[A-Z_]+", text))


def names_below(thing, prefix=""):
    for name in dir(thing):
        one = getattr(thing, name)
        if type(one) is type(ag.config):
            yield from names_below(one, f"{prefix}{name}.")
        else:
            yield prefix + name


def test_the_page_of_options_has_every_name_of_the_configuration():
    rows = rows_after(text_of("options"), "## Switches of the process")
    assert sorted(row.partition("(")[0] for row in rows) == sorted(names_below(ag.config))


@pytest.mark.parametrize(
    "title, function",
    [
        ("## Arguments of `ag.function`", ag.function),
        ("## Options of a loop", ag.autograph.experimental.set_loop_options),
    ],
)
def test_the_page_of_options_has_every_argument(title, function):
    rows = rows_after(text_of("options"), title)
    assert sorted(rows) == sorted(inspect.signature(function).parameters)


def test_the_page_of_options_has_every_default():
    lines = text_of("options").splitlines()
    for name, parameter in inspect.signature(ag.function).parameters.items():
        assert any(line.startswith(f"| `{name}` | `{parameter.default}` |") for line in lines), name


def test_the_page_of_options_has_every_feature_of_conversion():
    rows = rows_after(text_of("options"), "## Options of conversion")
    assert sorted(rows) == sorted(one.name for one in ag.autograph.experimental.Feature)


def commands(group, name):
    """Every command with its own flags; all of them have `--help`."""
    shown = [one for one in group.params if not getattr(one, "hidden", False)]
    yield name, {flag for one in shown for flag in one.opts if flag.startswith("-")}
    for inner in getattr(group, "commands", {}).values():
        yield from commands(inner, f"{name} {inner.name}")


def test_the_page_of_options_has_every_command_and_its_flags():
    click = pytest.importorskip("click")
    text = text_of("options")
    rows = text[text.index("## The command line") :].splitlines()
    told = {}
    for row in filter(re.compile(r"\| `allograph").match, rows):
        command, flags = row.split(" | ")[:2]
        words = re.findall("[a-z-]+", command)
        told[" ".join(words)] = set(re.findall(r"--?[a-z]+", flags)) - {"-h", "--help"}
    root = the_only(lambda one: isinstance(one, click.Group) and "graph" in one.commands)
    assert told == dict(commands(root, "allograph"))


# ---- errors ----------------------------------------------------------------------------------

INTERNAL = {"StagedTestError", "UnsupportedPatternError"}  # caught where conversion starts


def subclasses(kind):
    yield kind
    for inner in kind.__subclasses__():
        yield from subclasses(inner)


def errors_of_the_package():
    """By name: the public ones, those derived from them, and those that conversion raises."""
    kinds = [one for module in ALL for one in vars(module).values() if is_error(module, one)]
    classes = {one.__name__: one for one in [*subclasses(ag.errors.OpError), *kinds]}
    public = {name: getattr(ag.errors, name) for name in dir(ag.errors)}
    own = {name: one for name, one in classes.items() if one.__module__.startswith("allograph")}
    del own[ag.errors.OpError.__name__]  # tracebacks show its subclasses only
    return own | public


def is_error(module, one):
    """Whether conversion, which knows nothing of the public base class, raises it."""
    is_class = isinstance(one, type) and issubclass(one, Exception)
    in_conversion = module.__name__.startswith("allograph.autograph")
    return is_class and in_conversion and one.__name__ not in INTERNAL


ERRORS = errors_of_the_package()
SECTIONS = {
    section.splitlines()[0].removeprefix("### "): section
    for section in re.split(r"^(?=##)", text_of("errors"), flags=re.MULTILINE)
    if section.startswith("### ")
}


def test_the_page_of_errors_has_a_section_for_every_class():
    titles = [name for title in SECTIONS for name in re.findall(r"\w+", title)]
    assert sorted(titles) == sorted(ERRORS)


@pytest.mark.slow
@pytest.mark.parametrize("title", SECTIONS)
def test_a_section_shows_a_program_that_raises_its_error_and_one_that_does_not(title):
    wrong, cure = list(BLOCK.finditer(SECTIONS[title]))[-2:]
    shown = ERRORS[wrong["output"].partition(":")[0]]
    assert issubclass(shown, ERRORS[re.findall(r"\w+", title)[0]])
    assert cure["output"] is None
