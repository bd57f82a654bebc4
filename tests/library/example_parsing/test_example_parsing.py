"""Ragged, sparse and sequence features of serialized examples, eager and in graphs."""

import numpy as np
import pytest

import allograph as ag

io, train = ag.io, ag.train
Ragged = io.RaggedFeature


def feature(values):
    if not values:
        return train.Feature()
    if isinstance(values[0], bytes):
        return train.Feature(bytes_list=train.BytesList(value=values))
    if isinstance(values[0], float):
        return train.Feature(float_list=train.FloatList(value=values))
    return train.Feature(int64_list=train.Int64List(value=values))


def example(**lists):
    features = {name: feature(values) for name, values in lists.items()}
    return train.Example(features=train.Features(feature=features)).SerializeToString()


EXAMPLES = [
    example(a=[1, 2, 3], lengths=[1, 2], splits=[0, 2, 3], at=[5, 1], x=[1.0, 2.0]),
    example(a=[4], lengths=[0, 1], splits=[0, 1], at=[0], x=[3.0]),
    example(lengths=[], splits=[0]),
]


def plain(found):
    """A tensor of any class as lists."""
    if isinstance(found, ag.SparseTensor):
        return found.indices.numpy().tolist(), found.values.numpy().tolist(), [
            *found.dense_shape.numpy().tolist()
        ]  # fmt: skip
    return found.to_list() if isinstance(found, ag.RaggedTensor) else found.numpy().tolist()


# What is asked for, and what it is in a batch and of the first example alone.
WANTED = {
    "sparse": (io.VarLenFeature(ag.int64), ([[0, 0], [0, 1], [0, 2], [1, 0]], [1, 2, 3, 4], [3, 3]),
               ([[0], [1], [2]], [1, 2, 3], [3])),
    "ragged": (Ragged(ag.int64, "a"), [[1, 2, 3], [4], []], [1, 2, 3]),
    "by lengths": (Ragged(ag.int64, "a", [Ragged.RowLengths("lengths")]),
                   [[[1], [2, 3]], [[], [4]], []], [[1], [2, 3]]),
    "by splits": (Ragged(ag.int64, "a", [Ragged.RowSplits("splits")]),
                  [[[1, 2], [3]], [[4]], []], [[1, 2], [3]]),
    "uniform": (Ragged(ag.int64, "a", [Ragged.UniformRowLength(1)]),
                [[[1], [2], [3]], [[4]], []], [[1], [2], [3]]),
    "indexed": (io.SparseFeature("at", "x", ag.float32, 6),
                ([[0, 1], [0, 5], [1, 0]], [2.0, 1.0, 3.0], [3, 6]), ([[1], [5]], [2.0, 1.0], [6])),
}  # fmt: skip


@pytest.mark.parametrize("name", WANTED)
def test_features_of_any_length_are_parsed_eagerly_and_in_graphs(name):
    spec, batch, single = WANTED[name]
    key = "a" if name == "sparse" else "found"
    for wrap in (lambda f: f, ag.function):
        found = wrap(lambda texts: io.parse_example(texts, {key: spec}))(ag.constant(EXAMPLES))
        assert plain(found[key]) == batch
        one = wrap(lambda text: io.parse_single_example(text, {key: spec}))(
            ag.constant(EXAMPLES[0])
        )
        assert plain(one[key]) == single


def test_datasets_of_examples_have_sparse_elements():
    rows = ag.data.Dataset.from_tensor_slices(EXAMPLES).batch(2)
    parsed = rows.map(lambda texts: io.parse_example(texts, {"a": io.VarLenFeature(ag.int64)}))
    assert parsed.element_spec["a"].shape.as_list() == [None, None]
    assert [plain(found["a"])[1] for found in parsed] == [[1, 2, 3, 4], []]


def sequence(number, **steps):
    made = train.SequenceExample()
    made.context.feature["id"].int64_list.value.append(number)
    for name, rows in steps.items():
        made.feature_lists.feature_list[name].feature.extend(map(feature, rows))
    return made.SerializeToString()


SEQUENCES = [sequence(7, t=[[1], [2]], w=[[b"a", b"b"], []]), sequence(8, t=[[9]], w=[[b"c"]])]
CONTEXT = {"id": io.FixedLenFeature([], ag.int64)}
STEPS = {"t": io.FixedLenSequenceFeature([], ag.int64), "w": Ragged(ag.string)}


def test_steps_of_sequences_are_dense_with_their_numbers_or_ragged():
    for wrap in (lambda f: f, ag.function):
        parse = wrap(lambda texts: io.parse_sequence_example(texts, CONTEXT, STEPS))
        context, steps, lengths = parse(ag.constant(SEQUENCES))
        assert context["id"].numpy().tolist() == [7, 8]
        assert steps["t"].numpy().tolist() == [[1, 2], [9, 0]]
        assert lengths["t"].numpy().tolist() == [2, 1]
        assert steps["w"].to_list() == [[[b"a", b"b"], []], [[b"c"]]]
    context, steps = io.parse_single_sequence_example(SEQUENCES[0], CONTEXT, STEPS)
    assert steps["t"].numpy().tolist() == [1, 2]
    assert steps["w"].to_list() == [[b"a", b"b"], []]
    sparse = {"w": io.VarLenFeature(ag.string)}
    found = io.parse_sequence_example(SEQUENCES, sequence_features=sparse)[1]["w"]
    assert found.indices.numpy().tolist() == [[0, 0, 0], [0, 0, 1], [1, 0, 0]]


def test_sequences_that_are_missing_or_of_another_type_are_refused():
    with pytest.raises(ag.errors.InvalidArgumentError, match="'z' is required"):
        wanted = {"z": io.FixedLenSequenceFeature([], ag.int64)}
        io.parse_sequence_example(SEQUENCES, None, wanted)
    with pytest.raises(ag.errors.InvalidArgumentError, match="holds int64, not float32"):
        wanted = {"t": io.FixedLenSequenceFeature([], ag.float32)}
        io.parse_sequence_example(SEQUENCES, None, wanted)
    with pytest.raises(ag.errors.InvalidArgumentError, match="not a SequenceExample"):
        io.parse_single_sequence_example(b"\x12\xff", None, STEPS)


def test_messages_are_filled_by_reading_their_fields():
    made = train.Example()
    made.features.feature["n"].int64_list.value.extend(np.array([1, 2]))
    made.features.feature["s"].bytes_list.value.append("é")
    made.features.feature["s"].float_list.value[:] = [0.1, 3]
    assert made.features.feature["s"].WhichOneof("kind") == "float_list"
    assert "none" not in made.features.feature
    assert not made.features.feature["none"].HasField("int64_list")
    assert (
        str(train.Example.FromString(made.SerializeToString())).split()
        == """features {
      feature { key: "n" value { int64_list { value: 1 value: 2 } } }
      feature { key: "none" value { } }
      feature { key: "s" value { float_list { value: 0.1 value: 3 } } } }""".split()
    )
    made.features.ClearField("feature")
    assert made.features.feature == {}
    copied = train.SequenceExample.FromString(SEQUENCES[0])
    copied.MergeFrom(train.SequenceExample.FromString(SEQUENCES[1]))
    assert copied.context.feature["id"].int64_list.value == [8]
    with pytest.raises(AttributeError, match="not assigned"):
        made.features = train.Features()
