"""Arguments by position, by name and by default are those that Python binds."""

import inspect

import numpy as np
import pytest

import allograph as ag
from allograph.tracing.functions.fronts import front

SIGNATURES = [
    lambda: 0, lambda a: 0, lambda a, b=2: 0, lambda a, /, b, *, c=3, d: 0, lambda *, k=5: 0,
    lambda a=1, /: 0, lambda a, *rest, k=4: 0, lambda a=1, *rest: 0, lambda a, /, b=2, **more: 0,
    lambda *rest, **more: 0, lambda a, b=2, /, c=3, *rest, d, e=5, **more: 0,
]  # fmt: skip
CALLS = [
    ((), {}), ((10,), {}), ((10, 20), {}), ((10, 20, 30, 40), {}), ((), {"a": 1}),
    ((10,), {"b": 7}), ((10,), {"d": 8}), ((10, 20), {"d": 8, "c": 9}), ((10,), {"k": 6}),
    ((10,), {"a": 1}), ((10, 20), {"d": 1, "z": 2}), ((), {"k": 1}), ((), {"z": 1}),
]  # fmt: skip


def recorded(function):
    """What a call passes on: the values of the parameters, or keywords of any name too."""
    return front(inspect.signature(function), tuple, lambda *args, **kwargs: (args, kwargs))


@pytest.mark.parametrize("function", SIGNATURES, ids=lambda one: str(inspect.signature(one)))
def test_calls_are_bound_as_by_the_signature(function):
    signature, own = inspect.signature(function), recorded(function)
    keywords = [one.name for one in signature.parameters.values() if one.kind is one.KEYWORD_ONLY]
    for args, kwargs in CALLS:
        try:
            function(*args, **kwargs)
        except TypeError as error:
            with pytest.raises(TypeError) as caught:
                own(*args, **kwargs)
            assert str(caught.value).partition("()")[2] == str(error).partition("()")[2]
            continue
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        found = own(*args, **kwargs)
        if bound.kwargs.keys() - set(keywords):
            assert found == (bound.args, bound.kwargs)
        else:
            assert found == (*bound.args, *(bound.kwargs[name] for name in keywords))


def test_parameters_may_have_the_names_that_the_front_reads():
    def function(latest, general=1, ag__latest=2, ag__MISS=3, *, len=4, front=5, Exception=6):
        """All of them are arguments."""

    assert recorded(function)(0, front=7) == (0, 1, 2, 3, 4, 7, 6)


def test_errors_of_calls_name_the_function_of_the_user():
    class Model:
        @ag.jit
        def scaled(self, x):
            return x * 2.0

    with pytest.raises(TypeError, match=r"scaled\(\) missing 1 required positional argument: 'x'"):
        Model().scaled()


A = np.array([3.0, 0.0, 1.0, 2.0])


@pytest.mark.parametrize(
    ("function", "args"),
    [(np.where, (A,)), (np.where, (A > 1, A, -A)), (np.matmul, (A, A)), (np.exp, (A,)),
     (np.array, ([1, 2],)), (np.dot, (A, A)), (np.diff, (A,)), (np.sum, (A,)),
     (np.concatenate, ((A, A),)), (np.bincount, (A.astype(int),))],
    ids=lambda one: getattr(one, "__name__", None),
)  # fmt: skip
def test_functions_of_numpy_get_no_more_arguments_than_are_written(function, args):
    decorated = ag.jit(function)
    for _ in range(2):
        np.testing.assert_equal(decorated(*args), function(*args))


def test_where_of_values_for_one_side_raises_in_jit():
    with pytest.raises(ValueError, match="either both or neither"):
        ag.jit(np.where)(A, A)
