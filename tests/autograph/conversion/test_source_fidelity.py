"""What a source says to the letter survives: texts, names, annotations, private names."""

import asyncio
import sys
import textwrap
import warnings

import numpy as np
import pytest
from law_kit import load, outcome

import allograph as ag
from allograph.autograph.errors import NotConvertibleError


# fmt: off
class Letters:
    """Methods whose lines do not all stand at the indentation of their block."""

    def indented(self):
        return """
        hello
          world
        """

    def formatted(self, number=3):
        return f"""
        {number}
        """

    def continued(self):
        return "a \
        b"

    def at_the_margin(self):
        text = """
text
"""
        return text

    def with_a_comment_at_the_margin(self):
        number = 1
# a remark
        return number + 1

    def with_brackets_at_the_margin(self):
        return [1,
2,
    3]


# fmt: on
def converted(function):
    return ag.autograph.to_graph(function)


def test_texts_over_several_lines_keep_their_indentation():
    for method in (Letters.indented, Letters.formatted, Letters.continued):
        assert converted(method)(None) == method(None)


def test_lines_at_the_margin_belong_to_their_function():
    for method in (
        Letters.at_the_margin,
        Letters.with_a_comment_at_the_margin,
        Letters.with_brackets_at_the_margin,
    ):
        assert converted(method)(None) == method(None)


def test_annotations_inside_are_values_unless_the_module_asked_for_texts():
    source = textwrap.dedent("""
        def program():
            def inner(x: int) -> str: ...
            return inner.__annotations__
    """)
    assert converted(load(source))() == {"x": int, "return": str}
    lazy = "from __future__ import annotations\n" + source
    assert converted(load(lazy))() == {"x": "int", "return": "str"}


def make_class():
    class Outer:
        class Inner:
            def method(self):
                return lambda: None

        def private(self):
            return self.__hidden(2)

        def __hidden(self, x):
            if x > 1:
                x = x * 10
            return x

        def make(self):
            def inner(other, x):
                if x > 1:
                    x = other.__hidden(x)
                return x

            return inner

    return Outer


def test_a_class_inside_a_function_has_its_own_qualified_names():
    def names(kind):
        inner = kind.Inner.method
        return kind.__qualname__, inner.__qualname__, inner(None).__qualname__

    assert names(converted(make_class)()) == names(make_class())


def test_methods_of_a_class_inside_a_function_are_staged():
    @ag.function
    def f(x):
        class Doubling:
            def __init__(self, start):
                self.start = start

            def __call__(self, x):
                while x < 100:
                    x = x * 2
                return x + self.start

        return Doubling(1)(x)

    assert np.asarray(f(ag.constant(3))) == 193


def test_a_function_inside_a_method_knows_the_private_names_of_its_class():
    outer = make_class()()
    inner = outer.make()
    assert converted(inner)(outer, 3) == inner(outer, 3) == 30
    assert outcome(converted(type(outer).private), outer) == ("returns", 20)


def names_of_the_generated_code(x):
    fscope, lscope, vars_, made, itr, loop_body, get_state = range(7)
    for i in range(3):
        if x > 0:
            vars_ += 1
            fscope += made + itr
            loop_body += i
        get_state += (lambda q: q + lscope + fscope)(i)
    made = {"a": [1, 2]}
    made["a"][0] = vars_
    return fscope, lscope, vars_, made, itr, loop_body, get_state


def test_a_function_may_use_the_names_that_generated_code_does():
    for x in (0, 1):
        assert converted(names_of_the_generated_code)(x) == names_of_the_generated_code(x)


def keywords(*args, **kwargs):
    return args, kwargs


def mapped(before, more, after):
    return keywords(0, a=before, **more, b=after)


def test_mappings_of_keywords_are_merged_as_python_does():
    class Mapping:
        def keys(self):
            return ["x", "y"]

        def __getitem__(self, key):
            return key * 2

    for more in ({}, {"c": 1}, Mapping(), {"a": 1}, {"b": 1}, {1: 2}, 5, [("c", 1)]):
        assert outcome(converted(mapped), 1, more, 2) == outcome(mapped, 1, more, 2)


def own_dict():
    dict = {"c": 1}
    return keywords(a=1, **dict)


def test_a_variable_may_be_called_dict():
    assert converted(own_dict)() == own_dict()


def annotated(flag):
    if flag:
        Kind = int
    else:
        Kind = str

    def inner() -> Kind: ...

    return inner.__annotations__


def test_the_annotation_of_a_result_reads_its_names():
    assert converted(annotated)(True) == {"return": int}


class Private:
    def imports(self):
        import math as __m
        from math import floor as __floor

        return __m.pi, __floor(2.5)

    def patterns(self):
        match {"a": [1, 2, 3], "b": 4}:
            case {"a": [__first, *__others], **__rest}:
                return __first, __others, __rest

    def counters(self):
        __n = 1

        def add():
            nonlocal __n
            if __n < 5:
                __n += 1

        add()
        return __n, add.__name__

    def shared(self):
        global __level
        __level = 5
        return "_Private__level" in globals()

    def functions(self):
        def __inner(x):
            return x if x > 1 else -x

        return __inner(1), __inner.__name__, __inner.__qualname__


def test_private_names_are_the_same_wherever_they_stand():
    for name in ("imports", "patterns", "counters", "shared", "functions"):
        method = getattr(Private, name)
        assert converted(method)(Private()) == method(Private())


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters are new in Python 3.12")
def test_functions_and_classes_with_type_parameters_keep_their_names():
    plain = load("""
def program(flag=True):
    def first[T](x: T) -> T:
        return x if flag else None

    class Box[T]:
        def get(self) -> T:
            return self

    return first(3), first.__qualname__, Box.__qualname__, Box.get.__qualname__
""")
    assert converted(plain)() == plain()


def at_its_line(flag):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if flag:
            warnings.warn("look here", stacklevel=1)
    frame = sys._getframe()
    return caught[0].filename, caught[0].lineno, frame.f_code.co_name, frame.f_lineno


def test_a_warning_names_the_users_line():
    assert converted(at_its_line)(True) == at_its_line(True)


async def without_await(x):
    return x + 1 if x > 0 else x


def awaiting(x):
    return asyncio.run(without_await(x))


def test_a_coroutine_that_awaits_nothing_stays_a_coroutine():
    assert converted(awaiting)(3) == 4
    with pytest.raises(NotConvertibleError, match="coroutines run as they are"):
        converted(without_await)
