"""Checks of graphs that were read from a file: each node is what its operation would have recorded.

Native code trusts the dtypes and shapes of a graph. A graph that was read is therefore derived once
more: the operation states the type of each output, and the text may claim less. Where it claims
more, a node `ensure_shape` checks the claim when the graph runs.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np

from ... import DType, string
from ...extend.errors import Error, UnimplementedError
from ...extend.graphs import CONSTANT_LIMIT, Graph, Node, Value, constant_value
from ...extend.operations import OPERATIONS, Op, Spec
from ...extend.specs import Shape, is_compatible, is_subshape, show, size_of

MOST_OUTPUTS = 1 << 16  # of one node
MOST_FOLDED = 1 << 16  # elements of an operand of what is computed while a file is read
MOST_NODES = 1_000_000  # of a graph, with those of its sub-graphs once for each use
DEPTH = 100  # of graphs inside graphs


def check_attributes(op: Op, attrs: dict, outputs: int) -> None:
    """Raise unless the attributes have the names, and the types, that the operation declares."""
    unknown = attrs.keys() - op.attrs.keys()
    if unknown:
        names = ", ".join(f"'{name}'" for name in sorted(unknown))
        raise UnimplementedError(
            f"the operation '{op.name}' has no attribute {names} in this version of allograph",
            "Save the module again with this version, or load it with the one that saved it.",
        )
    for name, value in attrs.items():
        wanted = _ANNOTATIONS.get(_annotations(op).get(name, ""))
        if wanted is not None and type(value) is not wanted:
            raise ValueError(f"the attribute {name!r} of '{op.name}' is {value!r}")
    counts = [value for value in attrs.values() if type(value) is int]
    if op.several and max(counts, default=0) > max(outputs, MOST_OUTPUTS):
        raise ValueError(f"'{op.name}' has {outputs} outputs, but {max(counts)} are computed")


_ANNOTATIONS = {"bool": bool, "int": int, "str": str}


def _annotations(op: Op) -> dict[str, str]:
    """The declared types of attributes: their annotations, as they are written."""
    kernel = getattr(op, "kernel", None)
    return {} if kernel is None else getattr(inspect.unwrap(kernel), "__annotations__", {})


def specs_of(op: Op, operands: tuple[Value, ...], attrs: dict) -> list[Spec]:
    """What the operation says of its outputs. Raises ValueError unless it takes the operands."""
    count = len(op.inputs)
    if len(operands) < count - 1 if op.variadic else len(operands) != count:
        raise ValueError(f"'{op.name}' does not take these operands: {len(operands)} of {count}")
    try:
        op.check_types(operands)
        specs = op.result(*operands, **attrs)
    except UnimplementedError:
        raise
    except Exception as error:  # a rule may stumble over anything that it was not made for
        message = error.message if isinstance(error, Error) else str(error)
        raise ValueError(f"'{op.name}' does not take these operands: {message}") from error
    return [specs] if hasattr(specs, "dtype") else list(specs)


def implies(known, claimed) -> bool:
    """Whether a value of one type and shape is always one of another.

    >>> implies(Spec(string, (2,)), Spec(string, (None,)))
    True
    """
    return known.dtype is claimed.dtype and is_subshape(known.shape, claimed.shape)


def check_claims(op: Op, specs: list[Spec], claims: list[Value]) -> None:
    """Raise ValueError unless the outputs can be what the text says of them."""
    if len(specs) != len(claims):
        raise ValueError(f"'{op.name}' has {len(specs)} outputs, not {len(claims)}")
    for spec, claim in zip(specs, claims, strict=True):
        if spec.dtype is not claim.dtype or not is_compatible(spec.shape, claim.shape):
            computed = f"{spec.dtype.name} with shape {show(spec.shape)}"
            raise ValueError(f"'{op.name}' computes {computed}, not {claim}")


def check_subgraph(graph: str, node: Node, key: str, inner: Graph) -> None:
    """Raise ValueError unless a sub-graph takes what the node passes."""
    if node.op.operands is None:
        raise ValueError(f"{graph}: '{node.op.name}' has no sub-graph {key}")
    check_passed(f"{graph}: {key}", node.op.operands_of(node, key), inner)


def check_passed(title: str, operands: tuple[Value, ...], inner: Graph) -> None:
    """Raise ValueError unless a graph takes these operands."""
    check_given(title, list(operands), list(inner.inputs))


def check_given(title: str, given: list[Value], taken: list[Value]) -> None:
    """Raise ValueError unless the values that are given have the types and constants taken."""
    if len(given) != len(taken):
        raise ValueError(f"{title} gets {len(given)} operands, not {len(taken)}")
    for one, other in zip(given, taken, strict=True):
        if not implies(one, other):
            raise ValueError(f"{title} takes {other}, but gets {one}")
        if other.constant is not None and not _has_constant(one, other.constant):
            raise ValueError(f"{title} takes {other} of a known value, but gets another one")


def untold_inputs(given: tuple[Value, ...], inner: Graph) -> set[str]:
    """The inputs of which a graph knows a value, or a part of it, that the operands do not tell."""
    return {
        other.name
        for one, other in zip(given, inner.inputs, strict=False)
        if other.constant is not None and not _has_constant(one, other.constant)
    }


def _has_constant(value: Value, constant: np.ndarray) -> bool:
    """Whether the elements of a constant that are known are those of a value."""
    if not constant.size and value.shape == constant.shape:
        return True
    if value.constant is None or value.constant.shape != constant.shape:
        return False
    if value.constant.dtype == constant.dtype != object:
        return value.constant.tobytes() == constant.tobytes()
    pairs = zip(value.constant.reshape(-1).tolist(), constant.reshape(-1).tolist(), strict=True)
    return all(wanted is None or wanted == own or wanted != wanted for own, wanted in pairs)


def is_foldable(op: Op, operands: tuple[Value, ...], attrs: dict, spec: Spec) -> bool:
    """Whether a result may be computed while a file is read: that takes hardly any time."""
    if op.is_constant:
        return True
    dtypes = [spec.dtype, *(value.dtype for value in operands)]
    if string in dtypes or not _is_small(spec.shape):
        return False
    if any((size_of(value.shape) or 0) > MOST_FOLDED for value in operands):
        return False
    if op.partial or op.scalar or op.reduce or op.moves_only:  # linear in the operands
        return True
    return (
        len(operands) <= 3
        and all(_is_small(value.shape) for value in operands)
        and all(abs(number) <= CONSTANT_LIMIT for number in _integers(list(attrs.values())))
    )


def _is_small(shape: Shape) -> bool:
    size = size_of(shape)
    return size is not None and size <= CONSTANT_LIMIT


def _integers(values) -> Iterator[int]:
    """The integers of attributes, those in tuples included."""
    for value in values:
        if type(value) is int:
            yield value
        elif isinstance(value, (tuple, list)):
            yield from _integers(value)


def constant_of(op: Op, operands: tuple[Value, ...], attrs: dict, spec: Spec):
    """The constant value of a result, as when it was recorded; None where that may take long."""
    if op.kernel is None or not is_foldable(op, operands, attrs, spec):
        return None
    try:
        return constant_value(op, operands, attrs, spec)
    except Exception as error:  # as above
        raise ValueError(f"'{op.name}' does not take these operands: {error}") from error


def fitting_assignment(operands: tuple[Value, ...], attrs: dict) -> list[Node]:
    """The nodes that check at run time that a variable can have a value: one, or none.

    Raises ValueError where it never can.
    """
    (value,) = operands
    cell: Any = attrs.get("cell")
    if not isinstance(getattr(cell, "dtype", None), DType):
        raise ValueError(f"{cell!r} is not a variable")
    wanted = Value(cell.dtype, cell.shape, f"{value.name}_new")
    if value.dtype is not wanted.dtype or not is_compatible(value.shape, wanted.shape):
        raise ValueError(f"{value} is no value of the variable {wanted}")
    return [] if implies(value, wanted) else [ensured(value, wanted.shape, wanted.name)]


def ensured(value: Value, shape: Shape, name: str) -> Node:
    """The node that checks at run time that a value has a shape."""
    op, attrs = OPERATIONS["ensure_shape"], {"shape": shape}
    (spec,) = specs_of(op, (value,), attrs)
    return Node(op, (value,), attrs, (Value(spec.dtype, spec.shape, name),), None, name)
