"""Graphs: their records, their text, their derivatives, how they run, what explains them."""

from ..loading import members

MEMBERS = """
runtime.ir.graph Entry Graph Node Value dims elements_of
runtime.ir.callee Callee
runtime.ir.graph_checks check_given
runtime.ir.graph_def as_graph_def
runtime.ir.graph_parser parse_all
runtime.ir.graph_printer print_graphs show_attribute
runtime.ir.node_properties is_noreturn
runtime.passes.propagate_shapes specialise_shapes
runtime.gradients.graph_derivative derivative_of
runtime.executors.executable Executable
runtime.executors.graph_calls executable_of
runtime.profiling.explain Explanation
runtime.tensors.apply BUILDER
runtime.tensors.active_tapes TAPES note=note_on_tapes
runtime.tensors.op_hooks OBSERVERS
runtime.profiling.stages Listing Stages assembly_of simplified stages_of
runtime.core.deferred_strings unsavable
"""
__getattr__, __dir__ = members(__name__, MEMBERS)
