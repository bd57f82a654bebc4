"""Targets and arguments of the command line."""

import sys

import pytest

import allograph as ag
from allograph.tools.targets import (
    TargetError,
    load_function,
    parse_argument,
    parse_arguments,
    sample_tensor,
)

SOURCE = """
limit = 3

def double(x):
    return 2 * x

class Model:
    def call(self, x):
        return x
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    path = tmp_path / "shapes_of_users.py"
    path.write_text(SOURCE, encoding="utf-8")
    yield path
    sys.modules.pop("shapes_of_users", None)


def test_a_method_is_that_of_an_instance(file):
    assert load_function(f"{file}:Model.call")(5) == 5


def test_a_class_that_needs_arguments_has_no_methods_to_trace(file):
    file.write_text("class Needs:\n    def __init__(self, a): ...\n    def f(self): ...\n")
    with pytest.raises(TargetError, match=r"'Needs\(\)' fails, so 'f' has no instance"):
        load_function(f"{file}:Needs.f")


def test_a_dtype_alone_is_a_scalar():
    assert parse_argument("float32") == ag.TensorSpec([], ag.float32)


def test_a_syntax_error_shows_its_line(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "broken.py").write_text("def f(:\n    pass\n")
    with pytest.raises(TargetError, match=r"line 1\): def f\(:"):
        load_function(f"{tmp_path / 'broken.py'}:f")


def test_a_function_of_a_file_is_found(file):
    assert load_function(f"{file}:double")(4) == 8


def test_a_method_is_found_by_its_class(file):
    assert load_function(f"{file}:Model.call").__qualname__ == "Model.call"


def test_a_function_of_a_module_is_found():
    assert load_function("json.decoder:scanstring").__name__ == "scanstring"


def test_a_module_in_the_working_directory_is_found(file, monkeypatch):
    monkeypatch.chdir(file.parent)
    assert load_function("shapes_of_users:double")(4) == 8


def test_a_file_sees_the_files_beside_it(file):
    beside = file.with_name("uses_the_other.py")
    beside.write_text("from shapes_of_users import double", encoding="utf-8")
    assert load_function(f"{beside}:double")(1) == 2


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("double", "'double' is not FILE.py:function or module:function"),
        (":double", "is not FILE.py:function"),
        ("nowhere.py:double", "there is no file 'nowhere.py'"),
        ("no_such_module:double", "ModuleNotFoundError"),
        ("{file}:doubel", "has no 'doubel'; did you mean 'double'?"),
        ("{file}:Model.cal", "did you mean 'call'?"),
        ("{file}:limit", "'limit' in '{file}' is of class int, and no function"),
        ("{file}:Model", "is a class: name a method, as {file}:Model.METHOD"),
    ],
)
def test_a_bad_target_is_told_in_one_line(file, target, words):
    with pytest.raises(TargetError) as caught:
        load_function(target.format(file=file))
    assert words.format(file=file) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("code", ["1 / 0", "raise SystemExit(3)", "def broken(:"])
def test_a_file_that_cannot_be_imported_is_told_in_one_line(tmp_path, monkeypatch, code):
    monkeypatch.setattr(sys, "path", list(sys.path))
    path = tmp_path / "broken_file_of_users.py"
    path.write_text(code, encoding="utf-8")
    with pytest.raises(TargetError, match="cannot import") as caught:
        load_function(f"{path}:f")
    assert "\n" not in str(caught.value)
    sys.modules.pop("broken_file_of_users", None)


@pytest.mark.parametrize(
    ("word", "shape", "dtype"),
    [
        ("float32[5]", [5], ag.float32),
        ("int32[]", [], ag.int32),
        ("bool[2, 3]", [2, 3], ag.bool),
        ("float64[None,3]", [None, 3], ag.float64),
        ("float32[?,?]", [None, None], ag.float32),
        ("int8[4,]", [4], ag.int8),
    ],
)
def test_a_tensor_is_written_as_its_type(word, shape, dtype):
    spec = parse_argument(word)
    assert (spec.shape.as_list(), spec.dtype) == (shape, dtype)


def test_three_dots_are_an_unknown_rank():
    assert parse_argument("float32[...]").shape.rank is None


@pytest.mark.parametrize("word", ["3", "0.5", "'text'", "[1, 2]", "None", "True", "{'a': (1, 2)}"])
def test_any_other_argument_is_a_python_literal(word):
    assert repr(parse_argument(word)) == word


def test_an_argument_can_be_given_by_name():
    positional, keywords = parse_arguments(("1", "y=2", "z=float32[2]"))
    assert positional == [1]
    assert keywords["y"] == 2 and keywords["z"].shape.as_list() == [2]


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("flaot32[5]", "'flaot32' is not a data type"),
        ("float32[x]", "'x' is no dimension"),
        ("float32[-1]", "'-1' is no dimension"),
        ("float33", "neither a tensor like float32[None,3] nor a Python literal"),
        ("2 +", "neither a tensor"),
        ("int32[]=x", "'x' is no int32"),
        ("int32[]=0.5", "'0.5' is no int32"),
        ("int32[None]=1", "needs a shape with every dimension"),
    ],
)
def test_a_bad_argument_is_told_with_its_words(word, words):
    with pytest.raises(TargetError) as caught:
        parse_argument(word)
    assert words in str(caught.value) and repr(word) in str(caught.value)


def test_a_tensor_can_be_given_its_value():
    filled = parse_argument("float32[2,2]=0.5")
    assert filled.dtype is ag.float32 and filled.numpy().tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert parse_argument("int64[] = 20").numpy() == 20


@pytest.mark.parametrize(
    "word", ["float16[3]", "float64[2,3]", "int8[4]", "uint16[]", "bool[5]", "complex64[2]"]
)
def test_numbers_are_sample_tensor_for_a_type(word):
    spec = parse_argument(word)
    array = sample_tensor(spec).numpy()
    assert (array.shape, array.dtype) == (tuple(spec.shape), spec.dtype.as_numpy_dtype)
    assert 0 <= array.real.min() and array.real.max() <= 1


def test_what_is_sample_tensor_is_a_text_or_the_argument_itself_where_it_is_no_number():
    assert sample_tensor(parse_argument("string[2]")).numpy().tolist() == [b"", b""]
    assert sample_tensor("text") == "text"
