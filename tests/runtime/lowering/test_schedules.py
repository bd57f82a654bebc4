"""Golden pages of schedules: under each heading a function, and its program for native code.

`pytest --update-golden` rewrites the second block of each heading.
"""

import re
from pathlib import Path

import pytest

import allograph as ag
from allograph.runtime.executors.compile_pipeline import native_form, sized_program
from allograph.runtime.lowering.cost_model import Target
from allograph.runtime.lowering.nest_schedule import has_few_rows, reads_apart
from allograph.runtime.lowering.program import Nest
from allograph.runtime.lowering.program_printer import printed
from allograph.runtime.passes.pipeline import optimize

PAGE = Path(__file__).parents[2] / "golden" / "programs" / "schedules.md"
SECTION = re.compile(
    r"^## ([^\n]*)\n\n```python\n([^`]*)```\n(?:\n```text\n([^`]*)```\n)?", re.MULTILINE
)
SECTIONS = SECTION.findall(PAGE.read_text(encoding="utf-8"))


def program_of(source: str):
    """The program of the function `f` of a source, whose annotations are types of tensors."""
    import linecache

    file = f"<golden page {hash(source)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    scope: dict = {"ag": ag, "__name__": "golden"}
    exec(compile(source, file, "exec"), scope)
    types = [re.fullmatch(r"(\w+)\[(.*)\]", one) for one in scope["f"].__annotations__.values()]
    specs = [
        ag.TensorSpec([int(size) for size in one[2].split(",") if size], getattr(ag, one[1]))
        for one in types
    ]
    scope["f"].__annotations__.clear()
    return native_form(
        optimize(ag.function(scope["f"]).get_concrete_function(*specs).frozen)
    ).program


@pytest.mark.parametrize("heading, source, expected", SECTIONS, ids=[one[0] for one in SECTIONS])
def test_the_page_shows_the_schedule(heading, source, expected, golden_update):
    found = printed(program_of(source))
    if golden_update:
        page = PAGE.read_text(encoding="utf-8")
        before = f"## {heading}\n\n```python\n{source}```\n"
        old = before + (f"\n```text\n{expected}```\n" if expected else "")
        assert old in page
        PAGE.write_text(page.replace(old, f"{before}\n```text\n{found}```\n"), encoding="utf-8")
        return
    assert found == expected


def test_a_tile_is_wider_on_a_processor_with_wider_vectors():
    source = next(source for heading, source, _ in SECTIONS if "tiles of its state" in heading)
    program = program_of(source)
    narrow = printed(program, Target(vector_bytes=16, vector_registers=16))
    wide = printed(program, Target(vector_bytes=64, vector_registers=32))
    width = re.compile(r"register tiles of (\d+)")
    assert int(width.search(narrow)[1]) < int(width.search(wide)[1])


def test_sums_of_elements_far_apart_are_not_vectorized():
    specs = [ag.TensorSpec([6, 6], ag.float64), *[ag.TensorSpec([], ag.int64)] * 2]
    concrete = ag.function(
        lambda a, i, j: ag.tensordot(a[i, :j], a[:j, i], 1) + ag.reduce_sum(a[0, :j]),
        input_signature=specs,
    ).get_concrete_function()
    program = sized_program(native_form(concrete.frozen))
    nests = [step for step in program.steps if isinstance(step, Nest) and step.space.shape]
    assert sorted(reads_apart(nest, 0) for nest in nests) == [False, True]


def test_few_rows_are_not_vectorized_around_formulas():
    def rows_are_few(function, rows):
        specs = [ag.TensorSpec([rows, 10], ag.float32)]
        concrete = ag.function(function, input_signature=specs).get_concrete_function()
        program = native_form(optimize(concrete.frozen)).program
        (nest,) = (step for step in program.steps if isinstance(step, Nest))
        return has_few_rows(nest, 1)

    assert rows_are_few(lambda x: ag.reduce_sum(ag.exp(x), axis=1), 128)
    assert not rows_are_few(lambda x: ag.reduce_sum(ag.exp(x), axis=1), 10_000)
    assert not rows_are_few(lambda x: ag.reduce_sum(x * x, axis=1), 128)
