"""Functions that are converted and traced, and their traces."""

from ..loading import members

MEMBERS = """
tracing.functions.bound_function BoundFunction
tracing.functions.concrete_function ConcreteFunction MODES
tracing.functions.func_graph FuncGraph
tracing.functions.polymorphic_function GenericFunction PolymorphicFunction
tracing.functions.restored_traces with_tensors
tracing.functions.retrace_history TraceMade
tracing.functions.tracer creating_variables
tracing.numpy_mode.jit_function JitFunction
tracing.numpy_mode.calls.argument_keys differences described_key keys_of
tracing.numpy_mode.compiled_calls is_constant
tracing.numpy_mode.calls.effects assigned_around
tracing.numpy_mode.calls.library_calls call_library
tracing.numpy_mode.iteration Items is_iterated items_of
tracing.numpy_mode.lists.collected_lists known_count
tracing.numpy_mode.lists.growing_lists GrowingList
tracing.numpy_mode.refusal RefusedError noun numpy_trace
tracing.numpy_mode.statements.carried_values Number carried_or_nothing flattened is_from_outside
tracing.numpy_mode.statements.carried_values is_same joined=joined_layouts
tracing.numpy_mode.statements.ranges TracedRange
tracing.numpy_mode.statements.staged_statements retried
tracing.numpy_mode.statements.tuples form_of spread with_tuples
tracing.numpy_mode.traced_array TracedArray
tracing.numpy_mode.traced_scalar TracedScalar require scalar_of
tracing.staged_values.iterables Walk
tracing.structures.argument_structures flatten_arguments
tracing.stager.user_functions call_user_code converted
python_library.integers chosen=number_of_combinations combination_of
autograph.inspect_code line_map plain_function to_code
autograph.pickled_sources PickledSources
runtime.core.parsing parsed
"""
__getattr__, __dir__ = members(__name__, MEMBERS)
