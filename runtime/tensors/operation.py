"""Operations that can be called: `@op` registers a declaration, and calling it applies it."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np

from ..core.dtypes import bool_, string
from ..core.errors import UnimplementedError
from ..core.public_names import expose
from ..core.tracebacks import boundary, hide_internal_frames
from ..core.user_source import users_operands
from ..ir.op import BY_UFUNC, TABLE, Op
from .apply import apply
from .tensor import Operators, SymbolicTensor


class Operation(Op):
    """An operation; calling it applies it to tensors, eagerly or into the graph being built."""

    def __call__(self, *args, name=None, **attrs):
        count = len(args) if self.variadic else len(self.inputs)
        if len(args) > count:
            extra = [key for key in self.attrs if key not in attrs]
            attrs.update(zip(extra, args[count:], strict=False))
        elif len(args) < count:
            args += tuple(attrs.pop(key) for key in self.inputs[len(args) :] if key in attrs)
        try:
            self._check_call(args, attrs, count)
            return apply(self, args[:count], {**self.attrs, **attrs}, name)
        except Exception as error:
            hide_internal_frames(error)
            raise

    def _check_call(self, args, attrs, count) -> None:
        if len(args) < count:
            raise TypeError(f"{self.name}() takes {', '.join(self.inputs)}; {len(args)} given")
        unknown = [key for key in attrs if key not in self.attrs]
        if unknown or len(args) > count + len(self.attrs):
            raise TypeError(f"{self.name}() has no parameter {', '.join(unknown) or 'for so many'}")

    @property
    def __signature__(self):
        parameter = inspect.Parameter
        first = parameter.VAR_POSITIONAL if self.variadic else parameter.POSITIONAL_OR_KEYWORD
        rows = [parameter(name, first) for name in self.inputs]
        rows += [
            parameter(key, parameter.KEYWORD_ONLY, default=value)
            for key, value in self.attrs.items()
        ]
        rows.append(parameter("name", parameter.KEYWORD_ONLY, default=None))
        return inspect.Signature(rows)


class _Operations:
    """The operations by name, for gradient rules: `ops.multiply(x, y)`. A rule names operations of
    every family, which could not import one another.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # no operation: what `inspect` and doctest ask of any object
            raise AttributeError(name)
        try:
            return TABLE[name]
        except KeyError:
            raise AttributeError(f"there is no operation {name!r}") from None


ops = _Operations()


def op(declaration: type) -> Operation:
    """Register the operation that a class declares, under its public names."""
    operation = hidden_op(declaration)
    names = getattr(declaration, "public", (operation.name, f"math.{operation.name}"))
    return expose(operation, *names)


def hidden_op(declaration: type) -> Operation:
    """Register the operation that a class declares, which users never call by name."""
    classes = declaration.__mro__[-2::-1]  # the most general one first
    body = {name: value for cls in classes for name, value in vars(cls).items()}
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", declaration.__name__).lower()
    name = body.pop("name", words)
    operation = Operation(name, body)
    if name in TABLE:
        raise ValueError(f"the operation {name!r} is declared twice")
    TABLE[name] = operation
    if isinstance(operation.kernel, np.ufunc):
        BY_UFUNC.setdefault(operation.kernel, operation)
    for position, method in enumerate(body.get("operator", ())):
        attach_operator(method, operation, reflected=position == 1)
    return operation


SEQUENCE_OPERATORS = {  # those that Python's sequences have, or refuse
    f"__{side}{name}__": sign
    for name, sign in {
        "add": "+", "sub": "-", "mul": "*", "pow": "**", "truediv": "/", "floordiv": "//",
        "mod": "%", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    }.items()
    for side in ("", "r")
}  # fmt: skip


def _as_int(truth):
    """A tensor that stands for a bool of Python as the int that it is in arithmetic."""
    from .python_numbers import counted  # it is made of operations

    return counted(truth)


def attach_operator(method: str, op: Op, reflected: bool = False) -> None:
    """Make a Python operator method of every tensor mean `op`; `reflected` swaps the operands."""
    sign = SEQUENCE_OPERATORS.get(method)

    def may_mix(tensor, other):
        is_string = getattr(tensor, "dtype", None) is string
        if sign is not None and (is_string or isinstance(other, (list, tuple, str))):
            _refuse_sequence(tensor, other, sign, reflected)
        return _may_mix(tensor, other)

    def applied(*operands):
        for operand in operands:
            if type(operand) is SymbolicTensor and operand.builder.ranges:
                _refuse_range(operand, sign or op.name)
        result = apply(op, operands, op.attrs)
        if type(result) is SymbolicTensor and {bytes, float} & {*map(type, operands)}:
            from .python_numbers import note_literals  # it is made of operations

            note_literals(result, *operands)
        return result

    operator: Any
    if reflected:

        def operator(self, other):
            return applied(other, self) if may_mix(self, other) else NotImplemented

    elif len(op.inputs) == 1:

        def operator(self):
            return applied(_as_int(self) if self.dtype is bool_ else self)

    elif method == "__pow__":

        def operator(self, other, modulo=None):
            if modulo is not None:
                raise UnimplementedError(
                    "pow() of a tensor with a modulus", "Write it out: x ** y % modulo."
                )
            return applied(self, other) if may_mix(self, other) else NotImplemented

    else:

        def operator(self, other):
            return applied(self, other) if may_mix(self, other) else NotImplemented

    operator.__name__ = method
    operator.__doc__ = op.__doc__
    attach_method(method, operator)


def attach_method(name: str, method) -> None:
    """Give tensors and variables a method."""
    setattr(Operators, name, boundary(method))


def _may_mix(tensor, other) -> bool:
    """Whether an operand can be a tensor; other classes get their turn by NotImplemented."""
    if isinstance(
        other, (Operators, int, float, np.generic, np.ndarray, complex, str, bytes, list, tuple)
    ):
        return True
    return hasattr(other, "__tf_tensor__") or hasattr(other, "__array__")


def _refuse_range(operand, sign: str) -> None:
    from .python_numbers import is_range  # it is made of operations

    if is_range(operand):
        raise TypeError(f"unsupported operand type for {sign}: 'range'")


def _refuse_sequence(tensor, other, sign: str, reflected: bool) -> None:
    """Raise where a tensor that stands for a number of Python meets a sequence: Python repeats it,
    or has an error of its own.
    """
    from .python_numbers import (  # it is made of operations
        is_python_number,
        is_range,
        never_equal,
        python_type,
        refuse_characters,
    )

    if sign != "+":
        refuse_characters(tensor)
    elif never_equal(tensor, other):
        left, right = (other, tensor) if reflected else (tensor, other)
        python_type(left)() + python_type(right)()  # which is Python's error
    if not is_range(tensor) and (tensor.dims not in ((), None) or not is_python_number(tensor)):
        return
    number = python_type(tensor).__name__
    name = type(other).__name__
    if sign == "*" and number in ("int", "bool"):
        raise UnimplementedError(
            f"how often `*` repeats this {name} is known only when the graph runs",
            _repeated(isinstance(other, str)),
        )
    if not isinstance(other, str):
        left, right = (name, number) if reflected else (number, name)
        raise TypeError(f"unsupported operand type(s) for {sign}: '{left}' and '{right}'")


def _repeated(is_string: bool) -> str:
    """The cure for `[x] * n` with a tensor `n`: the call of `ag.tile` to suggest."""
    items, count = users_operands(2) or ("items", "n")
    if count[0] in "[('\"":
        items, count = count, items
    if is_string:
        return f"Join its copies: ag.strings.reduce_join(ag.tile([{items}], [{count}]))"
    return f"For a tensor of its items: ag.tile({items}, [{count}])"
