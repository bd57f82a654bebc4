"""`ag.explore`: what the page of a function says."""

import pytest

import allograph as ag
from allograph.library.explore.differences import marked

pytest.importorskip("llvmlite")

VECTOR = ag.TensorSpec([500], ag.float32)


def settle(x):
    while ag.reduce_max(x) > 3.0:
        x = shrink(x)
    return x


def shrink(x):
    return ag.tanh(x) * 2.0


@pytest.fixture(scope="module")
def data():
    return ag.explore(settle, VECTOR).data


def lines_of(data, part, spot):
    return [line for line, nodes in zip(part["lines"], part["nodes"], strict=True)
            if any(data["nodes"][node]["spot"] == spot for node in nodes)]  # fmt: skip


def spot_of(data, words):
    """The number of the location of a line of this file."""
    line = next(
        block["first"] + index
        for block in data["sources"]
        for index, line in enumerate(block["lines"])
        if words in line
    )
    return next(number for number, (_, spot) in enumerate(data["spots"]) if spot == line)


@pytest.mark.slow
def test_the_source_has_the_function_and_those_it_calls(data):
    heads = [block["lines"][0] for block in data["sources"]]
    assert heads == ["def settle(x):", "def shrink(x):"]


def test_the_generated_code_of_each_knows_the_users_lines(data):
    assert [row["name"] for row in data["generated"]] == ["settle", "shrink"]
    spot = spot_of(data, "ag.tanh(x)")
    (row,) = (row for row in data["generated"] if row["name"] == "shrink")
    own = [line for line, at in zip(row["lines"], row["spots"], strict=True) if at == spot]
    assert any("tanh" in line for line in own)


def test_a_line_of_the_user_is_found_in_program_kernel_and_numpy_program(data):
    spot = spot_of(data, "ag.tanh(x)")
    (kernel,) = data["kernels"]
    assert any(" = tanh(" in line for line in lines_of(data, data["program"], spot))
    assert any("tanh_f32(" in line for line in lines_of(data, kernel, spot))
    assert any("np.tanh(" in line for line in lines_of(data, data["numpy"], spot))


def test_a_line_of_the_user_is_found_in_the_machine_code(data):
    (kernel,) = data["kernels"]
    instructions = lines_of(data, kernel["assembly"], spot_of(data, "ag.tanh(x)"))
    assert len(instructions) > 10


def test_each_operation_says_where_it_runs_and_what_it_costs(data):
    rows = {data["nodes"][int(node)]["op"]: row for node, row in data["rows"].items()}
    assert rows["tanh"]["why"] is None
    assert rows["tanh"]["step"] == rows["multiply"]["step"] != rows["while"]["step"]
    assert rows["tanh"]["flops"] == 500


def test_what_runs_on_numpy_says_why():
    data = ag.explore(lambda x: ag.linalg.expm(x), ag.TensorSpec([4, 4])).data
    (row,) = data["rows"].values()
    assert "no native form" in row["why"]
    assert data["kernels"] == []
    assert data["why_no_kernels"]


@pytest.mark.slow
def test_a_pass_says_which_nodes_it_added_and_removed():
    data = ag.explore(lambda x: (x * 2.0) + (x * 2.0) + ag.constant(1.0) * 3.0, VECTOR).data
    step = next(one for one in data["steps"] if one["title"] == "eliminate_common_subexpressions")
    assert "multiply" in [data["nodes"][node]["op"] for node in step["removed"]]
    assert [data["nodes"][node]["op"] for node in step["rewired"]]


def test_the_gradient_is_shown_as_a_forward_and_a_backward_graph(data):
    forward, backward, *simplified = data["gradient"]
    assert (forward["title"], backward["title"]) == (
        "gradient: forward pass",
        "gradient: backward pass",
    )
    nodes = data["graphs"][backward["graph"]]["nodes"]
    assert "while" in [data["nodes"][node]["op"] for node in nodes]
    assert simplified and simplified[0]["removed"]


def test_what_has_no_gradient_shows_none():
    assert ag.explore(lambda n: n + 1, ag.TensorSpec([], ag.int32)).data["gradient"] == []


@pytest.mark.slow
def test_values_for_all_arguments_give_times_and_specs_do_not():
    timed = ag.explore(settle, ag.fill([500], 9.0)).data
    assert timed["times"]
    assert "tanh" in {row["op"] for row in timed["flame"]}
    untimed = ag.explore(settle, VECTOR).data
    assert (untimed["times"], untimed["flame"]) == ({}, [])


def test_a_function_with_effects_is_not_run_again():
    counter = ag.Variable(0)

    @ag.function
    def count(x):
        counter.assign_add(1)
        return x * 2.0

    data = ag.explore(count, ag.constant([1.0])).data
    assert int(counter) == 0
    assert "side effects" in data["why_no_flame"]


@pytest.mark.slow
def test_the_traces_are_listed_with_times_lines_and_reasons():
    @ag.function
    def double(x):
        return x * 2

    for value in (1, 2):
        double(value)
    data = ag.explore(double, 3).data
    first, second, third = data["traces"]
    assert (first["began"], first["changes"]) == (0.0, [])
    assert 0.0 < second["began"] < third["began"]
    assert second["changes"][0]["place"] == "x"
    assert second["spot"] == first["spot"] == spot_of(data, "double(value)")
    assert (third["isForPage"], third["where"]) == (True, "")


def test_a_layer_is_shown_by_the_code_that_the_user_wrote():
    class Scale(ag.keras.layers.Layer):
        def call(self, x):
            return ag.tanh(x)

    data = ag.explore(Scale(), VECTOR).data
    assert data["signature"].endswith("-> float32[500]")
    assert [row["name"] for row in data["generated"]] == ["call"]
    assert all("test_explore.py" in block["file"] for block in data["sources"])
    assert ag.explore(ag.function(shrink).get_concrete_function(VECTOR)).data["times"] == {}


@pytest.mark.slow
def test_a_function_without_source_is_shown_with_the_reason():
    space = {"ag": ag}
    exec("def hidden(x):\n    return ag.tanh(x)", space)
    data = ag.explore(space["hidden"], VECTOR).data
    assert data["generated"][0]["problem"]
    (node,) = data["graphs"][data["steps"][0]["graph"]]["nodes"]
    assert data["nodes"][node]["op"] == "tanh"


@pytest.mark.slow
def test_a_large_graph_keeps_the_page_small():
    def long(x):
        for _ in range(2500):
            x = ag.tanh(x) + 1.0
        return x

    page = ag.explore(long, ag.TensorSpec([None], ag.float32)).page
    assert len(page) < 2_000_000


def test_two_versions_mark_the_lines_that_the_other_does_not_have():
    pytest.importorskip("llvmlite")

    def doubled(x):
        return ag.tanh(x) * 2.0

    def halved(x):
        return ag.tanh(x) * 0.5

    spec = ag.TensorSpec([5], ag.float32)
    pair = [ag.explore(one, spec).data for one in (doubled, halved)]
    for one, two, factor in ((*pair, "2.0"), (*pair[::-1], "0.5")):
        (kernel,) = marked(one, two)["kernels"]
        (line,) = (kernel["lines"][index] for index in kernel["differs"])
        assert f"* np.float32({factor})" in line


def test_two_versions_are_pages_in_frames_of_one():
    spec = ag.TensorSpec([5], ag.float32)
    page = ag.explore(ag.tanh, spec).beside(ag.explore(ag.exp, spec)).page
    assert page.count("<iframe ") == 2
    assert page.count("<script") == 0
