"""`train.Example` and `train.SequenceExample`: named features, serialized as one string.

The messages are those of the reference's files: `Example` contains `Features` (field 1), a map
(field 1) of names to `Feature`, each a list of bytes (1), floats (2) or integers (3) in field 1.
"""

from __future__ import annotations

from ...extend.registration import public
from .message_fields import FLOAT, INTEGER, STRING, Field
from .messages import Message


@public("train.BytesList")
class BytesList(Message):
    """A list of strings: `BytesList(value=[b"a"])`."""

    fields = (Field("value", 1, STRING, "repeated"),)


@public("train.FloatList")
class FloatList(Message):
    """A list of float32 numbers: `FloatList(value=[1.5])`."""

    fields = (Field("value", 1, FLOAT, "repeated"),)


@public("train.Int64List")
class Int64List(Message):
    """A list of int64 numbers: `Int64List(value=[1, 2])`."""

    fields = (Field("value", 1, INTEGER, "repeated"),)


@public("train.Feature")
class Feature(Message):
    """A feature: one of the three lists, or none. Raises ValueError for more than one."""

    fields = (
        Field("bytes_list", 1, BytesList, group="kind"),
        Field("float_list", 2, FloatList, group="kind"),
        Field("int64_list", 3, Int64List, group="kind"),
    )


@public("train.Features")
class Features(Message):
    """Features by name, in the dict `feature`."""

    fields = (Field("feature", 1, Feature, "map"),)


@public("train.Example")
class Example(Message):
    """Named features, which `SerializeToString` encodes as one string.

    >>> import allograph as ag
    >>> age = ag.train.Feature(int64_list=ag.train.Int64List(value=[42]))
    >>> example = ag.train.Example(features=ag.train.Features(feature={"age": age}))
    >>> example.features.feature["size"].float_list.value.append(1.5)
    >>> message = example.SerializeToString()
    >>> ag.train.Example.FromString(message).features.feature["age"].int64_list.value
    [42]
    >>> features = {"age": ag.io.FixedLenFeature([], ag.int64)}
    >>> int(ag.io.parse_single_example(message, features)["age"])
    42
    """

    fields = (Field("features", 1, Features),)


@public("train.FeatureList")
class FeatureList(Message):
    """A sequence of features, a `Feature` for each step, in the list `feature`.

    >>> steps = ag.train.FeatureList()
    >>> steps.feature.add().int64_list.value.extend([1, 2])
    >>> len(steps.feature)
    1
    """

    fields = (Field("feature", 1, Feature, "repeated"),)


@public("train.FeatureLists")
class FeatureLists(Message):
    """Sequences of features by name, in the dict `feature_list`.

    >>> lists = ag.train.FeatureLists(feature_list={"words": ag.train.FeatureList()})
    >>> list(lists.feature_list)
    ['words']
    """

    fields = (Field("feature_list", 1, FeatureList, "map"),)


@public("train.SequenceExample")
class SequenceExample(Message):
    """Named features of a whole example, in `context`, and of its steps, in `feature_lists`.

    >>> example = ag.train.SequenceExample()
    >>> for number in (3, 4):
    ...     step = example.feature_lists.feature_list["n"].feature.add()
    ...     step.int64_list.value.append(number)
    >>> _, steps = ag.io.parse_single_sequence_example(
    ...     example.SerializeToString(),
    ...     sequence_features={"n": ag.io.FixedLenSequenceFeature([], ag.int64)},
    ... )
    >>> steps["n"].numpy()
    array([3, 4])
    """

    fields = (Field("context", 1, Features), Field("feature_lists", 2, FeatureLists))
