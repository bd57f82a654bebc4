"""Arguments for every operation: public calls, from which the operations behind them are noted."""

import contextlib
import functools
import zlib
from dataclasses import dataclass, field

import numpy as np
from public_objects import public_objects

import allograph as ag
import allograph.runtime.tensors.apply as door
from allograph.runtime.core.dtypes import FROM_NUMPY
from allograph.runtime.ir.indexing import Slot
from allograph.runtime.ir.op import TABLE, Op

GRID = np.arange(6, dtype=np.int32).reshape(2, 3)
REALS = np.array([[0.5, -2.0, 1.0], [np.nan, np.inf, -0.0]], np.float32)
DOUBLES = np.array([0.25, 3.0, -1.0])
TRUTHS = np.array([[True, False, True], [False, False, True]])
CUBE = np.arange(24, dtype=np.float64).reshape(2, 3, 4)
EMPTY = np.zeros((0, 3), np.float32)
PLACES = np.array([1, 0, 1], np.int32)
WORDS = ["fizz", "Buzz ", ""]
WAVES = np.array([1 + 2j, -1j, 0], np.complex64)


def _calls() -> list:
    """Public calls; each operation that is not elementwise is behind at least one."""
    every = [None, 0, -1, [0, 1], []]
    calls = [
        lambda reduce=reduce, x=x, axis=axis, keep=keep: reduce(x, axis=axis, keepdims=keep)
        for reduce, xs in (
            (ag.reduce_sum, (GRID, REALS, EMPTY, WAVES[None])),
            (ag.reduce_prod, (GRID, REALS, EMPTY)),
            (ag.reduce_mean, (GRID, REALS, REALS.astype(np.float16))),
            (ag.reduce_max, (GRID, REALS, EMPTY)),
            (ag.reduce_min, (GRID, REALS, EMPTY)),
            (ag.reduce_any, (TRUTHS,)),
            (ag.reduce_all, (TRUTHS,)),
        )
        for x in xs
        for axis in every
        for keep in (False, True)
    ]
    return [*calls, *_calls_on_values(), *_calls_on_shapes(), *_calls_on_places(), *_calls_beside(),
            *_calls_on_windows(), *_calls_on_matrices(), *_calls_on_texts(),
        *_calls_on_sequences(), *_calls_on_images()]  # fmt: skip


def _calls_on_values() -> list:
    """Casts, positions, running sums, products of matrices, random numbers."""
    return [
        *(lambda kind=kind: ag.cast(REALS[0], kind) for kind in ("int32", "float64", "bool")),
        lambda: ag.cast(WAVES, ag.float32),
        lambda: ag.cast(TRUTHS, ag.complex64),
        lambda: ag.bitcast(REALS, ag.int32),
        lambda: ag.argmax(GRID, axis=1),
        lambda: ag.argmin(CUBE, axis=-2, output_type=ag.int32),
        lambda: ag.cumsum(GRID, axis=1),
        lambda: ag.cumsum(EMPTY, axis=0, exclusive=True),
        lambda: ag.cumsum(CUBE, axis=-2, exclusive=True, reverse=True),
        lambda: ag.math.cumprod(GRID, reverse=True),
        lambda: TABLE["linear_recurrence"](DOUBLES, DOUBLES, axis=0, reverse=False),
        lambda: TABLE["linear_recurrence"](CUBE, CUBE, axis=1, reverse=True),
        lambda: ag.math.cumulative_logsumexp(DOUBLES),
        lambda: TABLE["counted_draw"]([3], np.array([1, 2, 3]), 0.0, 1.0, kind="normal"),
        *(
            lambda draw=draw, shape=shape, dtype=dtype, low=low: draw(
                shape, [3, 4], np.array(low, dtype), np.array(2, dtype), dtype
            )
            for draw in (
                ag.random.stateless_uniform,
                ag.random.stateless_normal,
                ag.random.stateless_truncated_normal,
            )
            for dtype in (np.float32, np.float64)
            for shape, low in (([], 0), ([4], 0), ([2, 3], [0.5, 1, 1.5]), ([50], 0), ([0], 0))
        ),
        *(
            lambda shape=shape, dtype=dtype: ag.random.stateless_uniform(
                shape, [3, 4], -3, 2**20, dtype
            )
            for dtype in (np.int32, np.int64)
            for shape in ([], [4], [50])
        ),
        *(lambda a=a: ag.random.stateless_gamma([9, 3], [3, a], [0.5 * a, 1, 7]) for a in (1, 5)),
        *(lambda a=a: ag.random.stateless_poisson([9, 2], [3, a], [0.5 * a, 30]) for a in (0, 5)),
        lambda: ag.random.stateless_gamma([], [3, 4], 0.5, dtype=ag.float64),
        lambda: ag.random.stateless_poisson([], [3, 4], 12.0),
        lambda: ag.matmul(GRID, GRID.T),
        lambda: ag.matmul(CUBE, np.ones((4, 5))),
        lambda: ag.tensordot(CUBE, CUBE, [[0, 2], [0, 2]]),
        lambda: ag.tensordot(GRID, PLACES, 1),
        lambda: ag.einsum("ij,jk->ik", GRID, GRID.T),
        lambda: ag.einsum("...i,i", CUBE, np.ones(4)),
        lambda: ag.random.uniform([2, 3], seed=1),
        lambda: ag.random.uniform([], 0, 9, ag.int32, seed=1),
        lambda: ag.random.normal([4], seed=2, dtype=ag.float64),
        lambda: ag.random.truncated_normal([0, 2], seed=2),
        lambda: ag.random.stateless_uniform([3], seed=[1, 2]),
        lambda: ag.random.shuffle(GRID, seed=3),
        lambda: ag.random.stateless_poisson([3], [1, 2], 2.0),
        lambda: ag.random.stateless_gamma([2, 3], [1, 2], DOUBLES[1], dtype=ag.float64),
        lambda: ag.strings.length(WORDS),
        lambda: ag.strings.lower(WORDS),
        lambda: ag.strings.upper(WORDS),
        lambda: ag.strings.strip(WORDS[1]),
        lambda: ag.as_string(REALS, width=12),
        lambda: ag.strings.to_number(["1.5", "2"]),
        lambda: ag.constant(WORDS) + "!",
    ]


def _calls_on_shapes() -> list:
    """Making, shaping and arranging arrays."""
    return [
        lambda: (ag.identity(REALS), ag.stop_gradient(REALS)),
        lambda: ag.ensure_shape(REALS, [None, 3]),
        lambda: ag.fill([2, 0], 7.0),
        lambda: ag.eye(2, 3),
        lambda: ag.range(1, 9, 3),
        lambda: ag.linspace(0.0, 1.0, 5),
        lambda: (ag.shape(CUBE), ag.size(CUBE), ag.rank(CUBE)),
        lambda: ag.reshape(CUBE, [4, -1]),
        lambda: ag.transpose(CUBE, [2, 0, 1]),
        lambda: ag.expand_dims(GRID, 1),
        lambda: ag.squeeze(CUBE[:, :1], 1),
        lambda: ag.broadcast_to(PLACES, [2, 3]),
        lambda: ag.broadcast_dynamic_shape([2, 1], [3]),
        lambda: ag.tile(GRID, [2, 1]),
        lambda: ag.pad(GRID, [[1, 0], [0, 2]]),
        lambda: ag.repeat(GRID, 2, axis=1),
        lambda: ag.repeat(GRID, np.arange(len(GRID)), axis=0),
        lambda: ag.reverse(GRID, [1]),
        lambda: ag.roll(GRID, 1, 0),
        lambda: ag.concat([GRID, GRID[:1]], 0),
        lambda: ag.stack([PLACES, PLACES], 1),
        lambda: ag.unstack(GRID),
        lambda: ag.split(GRID, [1, 2], 1),
        lambda: ag.linalg.diag(PLACES),
        lambda: ag.linalg.diag_part(GRID),
        lambda: ag.linalg.set_diag(GRID, PLACES[:2]),
        lambda: ag.linalg.band_part(GRID, 0, -1),
    ]


def _calls_on_places() -> list:
    """Indexing, gathering, choosing, sorting."""
    grid = ag.constant(GRID)
    return [
        lambda: (grid[1], grid[:, ::-1], grid[..., None], grid[ag.constant(1), 0]),
        lambda: grid[[0, 1], [2, 0]],
        lambda: grid[TRUTHS],
        lambda: grid[TRUTHS[:, 0], 1],
        lambda: ag.tensor_set_item(grid, (0, slice(None)), 9),
        lambda: ag.tensor_set_item(grid, [0, 1], [[7, 7, 7], [8, 8, 8]]),
        lambda: ag.tensor_set_item(grid, TRUTHS, 5),
        lambda: ag.tensor_set_item(grid, TRUTHS, [7, 8, 9]),
        lambda: ag.slice(CUBE, [0, 1, 0], [2, -1, 3]),
        lambda: ag.where(TRUTHS, GRID, 0),
        lambda: ag.where(TRUTHS),
        lambda: ag.boolean_mask(GRID, TRUTHS),
        lambda: ag.one_hot(PLACES, 3),
        lambda: ag.gather(GRID, PLACES),
        lambda: ag.gather(CUBE, [2, 0], axis=1),
        lambda: ag.gather_nd(GRID, [[0, 1], [1, 2]]),
        *(
            lambda update=update: update(grid, [[0], [1]], GRID)
            for update in (
                ag.tensor_scatter_nd_update,
                ag.tensor_scatter_nd_add,
                ag.tensor_scatter_nd_sub,
                ag.tensor_scatter_nd_max,
                ag.tensor_scatter_nd_min,
            )
        ),
        *(
            lambda name=name: getattr(ag.math, "unsorted_segment_" + name)(DOUBLES, PLACES, 3)
            for name in ("sum", "prod", "max", "min")
        ),
        *(
            lambda name=name: getattr(ag.math, "segment_" + name)(DOUBLES, [0, 0, 2])
            for name in ("sum", "prod", "max", "min")
        ),
        lambda: ag.sort(CUBE, axis=1),
        lambda: ag.argsort(DOUBLES, direction="DESCENDING"),
        lambda: ag.math.top_k(CUBE, 2),
        lambda: ag.math.in_top_k([0, 1], REALS[:, :2], 1),
        lambda: ag.searchsorted([1.0, 2.0, 3.0], [2.5]),
        lambda: ag.unique_with_counts(PLACES),
    ]


def _calls_beside() -> list:
    """Effects, and operations of their own family."""
    return [
        lambda: ag.print("now", GRID, output_stream=lambda text: None),
        lambda: ag.debugging.Assert(True, ["never"]),
        lambda: ag.debugging.check_numerics(DOUBLES, "finite"),
        lambda: ag.py_function(lambda x: x + 1, [GRID], ag.int32),
        lambda: ag.numpy_function(np.sort, [DOUBLES], ag.float64, stateful=False),
        lambda: TABLE["ensure_length"](GRID, 5),
        lambda: TABLE["sum_to_shape"](CUBE, [3, 1]),
        lambda: TABLE["added_by_arrays"](GRID, GRID[:, :2], [0, 2], axes=(1,)),
        lambda: TABLE["wrapped_index"](np.array([-3, 2, -1, 0]), 3),
        lambda: TABLE["window"](GRID, 1, index=(Slot(0), (0, 2, -1)), sizes=(3,)),
        lambda: TABLE["set_window"](GRID, [7, 8], index=((0, 0, 1), 1), sizes=(2,)),
        lambda: TABLE["compressed"](DOUBLES, DOUBLES > 0, (DOUBLES > 0).sum()),
        lambda: TABLE["memory_of"](DOUBLES),
        lambda: TABLE["copy_sign"](DOUBLES, -DOUBLES),
        lambda: TABLE["stack_peek"](CUBE, 1, dtype=ag.float64, shape=(3, 4)),
        lambda: TABLE["set_by_loop"](GRID, True, variable="x"),
    ]


def _calls_on_windows() -> list:
    """Convolution and pooling, and what their gradients are."""
    images = np.arange(120, dtype=np.float64).reshape(2, 5, 4, 3) % 7
    filters = np.arange(36, dtype=np.float64).reshape(2, 3, 3, 2) % 5
    deep = np.arange(24, dtype=np.float64).reshape(2, 2, 1, 6) % 5
    small, tiny = images[:1, :3, :2], filters[:, :2, :, :1]
    rules = [
        {"strides": (1, 1), "padding": "SAME", "dilations": (1, 1)},
        {"strides": (2, 1), "padding": "VALID", "dilations": (1, 1)},
        {"strides": (1, 2), "padding": ((1, 0), (2, 3)), "dilations": (2, 2)},
    ]
    pools = [{"ksize": (2, 2), **{key: rule[key] for key in ("strides", "padding")}}
             for rule in rules[:2]]  # fmt: skip
    return [
        *(
            lambda rule=rule, x=x, w=w, n=n: _convolved(x, w, {**rule, "groups": n})
            for rule in rules
            for x, w, n in ((images, filters, 1), (images, deep, 3), (small, tiny, 1))
        ),
        *(lambda rule=rule, x=x: _pooled(x, rule) for rule in pools for x in (images, small)),
    ]


def _convolved(x, filters, attrs) -> None:
    y = TABLE["convolution"](x, filters, **attrs)
    TABLE["convolution_input"](ag.shape(x), filters, y, **attrs)
    TABLE["convolution_filters"](x, ag.shape(filters), y, **attrs)


def _pooled(x, attrs) -> None:
    y = TABLE["max_pool"](x, **attrs)
    TABLE["max_pool_gradient"](x, y, y, **attrs)
    TABLE["max_pool_places"](x, y, **attrs)
    TABLE["avg_pool_gradient"](ag.shape(x), TABLE["avg_pool"](x, **attrs), **attrs)


def _calls_on_matrices() -> list:
    """Systems of equations, inverses, decompositions."""
    square = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.0], [0.5, 0.0, 2.0]])
    several = np.stack([square, square + 2 * np.eye(3)])
    tall = CUBE[0, :, :2] + square[:, :2]
    return [
        lambda: ag.linalg.logm(square[:2, :2].astype(complex)),
        *(
            lambda x=x: (
                ag.signal.fft2d(x + 0j), ag.signal.ifft(x + 0j), ag.signal.rfft(x),
                ag.signal.irfft(x + 0j), ag.signal.irfft2d(x + 0j, [3, 3]),
            )
            for x in (square, several)
        ),
        *(
            lambda a=a, b=b, low=low: (ag.linalg.solve(a, b), ag.linalg.triangular_solve(a, b, low))
            for a, b in ((square, tall), (several, tall), (square, several))
            for low in (True, False)
        ),
        *(
            lambda a=a: (
                ag.linalg.inv(a), ag.linalg.det(a), ag.linalg.slogdet(a), ag.linalg.cholesky(a),
                ag.linalg.qr(a), ag.linalg.svd(a), ag.linalg.eigh(a), ag.linalg.expm(a),
                ag.linalg.lu(a), ag.linalg.eig(a), ag.linalg.sqrtm(a),
                ag.linalg.tridiagonal_solve(a, a),
            )
            for a in (square, several)
        ),
        *(
            lambda a=a, b=b: (
                TABLE["complex_matrix_solve"](a, a / 4, b, b / 2), TABLE["complex_inv"](a, a / 4),
            )
            for a, b in ((square, tall), (several, tall), (square, several))
        ),
        *(
            lambda full=full: (ag.linalg.qr(tall, full), ag.linalg.svd(tall, full))
            for full in (False, True)
        ),
    ]  # fmt: skip


def _calls_on_texts() -> list:
    """Patterns, parts, encodings, files."""
    some, others = (
        ag.SparseTensor([[0, 0], [0, 1], [1, 0]], np.array(values), [2, 2])
        for values in ([1, 2, 3], [1, 3, 3])
    )
    return [
        lambda: ag.edit_distance(some, others),
        lambda: ag.edit_distance(some, others, normalize=False),
        *(lambda data=data: ag.fingerprint(data) for data in (GRID, CUBE, ["fizz", ""])),
        lambda: ag.io.decode_compressed([zlib.compress(b"fizz"), zlib.compress(b"")], "ZLIB"),
        lambda: ag.strings.regex_replace(WORDS, "[zB]+", r"<\0>"),
        lambda: ag.strings.regex_full_match(WORDS, "[a-z]*"),
        lambda: ag.strings.substr(["fizz", "buzz"], [1, -2], 2),
        lambda: ag.strings.split(" fizz  buzz"),
        lambda: ag.strings.bytes_split("fizz"),
        lambda: ag.strings.unicode_split(["fizz", "a"], "UTF-8"),
        lambda: ag.strings.unicode_transcode(WORDS, "UTF-8", "UTF-16-BE"),
        lambda: ag.strings.ngrams(ag.ragged.constant([WORDS]), [1, 2], pad_values="|"),
        lambda: ag.strings.unsorted_segment_join(WORDS, PLACES, 2, separator="-"),
        lambda: _looked_up(["fizz", "none"]),
        lambda: ag.strings.to_hash_bucket_fast(WORDS, 7),
        lambda: ag.ragged.cross([ag.constant([WORDS]), ag.constant([PLACES])]),
        lambda: ag.ragged.cross_hashed([ag.constant([WORDS]), ag.constant([PLACES])], 5),
        lambda: ag.strings.reduce_join([WORDS], axis=0, separator="-"),
        lambda: ag.strings.format("{} and {}", [GRID, PLACES]),
        lambda: ag.io.decode_raw([b"abcd", b"efgh"], ag.int16),
        lambda: ag.io.decode_base64(ag.io.encode_base64(WORDS)),
        lambda: ag.io.parse_tensor(ag.io.serialize_tensor(GRID), ag.int32),
        lambda: ag.io.decode_csv(["1,x", "2,y"], [[0], [""]]),
        lambda: ag.io.parse_example(
            [b""], {"x": ag.io.FixedLenFeature([2], ag.int64, default_value=[5, 6])}
        ),
        lambda: ag.io.read_file(__file__),
        lambda: ag.io.matching_files(__file__),
    ]


def _calls_on_sequences() -> list:
    """Sequences of logits, labels, and rows that fall."""
    logits = np.sin(np.arange(24.0)).reshape(4, 2, 3)
    labels, lengths = np.array([[1, 2], [2, 0]]), np.array([4, 3])
    return [
        lambda: _with_gradient(
            lambda x: ag.nn.ctc_loss(labels, x, [2, 1], lengths), ag.constant(logits)
        ),
        lambda: ag.nn.ctc_greedy_decoder(logits, lengths),
        lambda: ag.nn.ctc_beam_search_decoder(logits, lengths, top_paths=2),
        lambda: ag.nn.ctc_unique_labels(labels),
        lambda: _with_gradient(lambda x: ag.nn.isotonic_regression(x)[0], DOUBLES[None]),
    ]


def _calls_on_images() -> list:
    """Boxes in images, sizes of images, and sets of the places in them."""
    picture, boxes = REALS[None, :, :2, None], np.array([[[0.0, 0.0, 0.5, 1.0], [0.2, 0, 1, 1]]])
    boxes, scores = boxes.astype(np.float32), np.array([0.9, 0.8], np.float32)
    return [
        lambda: ag.image.draw_bounding_boxes(picture, boxes, np.ones((1, 1), np.float32)),
        lambda: ag.image.non_max_suppression(boxes[0], scores, 2),
        lambda: ag.image.combined_non_max_suppression(
            boxes[:, :, None], scores[None, :, None], 2, 2
        ),
        lambda: TABLE["resize_weights"](4, 7, method="bilinear", antialias=True),
        lambda: ag.sets.size(ag.sets.union(GRID[:2], GRID[:2] + 1)),
    ]


def _with_gradient(function, x) -> None:
    x = ag.constant(x)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    tape.gradient(y, x)


def _looked_up(words) -> None:
    content = ag.lookup.KeyValueTensorInitializer(WORDS, ag.range(3, dtype=ag.int64))
    ag.lookup.StaticVocabularyTable(content, 2).lookup(words)


ELEMENTWISE = {
    "bitwise", "comparison", "elementwise", "guarded_functions", "logic", "safe_division",
    "special_functions", "transcendental", "trigonometry",
}  # fmt: skip
ELEMENTWISE_BESIDE = {"angle", "complex", "conj", "imag", "real"}

# What an operation needs that no array is, and where it is tested instead.
NEEDS_MORE = {
    "dataset_length": "a dataset: tests/library/data",
    "declare_cell": "a cell: tests/tracing/numpy_mode",
    "host_call": "a function of NumPy: tests/tracing/numpy_mode/test_called_functions.py",
    "numba_call": "a Numba function: tests/backends/numba/test_numba_calls.py",
    "numba_element": "a Numba function: tests/backends/numba/test_numba_calls.py",
    "if": "sub-graphs: tests/tracing",
    "while": "sub-graphs: tests/tracing",
    "call": "a sub-graph: tests/tracing",
    "recur": "a graph: tests/tracing",
    "const": "no input",
    "timestamp": "it gives another time each run: tests/library/compat/test_counterparts.py",
    "format_text": "a form: tests/tracing/staged_values/test_traced_strings.py",
    "raise_error": "it always raises: tests/tracing/control_flow/test_staged_raise.py",
    "stack_push": "a loop that owns the stack: tests/tracing",
    "unwritten": "a loop that writes it: tests/runtime/passes",
    "stack_zeros": "a loop that owns the stack: tests/tracing",
    "blank": "no input",
    "stack_peek_like": "a list: tests/tracing/differentiation",
    "stack_of_one": "it gives a list: tests/tracing/differentiation",
    "stack_sum": "lists: tests/tracing/differentiation",
    "concat_elements_like": "a list: tests/tracing/differentiation",
    "split_elements_like": "it gives a list: tests/tracing/differentiation",
    "stack_elements_like": "a list: tests/tracing/differentiation",
    "without_element": "it gives a list: tests/tracing/differentiation",
    "new_elements": "a list: tests/library/test_tensor_array.py",
    "write_element": "a list: tests/library/test_tensor_array.py",
    "read_element": "a list: tests/library/test_tensor_array.py",
    "count_elements": "a list: tests/library/test_tensor_array.py",
    "stack_elements": "a list: tests/library/test_tensor_array.py",
    "concat_elements": "a list: tests/library/test_tensor_array.py",
    "split_elements": "a list: tests/library/test_tensor_array.py",
    "unstack_elements": "a list: tests/library/test_tensor_array.py",
    "insert_element": "a list: tests/library/onnx",
    "erase_element": "a list: tests/library/onnx",
    "decode_image": "Pillow, here and below: tests/library/image",
    "encode_image": "Pillow",
    "jpeg_facts": "Pillow",
    "through_jpeg": "Pillow",
    "parse_sequences": "messages: tests/library/example_parsing",
    "write_file": "a file: tests/library/file_io/test_files.py",
    "read_variable": "a variable",
    "assign_variable": "a variable",
    "write_summary": "a file: tests/library/tensorboard/test_summaries.py",
    "flush_summaries": "a file: tests/library/tensorboard/test_summaries.py",
    "make_dataset": "a dataset, here and below: tests/library",
    "make_iterator": "a dataset",
    "iterator_advance": "an iterator",
    "iterator_item": "an iterator",
    "iterator_next": "an iterator",
    "optional_value": "an iterator",
    "dataset_cardinality": "a dataset",
    "dataset_element": "a dataset",
    "reduce_dataset": "a dataset",
}


def is_elementwise(op: Op) -> bool:
    return op.__module__.rpartition(".")[2] in ELEMENTWISE or op.name in ELEMENTWISE_BESIDE


@dataclass
class Sample:
    """Arrays and attributes that an operation was called with."""

    op: Op
    arrays: tuple
    attrs: dict = field(default_factory=dict)

    @property
    def specs(self) -> list:
        return [(FROM_NUMPY[array.dtype], array.shape) for array in self.arrays]

    def run(self, arrays=None):
        """The kernel's results, always the same for the same arrays."""
        ag.random.set_seed(7)
        with np.errstate(all="ignore"):
            made = self.op.kernel(*(self.arrays if arrays is None else arrays), **self.attrs)
        return [as_result(one) for one in (made if isinstance(made, tuple) else (made,))]


def as_result(made) -> np.ndarray:
    """A kernel's result as an array: a bare Python object is a text of rank 0."""
    return np.asarray(made) if hasattr(made, "dtype") else np.array(made, object)


NUMBERS = {
    "bool": (TRUTHS, [True, True, False]),
    "int32": (GRID - 2, [3, 1, 2]),
    "int64": (GRID.astype(np.int64) * 10**10, [1, 2, 3]),
    "uint8": (GRID.astype(np.uint8) * 50, [7, 1, 2]),
    "float16": (REALS.astype(np.float16), [0.5, -1.0, 2.0]),
    "float32": (REALS, [0.5, -1.0, 0.0]),
    "float64": (REALS.astype(np.float64), [np.inf, -1.0, 0.0]),
    "complex64": (WAVES[None], [1j, 2.0, 1 + 1j]),
    "string": (np.array([[b"a", b"", b"bc"]], object), [b"a", b"b", b"bc"]),
}


def elementwise_samples(op: Op):
    """Every accepted type, in shapes that broadcast, of rank 0 and empty."""
    for kind in op.accepts[0]:
        if kind.name not in NUMBERS:
            continue
        wide, row = NUMBERS[kind.name]
        row = np.array(row, wide.dtype)
        pairs = [
            (wide, row),
            (wide[0, 0], row),
            (wide[0], row[1]),
            (wide[:0], row),
            (wide[:, :1], row),
        ]
        for pair in pairs:
            operands = (*pair, pair[0])[: len(op.inputs)]
            arrays = tuple(np.array(one, wide.dtype) for one in operands)
            yield Sample(op, arrays)


def noted_samples() -> dict[str, list[Sample]]:
    """Samples of the operations that ran behind the public calls."""
    found: dict[str, list[Sample]] = {}
    run = door.run_by_kernel

    def noting(op, tensors, attrs):
        arrays = tuple(getattr(one, "array", one) for one in tensors)
        found.setdefault(op.name, []).append(Sample(op, tuple(map(as_result, arrays)), dict(attrs)))
        return run(op, tensors, attrs)

    with contextlib.ExitStack() as stack:
        stack.callback(setattr, door, "run_by_kernel", run)
        door.run_by_kernel = noting
        for call in _calls():
            call()
    return found


@functools.cache
def all_samples() -> dict[str, list[Sample]]:
    """Samples by the name of the operation; nobody changes them, so all share them."""
    public_objects()  # registers every operation
    found = noted_samples()
    for name, op in TABLE.items():
        if is_elementwise(op):
            found[name] = [*elementwise_samples(op)]
    return found
