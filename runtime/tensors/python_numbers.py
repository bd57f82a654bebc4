"""Tensors of a graph that stand for Python numbers and strings, and how numbers adopt dtypes.

    i = 0
    while i < n:            # i is an int32 of the graph, and stands for a Python int
        total += i * x      # x is a float32: i becomes one here, as the Python int would
        i += 1

`Builder.numbers` tells which values do. What is computed from them alone stands for a number, too.
A bool that stands for one of Python, as `bool(x > 1)` does, is an int where numbers are computed.
Where a tensor chooses between values of several types, as in `1 if x > 0 else 2.5`, there are the
types instead of True, and also for bytes: what shows the type is refused if there are several.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.dtypes import DType, bool_, float32, int32, string
from ..core.errors import SymbolicValueError, UnimplementedError
from ..ir.graph import Value
from ..ir.op import TABLE, Op
from .apply import tensor_of
from .tensor import SymbolicTensor

# By NumPy's kinds of dtypes: a number adopts one of a higher rank.
_RANKS = {"i": 0, "u": 0, "f": 1, "c": 2}
FLOAT = frozenset({float})
ARITHMETIC = {"add", "subtract", "multiply", "floor_divide", "floor_mod", "pow", "negative", "abs"}


def represents(dtype: DType, number) -> bool:
    """Whether a Python number may become `dtype`: nothing of an int is lost, of a float no part."""
    if dtype.is_integer:
        return type(number) is int and dtype.min <= number <= dtype.max
    if not (dtype.is_floating or dtype.is_complex):
        return False
    if type(number) is not int:
        return type(number) is float or dtype.is_complex
    size, limits = abs(number), np.finfo(dtype.real_dtype.numpy_dtype)
    low_zeros = (size & -size).bit_length() - 1
    return size <= int(limits.max) and size.bit_length() - low_zeros <= limits.nmant + 1


def is_number(value) -> bool:
    """Whether this is a Python number, or a tensor that stands for one."""
    return type(value) in (int, float) or roots(value) is not None


def is_truth(value) -> bool:
    """Whether this is a Python bool, or a tensor that stands for one."""
    if type(value) is not SymbolicTensor:
        return type(value) is bool
    return value.dtype is bool_ and _origins_that_stand(value) is not None


def is_python_number(value) -> bool:
    """Whether this is a Python bool, int or float, or a tensor that stands for one."""
    return is_truth(value) or is_number(value)


def is_python_value(value) -> bool:
    """Whether this is a number, string or bytes of Python, or a tensor that stands for one."""
    if type(value) is SymbolicTensor and value.dtype is string:
        return _origins_that_stand(value) is not None
    return type(value) in (str, bytes) or is_python_number(value)


def python_type(value) -> type:
    """The type of Python for whose value a tensor stands; of anything else, its type."""
    types = python_types(value)
    if len(types) > 1:
        raise _refusal(types)
    return next(iter(types))


def refuse_characters(value) -> None:
    """Refuse what asks for the characters of a string of Python for which a tensor stands."""
    if python_types(value) & {str, bytes} and getattr(value, "dims", ()) == ():
        raise UnimplementedError(
            "what follows depends on the characters of a string that a tensor decides",
            "Use the functions of strings: ag.strings.substr(y, 0, 1), "
            "ag.strings.regex_full_match(y, '.*a.*').",
        )


def never_equal(left, right) -> bool:
    """Whether one of two values is a str of Python and the other bytes; both may be tensors that
    stand for them.
    """
    types = python_types(left), python_types(right)
    either = types[0] | types[1]
    if either != {str, bytes}:
        return False
    if types[0] & types[1]:
        raise _refusal(either)
    return True


def stands_for_instance(value, classes) -> bool:
    """Whether a tensor stands for a value of Python that is an instance of these classes."""
    types = python_types(value)
    answers = {issubclass(type_, classes) for type_ in types}
    if len(answers) > 1:
        raise _refusal(types)
    return answers.pop()


def _refusal(types) -> SymbolicValueError:
    names = " or ".join(sorted(type_.__name__ for type_ in types))
    return SymbolicValueError(
        f"whether a value is of type {names} depends on a tensor",
        "Make it one of them: float(x), int(x) or bool(x); of strings, give both sides one type.",
    )


def python_types(value) -> frozenset[type]:
    """The types that the value may have in Python for which a tensor stands."""
    if type(value) is not SymbolicTensor or not is_python_value(value):
        return frozenset({range if is_range(value) else type(value)})
    if value.dtype is bool_:
        return frozenset({bool})
    groups = (_origins_that_stand(value) or {}).values()
    if value.dtype is string:
        return frozenset().union(*({str} if group is True else group for group in groups))
    if _is_float(value.builder, value.graph_value):
        return FLOAT
    own = frozenset({int if value.dtype.is_integer else float})
    return own.union(*(group for group in groups if group is not True))


def note_literals(tensor, *operands) -> None:
    """Note the type of what an operator gives for constants of Python: in the graph, bytes are any
    string, and a number that adopts a type may have been a float or an int.
    """
    if tensor.dtype.is_floating and is_number(tensor):
        tensor.builder.numbers[tensor.graph_value] = FLOAT
    elif tensor.dtype is string:
        note_types(tensor, *operands)


def _is_float(builder, value: Value) -> bool:
    """Whether a number is computed from a float, or is a quotient, so that it is a float, too."""
    seen, pending = set(), [value]
    while pending:
        value = pending.pop()
        known, node = builder.numbers.get(value), builder.node_of(value)
        op = getattr(node, "op", None)
        if known == FLOAT or op is TABLE["divide"]:
            return True
        if any(op is TABLE[name] for name in ARITHMETIC) and value not in seen:
            seen.add(value)
            pending += node.inputs
    return False


def note_types(tensor, *values) -> None:
    """Note the types of what is one of these values of Python, if all of them are such."""
    if type(tensor) is not SymbolicTensor:
        return
    if all(map(is_python_value, values)):
        types: frozenset[type] = frozenset().union(*map(python_types, values))
        tensor.builder.numbers[tensor.graph_value] = types
    elif all(map(is_range, values)):
        tensor.builder.ranges.add(tensor.graph_value)


def as_tensor(value):
    """A tensor in place of one that stands for a value of Python; everything else as it is."""
    if type(value) is SymbolicTensor and is_python_value(value):
        value = value if value.graph_value.shape else TABLE["identity"](value)  # arrays as they are
        value.builder.numbers[value.graph_value] = False
    return value


def is_range(value) -> bool:
    """Whether this is a tensor that stands for a range of Python, or for a slice of one."""
    if type(value) is not SymbolicTensor or value.dims is None or len(value.dims) != 1:
        return False
    origin, builder = value.graph_value, value.builder
    while origin not in builder.ranges:
        node = builder.node_of(origin)
        if node is None or node.op is not TABLE["strided_slice"]:
            return False
        origin = node.inputs[0]
    return True


def roots(tensor) -> dict[Value, Any] | None:
    """The values in `Builder.numbers` that a tensor is computed from, with what is said of them
    there; None if it is computed from others, too.
    """
    if type(tensor) is not SymbolicTensor or _rank(tensor.dtype) < 0:
        return None
    return _origins_that_stand(tensor)


def _origins_that_stand(tensor) -> dict[Value, Any] | None:
    standing: dict[Value, Any] = {}
    if is_range(tensor):
        return None
    seen = {tensor.graph_value}
    pending = [(tensor.builder, tensor.graph_value)]
    while pending:
        builder, value = pending.pop()
        is_item = value in builder.ranges  # of a range, whose items are ints
        known = builder.numbers.get(value, is_item or None)
        if known:
            standing[value] = known
            continue
        origins = [] if known is False else _origins(builder, value)
        if not origins:
            tensor.builder.numbers[tensor.graph_value] = False  # the next search ends here
            return None
        pending += [origin for origin in origins if origin[1] not in seen]
        seen.update(origin[1] for origin in origins)
    return standing


def _origins(builder, value: Value) -> list:
    """What a value is computed from: operands of the same dtype, or all of a comparison or
    division; or the tensor that it captures.
    """
    node, dtype = builder.node_of(value), value.dtype
    if node is not None:
        takes_all = dtype is bool_ or node.op.computes_in_result_dtype
        count = len(node.op.inputs) - 1 if node.op.is_indexing else len(node.inputs)
        operands = node.inputs[:count]  # an index decides nothing about what is read
        return [(builder, arg) for arg in operands if takes_all or arg.dtype is dtype]
    return [
        (outer.builder, outer.graph_value)
        for outer, captured in builder.captures.values()
        if captured is value and type(outer) is SymbolicTensor
    ]


def promoted(op: Op, inputs) -> tuple | None:
    """The operands with casts of those that stand for ints beside floats, or for bools of Python;
    None if none do.
    """
    alike = [op.alike[op.input_index(index)] for index in range(len(inputs))]
    operands = [value for value, same in zip(inputs, alike, strict=True) if same]
    only_numbers = all(map(is_python_number, operands))
    if only_numbers:
        with_ints = _with_ints_for_truths(op, inputs, alike)
        if with_ints is not None:
            return with_ints
    target = common_dtype(operands)
    if target is None:
        return None
    adopt = as_wider_number if only_numbers else as_number
    results = tuple(
        adopt(value, target) if same else value for value, same in zip(inputs, alike, strict=True)
    )
    changed = any(value is not before for value, before in zip(results, inputs, strict=True))
    return results if changed else None


def _with_ints_for_truths(op: Op, inputs, alike) -> tuple | None:
    """The operands with ints for those that stand for bools of Python; None if none does."""
    counts = [
        same and int32 in op.accepts[op.input_index(index)] for index, same in enumerate(alike)
    ]
    pairs = list(zip(inputs, counts, strict=True))
    if not any(is_counted and is_truth(operand) for operand, is_counted in pairs):
        return None
    return tuple([counted(operand) if is_counted else operand for operand, is_counted in pairs])


def counted(value):
    """A bool of Python as the int that it is in arithmetic; everything else as it is."""
    if type(value) is bool:
        return int(value)
    return _cast_number(value, int32) if is_truth(value) else value


def as_number(value, dtype: DType):
    """What stands for a number as a tensor of another kind of dtype; everything else as it is."""
    if type(value) is not SymbolicTensor or not _may_become(value.dtype, dtype):
        return value
    return value if roots(value) is None else _cast_number(value, dtype)


def as_wider_number(value, dtype: DType):
    """The same, and a float with more digits: beside numbers alone, a loop gets them from its start
    on when it finds that its number becomes wider.
    """
    has_fewer = type(value) is SymbolicTensor and value.dtype.is_floating and dtype.is_floating
    if has_fewer and value.dtype.size < dtype.size and roots(value) is not None:
        return _cast_number(value, dtype)
    return as_number(value, dtype)


def _may_become(dtype: DType, other: DType) -> bool:
    """Whether a number of a dtype may adopt another: a wider kind, fewer digits of a float, or more
    of a signed int.
    """
    if dtype.is_floating and other.is_floating:
        return dtype.size > other.size
    if dtype.is_integer and other.is_integer:
        return other.min <= dtype.min and dtype.max < other.max
    return 0 <= _rank(dtype) < _rank(other)


def _cast_number(value, dtype: DType):
    number = TABLE["cast"](value, dtype=dtype)
    number.builder.numbers[number.graph_value] = True
    return number


def common_dtype(operands) -> DType | None:
    """The dtype that operands have together, where numbers adopt; None if there is none.

    It is that of the tensors that stand for no number; without any, the widest of the numbers.
    """
    numbers, others = [], set()
    for operand in operands:
        tensor = operand if type(operand) in (int, float) else tensor_of(operand)
        if type(tensor) is float:
            numbers.append(float32)
        elif tensor is not None and type(tensor) is not int:
            numbers.append(tensor.dtype) if roots(tensor) is not None else others.add(tensor.dtype)
    if len(others) > 1 or not (others or numbers):
        return None
    return others.pop() if others else max(numbers, key=width)


def width(dtype: DType) -> tuple[int, int]:
    """Sorts dtypes: ints, floats, complex numbers, and by size."""
    return _rank(dtype), dtype.size


def _rank(dtype: DType) -> int:
    if dtype.is_floating:  # bfloat16 too, which is of no kind that NumPy knows
        return _RANKS["f"]
    return _RANKS[dtype.numpy_dtype.kind] if dtype.is_numeric else -1
