"""Ragged tensors: construction, indexing, arithmetic, reductions, joining; eagerly and traced."""

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import allograph as ag

ROWS = [[1, 2, 3], [], [4, 5]]
DEEP = [[[1, 2], [3]], [], [[4]]]


def listed(value):
    """Tensors and ragged tensors of a structure as lists."""
    if isinstance(value, (tuple, list)):
        return [listed(one) for one in value]
    return value.to_list() if isinstance(value, ag.RaggedTensor) else value.numpy().tolist()


def everything(rt, deep):
    """Results of many functions, to be computed eagerly and in a graph."""
    return (
        (rt[0], rt[-1], rt[1:], rt[::2], rt[::-1], rt[:, :2], rt[:, -1:], rt[:, ::-2], rt[0, 1]),
        (deep[0], deep[0, 1], deep[:, 0:1], deep[..., :1], deep[:, :, 1:], deep[::-1]),
        (rt + 1, 2 * rt, -rt, rt * rt, rt > 2, rt == rt, rt - [[1], [2], [3]], deep + deep),
        (ag.square(rt), ag.cast(rt, ag.float32), ag.where(rt > 2, rt, -rt), ag.maximum(rt, 2)),
        (ag.reduce_sum(rt), ag.reduce_sum(rt, 0), ag.reduce_sum(rt, 1, keepdims=True)),
        (ag.reduce_max(deep, 2), ag.reduce_sum(deep, 1), ag.reduce_sum(deep, [1, 2])),
        (ag.reduce_any(rt > 4, 1), ag.reduce_all(rt > 2, 1), ag.reduce_prod(deep, 0)),
        (ag.concat([rt, rt], 0), ag.concat([rt, [[7], [8], [9]]], 1), ag.concat([deep, deep], 2)),
        (ag.stack([rt, rt]), ag.stack([rt, rt], 1), ag.expand_dims(rt, 1), ag.stack([rt, rt], 2)),
        (ag.gather(rt, [2, 0]), ag.gather([10, 20, 30, 40, 50, 60], rt), ag.reverse(rt, [1])),
        (ag.gather(rt, [[0, 2], [1, 1]]), ag.boolean_mask(rt, rt > 2), ag.where(rt > 2)),
        (rt.to_tensor(), rt.to_tensor(-1, shape=[4, 2]), deep.to_tensor(), deep.merge_dims(0, 1)),
        (rt.value_rowids(), deep.row_lengths(2), deep.merge_dims(1, 2), rt.bounding_shape()),
    )


WANTED = [
    [[1, 2, 3], [4, 5], [[], [4, 5]], [[1, 2, 3], [4, 5]], [[4, 5], [], [1, 2, 3]],
     [[1, 2], [], [4, 5]], [[3], [], [5]], [[3, 1], [], [5]], 2],
    [[[1, 2], [3]], [3], [[[1, 2]], [], [[4]]], [[[1], [3]], [], [[4]]],
     [[[2], []], [], [[]]], [[[4]], [], [[1, 2], [3]]]],
    [[[2, 3, 4], [], [5, 6]], [[2, 4, 6], [], [8, 10]], [[-1, -2, -3], [], [-4, -5]],
     [[1, 4, 9], [], [16, 25]], [[False, False, True], [], [True, True]],
     [[True, True, True], [], [True, True]], [[0, 1, 2], [], [1, 2]],
     [[[2, 4], [6]], [], [[8]]]],
    [[[1, 4, 9], [], [16, 25]], [[1.0, 2.0, 3.0], [], [4.0, 5.0]], [[-1, -2, 3], [], [4, 5]],
     [[2, 2, 3], [], [4, 5]]],
    [15, [5, 7, 3], [[6], [0], [9]]],
    [[[2, 3], [], [4]], [[4, 2], [], [4]], [6, 0, 4]],
    [[False, False, True], [False, True, True], [[4, 2], [3]]],
    [[[1, 2, 3], [], [4, 5], [1, 2, 3], [], [4, 5]], [[1, 2, 3, 7], [8], [4, 5, 9]],
     [[[1, 2, 1, 2], [3, 3]], [], [[4, 4]]]],
    [[[[1, 2, 3], [], [4, 5]], [[1, 2, 3], [], [4, 5]]],
     [[[1, 2, 3], [1, 2, 3]], [[], []], [[4, 5], [4, 5]]], [[[1, 2, 3]], [[]], [[4, 5]]],
     [[[1, 1], [2, 2], [3, 3]], [], [[4, 4], [5, 5]]]],
    [[[4, 5], [1, 2, 3]], [[20, 30, 40], [], [50, 60]], [[3, 2, 1], [], [5, 4]]],
    [[[[1, 2, 3], [4, 5]], [[], []]], [[3], [], [4, 5]], [[0, 2], [2, 0], [2, 1]]],
    [[[1, 2, 3], [0, 0, 0], [4, 5, 0]], [[1, 2], [-1, -1], [4, 5], [-1, -1]],
     [[[1, 2], [3, 0]], [[0, 0], [0, 0]], [[4, 0], [0, 0]]], [[1, 2], [3], [4]]],
    [[0, 0, 0, 2, 2], [[2, 1], [], [1]], [[1, 2, 3], [], [4]], [3, 3]],
]  # fmt: skip


def test_eager_results_are_those_of_the_reference():
    assert listed(everything(ag.ragged.constant(ROWS), ag.ragged.constant(DEEP))) == WANTED


@pytest.mark.slow
def test_a_graph_computes_what_eager_code_does():
    spec = ag.RaggedTensorSpec([None, None], ag.int32), ag.RaggedTensorSpec([None] * 3, ag.int32)
    traced = ag.function(everything, input_signature=spec)
    assert listed(traced(ag.ragged.constant(ROWS), ag.ragged.constant(DEEP))) == WANTED


def test_composite_tensors_count_as_tensors():
    assert ag.is_tensor(ag.ragged.constant(ROWS)) and ag.is_tensor(ag.sparse.eye(2))
    assert not isinstance(ag.ragged.constant(ROWS), ag.Tensor)


def test_means_of_rows_are_quotients_of_sums_and_counts():
    rt = ag.ragged.constant([[1.0, 2.0, 6.0], [4.0]])
    assert ag.reduce_mean(rt, 1).numpy().tolist() == [3.0, 4.0]
    assert ag.math.reduce_variance(rt, 1).numpy().tolist() == pytest.approx([14 / 3, 0.0])
    assert ag.reduce_mean(ag.ragged.constant([[1, 2]]), 1).dtype is ag.float64


def test_each_way_of_giving_the_rows_makes_the_same_tensor():
    make = ag.RaggedTensor
    values = [1, 2, 3, 4, 5]
    made = [
        make.from_row_splits(values, [0, 3, 3, 5]),
        make.from_row_lengths(values, [3, 0, 2]),
        make.from_value_rowids(values, [0, 0, 0, 2, 2]),
        make.from_row_starts(values, [0, 3, 3]),
        make.from_row_limits(values, [3, 3, 5]),
        make.from_tensor([[1, 2, 3], [0, 0, 0], [4, 5, 0]], padding=0),
        make.from_tensor([[1, 2, 3], [0, 0, 0], [4, 5, 0]], lengths=[3, 0, 2]),
    ]
    assert [one.to_list() for one in made] == [ROWS] * len(made)
    assert make.from_uniform_row_length([1, 2, 3, 4], 2).shape == [2, 2]
    assert ag.ragged.range([2, 0], [5, 3], [1, 2]).to_list() == [[2, 3, 4], [0, 2]]


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        ([0, 2, 5], "not the number of values, 3"),
        ([1, 3], "begin with 0"),
        ([0, 3, 2, 3], "do not"),
    ],
)
def test_rows_that_are_no_partition_are_refused(splits, message):
    with pytest.raises(ag.errors.InvalidArgumentError, match=message):
        ag.RaggedTensor.from_row_splits([1, 2, 3], splits)


def test_rows_of_other_lengths_are_refused_eagerly_and_when_a_graph_runs():
    one, other = ag.ragged.constant([[1], [2, 3]]), ag.ragged.constant([[1, 2], [3]])
    with pytest.raises(ag.errors.InvalidArgumentError, match="row lengths differ"):
        one + other
    added = ag.function(lambda a, b: a + b)
    with pytest.raises(ag.errors.InvalidArgumentError, match="row lengths differ"):
        added(one, other)


def test_an_element_of_every_ragged_row_is_refused():
    with pytest.raises(ValueError, match="a row may not have it"):
        ag.ragged.constant(ROWS)[:, 0]
    with pytest.raises(IndexError):
        ag.ragged.constant(ROWS)[3]


def test_what_takes_no_ragged_tensor_says_so():
    with pytest.raises(TypeError, match="use to_tensor"):
        ag.matmul(ag.ragged.constant([[1.0]]), [[1.0]])


def test_a_loop_over_rows_is_staged_and_its_state_may_be_ragged():
    traces = []

    @ag.function(input_signature=[ag.RaggedTensorSpec([None, None], ag.int32)])
    def doubled_long_rows(rt):
        traces.append(rt)
        total, kept = 0, rt[:0]
        for row in rt:
            if ag.size(row) > 1:
                total += ag.reduce_sum(row)
                kept = ag.concat([kept, ag.expand_dims(ag.ragged.stack([row * 2]), 0)[0]], 0)
        return total, kept

    for rows in (ROWS, [[1], [5, 6]]):
        total, kept = doubled_long_rows(ag.ragged.constant(rows))
        long_rows = [row for row in rows if len(row) > 1]
        assert int(total) == sum(map(sum, long_rows))
        assert kept.to_list() == [[2 * item for item in row] for row in long_rows]
    assert len(traces) == 1


def test_the_number_of_rows_is_part_of_the_trace_type_and_row_lengths_are_not():
    counted = ag.function(lambda rt: ag.reduce_sum(rt, 1))
    for rows in ([[1], [2, 3]], [[1, 2], []], [[1], [2], [3]]):
        counted(ag.ragged.constant(rows))
    assert counted.experimental_get_tracing_count() == 2
    spec = ag.type_spec_from_value(ag.ragged.constant(ROWS))
    assert repr(spec) == "RaggedTensorSpec(TensorShape([3, None]), ag.int32, 1, ag.int64)"


rows_of_integers = st.lists(st.lists(st.integers(-5, 5), max_size=4), min_size=1, max_size=5)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(rows_of_integers)
def test_a_ragged_tensor_is_the_lists_that_it_was_made_of(rows):
    rt = ag.RaggedTensor.from_row_lengths(
        ag.constant(sum(rows, []), ag.int32), [len(row) for row in rows]
    )
    assert rt.to_list() == rows
    assert [row.numpy().tolist() for row in rt] == rows
    assert ag.reduce_sum(rt, 1).numpy().tolist() == list(map(sum, rows))
    assert rt[:, 1:-1].to_list() == [row[1:-1] for row in rows]
    assert ag.concat([rt, rt], 1).to_list() == [row + row for row in rows]
    padded = ag.RaggedTensor.from_tensor(rt.to_tensor(9), padding=9)
    assert padded.to_list() == rows


def test_gradients_of_ragged_and_sparse_tensors_flow_to_their_values():
    rt, sp = ag.ragged.constant([[1.0, 2.0], [3.0]]), ag.sparse.from_dense([[0.0, 5.0]])
    with ag.GradientTape() as tape:
        tape.watch([rt, sp])
        target = ag.reduce_sum(rt * rt, 1), ag.sparse.reduce_sum(sp * 3.0)
    of_rt, of_sp = tape.gradient(target, [rt, sp])
    assert of_rt.to_list() == [[2.0, 4.0], [6.0]]
    assert of_sp.values.numpy().tolist() == [3.0] and of_sp.shape == sp.shape


@pytest.mark.slow
def test_gradients_pass_through_a_staged_loop_over_rows():
    @ag.function
    def loss(rt):
        total = 0.0
        for row in rt:
            total += ag.reduce_sum(row) ** 2
        return total

    rt = ag.ragged.constant([[1.0, 2.0], [], [3.0]])
    with ag.GradientTape() as tape:
        tape.watch(rt)
        found = loss(rt)
    assert tape.gradient(found, rt).to_list() == [[6.0, 6.0], [], [6.0]]


def test_a_saved_module_takes_and_returns_ragged_and_sparse_tensors(tmp_path):
    class Doubler(ag.Module):
        @ag.function(
            input_signature=[
                ag.RaggedTensorSpec([None, None], ag.float32),
                ag.SparseTensorSpec([2, 2], ag.float32),
            ]
        )
        def __call__(self, rt, sp):
            return {"rt": rt * 2.0, "sp": sp * 2.0}

    ag.saved_model.save(Doubler(), str(tmp_path))
    loaded = ag.saved_model.load(str(tmp_path))
    made = loaded(ag.ragged.constant([[1.0], [2.0, 3.0]]), ag.sparse.eye(2))
    assert made["rt"].to_list() == [[2.0], [4.0, 6.0]]
    assert ag.sparse.to_dense(made["sp"]).numpy().tolist() == [[2.0, 0.0], [0.0, 2.0]]


def test_functions_are_mapped_over_rows():
    rt = ag.ragged.constant(ROWS)
    assert ag.map_fn(ag.reduce_sum, rt).numpy().tolist() == [6, 0, 9]
    assert ag.vectorized_map(ag.size, rt).numpy().tolist() == [3, 0, 2]
    assert int(ag.foldl(lambda most, row: ag.maximum(most, ag.size(row)), rt, 0)) == 3
    squares = ag.function(lambda rt: ag.map_fn(ag.square, rt))(rt)
    assert squares.to_list() == [[1, 4, 9], [], [16, 25]]
    spec = ag.RaggedTensorSpec([None], ag.int32)
    counted = ag.map_fn(ag.range, ag.constant([2, 0]), fn_output_signature=spec)
    assert counted.to_list() == [[0, 1], []]
    with pytest.raises(TypeError, match="append them in a loop"):
        ag.map_fn(lambda row: row, rt, fn_output_signature=ag.RaggedTensorSpec([None, None]))


def test_graphs_print_rows_as_eager_code_does(capsys):
    def show(rt, sp):
        ag.print("rows:", rt, [rt > 1.5], output_stream=sys.stdout)
        ag.print(sp, output_stream=sys.stdout)

    for function in (show, ag.function(show)):
        function(ag.ragged.constant([[0.1, 2.0], []]), ag.sparse.eye(1))
        assert capsys.readouterr().out == (
            "rows: <ag.RaggedTensor [[0.1, 2.0], []]> [<ag.RaggedTensor [[False, True], []]>]\n"
            "SparseTensor(indices=[[0 0]], values=[1], shape=[1 1])\n"
        )


def test_models_embed_and_average_ragged_batches():
    class Averages(ag.keras.Model):
        def __init__(self):
            super().__init__()
            self.embedding = ag.keras.layers.Embedding(10, 3)

        def call(self, words):
            return ag.reduce_mean(self.embedding(words), axis=1)

    model, rows = Averages(), ag.ragged.constant([[1, 2, 3], [4]])
    assert model(rows).shape == [2, 3]
    table = model.embedding.embeddings.numpy()
    batches = ag.data.Dataset.from_tensor_slices(rows).batch(2)
    assert model.predict(batches, verbose=0)[1].tolist() == table[4].tolist()
