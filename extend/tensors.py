"""Tensors and what stands beside them: eager and symbolic ones, sequences, how they print."""

from ..loading import members

MEMBERS = """
runtime.tensors.tensor CPU EagerTensor Operators SymbolicTensor TensorReference out_of_scope
runtime.tensors.apply constant_of holds_tensor tensor_of
runtime.tensors.array_conversion to_array
runtime.gpu.device_arrays tensor_in_place tensor_on
runtime.ir.rich_display RichDisplay
runtime.ops.state.printing Rows filled show_rows
tracing.staged_values.iterables StagedSequence Streamed
tracing.structures.leaves Deferred as_test can_be_tensor
autograph.identity_map IdentityMap
"""
__getattr__, __dir__ = members(__name__, MEMBERS)
