"""Strings as code points and characters, and runs of strings, eager and in graphs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag

strings = ag.strings
WORDS = ["Hé", "", "日😊"]
BROKEN = [b"a\xffb\xc3", b"\xe2\x82", b"\xf0\x9f\x98\x8a\x80ok"]


def test_strings_are_code_points_and_characters_with_their_first_bytes():
    for wrap in (lambda f: f, ag.function):
        decode = wrap(lambda x: strings.unicode_decode_with_offsets(x, "UTF-8"))
        points, starts = decode(ag.constant(WORDS))
        assert points.to_list() == [[72, 233], [], [26085, 128522]]
        assert starts.to_list() == [[0, 1], [], [0, 3]]
        characters = wrap(lambda x: strings.unicode_split(x, "UTF-8"))(ag.constant([WORDS]))
        assert characters.to_list() == [
            [[b"H", "é".encode()], [], [b"\xe6\x97\xa5", "😊".encode()]]
        ]
        single = wrap(lambda x: strings.unicode_decode(x, "UTF-16-BE"))
        assert single(ag.constant("añ".encode("utf-16-be"))).numpy().tolist() == [97, 241]
        again = wrap(lambda x: strings.unicode_encode(x, "UTF-8"))
        assert again(points).numpy().tolist() == [word.encode() for word in WORDS]
        assert again(ag.constant([[[72, 233]]])).numpy().tolist() == [["Hé".encode()]]


def test_malformed_strings_are_replaced_left_out_or_refused():
    decode = strings.unicode_decode
    assert decode(BROKEN, "UTF-8").to_list() == [
        [97, 65533, 98, 65533], [65533], [128522, 65533, 111, 107]
    ]  # fmt: skip
    assert decode(BROKEN, "UTF-8", "ignore").to_list() == [[97, 98], [], [128522, 111, 107]]
    assert decode("a\x01", "UTF-8", "replace", 63, True).numpy().tolist() == [97, 63]
    assert strings.unicode_encode([72, 0xD800, -1], "UTF-8", "ignore").numpy() == b"H"
    with pytest.raises(ag.errors.InvalidArgumentError, match="is not UTF-8"):
        decode(BROKEN, "UTF-8", "strict")
    with pytest.raises(ag.errors.InvalidArgumentError, match="55296 is not a code point"):
        strings.unicode_encode([0xD800], "UTF-8", "strict")
    with pytest.raises(ValueError, match="no encoding 'none'"):
        decode("a", "none")
    with pytest.raises(ValueError, match="'strict', 'replace' or 'ignore'"):
        decode("a", "UTF-8", "other")


@pytest.mark.slow
@given(st.lists(st.text(), max_size=3))
def test_strings_return_from_each_encoding(words):
    encoded = ag.constant([word.encode() for word in words], ag.string, shape=[len(words)])
    for encoding in ("UTF-16-BE", "UTF-32-BE"):
        there = strings.unicode_transcode(encoded, "UTF-8", encoding)
        back = strings.unicode_transcode(there, encoding, "UTF-8")
        assert back.numpy().tolist() == encoded.numpy().tolist()


def test_runs_of_neighbors_are_joined():
    rows = ag.ragged.constant([["a", "b", "c"], [], ["d"]])
    for wrap in (lambda f: f, ag.function):
        runs = wrap(lambda x: strings.ngrams(x, 2))(rows)
        assert runs.to_list() == [[b"a b", b"b c"], [], []]
    assert strings.ngrams(rows, (1, 2), "-").to_list() == [
        [b"a", b"b", b"c", b"a-b", b"b-c"], [], [b"d"]
    ]  # fmt: skip
    padded = strings.ngrams([["a", "b"]], 3, pad_values=("<", ">"), padding_width=1)
    assert padded.numpy().tolist() == [[b"< a b", b"a b >"]]
    assert strings.ngrams(rows, 3, preserve_short_sequences=True).to_list() == [
        [b"a b c"], [], [b"d"]
    ]  # fmt: skip


def test_strings_of_segments_are_joined():
    join = strings.unsorted_segment_join
    rows = [["a", "b"], ["c", "d"]]
    assert join(rows, [1, 1], 2, ":").numpy().tolist() == [[b"", b""], [b"a:c", b"b:d"]]
    with pytest.raises(ag.errors.InvalidArgumentError, match="the segment 2 of 2"):
        join(rows, [0, 2], 2)


def test_strings_and_bytes_are_one_tensor():
    assert np.array_equal(ag.constant(["é", b"\xff"]).numpy(), ["é".encode(), b"\xff"])
