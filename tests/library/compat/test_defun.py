"""`defun`: graphs by tracing alone, with variables of their own."""

import pytest

import allograph as ag

defun = ag.contrib.eager.defun


def counter():
    v = ag.contrib.eager.Variable(0)
    v.assign_add(1)
    return v.read_value()


def test_variables_outlive_the_trace_that_made_them():
    count = defun(counter)
    assert [int(count()) for _ in range(3)] == [1, 2, 3]


def test_a_first_value_may_depend_on_the_arguments():
    @defun
    def total(x):
        v = ag.Variable(x)
        v.assign_add(x)
        return v.read_value()

    assert [float(total(ag.constant(k))) for k in (2.0, 3.0)] == [4.0, 7.0]


def test_an_inner_defun_keeps_its_variables_inside_a_function():
    count = defun(counter)

    @ag.function
    def outer():
        return count() * 10

    assert [int(outer()), int(outer()), int(count())] == [10, 20, 3]


def test_the_python_function_runs_once_for_each_trace():
    calls = []

    @defun
    def f(x):
        calls.append(1)
        ag.Variable(0.0).assign_add(x)
        return x

    f(ag.constant(1.0))
    f(ag.constant(2.0))
    assert calls == [1]


def test_a_tensor_is_no_bool():
    with pytest.raises(TypeError, match="ag.cond"):
        defun(lambda x: 1 if x > 0 else 2)(ag.constant(1))


def test_compiled_makes_native_code_at_once():
    f = defun(lambda x: x * 2.0 + 1.0, compiled=True)
    x = ag.ones([2000])
    assert float(f(x)[0]) == 3.0
    assert f.get_concrete_function(x).kernels()


def test_compiled_falls_back_where_there_is_no_native_form():
    f = defun(lambda x: ag.strings.join([x, x]), compiled=True)
    assert f(ag.constant("a")).numpy() == b"aa"


def test_a_method_is_wrapped():
    class Model:
        @defun
        def call(self, x):
            return x + 1

    assert int(Model().call(ag.constant(1))) == 2


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError):
        defun(3)
