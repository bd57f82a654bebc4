"""Only classes that the program registered are made of what a file says."""

import collections
import dataclasses
import json

import pytest

import allograph as ag
from allograph.library.saved.json_structures import decode, encode

Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Pair:
    left: object
    right: object


class Counted(collections.namedtuple("Counted", "x")):
    made = 0

    def __new__(cls, *items):
        Counted.made += 1
        return super().__new__(cls, *items)


@pytest.mark.parametrize(
    "content",
    [
        {"named": ["io", "FileIO", [], []]},
        {"named": ["types", "CodeType", [], []]},
        {"record": ["subprocess", "Popen", [], []]},
        {"named": ["subprocess", "Popen", ["args"], [{"str": "touch x"}]]},
        {"named": ["builtins", "eval", ["source"], [{"str": "1"}]]},
    ],
)
def test_a_class_that_the_program_did_not_register_is_a_plain_record(content):
    ((_, (_, name, fields, _)),) = content.items()
    value = decode(content)
    assert type(value).__module__ == "allograph.library.saved.registered_classes"
    assert type(value).__name__ == name
    assert all(hasattr(value, field) for field in fields)


@pytest.mark.parametrize("value", [Point(1, "a"), Pair(1, (2, None))], ids=repr)
def test_a_plain_record_has_the_fields_that_were_saved(value):
    plain = decode(encode(value))
    assert type(plain) is not type(value) and type(plain) is type(decode(encode(value)))
    assert encode(plain)[next(iter(encode(value)))][1:] == next(iter(encode(value).values()))[1:]
    assert plain == decode(encode(value)) and repr(plain) == repr(value)


def test_a_plain_record_is_a_structure():
    doubled = ag.nest.map_structure(lambda x: 2 * x, decode(encode([Point(1, 2), Pair(3, 4)])))
    assert [tuple(doubled[0]), vars(doubled[1])] == [(2, 4), {"left": 6, "right": 8}]


@pytest.mark.parametrize(
    "fields", [["x", "x"], ["1"], ["x y"], ["class"], ["__new__"], ["_fields"], [1], ["x=0, *, y"]]
)
def test_a_record_has_names_for_fields(fields):
    with pytest.raises((ValueError, TypeError)):
        decode({"named": ["m", "Name", fields, [{"int": 0}] * len(fields)]})


def test_a_registered_class_is_not_called():
    ag.saved_model.register(Counted)
    value = Counted(1)
    before = Counted.made
    assert type(decode(encode(value))) is Counted and decode(encode(value)) == (1,)
    assert Counted.made == before


def test_a_class_may_be_registered_under_the_name_in_the_file():
    @ag.saved_model.register(name="old.place.Moved")
    @dataclasses.dataclass
    class Moved:
        x: int

    assert decode({"record": ["old.place", "Moved", ["x"], [{"int": 3}]]}) == Moved(3)
    assert encode(Moved(3))["record"][:2] == ["old.place", "Moved"]


def test_a_registered_class_with_other_fields_is_told():
    ag.saved_model.register(collections.namedtuple("Changed", "a"), name="m.Changed")
    with pytest.raises(ValueError, match=r"has the fields \['a'\], the file has \['b'\]"):
        decode({"named": ["m", "Changed", ["b"], [{"int": 3}]]})


def test_a_name_is_registered_once():
    ag.saved_model.register(Point, name="m.Once")
    with pytest.raises(ag.errors.AlreadyExistsError, match=r"'m\.Once'"):
        ag.saved_model.register(Pair, name="m.Once")


@pytest.mark.parametrize("wrong", [int, 3, Point(1, 2), list])
def test_only_records_are_registered(wrong):
    with pytest.raises(ag.errors.InvalidArgumentError, match="named tuple or dataclass"):
        ag.saved_model.register(wrong)


def test_a_module_from_a_stranger_truncates_no_file(tmp_path):
    target = tmp_path / "mine"
    target.write_text("content")
    module = ag.Module()
    module.f = ag.function(lambda x: x)
    module.f(ag.constant(1))
    ag.saved_model.save(module, tmp_path / "saved")
    path = tmp_path / "saved" / "saved_module.json"
    manifest = json.loads(path.read_text())
    file = {"named": ["io", "FileIO", ["file", "mode"], [{"str": str(target)}, {"str": "w"}]]}
    manifest["objects"][1]["traces"][0]["outputs"] = {
        "tuple": [file, manifest["objects"][1]["traces"][0]["outputs"]]
    }
    path.write_text(json.dumps(manifest))
    loaded = ag.saved_model.load(tmp_path / "saved")
    assert loaded.f(ag.constant(1))[0].mode == "w"
    assert target.read_text() == "content"


@pytest.mark.parametrize("name", ["x if print('here') else x", "y"])
def test_an_argument_has_the_name_of_a_parameter(tmp_path, name):
    """Generated code contains the names of parameters."""
    module = ag.Module()
    module.f = ag.function(lambda x: x)
    module.f(ag.constant(1))
    ag.saved_model.save(module, tmp_path)
    path = tmp_path / "saved_module.json"
    manifest = json.loads(path.read_text())
    manifest["objects"][1]["traces"][0]["types"][0][0] = name
    path.write_text(json.dumps(manifest))
    with pytest.raises(ag.errors.DataLossError, match="are not the parameters of the function"):
        ag.saved_model.load(tmp_path)
