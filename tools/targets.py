"""Parse command-line arguments: functions, and specifications of their arguments."""

from __future__ import annotations

import ast
import difflib
import importlib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from .. import Tensor, TensorSpec, as_dtype, constant, dtypes

_SPEC = re.compile(r"([a-z]+[0-9]*)\[([^\]]*)\](?:=(.+))?")
DTYPES = {name for name in dir(dtypes) if isinstance(getattr(dtypes, name), dtypes.DType)}
_KEYWORD = re.compile(r"([A-Za-z_]\w*)=(?!=)(.+)", re.DOTALL)


class TargetError(ValueError):
    """An argument that is not a function or specification; the message is one line."""


def load_function(target: str) -> Callable[..., Any]:
    """The function that `FILE.py:name`, `package.module:name` or `...:Class.method` names.

    A method is one of an instance, which the class makes without arguments. Raises TargetError when
    the module does not exist, cannot be imported, or is no function.
    """
    module, colon, path = target.rpartition(":")
    if not colon or not module or not path:
        raise TargetError(f"'{target}' is not FILE.py:function or module:function")
    result: Any = load_file(module) if module.endswith(".py") else _load_module(module)
    for name in path.split("."):
        if not hasattr(result, name):
            raise TargetError(f"'{module}' has no '{path}'{_similar(name, result)}")
        result = getattr(_holder(result, name), name)
    if isinstance(result, type):
        raise TargetError(f"'{path}' in '{module}' is a class: name a method, as {target}.METHOD")
    if not callable(result):
        name = type(result).__name__
        raise TargetError(f"'{path}' in '{module}' is of class {name}, and no function")
    return result


def file_of(target: str) -> str:
    """The file that a target names, without loading it. Raises TargetError."""
    module = target.rpartition(":")[0]
    if module.endswith(".py") and os.path.isfile(module):
        return os.path.abspath(module)
    sys.path.insert(0, os.getcwd())
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        spec = None
    if spec is None or spec.origin is None:
        raise TargetError(f"there is no file or module '{module}'")
    return spec.origin


def _holder(found: Any, name: str) -> Any:
    """What an attribute is taken from: an instance of a class for its methods, else the object."""
    if not isinstance(found, type):
        return found
    if isinstance(inspect.getattr_static(found, name), (staticmethod, classmethod, type)):
        return found
    try:
        return found()
    except Exception as error:
        raise TargetError(
            f"'{found.__name__}()' fails, so '{name}' has no instance ({error}); name an object of "
            "the module instead"
        ) from error


def load_file(path: str) -> ModuleType:
    """The module of a Python file. Raises TargetError."""
    if not os.path.isfile(path):
        raise TargetError(f"there is no file '{path}'")
    folder, file = os.path.split(os.path.abspath(path))
    name = file.removesuffix(".py")
    spec = importlib.util.spec_from_file_location(name, os.path.join(folder, file))
    assert spec and spec.loader  # a file that ends in .py has them
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(name, module)
    sys.path.insert(0, folder)
    run = spec.loader.exec_module
    _importing(path, lambda: run(module))
    return module


def _load_module(name: str) -> ModuleType:
    sys.path.insert(0, os.getcwd())
    return _importing(name, lambda: importlib.import_module(name))


def _importing(module: str, load: Callable[[], Any]) -> Any:
    """Load the user's code; any failure becomes a one-line TargetError."""
    try:
        return load()
    except (Exception, SystemExit) as error:
        line = f": {error.text}" if isinstance(error, SyntaxError) and error.text else ""
        words = " ".join(f"{type(error).__name__}: {error}{line}".split())
        raise TargetError(f"cannot import '{module}': {words}") from error


def _similar(name: str, found: object) -> str:
    close = difflib.get_close_matches(name, [row for row in dir(found) if row[0] != "_"], n=1)
    return f"; did you mean '{close[0]}'?" if close else ""


def parse_arguments(words: tuple[str, ...]) -> tuple[list[Any], dict[str, Any]]:
    """Positional and keyword arguments: tensor specifications or Python literals.

    >>> parse_arguments(("float32[?,3]", "2", "name='x'"))
    ([TensorSpec(shape=(None, 3), dtype=ag.float32, name=None), 2], {'name': 'x'})
    """
    positional, keywords = [], {}
    for word in words:
        match = _KEYWORD.fullmatch(word)
        if match:
            keywords[match[1]] = parse_argument(match[2])
        else:
            positional.append(parse_argument(word))
    return positional, keywords


def parse_argument(word: str) -> Any:
    """A TensorSpec for `float32[5]`, `int32[]`, `float32[?,3]`, `float32[...]`; else a literal.

    `int32` is `int32[]`. `None` or `?` is an unknown dimension, `...` an unknown rank; `int32[]=20`
    is a tensor, every element of which has that value. Raises TargetError.
    """
    if word in DTYPES:
        word += "[]"
    match = _SPEC.fullmatch(word.replace(" ", ""))
    if match:
        spec = TensorSpec(_shape(match[2], word), _dtype(match[1], word))
        return spec if match[3] is None else _filled(spec, match[3], word)
    try:
        return ast.literal_eval(word)
    except (ValueError, SyntaxError):
        raise TargetError(
            f"'{word}' is neither a tensor like float32[None,3] nor a Python literal"
        ) from None


def sample_tensor(argument: Any) -> Any:
    """A tensor with sample values for a specification; any other argument as it is.

    Floats are from 0 to 1, integers in arrays are 0 or 1, and a single integer is 1: an index in
    range, and a short trip count. Raises TargetError for an unknown dimension.

    >>> sample_tensor(TensorSpec([], "int32")).numpy(), sample_tensor(3)
    (np.int32(1), 3)
    """
    if not isinstance(argument, TensorSpec):
        return argument
    shape = _static_shape(argument, f"running it on {argument.dtype.name}{argument.shape}")
    dtype = argument.dtype.as_numpy_dtype
    if argument.dtype.name == "string":
        return constant(np.full(shape, ""))
    random = np.random.default_rng(0)
    if argument.dtype.is_floating or argument.dtype.is_complex:
        return constant(random.random(shape).astype(dtype))
    return constant(np.asarray(random.integers(0 if shape else 1, 2, shape)).astype(dtype))


def arrays_of(positional: list[Any], keywords: dict[str, Any]) -> tuple[list, dict[str, Any]]:
    """Arguments as NumPy arrays: new ones for specifications and tensors. Raises TargetError."""

    def array(argument: Any) -> Any:
        sampled = sample_tensor(argument)
        return sampled.numpy().copy() if isinstance(sampled, Tensor) else sampled

    return list(map(array, positional)), {
        name: array(keyword) for name, keyword in keywords.items()
    }


def _filled(spec: TensorSpec, value: str, word: str) -> Any:
    shape = _static_shape(spec, f"'{word}'")
    try:
        return constant(np.full(shape, ast.literal_eval(value)), spec.dtype)
    except (ValueError, SyntaxError, TypeError) as error:
        raise TargetError(f"in '{word}': '{value}' is no {spec.dtype.name}") from error


def _static_shape(spec: Any, what: str) -> tuple[int, ...]:
    if spec.shape.rank is None or None in spec.shape:
        raise TargetError(f"{what} needs a shape with every dimension")
    return tuple(spec.shape)


def _dtype(name: str, word: str) -> Any:
    try:
        return as_dtype(name)
    except TypeError as error:
        raise TargetError(f"in '{word}': {error}") from None


def _shape(dims: str, word: str) -> list[int | None] | None:
    if dims == "...":
        return None
    sizes = dims.removesuffix(",").split(",") if dims else []
    for size in sizes:
        if not (size in ("None", "?") or size.isdecimal()):
            raise TargetError(f"in '{word}': '{size}' is no dimension; give a number, None or ?")
    return [int(size) if size.isdecimal() else None for size in sizes]
