"""`TextVectorization`: a layer from strings to the indices of their words."""

from __future__ import annotations

from .... import convert_to_tensor, squeeze
from ....extend.errors import InvalidArgumentError
from ....extend.operations import ag, ops
from ....extend.specs import show
from ...ragged.ragged_ngrams import ngrams
from ...ragged.ragged_strings import split as split_strings
from ...ragged.ragged_tensor import RaggedTensor
from ...ragged.unicode_strings import unicode_split
from ..layers.base_layer import layer
from .lookup_layers import Lookup

PUNCTUATION = r"""[!"#$%&()*+,\-./:;<=>?@\[\\\]^_`{|}~']"""
STANDARDIZATIONS = ("lower_and_strip_punctuation", "lower", "strip_punctuation")
SPLITS = ("whitespace", "character")


@layer
class TextVectorization(Lookup):
    """The indices of the words of strings in a vocabulary: 0 pads, 1 is for unknown words.

    standardize             "lower_and_strip_punctuation", "lower", "strip_punctuation", None, or a
                            function
    split                   "whitespace", "character", None, or a function that gives ragged rows
    ngrams                  also words that are joined, up to so many, or of the numbers in a tuple
    output_mode             "int", or for a row of numbers a text "multi_hot", "count", "tf_idf"
    output_sequence_length  the number of indices a text, which is cut or padded
    ragged                  whether rows of indices are ragged, instead of padded

    >>> vectorize = ag.keras.layers.TextVectorization()
    >>> vectorize.adapt(["The cat sat.", "A dog sat!"])
    >>> vectorize.get_vocabulary()[:4]
    ['', '[UNK]', 'sat', 'the']
    >>> vectorize(["the dog", "sat"]).numpy()
    array([[3, 4],
           [2, 0]])

    Raises FailedPreconditionError if there is no vocabulary yet.
    """

    def __init__(
        self, max_tokens=None, standardize="lower_and_strip_punctuation", split="whitespace",
        ngrams=None, output_mode="int", output_sequence_length=None, pad_to_max_tokens=False,
        vocabulary=None, idf_weights=None, sparse=False, ragged=False, encoding="utf-8", **kwargs,
    ):  # fmt: skip
        for option, choices in ((standardize, STANDARDIZATIONS), (split, SPLITS)):
            if isinstance(option, str) and option not in choices:
                raise ValueError(
                    f"TextVectorization: {option!r} is none of {', '.join(choices)}, and no "
                    "function"
                )
        self.standardize, self.split = standardize, split
        self.ngrams = tuple(range(1, ngrams + 1)) if isinstance(ngrams, int) else ngrams
        self.output_sequence_length, self.ragged = output_sequence_length, ragged
        super().__init__(
            max_tokens, 1, "" if output_mode == "int" else None, "[UNK]", vocabulary, idf_weights,
            False, output_mode, pad_to_max_tokens, sparse, **kwargs,
        )  # fmt: skip

    def _documents(self, batch) -> list[list]:
        tokens = self._tokens(batch)
        if isinstance(tokens, RaggedTensor):
            return tokens.to_list()
        return super()._documents(tokens.numpy())

    def _indices(self, inputs):
        indices = self._looked_up(self._tokens(inputs))
        if self.output_mode != "int" or self.ragged or not isinstance(indices, RaggedTensor):
            return indices if self.ragged else indices[..., : self.output_sequence_length]
        return indices.to_tensor(shape=(None, self.output_sequence_length))

    def _tokens(self, inputs):
        """The standardized words of strings: ragged rows, if strings are split."""
        strings = inputs if isinstance(inputs, RaggedTensor) else convert_to_tensor(inputs)
        if callable(self.standardize):
            strings = self.standardize(strings)
        elif self.standardize is not None:
            strings = _standardized(strings, self.standardize)
        if self.split is None:
            return strings
        if not isinstance(strings, RaggedTensor) and strings.ndim > 1:
            if strings.dims[-1] != 1:
                raise InvalidArgumentError(
                    f"{self.name} splits a vector or a column of strings, not {show(strings.dims)}",
                    "Give split=None for words.",
                )
            strings = squeeze(strings, -1)
        words = _split(strings, self.split)
        return words if self.ngrams is None else ngrams(words, self.ngrams)


def _standardized(strings, how: str):
    if how.startswith("lower"):
        strings = ops.lower(strings)
    if how.endswith("strip_punctuation"):
        strings = ag.strings.regex_replace(strings, PUNCTUATION, "")
    return strings


def _split(strings, how):
    if callable(how):
        return how(strings)
    if how == "whitespace":
        return split_strings(strings)
    return unicode_split(strings, "UTF-8")
