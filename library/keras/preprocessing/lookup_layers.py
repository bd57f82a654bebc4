"""Layers that map tokens to indices in a vocabulary, and back."""

from __future__ import annotations

from collections import Counter

import numpy as np

from .... import cast, convert_to_tensor, float32, gather, int64, string, where
from ....extend.errors import FailedPreconditionError, UnimplementedError
from ...file_io.untrusted_files import lines_of_file
from ...lookup_tables import LookUpTokens
from ...ragged.ragged_tensor import RaggedTensor
from ..layers.base_layer import Layer, layer
from .adapting import batches_of
from .encodings import MODES, checked_mode, encoded, refuse_sparse


class Lookup(Layer):
    """Base class of layers that map tokens to indices, or back."""

    key_dtype = "string"

    def __init__(
        self, max_tokens=None, num_oov_indices=1, mask_token=None, oov_token=None, vocabulary=None,
        idf_weights=None, invert=False, output_mode="int", pad_to_max_tokens=False, sparse=False,
        **kwargs,
    ):  # fmt: skip
        super().__init__(**kwargs)
        if num_oov_indices not in (0, 1):
            raise UnimplementedError(
                f"{self.name}: num_oov_indices is 0 or 1, not {num_oov_indices}: tokens are "
                "not hashed"
            )
        refuse_sparse(sparse, self.name)
        self.max_tokens, self.num_oov_indices = max_tokens, num_oov_indices
        self.mask_token, self.oov_token = mask_token, oov_token
        self.output_mode = checked_mode(output_mode, self.name, (*MODES, "tf_idf"))
        self.invert, self.pad_to_max_tokens = invert, pad_to_max_tokens
        self.keys = None
        self.idf_weights: list[float] | None = None
        if vocabulary is not None:
            self.set_vocabulary(vocabulary, idf_weights)

    # ---- the vocabulary --------------------------------------------------------------------

    @property
    def _special(self) -> list:
        """The tokens before the vocabulary."""
        masks = [] if self.mask_token is None else [self.mask_token]
        return masks + [self.oov_token] * self.num_oov_indices

    def set_vocabulary(self, vocabulary, idf_weights=None) -> None:
        """Make these the tokens, from the most frequent one; `idf_weights` weigh "tf_idf"."""
        tokens = lines_of_file(vocabulary) if isinstance(vocabulary, str) else vocabulary
        tokens = list(np.asarray(convert_to_tensor(tokens)).tolist())
        special = [_as_key(token) for token in self._special]
        if special and tokens[: len(special)] == special:
            tokens = tokens[len(special) :]
        if len(set(tokens)) != len(tokens):
            raise ValueError(f"{self.name}: a token is in the vocabulary twice")
        if self.output_mode == "tf_idf":
            if idf_weights is None or len(idf_weights) != len(tokens):
                raise ValueError(f"{self.name}: tf_idf needs one of idf_weights for each token")
            self.idf_weights = [float(weight) for weight in idf_weights]
        self.keys = self._as_tokens(tokens)

    def _as_tokens(self, tokens: list):
        """Tokens as a tensor."""
        return convert_to_tensor(np.array(tokens, object if self._holds_strings else np.int64))

    @property
    def _holds_strings(self) -> bool:
        return self.key_dtype == "string"

    def adapt(self, data, batch_size=None, steps=None) -> None:
        """Take the tokens of arrays, or of the batches of a dataset, by their frequency."""
        counts: Counter = Counter()  # of a token in all documents
        holders: Counter = Counter()  # of the documents that have a token
        total = 0
        for batch in batches_of(data, steps):
            for document in self._documents(batch):
                counts.update(document)
                holders.update(set(document))
                total += 1
        counts.pop(_as_key(self.mask_token), None)
        ordered = sorted(sorted(counts, reverse=True), key=counts.__getitem__, reverse=True)
        room = None if self.max_tokens is None else self.max_tokens - len(self._special)
        kept = ordered[:room]
        self.set_vocabulary(kept, [np.log(1 + total / (1 + holders[token])) for token in kept])

    def _documents(self, batch) -> list[list]:
        """The tokens of each document of a batch: of each row."""
        if isinstance(batch, RaggedTensor):
            return batch.to_list()
        return batch.reshape(-1, batch.shape[-1] if batch.ndim > 1 else 1).tolist()

    def get_vocabulary(self, include_special_tokens=True) -> list:
        """The tokens, in the order of their indices."""
        tokens = [] if self.keys is None else np.asarray(self.keys).tolist()
        tokens = [token.decode() if isinstance(token, bytes) else token for token in tokens]
        return self._special + tokens if include_special_tokens else tokens

    def vocabulary_size(self) -> int:
        """The number of tokens, with those for others and for padding."""
        return len(self.get_vocabulary())

    vocab_size = vocabulary_size

    def get_config(self) -> dict:
        if self.keys is None:
            return super().get_config()
        found = {"vocabulary": self.get_vocabulary(False), "idf_weights": self.idf_weights}
        return {**super().get_config(), **found}

    @classmethod
    def from_config(cls, config: dict):
        """A layer from the result of `get_config`, which holds the tokens themselves: a name of a
        file in it is refused, since files of models may come from a stranger.
        """
        if isinstance(config.get("vocabulary"), str):
            raise ValueError(
                f"the configuration of a {cls.__name__} names a file, {config['vocabulary']!r}. "
                "Configurations open no files: give it the lines of the file as a list"
            )
        return super().from_config(config)

    @property
    def input_dtype(self):
        return int64 if self.invert or not self._holds_strings else string

    # ---- calls -----------------------------------------------------------------------------

    def call(self, inputs):
        if self.keys is None:
            raise FailedPreconditionError(
                f"{self.name} has no vocabulary yet", "Call adapt(data) before, or give one."
            )
        if self.invert:
            tokens = self._as_tokens([_as_key(token) for token in self.get_vocabulary()])
            index = cast(inputs, "int64")
            known = (index >= 0) & (index < len(self.get_vocabulary()))
            return gather(tokens, where(known, index, index * 0 + self._first_unknown))
        indices = self._indices(inputs)
        size = self.max_tokens if self.pad_to_max_tokens else self.vocabulary_size()
        if self.output_mode == "tf_idf":
            return encoded(indices, size, "count", float32) * self._padded_weights(size)
        return encoded(indices, size, self.output_mode, int64)

    def _padded_weights(self, size: int) -> np.ndarray:
        """The weight of each index; of unknown tokens, the mean."""
        weights = np.array(self.idf_weights, np.float32)
        special = [weights.mean() if weights.size else 0.0] * len(self._special)
        return np.pad(np.concatenate([special, weights]), [0, size - self.vocabulary_size()])

    @property
    def _first_unknown(self) -> int:
        return 0 if self.mask_token is None else 1

    def _indices(self, inputs):
        """The indices of the tokens of inputs."""
        return self._looked_up(inputs)

    def _looked_up(self, tokens):
        if isinstance(tokens, RaggedTensor):
            return tokens.with_flat_values(self._looked_up(tokens.flat_values))
        x = convert_to_tensor(tokens)
        x = x if x.dtype is self.keys.dtype else cast(x, self.keys.dtype)
        return LookUpTokens(
            x, self.keys, first=len(self._special), mask=_as_key(self.mask_token),
            unknown=self._first_unknown if self.num_oov_indices else None,
        )  # fmt: skip


def _as_key(token):
    return token.encode() if isinstance(token, str) else token


@layer
class StringLookup(Lookup):
    """The index of each string in a vocabulary; unknown ones have the index of `oov_token`.

    The `vocabulary` is a list, or the path of a text file with a token a line; `adapt` finds one in
    data. `output_mode` is "int", "one_hot", "multi_hot", "count" or "tf_idf".

    >>> lookup = ag.keras.layers.StringLookup(vocabulary=["a", "b"])
    >>> lookup([["b", "a", "z"]]).numpy()
    array([[2, 1, 0]])
    >>> lookup.get_vocabulary()
    ['[UNK]', 'a', 'b']

    Raises FailedPreconditionError if there is no vocabulary yet.
    """

    def __init__(
        self, max_tokens=None, num_oov_indices=1, mask_token=None, oov_token="[UNK]", **kwargs
    ):
        super().__init__(max_tokens, num_oov_indices, mask_token, oov_token, **kwargs)


@layer
class IntegerLookup(Lookup):
    """The index of each integer in a vocabulary; unknown ones have the index of `oov_token`.

    >>> ag.keras.layers.IntegerLookup(vocabulary=[12, 36])([[36, 12, 5]]).numpy()
    array([[2, 1, 0]])

    Raises FailedPreconditionError if there is no vocabulary yet.
    """

    key_dtype = "int64"

    def __init__(self, max_tokens=None, num_oov_indices=1, mask_token=None, oov_token=-1, **kwargs):
        super().__init__(max_tokens, num_oov_indices, mask_token, oov_token, **kwargs)
