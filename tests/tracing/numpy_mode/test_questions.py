"""What `jit` answers where a program asks a value what it is: as Python, of the same type."""

import ast
import collections
import enum
import importlib
import inspect
import math
import pkgutil
import textwrap

import numpy as np
import pytest
from numpy_programs import assert_native, function_of
from question_programs import assert_jit_answers_as_python, outcome

import allograph as ag
from allograph.autograph.converters.expressions import ASKED
from allograph.tracing.numpy_mode.refusal import WithoutText

NAN = math.nan
MISSING = object()


class Color(enum.IntEnum):
    RED = 3


def same(function, *calls):
    compiled = ag.jit(function)
    for args in calls:
        assert outcome(compiled, args) == outcome(function, args)
    return compiled.inspect()


@pytest.mark.parametrize("seed", range(300, 360))
def test_a_random_program_of_questions_gets_the_answers_of_python(seed):
    assert_jit_answers_as_python(seed, kernel_compiler="python")


def test_a_name_that_is_none_before_a_branch_may_still_be_none():
    def first_above(x):
        best = None
        if x > 0:
            best = x
        if best is None:
            return 1
        return 2

    assert_native(first_above, (-1,), (1,), (1.5,), (-1.5,))


@pytest.mark.parametrize(
    "question",
    [
        "y is None", "None is y", "y == None", "y in (None, 3)", "type(y)", "isinstance(y, int)",
        "str(y)", "repr(y)", "f'{y}'", "f'{y!r}'", "'%s' % y", "'{}'.format(y)", "callable(y)",
        "[y] != [None]", "(y, 1) == (z, 1)", "y == z", "y != z", "hash(y) == hash(y)",
        "{y: 1}", "y == y", "(y is None) == True", "[y] == [None]",
        "hasattr(y, 'real')", "y.real", "y.dtype", "y.imag", "bool(y)", "y is y", "[y, 1].index(y)",
    ],
)  # fmt: skip
def test_what_is_asked_of_a_number_or_none(question):
    source = f"def program(x, n):\n    y, z = None if n > 0 else x, None\n    return {question}\n"
    same(function_of(source, f"none: {question}"), (3, 1), (3, -1), (np.int64(3), 1), (2.5, 0))


@pytest.mark.parametrize("x", [np.array([1.0, 2.0]), np.array([3]), (1, 2), 3])
@pytest.mark.parametrize("question", ["y == None", "None != y", "y in (None, 3)", "[y] == [None]"])
def test_what_is_asked_of_an_array_or_none(question, x):
    source = f"def program(x, n):\n    y = x if n > 0 else None\n    return {question}\n"
    same(function_of(source, f"none: {question}"), (x, 1), (x, -1))


@pytest.mark.parametrize("other", ["...", "slice(1)", "{}", "int", "len", "None", "'a'", "(1, 2)"])
def test_a_number_of_numpy_beside_what_is_no_number(other):
    source = f"def program(x):\n    y = x * 0.5\n    return y == {other}, y != {other}\n"
    same(function_of(source, f"no number: {other}"), (np.float64(3),), (np.int64(3),))


def test_a_computed_number_of_two_types_has_the_methods_of_its_type():
    same(lambda x, n: math.trunc(x if n else 1.5), (np.int64(4), 1), (np.int64(4), 0), (2.5, 1))


def test_a_computed_bool_is_true_or_false_by_identity():
    def found_flag(v, limit):
        found = False
        for i in range(len(v)):
            if v[i] > limit:
                found = True
        return 1 if found is True else 2, found is False, True is not found

    assert_native(found_flag, (np.arange(5.0), 3.0), (np.arange(5.0), 9.0))
    same(lambda x, y: (x > y) is True, (1, 2), (2, 1), (np.float64(3), 2), (np.ones(2), 0))


def test_computed_values_are_no_other_objects():
    def asked(a, x):
        return a is MISSING, x is not MISSING, (x + 1) is MISSING, a is ..., x is int, a is a

    assert_native(asked, (np.ones(3), 2.5), (np.ones(3), 3))


def test_whether_two_numbers_are_one_object_is_left_to_python():
    assert "one object" in same(lambda x, y: x is y, (3, 3), (1000, 1001), (None, None))
    assert "one object" in same(lambda x: x + 0 is x, (3,), (3.5,))


def test_a_number_of_python_is_never_equal_to_something_else():
    def equal(v):
        s = 0
        for i in range(len(v)):
            s += int(v[i]) * i
        return s == (s, 2), s != [s], s == "a", s == {}, None == s, s in ((s,), [s])  # noqa: E711

    assert_native(equal, (np.arange(40.0),))
    same(lambda x: ((x, 1),) == (x, 1), (1,), (np.float64(1),), (np.ones(2),))
    same(lambda x: [[x, 1]] == [x, 1], (1,), (np.float64(1),), (np.ones(2),))
    same(lambda x: x == (1, 2), (1,), (1.5,), (np.float64(1),), (np.array(1),), (np.ones(2),))
    same(lambda x: [x < (1, 2)], (1,), (1.5,), (np.float64(1),), (np.ones(2),))
    same(lambda x: (x == Color.RED, x in (Color.RED, 1), x < Color.RED), (3,), (1,), (3.0,))


def test_a_value_that_is_not_equal_to_itself_is_in_a_sequence_by_identity():
    same(lambda x: (x in [x], (x, 1) == (x, 1), x in (1.0, 2), [x].count(x)), (NAN,), (1.5,))
    same(lambda x, y: (x in (y, 1), [x] == [y]), (NAN, NAN), (1.5, 1.5), (NAN, 1.0))
    same(lambda a: (a[0] in (a[0], 1), a[0] in [a[1]]), (np.array([NAN, NAN]),), (np.ones(2),))


@pytest.mark.parametrize(
    "shown", ["'%d' % {}", "'%.2f' % {}", "f'{{{}:5.1f}}'", "str({})", "repr([{}])"]
)
def test_text_is_that_of_the_values(shown):
    for value in ("x", "x + 1", "a", "[i * x for i in range(n)]", "range(n)", "a.flat"):
        source = f"def program(x, n, a):\n    v = {value}\n    return {shown.format('v')}\n"
        function = function_of(source, f"text: {shown} {value}")
        same(function, (1.5, 3, np.ones(2)), (2, 0, np.ones(2)), (True, 1, np.ones(1)))


def test_a_list_that_grows_has_the_text_of_its_items():
    def filled(x, n):
        made = []
        for i in range(n):
            made.append(i * x)
        return f"{made}", made

    same(filled, (2.5, 3), (2.5, 0), (1, 2))


def test_special_attributes_and_inner_names_are_those_of_python():
    same(lambda x: x.__doc__ is None, (3,), (np.ones(2),))
    same(lambda x: [one.__class__ for one in (x, x + 1)], (3,), (np.ones(2),))
    same(lambda x: "tensor" in dir(x), (3,), (np.ones(2),))
    same(lambda x: eval("x is True"), (True,), (3,))


def test_math_trunc_refuses_the_integers_of_numpy():
    same(lambda x: math.trunc(x * 2), (np.int64(3),), (3.5,), (np.float64(3.5),), (4,))


def test_a_dictionary_with_nan_as_a_key_is_returned():
    same(lambda x: {NAN: x, math.inf: 1}, (3,))


def test_sizes_are_no_truths():
    same(lambda n: np.zeros(n), (True,), (1,))
    same(lambda n: np.ones((n > 1, 2)), (2,), (0,))
    same(lambda x: list(np.ndindex(x)), (2.0,), (2,), (np.int8(2),))


def test_patterns_of_sequences_match_lists_of_computed_items():
    def matched(a, n):
        result = 0
        for value in ([x for x in a], (n, [x for x in a]), range(n), {1: n}, None if n > 1 else n):
            match value:
                case [_, [_, *_]]:
                    result += 1
                case [_, *_]:
                    result += 10
                case {1: _}:
                    result += 100
        return result

    def filled(a, n):
        made = []
        for i in range(n):
            made.append(a[i])
        match made:
            case [first, *_]:
                return first
        return -1.0

    for function in (matched, filled):
        same(function, (np.ones(3), 2), (np.ones(3), 0), (np.ones(1), 1))


def test_the_address_of_a_computed_value_is_left_to_python():
    assert "a call of id" in same(lambda x, y: id(x) == id(y), (1, 1), (1, 2))


def test_a_number_is_compared_with_a_class_or_a_function_as_by_python():
    def compared(y):
        return int != y, y == int, y == len, y != np.dtype("float32"), y + 1

    same(compared, (np.float32(1.5),), (np.float64(0.5),), (np.int16(3),), (2,))


def test_ranges_and_flat_iterators_are_compared_as_by_python():
    def compared(n):
        return range(n) == range(3), range(n) == np.float64(1.0), np.float64(1.0) != range(n)

    same(compared, (3,), (0,))
    same(lambda n: (len({range(n), range(3)}), np.ndim(range(n))), (3,))
    same(lambda a: (a.flat == 1.0, a.flat == a.flat), (np.ones((2, 2)),))


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.4.0", reason="NumPy asks for `dtype`")
@pytest.mark.parametrize(
    "function",
    [
        lambda y: max(y, y.dtype),
        lambda y: np.dtype(y),
        lambda y: y.dtype < y,
        lambda y: np.zeros(2, y),
    ],
)
def test_an_array_is_no_data_type(function):
    same(function, (np.ones(1),))


# ---- names of the objects that stand for values ----------------------------------------------

STANDS_FOR = {
    "TracedScalar": (int, float, np.float64, np.int64), "TracedTable": (set, dict),
    "TracedSet": (set,), "TracedDict": (dict,),
    "TracedArray": (np.ndarray,), "TracedRecords": (np.ndarray,), "TracedRange": (range,),
    "FlatIterator": (np.flatiter,), "GrowingDeque": (collections.deque,),
    "TracedGenerator": (np.random.Generator,),
}  # fmt: skip
# What the plain Python of `python_library` calls on lists of the graph, and a dictionary lacks.
OF_PYTHON_LIBRARY = {"inside", "set_inside", "resize", "bounds", "set_bounds", "make_room", "add"}


def own_names(cls) -> set[str]:
    """The public names of a class, and those that its methods set, which no class that its objects
    stand for has.
    """
    names = set(dir(cls))
    for base in cls.__mro__[:-1]:
        for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(base)))):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                names |= {node.attr} if ast.unparse(node.value) == "self" else set()
    known = STANDS_FOR.get(cls.__name__, (list,))
    return {name for name in names.difference(*map(dir, known)) if name[0] != "_"}


def subclasses(cls):
    for each in cls.__subclasses__():
        yield each
        yield from subclasses(each)


def test_conversion_knows_all_names_of_objects_that_stand_for_values():
    folder = importlib.import_module("allograph.tracing.numpy_mode")
    for module in pkgutil.walk_packages(folder.__path__, folder.__name__ + "."):
        importlib.import_module(module.name)
    names = set().union(*map(own_names, subclasses(WithoutText)))
    assert names - OF_PYTHON_LIBRARY == ASKED - {"__class__"}


@pytest.mark.parametrize("name", sorted(ASKED - {"__class__"}))
def test_no_value_has_attributes_that_it_does_not_have_in_python(name):
    source = (
        "def program(x, n):\n    y = []\n    for i in range(n):\n        y.append(i)\n"
        "    return {}.{}\n"
    )
    for value in ("x", "y", "(x + 1)", "np.arange(n)"):
        function = function_of(source.format(value, name), f"{value}.{name}")
        same(function, (2.5, 3), (3, 3), (np.float32(1), 3))


@pytest.mark.parametrize("name", ["item", "astype"])
def test_a_number_of_python_has_no_method_of_those_of_numpy(name):
    def program(a):
        found = False
        for one in a:
            if one > 1:
                found = True
        return 1 if getattr(found, name) else 2

    with pytest.raises(AttributeError, match=f"'bool' object has no attribute '{name}'"):
        ag.jit(program)(np.array([0.5, 2.5]))
