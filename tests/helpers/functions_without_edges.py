"""Public functions that `derivative_cases` has no calls of, by the reason: names and patterns."""

WITHOUT_EDGES = {
    "no derivative: its results or arguments are integers, bools, strings, types or shapes": """
        as_dtype get_static_value is_tensor is_symbolic_tensor reduce_any reduce_all arg* shape
        shape_n size rank broadcast_static_shape broadcast_dynamic_shape one_hot sequence_mask
        equal not_equal less* greater* math.is_* is_* bitwise.* logical_* truncatediv bitcast
        math.count_nonzero math.bincount math.confusion_matrix histogram_* math.invert_permutation
        unravel_index math.in_top_k searchsorted unique* linalg.matrix_rank strings.* as_string
        fingerprint edit_distance sets.* nn.collapse_repeated nn.ctc_unique_labels nn.ctc_*_decoder
        required_space_to_batch_paddings image.*non_max_suppression* image.draw_bounding_boxes
        image.is_jpeg image.extract_jpeg_shape approx_top_k ragged.cross* ragged.row_splits_to*
        ragged.segment_ids_to* ragged.range sparse.cross* sparse.bincount sparse.to_indicator
        keras.metrics.* keras.utils.to_categorical keras.utils.pad_sequences keras.tree.*
        keras.backend.*dtype* keras.backend.is_* keras.backend.equal keras.backend.not_equal
        keras.backend.less* keras.backend.greater* keras.backend.one_hot keras.backend.shape
        keras.backend.int_shape keras.backend.ndim keras.backend.all keras.backend.any
        keras.backend.arg* keras.backend.in_top_k keras.backend.count_params
        keras.ops.is* keras.ops.dtype keras.ops.shape keras.ops.size keras.ops.ndim keras.ops.arg*
        keras.ops.nanarg* keras.ops.all* keras.ops.any keras.ops.equal keras.ops.not_equal
        keras.ops.less* keras.ops.greater* keras.ops.logical_* keras.ops.signbit keras.ops.bitwise_*
        keras.ops.gcd keras.ops.lcm keras.ops.left_shift keras.ops.right_shift
        keras.ops.count_nonzero keras.ops.nonzero keras.ops.bincount keras.ops.histogram
        keras.ops.searchsorted keras.ops.digitize keras.ops.unravel_index keras.ops.unique
        keras.ops.one_hot keras.ops.multi_hot keras.ops.matrix_rank keras.ops.in_top_k
        keras.ops.view keras.ops.trunc
    """,
    "makes numbers from none": """
        fill zeros ones zeros_like ones_like eye range linspace constant random.* math.sobol_sample
        signal.*_window* signal.inverse_stft_window_fn signal.linear_to_mel_weight_matrix
        placeholder
        sparse.eye keras.random.* keras.backend.zeros* keras.backend.ones* keras.backend.eye
        keras.backend.random_* keras.backend.truncated_normal keras.backend.arange
        keras.backend.constant keras.backend.variable keras.Variable keras.Input keras.ops.zeros*
        keras.ops.ones* keras.ops.empty* keras.ops.full* keras.ops.arange keras.ops.eye
        keras.ops.identity keras.ops.tri keras.ops.linspace keras.ops.logspace keras.ops.geomspace
        keras.ops.bartlett keras.ops.blackman keras.ops.hamming keras.ops.hanning keras.ops.kaiser
    """,
    "moves, adds and scales its floats only: its derivative is the same everywhere": """
        convert_to_tensor ensure_shape complex math.real math.imag math.conj reshape transpose
        linalg.matrix_transpose linalg.adjoint expand_dims squeeze broadcast_to meshgrid stack
        unstack
        split gather* boolean_mask dynamic_partition dynamic_stitch tensor_set_item slice
        strided_slice tensor_scatter_nd_* scatter_nd linalg.diag* linalg.set_diag linalg.band_part
        tile pad repeat reverse roll reverse_sequence linalg.tensor_diag* nn.bias_add
        nn.space_to_depth nn.depth_to_space space_to_batch batch_to_space nn.with_space_to_batch
        nn.fractional_avg_pool identity_n grad_pass_through signal.* fftnd ifftnd rfftnd irfftnd
        image.*yiq* image.*yuv* image.*grayscale* image.convert_image_dtype image.*crop*
        image.*flip*
        image.pad_to_bounding_box image.transpose image.rot90 image.extract_patches
        image.image_gradients image.resize* ragged.constant ragged.stack* ragged.boolean_mask
        sparse.from_dense sparse.to_dense sparse.reorder sparse.add sparse.reduce_sum sparse.mask
        sparse.transpose sparse.reshape sparse.reset_shape sparse.expand_dims sparse.concat
        sparse.slice sparse.retain sparse.split sparse.fill_empty_rows nn.sufficient_statistics
        nn.embedding_lookup_sparse nn.safe_embedding_lookup_sparse keras.layers.concatenate
        keras.utils.*_x_y_sample_weight keras.backend.gather keras.backend.reshape
        keras.backend.reverse keras.backend.squeeze keras.backend.stack keras.backend.transpose
        keras.backend.tile keras.backend.concatenate keras.backend.cast keras.backend.expand_dims
        keras.backend.permute_dimensions keras.backend.flatten keras.backend.batch_flatten
        keras.backend.repeat_elements keras.backend.bias_add keras.backend.cumsum
        keras.backend.update_* keras.backend.*_value keras.ops.convert_to_* keras.ops.cast
        keras.ops.saturate_cast keras.ops.scatter* keras.ops.slice* keras.ops.unstack
        keras.ops.rearrange keras.ops.array* keras.ops.meshgrid keras.ops.take* keras.ops.get_item
        keras.ops.pad keras.ops.reshape keras.ops.squeeze keras.ops.stack keras.ops.*split
        keras.ops.image.resize keras.ops.image.*grayscale keras.ops.image.*_images
        keras.ops.image.extract_patches keras.ops.fft* keras.ops.ifft* keras.ops.rfft
        keras.ops.irfft keras.ops.extract_sequences keras.ops.view_as_* keras.ops.stft
        keras.ops.istft keras.ops.average_pool keras.ops.adaptive_average_pool
        keras.ops.space_to_depth keras.ops.depth_to_space keras.ops.append keras.ops.broadcast_to
        keras.ops.diag* keras.ops.diff keras.ops.*stack keras.ops.expand_dims keras.ops.flip*
        keras.ops.imag keras.ops.moveaxis keras.ops.ravel keras.ops.repeat keras.ops.roll
        keras.ops.rot90 keras.ops.swapaxes keras.ops.tile keras.ops.transpose keras.ops.tril
        keras.ops.triu keras.ops.trace
    """,
    "sums products of its floats: smooth, and compared with finite differences": """
        matmul linalg.matvec tensordot einsum linalg.tridiagonal_matmul nn.conv*
        nn.depthwise_conv2d*
        nn.separable_conv2d nn.atrous_conv2d* sparse.sparse_dense_matmul nn.normalize_moments
        keras.layers.dot keras.backend.dot keras.backend.batch_normalization keras.ops.einsum
        keras.ops.*conv* keras.ops.dot keras.ops.inner keras.ops.kron keras.ops.matmul
        keras.ops.outer keras.ops.tensordot keras.ops.vdot keras.ops.correlate
        keras.ops.image.map_coordinates keras.ops.dot_product_attention
    """,
    "a linear system or a decomposition, which refuses singular matrices": """
        linalg.*solve linalg.lstsq linalg.eig* linalg.logm linalg.lu* linalg.experimental.*
        eig eigvals keras.ops.cholesky* keras.ops.*inv keras.ops.eig* keras.ops.lu_factor
        keras.ops.qr
        keras.ops.svd keras.ops.solve* keras.ops.lstsq
    """,
    "of complex numbers, which JAX and torch differentiate by another convention": """
        math.angle keras.ops.angle keras.ops.polar
    """,
    "random: the function that it draws the numbers for is called with numbers": """
        nn.dropout nn.experimental.* keras.backend.dropout image.*random_brightness
        image.*random_contrast image.*random_hue
        image.*random_saturation
    """,
    "calls the user's function, whose derivative it is": """
        py_function numpy_function function cond case switch_case while_loop gradients hessians
        custom_gradient recompute_grad numba_op jax.function replaces map_fn
        vectorized_map scan foldl foldr jit prange
        ragged.map_flat_values sparse.map_values keras.backend.map_fn keras.backend.fold*
        keras.backend.switch keras.ops.custom_gradient keras.ops.cond keras.ops.while_loop
        keras.ops.fori_loop keras.ops.switch keras.ops.map keras.ops.vectorized_map keras.ops.scan
        keras.ops.associative_scan keras.ops.vectorize keras.ops.jvp distribute.*
    """,
    "chooses among its arguments by a condition: `where` has calls": """
        keras.ops.where keras.ops.select sparse.maximum sparse.minimum sparse.reduce_max
        sparse.softmax
    """,
    "without second derivatives; `tests/library/nn/test_sequence_losses.py` tests the first": """
        nn.ctc_loss keras.losses.ctc keras.ops.ctc_loss
    """,
    "checks, settings, files and objects": """
        executing_eagerly inside_function config.* print Assert debugging.* nest.* device
        types.experimental.* init_scope get_default_graph control_dependencies group no_op io.*
        make_tensor_proto make_ndarray experimental.* kernel_cache.* enable_eager_execution
        testing.*
        debug type_spec_from_value data.* timestamp get_logger get_current_name_scope
        register_tensor_conversion_function train.* profiler.* summary.* saved_model.* image.*_jpeg*
        image.decode_* image.encode_* keras.mixed_precision.* keras.saving.* keras.*.serialize
        keras.*.deserialize keras.*.get keras.utils.* keras.models.* onnx.* annotate explore
        load_ipython_extension keras.version keras.backend.clear_session keras.backend.name_scope
        keras.backend.backend keras.backend.get_uid keras.backend.*epsilon keras.backend.*floatx
        keras.backend.*image_data_format keras.backend.result_type
    """,
}
