"""Operations: how one is declared, looked up, applied, and what its declaration names."""

from ..loading import members

MEMBERS = """
runtime.ir.op Op PURE READS Spec TABLE=OPERATIONS WRITES unknown_flops
runtime.ir.op broadcast_shapes broadcast_together no_gradient
runtime.tensors.operation Operation hidden_op op ops
runtime.tensors.apply apply
runtime.numpy_protocol.registry ALL=ALL_OPERANDS SharedArray ag as_arrays axes_of axis_of of_numpy
runtime.numpy_protocol.registry rank_of sizes_of traces
runtime.numpy_protocol.promotion as_bool computed_by floating named_dtype promoted promoted_arrays
runtime.numpy_protocol.promotion tensor=numpy_tensor viewed zero
runtime.numpy_protocol.ufuncs matmul=numpy_matmul
runtime.ops.shape_rules bool_like_input broadcast_to_bool real_like_input same_as_input
runtime.numpy_protocol.namespace NumpyNamespace
runtime.core.dtypes ANY ANYTHING BOOLS FLOATS INTEGERS NUMBERS PRECISE REALS SIGNED STRINGS
runtime.core.shapes normal_axis
runtime.ir.constant_values constant_dimensions full_constant
runtime.ir.node_properties has_unknown_shape
runtime.ir.indexing Slot expanded=expanded_index
runtime.ops.array.creation as_shape_tensor
runtime.ops.array.radix_keys has_keys keys_of stable_order
runtime.ops.array.shape_ops as_constant
runtime.ops.state.python_calls check
runtime.ops.array.scattering scattered scattering
runtime.ops.gradient_helpers scalar_zero scatter_last_axis through
runtime.ops.math.elementwise divides_by_zero refuse_zero
runtime.ops.math.reductions static_axis
runtime.ops.strings.strings map_elements
library.math.scipy_modules scipy_module
"""
__getattr__, __dir__ = members(__name__, MEMBERS)
