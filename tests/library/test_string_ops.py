"""Texts: patterns, parts, encodings, rows of CSV, in graphs too."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import allograph as ag

texts = st.lists(st.text(alphabet="ab 1,\u00e9", max_size=8), min_size=1, max_size=4)


def in_graph(function, *values):
    """The same result eagerly and in a graph of unknown sizes, as NumPy arrays."""
    tensors = [ag.constant(value) for value in values]
    specs = [ag.TensorSpec([None] * t.ndim, t.dtype) for t in tensors]
    eager = function(*tensors)
    traced = ag.function(function, autograph=False).get_concrete_function(*specs)(*tensors)
    for one, other in zip(ag.nest.flatten(traced), ag.nest.flatten(eager), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one.numpy(), other.numpy())
    return ag.nest.map_structure(lambda t: t.numpy().tolist() if t.ndim else t.numpy(), eager)


@pytest.mark.slow
@given(texts)
def test_a_pattern_replaces_as_in_python(words):
    found = in_graph(lambda x: ag.strings.regex_replace(x, "(a+)b?", r"[\1|\0]"), words)
    assert found == [re.sub("(a+)b?", r"[\1|\g<0>]", word).encode() for word in words]


def test_zeros_at_the_end_of_a_text_are_kept():
    assert ag.constant([b"a\0", b"\0"]).numpy().tolist() == [b"a\0", b"\0"]
    assert ag.constant([[b"a\0"]])[0, 0].numpy() == b"a\0"


def test_no_texts_at_all():
    x = ag.constant([], ag.string)
    assert x.dtype == ag.string and x.shape == (0,)


def test_only_the_first_match_is_replaced_if_so_wished():
    assert ag.strings.regex_replace("aaa", "a", "b", replace_global=False).numpy() == b"baa"


@pytest.mark.slow
@given(texts)
def test_a_full_match_is_that_of_python(words):
    found = in_graph(lambda x: ag.strings.regex_full_match(x, "[ab ]*"), words)
    assert found == [re.fullmatch("[ab ]*", word) is not None for word in words]


def test_what_is_no_pattern_is_refused_at_once():
    with pytest.raises(ag.errors.InvalidArgumentError, match="is not a regular expression"):
        ag.function(lambda x: ag.strings.regex_replace(x, "(", ""))(ag.constant("a"))


def test_parts_of_texts():
    words = ["Hello", "World"]
    assert in_graph(lambda x: ag.strings.substr(x, 1, 3), words) == [b"ell", b"orl"]
    assert in_graph(lambda x: ag.strings.substr(x, [0, -2], [1, 5]), words) == [b"H", b"ld"]
    assert ag.strings.substr("h\u00e9llo", 1, 1, unit="UTF8_CHAR").numpy() == "\u00e9".encode()
    with pytest.raises(ag.errors.InvalidArgumentError, match="out of range"):
        ag.strings.substr("abc", 4, 1)


@pytest.mark.slow
@given(st.text(alphabet="ab ,", max_size=10))
def test_splitting_is_that_of_python(word):
    assert in_graph(ag.strings.split, word) == [p.encode() for p in word.split()]
    assert in_graph(lambda x: ag.strings.split(x, ",", 2), word) == [
        p.encode() for p in word.split(",", 2)
    ]
    assert in_graph(ag.strings.bytes_split, word) == [c.encode() for c in word]


def test_several_texts_are_split_to_rows_of_a_ragged_tensor():
    split = ag.function(lambda x: (ag.strings.split(x), ag.strings.bytes_split(x)))
    words, letters = split(ag.constant(["a b", "", "c"]))
    assert words.to_list() == [[b"a", b"b"], [], [b"c"]]
    assert letters.to_list() == [[b"a", b" ", b"b"], [], [b"c"]]
    grid = ag.strings.split([["a b"], ["c"]])
    assert grid.to_list() == [[[b"a", b"b"]], [[b"c"]]] and grid.shape[1] == 1
    assert ag.strings.split(ag.strings.split(["a-b c", "d"]), "-").to_list() == [
        [[b"a", b"b"], [b"c"]],
        [[b"d"]],
    ]


@pytest.mark.slow
def test_texts_are_joined_along_axes():
    grid = [["a", "b"], ["c", "d"]]
    assert in_graph(lambda x: ag.strings.reduce_join(x), grid) == b"abcd"
    assert in_graph(lambda x: ag.strings.reduce_join(x, 0, separator="-"), grid) == [b"a-c", b"b-d"]
    assert in_graph(lambda x: ag.strings.reduce_join(x, -1, True), grid) == [[b"ab"], [b"cd"]]
    assert in_graph(lambda x: ag.strings.reduce_join(x, [0, 1]), grid) == b"abcd"


def test_a_template_is_filled():
    found = in_graph(lambda x: ag.strings.format("<{}> and {}", [x, x[0]]), [1, 2])
    assert found == b"<[1 2]> and 1"
    assert ag.strings.format("{}", "a").numpy() == b'"a"'
    with pytest.raises(ValueError, match="2 placeholders for 1"):
        ag.strings.format("{} {}", ag.constant(1))


@given(st.lists(st.binary(max_size=6), max_size=3), st.booleans())
def test_base64_goes_there_and_back(items, pad):
    x = ag.constant(items, ag.string)
    assert ag.io.decode_base64(ag.io.encode_base64(x, pad=pad)).numpy().tolist() == items


def test_what_is_no_base64_is_refused():
    with pytest.raises(ag.errors.InvalidArgumentError, match="decode_base64"):
        ag.io.decode_base64("a")


kinds = st.sampled_from([np.int8, np.uint16, np.int32, np.int64, np.float16, np.float32, np.bool_,
                         np.float64, np.complex64])  # fmt: skip


@pytest.mark.slow
@given(arrays.arrays(kinds, arrays.array_shapes(min_dims=0, min_side=0, max_side=3)))
def test_a_tensor_goes_into_a_text_and_back(array):
    text = ag.io.serialize_tensor(array)
    again = ag.io.parse_tensor(text, array.dtype)
    assert again.dtype == array.dtype and again.shape == array.shape
    np.testing.assert_array_equal(again.numpy(), array)


def test_texts_are_serialized_too():
    x = ag.constant([["a", ""], ["bc", "\u00e9"]])
    again = in_graph(lambda t: ag.io.parse_tensor(ag.io.serialize_tensor(t), ag.string), x)
    assert again == x.numpy().tolist()


def test_the_message_is_the_documented_one():
    text = ag.io.serialize_tensor(ag.constant([1, 2])).numpy()
    assert text == b'\x08\x03\x12\x04\x12\x02\x08\x02"\x08\x01\0\0\0\x02\0\0\0'


@pytest.mark.parametrize("text", [b"", b"\x08", b"\x08\x03\x22\xff", b"nonsense"])
def test_what_holds_no_tensor_is_refused(text):
    with pytest.raises(ag.errors.InvalidArgumentError, match="not such a tensor"):
        ag.io.parse_tensor(text, ag.int32)


def test_another_type_is_refused():
    with pytest.raises(ag.errors.InvalidArgumentError, match="it holds int32, not float32"):
        ag.io.parse_tensor(ag.io.serialize_tensor([1]), ag.float32)


def test_bytes_are_read_as_numbers():
    found = in_graph(lambda x: ag.io.decode_raw(x, ag.int16), [b"\1\0\2\0", b"\3\0\4\0"])
    assert found == [[1, 2], [3, 4]]
    assert ag.io.decode_raw(b"\0\1", ag.int16, little_endian=False).numpy().tolist() == [1]
    with pytest.raises(ag.errors.InvalidArgumentError, match="multiple of the size"):
        ag.io.decode_raw(b"abc", ag.int16)
    with pytest.raises(ag.errors.InvalidArgumentError, match="differ in length"):
        ag.io.decode_raw([b"a", b"bc"], ag.uint8)


class TestCsv:
    def test_columns_have_the_types_of_their_defaults(self):
        rows = ["1,2.5,x", "2,,y", '3,1e3,"a,b"']
        found = in_graph(lambda r: ag.io.decode_csv(r, [ag.int32, [0.5], ["none"]]), rows)
        assert found == [[1, 2, 3], [2.5, 0.5, 1000.0], [b"x", b"y", b"a,b"]]

    def test_one_row_gives_scalars(self):
        a, b = ag.io.decode_csv("7;8", [[0], [0]], field_delim=";")
        assert (int(a), int(b), a.shape) == (7, 8, ())

    def test_columns_can_be_picked_and_be_missing(self):
        found = ag.io.decode_csv(["1,NA,3"], [[0], [-1]], na_value="NA", select_cols=[0, 1])
        assert [column.numpy().tolist() for column in found] == [[1], [-1]]

    @pytest.mark.parametrize(
        "row, message",
        [
            ("1", "expected 2 fields but have 1 in record 0"),
            (",2", "field 0 is required but missing in record 0"),
            ("x,2", "field 0 in record 0 is not a valid int32: x"),
        ],
    )
    def test_a_row_that_does_not_fit_is_told(self, row, message):
        with pytest.raises(ag.errors.InvalidArgumentError, match=message):
            ag.io.decode_csv([row], [ag.int32, [0]])


def test_buckets_of_strings_are_those_of_the_published_hashes():
    texts = ag.constant([("abcdefghij" * 20)[:n] for n in (0, 3, 6, 12, 20, 50, 64, 65, 150)])
    strong = ag.strings.to_hash_bucket_strong(texts, 10**6, key=[5, 2**40 + 3])
    assert ag.strings.to_hash_bucket_fast(texts, 10**6).numpy().tolist() == [
        397263, 161385, 76237, 178508, 390469, 674999, 236569, 23856, 553971
    ]  # fmt: skip
    assert ag.strings.to_hash_bucket(texts, 10**6).numpy().tolist() == [
        283899, 142710, 102479, 126401, 33092, 546162, 218044, 197212, 749282
    ]  # fmt: skip
    assert strong.numpy().tolist() == [
        305906, 673422, 630114, 753153, 77111, 228876, 101871, 565497, 197756
    ]  # fmt: skip
