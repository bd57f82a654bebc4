"""Graphs: their records, their text, their derivatives, how they run, what explains them."""

from ..loading import members

MEMBERS = """
runtime.ir.graph Entry Graph Node Value dims elements_of
runtime.ir.callee Callee
runtime.ir.extents Extent
runtime.ir.constant_values CONSTANT_LIMIT constant_value
runtime.ir.saved_lists is_differentiable items_of list_stack
runtime.ir.rewrite inside_subgraphs rewrite rewrite_ops
runtime.ir.scalar_nodes ScalarNodes
runtime.gradients.control_flow_gradients call_graph
runtime.ir.graph_printer print_graphs show_attribute
runtime.ir.node_properties is_noreturn
runtime.passes.propagate_shapes specialise_shapes
runtime.gradients.graph_derivative BUILDING Derivative derivative_of
runtime.gradients.records Record trainable_cells zeros_of
runtime.executors.executable Executable executable_of
runtime.tensors.apply BUILDER
runtime.tensors.listeners TAPES listeners note=note_on_tapes
runtime.tensors.graph_builder Builder
runtime.tensors.listeners OBSERVERS
runtime.passes.pipeline BEFORE_NATIVE_CODE OPTIMIZATIONS Pass SKIPPED SUB_GRAPHS
runtime.passes.pipeline optimization_steps optimize
runtime.lowering.fuse_loop_nests lower
runtime.lowering.program Branch Invoke Loop Nest Program Step inner_programs nodes_of
runtime.lowering.program producers_of
runtime.lowering.independent_iterations independent_iterations parallel_iterations
runtime.ir.trip_counts induction_variable_of
runtime.codegen.native.emit_native code_and_origins planned_memory
runtime.codegen.numpy.emit_numpy emit_numpy
runtime.codegen.numpy.numpy_plan Plan
runtime.executors.compile_pipeline NativeForm native_form preparation_steps
runtime.executors.native_program TOO_LITTLE Kernel compile_program program_of why_not
runtime.jit.backends backend backend_of choice compiling_with
runtime.core.floating_point_state call_in_errstate
runtime.parallel.thread_pool CONTROL COUNT
runtime.core.deferred_strings FORMATS ErrorForm Hole Items Show error_named unsavable
"""
__getattr__, __dir__ = members(__name__, MEMBERS)
