"""Operations, the graph, its passes, code generation and the executors; folders in the order of the
pipeline: core, ir, tensors, ops, numpy_protocol, gradients, passes, lowering, codegen, kernels,
jit, parallel, executors, profiling.
"""
