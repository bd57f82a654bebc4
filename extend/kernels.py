"""Native code of operations: forms that write it, and functions that kernels call."""

from ..loading import members

MEMBERS = """
runtime.kernel_ir.nodes Evaluate Expression Let Load Name Operand Part Statement Tuple as_node call
runtime.kernel_ir.nodes named
runtime.kernel_ir.kernels Function KernelIR RECURSIVE names_written statements_in
runtime.kernel_ir.nodes reshape transformed walk
runtime.kernel_ir.reader expression filled form statements
runtime.jit.routines Family native_routines scope_of
runtime.jit.cache.compilation linked
runtime.jit.loader llvm_backend
runtime.jit.translate translate
runtime.jit.loop_hints intrinsic kernel_function
runtime.jit.polls shared_word
runtime.jit.loader.shared_words MAIN_THREAD
runtime.jit.loader.symbols PREFIX=SYMBOL
runtime.jit.recursion SURE
runtime.jit.cache.files origin_of source_in
runtime.storage.stored_files folder
runtime.jit.cpu vector_registers
runtime.jit.llvm_types number_type vector_type
runtime.jit.llvm_values Number fma residue where
runtime.jit.values Array
runtime.kernels.math_functions named=named_function
runtime.kernels.random ziggurat_tables
runtime.kernels.random.philox_blocks high_product philox_block philox_blocks unit32 unit64
runtime.kernels.random.philox_parameters group_blocks group_size step_blocks
runtime.kernels.blas call_fortran product_added product_of_matrices
runtime.kernels.matmul_microkernel ProductTile tile_product
runtime.kernels.matmul_packing panels
runtime.kernels.tile_sizes tile_columns tile_heights tile_rows
runtime.lowering.matmul_schedule ProductSizes product_blocks
runtime.lowering.buffer_assignment InBuffer may_grow
runtime.lowering.kernel_plan kernel_plan
runtime.lowering.not_native NotNativeError
runtime.codegen.native.elements computed own_indices
runtime.codegen.native.emit_matmul product
runtime.codegen.native.emit_native write_block
runtime.codegen.native.kernel_writer KernelWriter RegionState constant_array host_target
runtime.codegen.native.library_calls LARGER SMALLER
runtime.codegen.native.parallel_loops parallel_call
runtime.lowering cost_model
runtime.core thresholds
library.convolution.window_tiles narrow_columns tile_of_windows
runtime.gpu.grid.grid_nests decoded
runtime.gpu.grid.grid_writer GridWriter
"""
__getattr__, __dir__ = members(__name__, MEMBERS)
