"""The names that TensorFlow gives operations, as graph definitions show them."""

from __future__ import annotations


def type_name(name: str) -> str:
    """The reference's name of an operation: `reduce_sum` is `Sum`, `zeros_like` is `ZerosLike`."""
    return REFERENCE_NAMES.get(name) or "".join(part.capitalize() for part in name.split("_"))


# Where the reference's name is not ours in capitals.
REFERENCE_NAMES = {
    "add": "AddV2",
    "subtract": "Sub",
    "multiply": "Mul",
    "divide": "RealDiv",
    "floor_divide": "FloorDiv",
    "floor_mod": "FloorMod",
    "negative": "Neg",
    "matmul": "MatMul",
    "reduce_sum": "Sum",
    "reduce_mean": "Mean",
    "reduce_max": "Max",
    "reduce_min": "Min",
    "reduce_prod": "Prod",
    "reduce_any": "Any",
    "reduce_all": "All",
    "argmax": "ArgMax",
    "argmin": "ArgMin",
    "concat": "ConcatV2",
    "stack": "Pack",
    "unstack": "Unpack",
    "select": "SelectV2",
    "gather": "GatherV2",
    "expand_dims": "ExpandDims",
    "read_variable": "ReadVariableOp",
    "assign_variable": "AssignVariableOp",
    "print": "PrintV2",
    "call": "PartitionedCall",
    "py_function": "EagerPyFunc",
}
