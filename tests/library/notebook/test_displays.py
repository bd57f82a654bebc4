"""What notebooks show of objects: HTML that is well formed, and nothing of it the user's own."""

import html.parser

import numpy as np
import pytest

import allograph as ag
from allograph.library.notebook.array_pictures import png

VOID = {"img", "br"}
HOSTILE = "</pre><script>alert('x')</script>"


class Elements(html.parser.HTMLParser):
    """The elements of a page, which must be closed in order, and its text."""

    def __init__(self, page):
        super().__init__()
        self.names, self.open, self.text = [], [], ""
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def shown(thing) -> Elements:
    return Elements(thing._repr_html_())


@ag.function
def halved(x):
    """Halves a number until it is small."""
    while x > 1.0:
        x = x / 2.0
    return x


def test_one_number_is_printed():
    page = shown(ag.constant(3.5))
    assert "img" not in page.names and "svg" not in page.names
    assert "Tensor" in page.text and "float32" in page.text and "3.5" in page.text


def test_numbers_along_an_axis_are_a_curve():
    page = ag.constant(np.linspace(0.0, 2.0, 1000))._repr_html_()
    assert "curve of 1,000 numbers from 0 to" in page
    assert "svg" in Elements(page).names


def test_a_curve_has_gaps_where_numbers_are_not_finite():
    page = ag.constant([0.0, 1.0, float("nan"), 2.0, 1.0, float("inf")])._repr_html_()
    assert page.count("M") - page.count("MM") >= 2
    assert "nan" not in page.partition("<details")[0].lower()


@pytest.mark.parametrize("shape", [(3, 4), (2, 5, 6), (300, 700)])
def test_a_matrix_is_a_heat_map(shape):
    page = ag.ones(shape)._repr_html_()
    assert f"heat map of {shape[-2]} x {shape[-1]} numbers from 1 to 1" in page
    assert len(page) < 20_000


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float64", "complex64"])
def test_all_numbers_have_pictures(dtype):
    assert "img" in shown(ag.constant(np.eye(3).astype(dtype))).names


@pytest.mark.parametrize("shape", [(0,), (0, 3), (1,), (1, 1)])
def test_nothing_to_draw_is_no_picture(shape):
    assert not {"img", "svg"} & set(shown(ag.zeros(shape)).names)


@pytest.mark.slow
def test_a_picture_is_a_png_with_all_pixels():
    matplotlib = pytest.importorskip("matplotlib.image", reason="an independent reader of PNG")
    import io

    pixels = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    read = matplotlib.imread(io.BytesIO(png(pixels)), format="png")
    np.testing.assert_array_equal((read[..., :3] * 255).round(), pixels)


def test_strings_and_names_are_text():
    assert HOSTILE in shown(ag.constant(HOSTILE)).text.replace('b"', "").replace("\\'", "'")
    assert shown(ag.Variable(1.0, name="a<b")).names.count("b") == 1


def test_the_source_of_a_function_is_text():
    @ag.function
    def hostile(x):
        return x + 1.0, "</pre><script>alert(1)</script>"

    hostile(ag.constant(1.0))
    page = shown(hostile)
    assert "script" not in page.names
    assert "</pre><script>alert(1)</script>" in page.text


def test_a_function_shows_its_traces_source_and_code():
    halved(ag.constant(7.0))
    page = shown(halved)
    assert "Halves a number until it is small." in page.text
    assert "while x > 1.0" in page.text
    assert "ag__.while_stmt" in page.text
    assert page.text.count("graph of") == len(halved.traces)


def test_what_is_shown_traces_and_compiles_nothing():
    @ag.function
    def fresh(x):
        return x * 2.0

    fresh._repr_html_()
    assert fresh.experimental_get_tracing_count() == 0


def test_a_symbolic_tensor_shows_its_type():
    seen = []

    @ag.function
    def looked_at(x):
        seen.append(x._repr_html_())
        return x

    looked_at.get_concrete_function(ag.TensorSpec([None, 3], ag.int32))
    assert "int32" in seen[0] and "shape (?, 3)" in seen[0]


def test_an_explanation_is_a_table():
    explanation = halved.get_concrete_function(ag.constant(1.0)).explain()
    page = shown(explanation)
    assert page.names.count("tr") == 1 + len(explanation.rows)


def test_a_jit_function_says_what_runs_natively():
    @ag.jit
    def doubled(a):
        return a * 2.0

    doubled(np.ones(3))
    assert "native code; 1 call" in shown(doubled).text


def test_a_dataset_shows_the_specs_of_its_elements():
    rows = ag.data.Dataset.from_tensor_slices({"a": [1, 2], "b": ([1.0, 2.0], [3, 4])})
    page = shown(rows)
    assert "2 elements" in page.text
    for path in ("['a']", "['b'][0]", "['b'][1]"):
        assert path in page.text


def test_ragged_and_sparse_tensors_show_type_and_values():
    page = shown(ag.ragged.constant([[1, 2], [3]]))
    assert "RaggedTensor" in page.text and "(2, ?)" in page.text and "[[1, 2], [3]]" in page.text
    page = shown(ag.sparse.from_dense([[1, 0], [0, 2]]))
    assert "SparseTensor" in page.text and "int32" in page.text and "(2, 2)" in page.text


def test_a_method_shows_the_traces_of_its_instance():
    class Model:
        @ag.function
        def scaled(self, x):
            return x * 2.0

    one, other = Model(), Model()
    one.scaled(ag.constant(1.0)), other.scaled(ag.constant([1.0, 2.0]))
    page = shown(one.scaled)
    assert "float32[]" in page.text and "float32[2]" not in page.text


def test_a_model_shows_its_layers():
    model = ag.keras.Sequential([ag.keras.layers.Dense(3, input_shape=(2,))])
    page = shown(model)
    assert "9 parameters" in page.text and "Dense" in page.text


def test_a_profile_shows_the_slowest_lines():
    profile = ag.profiler.experimental.Profile("")
    assert profile._repr_html_() is None
    ag.profiler.experimental.start("")
    ag.constant(2.0) * 3.0
    profile.recording = ag.profiler.experimental.stop(save=False)
    assert "test_displays.py" in shown(profile.recording).text
    assert shown(profile).text == shown(profile.recording).text


def test_a_heat_map_has_a_scale_from_the_lowest_to_the_highest_number():
    page = shown(ag.constant(np.arange(2.0, 18.0).reshape(4, 4))).text
    assert "2 " in page and " 17" in page
