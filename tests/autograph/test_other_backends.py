"""Backends that are none of this package's own: that of docs/how_to_add.md, which writes programs,
and one with typed values that cannot undo what it has recorded, as other tracers have.
"""

import operator
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from backend_programs import OF_LISTS, OF_NUMBERS

from allograph.autograph import MaybeSet, Stager, Undefined, convert, staged_by
from allograph.autograph.operators import UndefinedReturnValue

# ---- expressions, which are computed when the arguments are known --------------------------------


RECORDED = []


class Node:
    """A value of a kind (int, float, bool or list): a function of others, or a parameter."""

    def __init__(self, kind, function=None):
        self.kind, self.function = kind, function
        self.users = []  # which grows while a block is traced
        RECORDED.append(self)

    def value(self, known):
        """The value where those in `known` are; what is computed is noted there."""
        if self not in known:
            known[self] = self.function(known)
        return known[self]

    def __getitem__(self, index):
        return Node(int, lambda known: self.value(known)[node_of(index).value(known)])

    def __bool__(self):
        raise TypeError("the value is known later")


def node_of(value):
    return value if isinstance(value, Node) else Node(type(value), lambda known: value)


def joined(*kinds):
    order = [bool, int, float]
    return order[max(map(order.index, kinds))]


def applied(function, kind=None):
    def method(*operands):
        nodes = list(map(node_of, operands))
        result = Node(kind or joined(int, *(node.kind for node in nodes)))
        result.function = lambda known: function(*(node.value(known) for node in nodes))
        for node in nodes:
            node.users.append(result)
        return result

    return method


for name in ("add", "sub", "mul", "mod", "floordiv"):
    forward = applied(getattr(operator, name))
    setattr(Node, f"__{name}__", forward)
    setattr(Node, f"__r{name}__", lambda self, other, forward=forward: forward(other, self))
for name in ("lt", "le", "gt", "ge"):
    setattr(Node, f"__{name}__", applied(getattr(operator, name), bool))


def cast(value, kind):
    node = node_of(value)
    return node if node.kind is kind else applied(kind, kind)(node)


def select(test, one, other):
    """`one` if the test holds, else `other`, in their joined kind; the other is not computed."""
    if one is other:
        return one
    kind = joined(node_of(one).kind, node_of(other).kind)
    one, other = cast(one, kind), cast(other, kind)
    return Node(kind, lambda known: (one if test.value(known) else other).value(known))


# ---- names: a value, and whether it is set -------------------------------------------------------


def parts_of(value):
    """(whether a name is set, its value)"""
    if isinstance(value, MaybeSet):
        return value.is_set, value.value
    if isinstance(value, Undefined):
        return False, None
    if not isinstance(value, (Node, bool, int, float)):
        raise NotImplementedError(f"{value!r} is no number")
    return True, value


def named(name, like, is_set, value):
    """What a name holds. What a function returns is read only where it is set."""
    if value is None or is_set is True or isinstance(like, UndefinedReturnValue):
        return like if value is None else value
    return MaybeSet(name, "a staged statement sets it on some paths", value, is_set)


def after_choice(test, name, one, other):
    (is_set, value), (is_set_too, value_too) = parts_of(one), parts_of(other)
    if value is None or value_too is None:
        chosen = value_too if value is None else value
    else:
        chosen = select(test, value, value_too)
    like = one if isinstance(one, Undefined) else other
    return named(name, like, select(test, is_set, is_set_too), chosen)


class Expressions(Stager):
    """Stages to expressions. What nobody reads is never computed, so nothing is rolled back."""

    forms = {operator.not_: applied(operator.not_, bool), len: applied(len, int)}

    def is_staged(self, value):
        return isinstance(value, Node)

    def is_tensor(self, value):
        return isinstance(value, Node)

    def checkpoint(self):
        return 0

    def cond(self, test, then, orelse, names, live):
        recorded = RECORDED  # a variable of this frame, which is none of the program's
        rows = zip(names, then(), orelse(), strict=True)
        after = tuple(after_choice(test, *row) for row in rows)
        assert not after or recorded[-1].users == []
        return after

    def while_loop(self, test, body, state, names, options):
        start = list(map(parts_of, state))
        kinds = [None if value is None else node_of(value).kind for _, value in start]
        flags = [is_set is not True for is_set, _ in start]
        while True:  # the body is traced until its kinds are those that it began with
            values = [kind and Node(kind) for kind in kinds]
            are_set = [Node(bool) if flag else True for flag in flags]
            inside = tuple(map(named, names, state, are_set, values))
            after = list(map(parts_of, body(*inside)))
            found = [_joined(kind, value) for kind, (_, value) in zip(kinds, after, strict=True)]
            if found == kinds:
                break
            kinds = found
        rows = zip(values, kinds, start, after, strict=True)
        rows = [(value, kind, one[1], other[1]) for value, kind, one, other in rows]
        pairs = zip(are_set, start, after, strict=True)
        rows += [(is_set, bool, one[0], other[0]) for is_set, one, other in pairs]
        loop = Loop(node_of(test(*inside)), [row for row in rows if isinstance(row[0], Node)])
        results = map(loop.result, are_set), map(loop.result, values)
        return tuple(map(named, names, state, *results))


def _joined(kind, value):
    if value is None:
        return kind
    found = node_of(value).kind
    return found if kind is None else joined(kind, found)


class Loop(Node):
    """Its value is the list of those of its parameters at the end."""

    def __init__(self, test, rows):
        super().__init__(list, self.run)
        self.test = test
        self.parameters = [parameter for parameter, *_ in rows]
        self.first = [cast(kind() if one is None else one, kind) for _, kind, one, _ in rows]
        self.next = [cast(kind() if one is None else one, kind) for _, kind, _, one in rows]

    def run(self, known):
        values = [one.value(known) for one in self.first]
        while True:
            inside = {**known, **dict(zip(self.parameters, values, strict=True))}
            if not self.test.value(inside):
                return values
            values = [one.value(inside) for one in self.next]

    def result(self, parameter):
        if not isinstance(parameter, Node):
            return parameter
        at = [one is parameter for one in self.parameters]
        if not any(at):
            return parameter
        return Node(parameter.kind, lambda known: self.value(known)[at.index(True)])


def computed(function):
    """`function` of one argument, by way of expressions."""

    def call(value):
        argument = Node(type(value))
        with staged_by(Expressions()):
            result = convert()(function)(argument)
        return node_of(result).value({argument: value})

    return call


# ---- the backend of the page ---------------------------------------------------------------------

PAGE = (Path(__file__).parents[2] / "docs" / "how_to_add.md").read_text(encoding="utf-8")
(BLOCK,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def writing(tmp_path_factory):
    program = tmp_path_factory.mktemp("page") / "program.py"
    program.write_text(BLOCK)
    names = runpy.run_path(program)

    def as_written(function):
        found = {}
        exec(names["written"](function, "n"), found)
        return found[function.__name__]

    return as_written


# ---- programs ------------------------------------------------------------------------------------


PROGRAMS = [*OF_NUMBERS, *OF_LISTS]
CASES = [(function, argument) for function, *arguments in PROGRAMS for argument in arguments]


@pytest.mark.parametrize("function, argument", CASES)
def test_programs_that_a_backend_writes_compute_what_the_functions_do(writing, function, argument):
    assert writing(function)(argument) == function(argument)


@pytest.mark.parametrize("function, argument", CASES)
def test_expressions_compute_what_the_functions_do(function, argument):
    assert computed(function)(argument) == function(argument)


def sets_on_one_side(n):
    if n > 2:
        y = n
    return y


def sets_in_a_loop(n):
    for x in n:
        last = x
    return last


@pytest.mark.parametrize("function, argument", [(sets_on_one_side, 1), (sets_in_a_loop, [])])
def test_names_without_a_value_are_errors(writing, function, argument):
    for run in (function, writing(function), computed(function)):
        with pytest.raises(UnboundLocalError):
            run(argument)


def raises(n):
    if n < 0:
        raise ValueError("negative")
    return n


def asserts(n):
    assert n > 0
    return n


def grows(n):
    found = []
    for x in n:
        found.append(x)
    return found


def comprehends(n):
    return [x + 1 for x in n]


def catches_a_raise(n):
    try:
        if n > 0:
            raise ValueError("positive")
    except Exception:
        n = 5
    return n


def catches_an_error_of_a_block(n):
    try:
        if n > 0:
            n = {}["missing"]
    except KeyError:
        n = 5
    return n


class Selective:
    def __enter__(self):
        return self

    def __exit__(self, cls, error, traceback):
        return error is not None and error.number > 3  # which errors of tracing do not have


def asks_the_error_for_its_number(n):
    with Selective():
        return [x + 1 for x in n]


REFUSED = [
    (raises, 1), (asserts, 1), (grows, [1]), (comprehends, [1]), (catches_a_raise, 0),
    (catches_an_error_of_a_block, 0), (asks_the_error_for_its_number, [1]),
]  # fmt: skip


@pytest.mark.parametrize("function, value", REFUSED)
def test_what_a_backend_has_no_form_for_is_refused(writing, function, value):
    for run in (writing, lambda function: computed(function)(value)):
        with pytest.raises(NotImplementedError):
            run(function)


def test_a_backend_needs_no_tracing_and_of_the_runtime_what_all_rooms_stand_on(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(BLOCK + "import sys\nprint(*sys.modules)\n")
    done = subprocess.run(
        [sys.executable, "-P", program], capture_output=True, text=True, check=True
    )
    rest = r"allograph\.(tracing|runtime\.(?!core|storage))\S*"
    assert not re.findall(rest, done.stdout)
