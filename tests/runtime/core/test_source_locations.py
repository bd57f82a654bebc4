"""Excerpts of the user's source: the place that an error names."""

import types

import IPython
import pytest
from IPython.core.compilerop import CachingCompiler

import allograph as ag


@ag.function
def picked(x, i):
    größe = ag.constant("日本"); y = x[i]  # fmt: skip  # noqa: E702, F841, PLC2401
    return y


def test_the_caret_stands_under_the_expression_beside_other_letters():
    with pytest.raises(IndexError) as caught:
        picked(ag.constant([1.0]), ag.constant(5))
    lines = str(caught.value).splitlines()
    source, caret = next(pair for pair in zip(lines, lines[1:], strict=False) if "größe" in pair[0])
    wide = 2  # letters, each as wide as two others
    assert caret.index("^") == source.index("x[i]") + wide
    assert caret.count("^") == len("x[i]")


def test_a_cell_of_a_notebook_is_named_by_its_number(monkeypatch):
    cell = "@ag.function\ndef last(x, i):\n    return x[i]\n"
    compiler = CachingCompiler()
    name = compiler.cache(cell, 7)
    shell = types.SimpleNamespace(compile=compiler)
    monkeypatch.setattr(IPython, "get_ipython", lambda: shell)
    scope = {"ag": ag}
    exec(compiler(cell, name, "exec"), scope)
    with pytest.raises(IndexError) as caught:
        scope["last"](ag.constant([1.0]), ag.constant(5))
    assert "  Cell In[7], line 3, in last" in str(caught.value).splitlines()
