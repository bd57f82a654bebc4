"""What the error of a missing name says, and the page of the names that there are."""

import operator
import re

import pytest
from coverage_page import PAGE, is_there, page

import allograph as ag
from allograph.runtime.core import public_names
from allograph.runtime.core.public_names import reference_names
from allograph.runtime.core.tracebacks import other_names


def said_of(holder, name: str) -> str:
    with pytest.raises(AttributeError) as caught:
        getattr(holder, name)
    return str(caught.value)


def test_a_name_of_the_reference_is_told_from_a_misspelt_one():
    assert said_of(ag, "IndexedSlicesSpec").endswith("TensorFlow has it; this package does not.")
    assert said_of(ag.keras.layers, "Pipeline").endswith("this package does not.")
    assert "TensorFlow" not in said_of(ag.keras.layers, "Dens")


def test_it_says_what_to_use_instead():
    assert "train.ExponentialMovingAverage" in said_of(ag.keras.callbacks, "SwapEMAWeights")
    assert "RaggedTensor" in said_of(ag.experimental, "DynamicRaggedShape")
    assert "over all classes" in said_of(ag.nn, "nce_loss")


def test_it_says_that_a_namespace_is_out_of_scope():
    assert "out of scope here: TPUs" in said_of(ag, "tpu")
    assert "jit_compile=True" in said_of(ag.compat.v1, "xla") + said_of(ag, "xla")


@pytest.mark.parametrize("name", ["_mock_name", "__wrapped__"])
def test_no_module_is_imported_for_a_private_name(monkeypatch, name):
    modules = ag, ag.math
    monkeypatch.setattr(public_names, "lookup", None)
    for holder in modules:  # pytest and IPython ask them for such names
        assert said_of(holder, name) == f"module '{holder.__name__}' has no attribute '{name}'"


def test_the_page_of_coverage_is_the_one_that_would_be_written_now():
    assert PAGE.read_text(encoding="utf-8") == page(), "run tests/helpers/coverage_page.py"


def test_advice_is_given_for_missing_names_only_and_advises_names_that_there_are():
    names, excluded, instead = reference_names()
    for name in instead:
        namespace, _, short = name.rpartition(".")
        members = [f"{name}.{one}" for one in names.get(name, [])] or [name]
        missing = [one for one in members if not is_there(*one.rpartition(".")[::2])]
        assert missing, f"the advice for {name} is stale"
    namespaces = "|".join(one.split(".")[0] for one in names if one != "root")
    for text in [*excluded.values(), *instead.values()]:
        for advised in re.findall(rf"(?<![.\w])(?:{namespaces})\.[\w.]+", text):
            operator.attrgetter(advised)(ag)  # AttributeError: it is advised, and does not exist


def test_names_of_other_libraries_are_missing_and_lead_to_names_that_there_are():
    for name, advice in other_names().items():
        if name[0] not in "!@":
            assert not is_there(*name.rpartition(".")[::2]), f"the advice for {name} is stale"
        for advised in re.findall(r"\bag\.([\w.]+\w)", advice):
            operator.attrgetter(advised)(ag)


@pytest.mark.parametrize(
    "name, advice",
    [
        ("vmap", "vectorized_map(f, x)."),  # of another library
        ("relu", "Did you mean 'nn.relu'?"),  # in another namespace
        ("mean", "Did you mean 'reduce_mean'?"),  # a part of a name
        ("recude_mean", "Did you mean 'reduce_mean'?"),  # misspelt
    ],
)
def test_a_missing_name_leads_to_the_one_that_was_meant(name, advice):
    assert said_of(ag, name).endswith(advice)


@pytest.mark.parametrize(
    "function, given, advice",
    [
        (ag.reduce_sum, {"dim": 0}, "Did you mean 'axis'?"),
        (ag.function, {"jit": True}, "Did you mean 'jit_compile'?"),
        (ag.jit, {"nopython": True}, "Leave it out: it is always on"),
    ],
)
def test_a_parameter_of_another_library_leads_to_the_one_that_was_meant(function, given, advice):
    with pytest.raises(TypeError, match=re.escape(advice)):
        function(lambda x: x, **given)
