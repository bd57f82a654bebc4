"""Devices, name scopes and attributes: what a graph tells about its operations."""

import pytest

import allograph as ag


def devices(function, *args):
    nodes = function.get_concrete_function(*args).graph.get_operations()
    return [node.device for node in nodes if node.type != "Placeholder"]


def test_devices_nest_and_end():
    @ag.function
    def f(x):
        with ag.device("/job:worker"):
            with ag.device("cpu:0"):
                x = ag.tanh(x)
            x = ag.tanh(x)
            with ag.device(None):
                x = ag.tanh(x)
        return ag.tanh(x)

    assert devices(f, ag.constant(1.0)) == ["/job:worker/device:CPU:0", "/job:worker", "", ""]


def test_statements_whose_gradient_is_taken_keep_their_device():
    @ag.function
    def f(x, n):
        with ag.GradientTape() as tape:
            tape.watch(x)
            with ag.device("/cpu:0"):
                y = x * x if x > 0 else -x
                for _ in ag.range(n):
                    y = y * x
        return tape.gradient(y, x)

    graph = f.get_concrete_function(ag.constant(2.0), ag.constant(3)).graph
    named = {node.name: node.device for node in graph.get_operations()}
    assert (named["if"], named["while"]) == ("/device:CPU:0", "/device:CPU:0")


def test_a_function_starts_without_the_device_of_its_caller():
    f = ag.function(lambda x: ag.tanh(x))
    with ag.device("/cpu:0"):
        f(ag.constant(1.0))
    assert devices(f, ag.constant(1.0)) == [""]


@pytest.mark.parametrize("name", ["/nonsense", "/cpu:x", "/job:", "/device:CPU:0:1", "/task:a", 3])
def test_what_is_no_device_is_refused(name):
    with pytest.raises(ValueError), ag.device(name):
        pass


@pytest.mark.parametrize("name", ["", "/gpu:1", "/device:GPU:*", "/job:a/replica:0/task:1/cpu:0"])
def test_devices_of_other_machines_are_notes_only(name):
    with ag.device(name):
        assert int(ag.constant(1) + 1) == 2


def test_name_scopes_stand_before_names():
    @ag.function
    def f(x):
        with ag.name_scope("outer"):
            x = ag.tanh(x)
            with ag.name_scope("inner") as scope:
                x = ag.tanh(x, name="mine")
        with ag.name_scope("outer"):
            x = ag.tanh(x)
        with ag.name_scope(scope):
            return ag.tanh(x)

    nodes = f.get_concrete_function(ag.constant(1.0)).graph.get_operations()
    assert [node.name for node in nodes] == [
        "x", "outer/tanh", "outer/inner/mine", "outer_1/tanh", "outer/inner/tanh",
    ]  # fmt: skip


def test_a_name_scope_is_a_decorator_too():
    @ag.name_scope("part")
    def make():
        return ag.Variable(1.0, name="w")

    assert make().name == "part/w:0"


def test_a_scope_name_has_the_characters_of_names():
    with pytest.raises(ValueError, match="not a valid scope name"), ag.name_scope("a b"):
        pass


def test_attributes_are_in_the_function_definition():
    f = ag.function(lambda x: x + 1, experimental_implements="acme.increment")
    shown = f.get_concrete_function(ag.constant(1)).function_def
    assert shown.attr["_implements"].s == b"acme.increment"
    assert shown.signature.name == f.python_function.__name__
    assert "acme.increment" in str(shown)


def test_tensors_and_operations_tell_their_device():
    seen = []

    @ag.function
    def f(x):
        seen.append(x.device)
        with ag.device("/cpu:0"):
            x = ag.tanh(x)
        seen.extend([x.device, x.op.device, x.op.type, x.op.name])
        return x

    assert f(ag.constant(1.0)).device.endswith("CPU:0")
    assert ag.Variable(1.0).device.endswith("CPU:0")
    assert seen == ["", "/device:CPU:0", "/device:CPU:0", "Tanh", "tanh"]
