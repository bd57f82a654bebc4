"""`keep_errors`, as text in and text out."""

from textwrap import dedent

from allograph.library.saved.graph_parser import parse
from allograph.runtime.ir.graph import check
from allograph.runtime.ir.graph_printer import as_text
from allograph.runtime.passes.keep_errors import keep_errors

LOOP = """
graph f(x: float32[3], n: int32[]) -> ({results}):
  s: float32[] = const() value=array('float32', (), (0.0,))
  i: int32[], y: float32[3], z: float32[] = while(n, x, s, x) test=@f.test body=@f.body carried=3

graph f.test(i: int32[], y: float32[3], z: float32[], w: float32[3]) -> (p):
  zero: int32[] = const() value=array('int32', (), (0,))
  p: bool[] = less(zero, i)

graph f.body(i: int32[], y: float32[3], z: float32[], w: float32[3]) -> (j, v, e):
  one: int32[] = const() value=array('int32', (), (1,))
  j: int32[] = subtract(i, one)
  e: float32[] = strided_slice(w, i) index=(slot(0),)
  v: float32[3] = set_item(y, z, i) index=(slot(0),)
"""  # noqa: E501 - a line of the text form


def test_an_element_that_nothing_needs_is_read_by_an_assertion():
    text = """
    graph f(x: float32[3], n: int32[]) -> (y):
      e: float32[] = strided_slice(x, n) index=(slot(0),)
      y: float32[3] = negative(x)
    """
    made = keep_errors(parse(dedent(text)))
    check(made)
    lines = as_text(made).splitlines()
    assert [line.split("(")[0].split()[-1] for line in lines[1:] if line] == [
        "strided_slice", "equal", "not_equal", "logical_or", "assert", "negative",
    ]  # fmt: skip


def test_a_graph_whose_checks_are_needed_stays():
    text = """
    graph f(x: float32[3], n: int32[]) -> (e):
      e: float32[] = strided_slice(x, n) index=(slot(0),)
    """
    graph = parse(dedent(text))
    assert keep_errors(graph) is graph


def test_what_an_assertion_depends_on_needs_none_of_its_own():
    text = """
    graph f(x: float32[3], n: int32[]) -> (x):
      e: float32[] = strided_slice(x, n) index=(slot(0),)
      k: int32[] = cast(e) dtype=dtype('int32')
      v: float32[3] = set_item(x, e, k) index=(slot(0),)
    """
    text = as_text(keep_errors(parse(dedent(text))))
    assert text.count("assert(") == 1
    assert "reduce_all" in text  # of the array


def test_an_element_that_only_a_dropped_result_of_a_branch_needs_is_read_by_an_assertion():
    text = """
    graph f(x: float32[3], n: int32[], p: bool[]) -> (k):
      e: float32[] = strided_slice(x, n) index=(slot(0),)
      k: int32[], d: float32[] = if(p, n, e) then=@f.then orelse=@f.orelse

    graph f.then(n: int32[], e: float32[]) -> (n, d):
      d: float32[] = negative(e)

    graph f.orelse(n: int32[], e: float32[]) -> (k, e):
      k: int32[] = negative(n)
    """
    kept = keep_errors(parse(dedent(text)))
    check(kept)
    assert " equal(e, e)" in as_text(kept)
    assert keep_errors(kept) is kept


def loop(results: str) -> str:
    return LOOP.format(results=results)


def test_a_loop_whose_results_are_read_stays():
    graph = parse(loop("y, z"))
    assert keep_errors(graph) is graph


def test_a_loop_keeps_the_errors_of_results_that_are_not_read():
    graph = keep_errors(parse(loop("i")))
    check(graph)
    text = as_text(graph)
    assert text.count("assert(") == 2  # the assignment takes the element of the iteration before
    assert "while(n, x, s, x)" in text


def test_an_element_that_nested_loops_replace_by_itself_is_read_by_an_assertion():
    text = """
    graph f(x: float32[3], n: int32[], p: bool[]) -> (k):
      e: float32[] = strided_slice(x, n) index=(slot(0),)
      k: int32[], d: float32[] = while(n, e, p) test=@f.test body=@f.body carried=2

    graph f.test(n: int32[], e: float32[], p: bool[]) -> (p):

    graph f.body(n: int32[], e: float32[], p: bool[]) -> (k, d):
      k: int32[], d: float32[] = while(n, e, p) test=@f.body.test body=@f.body.body carried=2

    graph f.body.test(n: int32[], e: float32[], p: bool[]) -> (p):

    graph f.body.body(n: int32[], e: float32[], p: bool[]) -> (k, d):
      k: int32[] = negative(n)
      d: float32[] = minimum(e, e)
    """
    assert " equal(e, e)" in as_text(keep_errors(parse(dedent(text))))
