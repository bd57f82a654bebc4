"""`dir()` shows what is documented, and nothing else."""

import re
from pathlib import Path

import pytest

import allograph as ag
from allograph.tools import reference


@ag.function
def doubled(x):
    return x * 2


def traced_tensor():
    tensors = []
    ag.function(tensors.append).get_concrete_function(ag.TensorSpec([1]))
    return tensors[0]


OBJECTS = {
    "Tensor": lambda: ag.constant([1.0]),
    "Variable": lambda: ag.Variable(1.0),
    "GradientTape": ag.GradientTape,
    "Module": ag.Module,
    "RaggedTensor": lambda: ag.ragged.constant([[1]]),
    "SparseTensor": lambda: ag.sparse.from_dense([1]),
    "TensorSpec": lambda: ag.TensorSpec([1]),
    "data.Dataset": lambda: ag.data.Dataset.range(3),
    "keras.Layer": ag.keras.Layer,
    "types.experimental.PolymorphicFunction": lambda: doubled,
    "types.experimental.ConcreteFunction": lambda: doubled.get_concrete_function(ag.constant(1.0)),
}


def shown(thing):
    return {name for name in dir(thing) if not name.startswith("_")}


def documented(name):
    """The members that the reference page of a class names."""
    head = f"\n## `ag.{name}` {{#"
    (page,) = (page for page in reference.pages().values() if head in page)
    _, _, section = page.partition(head)
    section = section.partition("\n## ")[0]
    own = re.findall(r"^### `\w+\.(\w+)`", section, re.MULTILINE)
    lists = re.findall(r"^(?:Further members|Inherited): (.*)\.$", section, re.MULTILINE)
    return {*own, *re.findall(r"`(\w+)`", " ".join(lists))}


@pytest.mark.parametrize("name", OBJECTS)
def test_the_members_of_a_class_that_dir_shows_are_those_of_its_page(name):
    thing = OBJECTS[name]()
    of_the_class = {member for member in shown(thing) if hasattr(type(thing), member)}
    assert of_the_class - {"device", "dtype", "item", "numpy"} <= documented(
        name
    )  # those of eager tensors
    assert documented(name) <= shown(thing)


def test_what_users_call_is_shown():
    assert {"numpy", "shape", "dtype", "device"} <= shown(ag.constant(1.0))
    assert {"numpy", "assign", "assign_add", "assign_sub"} <= shown(ag.Variable(1.0))


def test_members_that_say_what_to_use_instead_are_not_shown():
    assert {"reshape", "tolist", "T", "detach"}.isdisjoint(shown(ag.constant(1.0)))


@pytest.mark.parametrize("make", [lambda: ag.constant(1.0), traced_tensor])
def test_a_tensor_shows_no_internal_member(make):
    assert {"array", "dims", "graph_value", "builder", "weak"}.isdisjoint(shown(make()))


def test_each_member_that_a_jit_function_shows_is_described():
    pages = [Path(ag.__file__).parent / "docs" / name for name in ("jit.md", "debugging.md")]
    text = "".join(page.read_text("utf-8") for page in pages)
    assert "inspect" in shown(ag.jit(doubled.python_function))
    assert "inspect" in text


def test_attributes_that_a_program_gives_an_object_are_shown():
    class Line(ag.Module):
        def __init__(self):
            super().__init__()
            self.slope = ag.Variable(1.0)

    assert "slope" in shown(Line())


def test_names_of_older_programs_are_reachable_and_not_listed():
    assert {"Session", "contrib", "placeholder"}.isdisjoint(dir(ag))
    assert ag.Session is ag.compat.v1.Session
    assert ag.placeholder is ag.compat.v1.placeholder
    assert ag.contrib.eager.defun is not None


def test_rooms_of_the_package_are_reachable_and_not_listed():
    assert {"runtime", "tracing", "library", "loading"}.isdisjoint(dir(ag))
    assert ag.runtime.core.errors.ShapeError is ag.errors.ShapeError
