"""Types and shapes: of tensors, of values that are made of tensors, and of calls."""

from ..loading import members

MEMBERS = """
runtime.core.dtypes FROM_NUMPY dtype_named stack=STACK
runtime.core.numpy_dtypes highest is_complex is_floating is_real lowest lowest_of
runtime.core.shapes Shape as_shape dimensions is_compatible is_static is_subshape join=join_shapes
runtime.core.shapes broadcast merge=merge_shapes show size_of
tracing.type_system.trace_types Container Literal Reference TraceType trace_type
tracing.type_system.extension_spec ExtensionSpec value_of
tracing.type_system.composite_specs CompositeSpec CompositeTensor borrow_operators container_of
tracing.type_system.function_type BindingError FunctionType bind type_of_call
"""
__getattr__, __dir__ = members(__name__, MEMBERS)
