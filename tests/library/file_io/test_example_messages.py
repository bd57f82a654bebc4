"""Examples: features go into a text and come out, in graphs and in batches."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag

train, io = ag.train, ag.io


def example(**features):
    """An Example of Python values: texts, floats or whole numbers."""
    lists = {bytes: train.BytesList, float: train.FloatList, int: train.Int64List}
    names = {bytes: "bytes_list", float: "float_list", int: "int64_list"}
    made = {}
    for name, values in features.items():
        kind = type(values[0])
        made[name] = train.Feature(**{names[kind]: lists[kind](value=values)})
    return train.Example(features=train.Features(feature=made))


TEXT = example(a=[1, -2], b=[1.5], c=[b"x", b""]).SerializeToString()
WANTED = {
    "a": io.FixedLenFeature([2], ag.int64),
    "b": io.FixedLenFeature([], ag.float32),
    "c": io.FixedLenFeature([2], ag.string),
}


@pytest.mark.slow
@given(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1),
    st.lists(st.floats(width=32, allow_nan=False), min_size=1),
    st.lists(st.binary(), min_size=1),
    st.text(),
)
def test_what_goes_in_comes_out(whole, floats, texts, name):
    written = example(**{"w" + name: whole, "f" + name: floats, "t" + name: texts})
    read = train.Example.FromString(written.SerializeToString())
    assert read == written
    assert read.features.feature["w" + name].int64_list.value == whole


def test_the_message_is_the_documented_one():
    expected = b"\n\x0c\n\n\n\x01a\x12\x05\x1a\x03\n\x01\x07"
    assert example(a=[7]).SerializeToString() == expected


def test_numbers_that_are_not_packed_are_read():
    loose = b"\n\x0d\n\x0b\n\x01a\x12\x06\x1a\x04\x08\x07\x08\x08"
    assert train.Example.FromString(loose).features.feature["a"].int64_list.value == [7, 8]


def test_one_example_is_parsed():
    found = io.parse_single_example(TEXT, WANTED)
    assert found["a"].numpy().tolist() == [1, -2] and found["a"].dtype == ag.int64
    assert float(found["b"]) == 1.5 and found["b"].shape == ()
    assert found["c"].numpy().tolist() == [b"x", b""]


def test_a_batch_is_parsed_in_a_graph():
    f = ag.function(
        lambda texts: io.parse_example(texts, WANTED),
        input_signature=[ag.TensorSpec([None], ag.string)],
    )
    found = f(ag.constant([TEXT, TEXT, TEXT]))
    assert found["a"].shape == (3, 2) and found["b"].shape == (3,)
    specs = f.get_concrete_function().structured_outputs
    assert specs["a"].shape.as_list() == [None, 2]


def test_a_missing_feature_is_an_error_or_its_default():
    with pytest.raises(ag.errors.InvalidArgumentError, match="'z' .int64. is required"):
        io.parse_single_example(TEXT, {"z": io.FixedLenFeature([], ag.int64)})
    wanted = {"z": io.FixedLenFeature([2], ag.int64, default_value=[5, 6])}
    assert io.parse_single_example(TEXT, wanted)["z"].numpy().tolist() == [5, 6]


@pytest.mark.parametrize(
    "feature, message",
    [
        (io.FixedLenFeature([3], ag.int64), "2 values, which do not fit"),
        (io.FixedLenFeature([2], ag.float32), "holds int64, not float32"),
    ],
)
def test_what_does_not_fit_is_told(feature, message):
    with pytest.raises(ag.errors.InvalidArgumentError, match=message):
        io.parse_single_example(TEXT, {"a": feature})


def test_sequences_of_a_batch_are_filled_up():
    texts = [example(a=[1]).SerializeToString(), example(a=[2, 3, 4]).SerializeToString(), b""]
    wanted = {"a": io.FixedLenSequenceFeature([], ag.int64, allow_missing=True)}
    assert io.parse_example(texts, wanted)["a"].numpy().tolist() == [[1, 0, 0], [2, 3, 4], [0] * 3]
    assert io.parse_single_example(texts[1], wanted)["a"].numpy().tolist() == [2, 3, 4]


@pytest.mark.parametrize("text", [b"\xff", b"\n\xff", b"nonsense", b"\n\x03\n\x01\xff"])
def test_what_is_no_example_is_refused(text):
    with pytest.raises(ag.errors.InvalidArgumentError, match="not an Example"):
        train.Example.FromString(text)


def test_lists_take_their_type_only():
    with pytest.raises(TypeError, match="not an integer"):
        train.Int64List(value=[1.5])
    with pytest.raises(TypeError, match="not a string"):
        train.BytesList(value=[1])
    with pytest.raises(ValueError, match="holds one of"):
        train.Feature(train.BytesList(), train.FloatList())


def test_arrays_and_tensors_are_taken_as_values():
    assert train.FloatList(value=np.float32([1.5, 2.0])).value == [1.5, 2.0]
    assert train.Int64List(value=ag.constant([1, 2])).value == [1, 2]
    assert train.BytesList(value=[ag.constant("a")]).value == [b"a"]


def test_each_message_is_written_read_and_copied_by_itself():
    numbers = ag.train.Int64List(value=[1, -2])
    feature = ag.train.Feature(int64_list=numbers)
    features = ag.train.Features(feature={"n": feature, "none": ag.train.Feature()})
    for message in (numbers, feature, features, ag.train.Example(features=features)):
        data = message.SerializeToString()
        assert type(message).FromString(data) == message and message.ByteSize() == len(data)
        other = type(message)()
        other.CopyFrom(message)
        assert other == message
        other.Clear()
        assert other == type(message)() != message
    assert feature.WhichOneof("kind") == "int64_list" and feature.HasField("int64_list")
    assert ag.train.Feature().WhichOneof() is None
    with pytest.raises(ag.errors.InvalidArgumentError):
        ag.train.Feature.FromString(b"\xff")
