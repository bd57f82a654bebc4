"""`defun`, the older decorator: graphs by tracing alone, each with variables of its own."""

from __future__ import annotations

from ... import Variable, function, py_function, random
from ...extend.registration import expose, public
from ...extend.tracing import PolymorphicFunction

expose(Variable, "contrib.eager.Variable")
expose(py_function, "contrib.eager.py_func")
expose(random.normal, "random_normal")
expose(random.uniform, "random_uniform")
expose(random.truncated_normal, "truncated_normal")
expose(random.set_seed, "set_random_seed")


@public("contrib.eager.defun")
def defun(func=None, compiled=False, *, input_signature=None, autograph=False):
    """A callable that runs `func` as a graph; without `func`, a decorator.

    The source is not converted: Python loops are unrolled, and a tensor cannot be a Python `bool`
    (use `ag.cond` and `ag.while_loop`). There is a graph for each combination of tensor types and
    values of other arguments. Variables that `func` creates are lifted out of its graphs: they are
    created and initialized when a graph is traced, and belong to that graph alone.

    compiled          compile at once what has a native form; the rest runs normally
    input_signature   as that of `ag.function`
    autograph         convert the source after all

    >>> import allograph as ag
    >>> @ag.contrib.eager.defun
    ... def count():
    ...     calls = ag.contrib.eager.Variable(0)
    ...     calls.assign_add(1)
    ...     return calls.read_value()
    >>> int(count()), int(count())
    (1, 2)

    Raises TypeError when `func` is not callable.
    """

    def decorate(python_function):
        if isinstance(python_function, PolymorphicFunction):
            python_function = python_function.python_function
        result = function(python_function, input_signature=input_signature, autograph=autograph)
        result.options["own_variables"] = True
        if compiled:
            result.options["jit_compile"] = "where possible"
        return result

    return decorate if func is None else decorate(func)


@public("enable_eager_execution", "enable_v2_behavior")
def enable_eager_execution(config=None, device_policy=None, execution_mode=None) -> None:
    """Nothing: operations run eagerly wherever no graph is being built.

    >>> import allograph as ag
    >>> ag.enable_eager_execution()
    """
