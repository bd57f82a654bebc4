"""What the commands share: targets, their traces, and errors in one line."""

from __future__ import annotations

import contextlib
import inspect
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from .. import errors, function
from .targets import TargetError, load_function, parse_arguments


class UsageError(click.ClickException):
    """One line on the error stream, exit code 2."""

    exit_code = 2


def traced(target: str | Callable[..., Any], arguments: tuple[str, ...]) -> Any:
    """The concrete function of TARGET, or of a function, for these arguments."""
    chosen = load(target) if isinstance(target, str) else target
    chosen, own = without_self(chosen)
    traced: Any = chosen if hasattr(chosen, "get_concrete_function") else function(chosen)
    with usage_errors():
        positional, keywords = parse_arguments(arguments)
    positional = [*own, *positional]
    _check_arguments(traced.python_function, positional, keywords)
    with tracing(chosen):
        return reporting_errors(lambda: traced.get_concrete_function(*positional, **keywords))


@contextlib.contextmanager
def tracing(chosen: Any) -> Iterator[None]:
    """Around a trace: what the function prints goes to the error stream.

    A long loop of a function without decorator is an error: `ag.jit` might be meant.
    """
    with contextlib.redirect_stdout(sys.stderr), warnings.catch_warnings():
        if not hasattr(chosen, "get_concrete_function"):
            warnings.simplefilter("error", errors.UnrolledLoopWarning)
        yield


def load(target: str) -> Callable[..., Any]:
    with usage_errors(), contextlib.redirect_stdout(sys.stderr):
        return load_function(target)


def without_self(chosen: Any) -> tuple[Any, list[Any]]:
    """A function, and the arguments that it has already: a method of `jit` is its function and the
    instance.
    """
    is_method = is_jit_function(chosen) and hasattr(chosen, "__func__")
    return (chosen.__func__, [chosen.__self__]) if is_method else (chosen, [])


def is_jit_function(chosen: Any) -> bool:
    return getattr(type(getattr(chosen, "__func__", chosen)), "is_jit_function", False)


@contextlib.contextmanager
def usage_errors() -> Any:
    try:
        yield
    except TargetError as error:
        raise UsageError(str(error)) from None


def write(output: Path, content: str) -> None:
    try:
        output.write_text(content, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write '{output}': {error.strerror}") from None


def _check_arguments(plain: Callable[..., Any], positional: list, keywords: dict) -> None:
    signature = inspect.signature(plain)
    try:
        signature.bind(*positional, **keywords)
    except TypeError as error:
        raise UsageError(f"{plain.__name__}{signature}: {error}") from None


def reporting_errors(work: Callable[[], Any]) -> Any:
    """The result of `work`; an error becomes its message and exit code 1."""
    try:
        return work()
    except errors.UnrolledLoopWarning as error:
        cure = "A function of NumPy arrays keeps its loops: decorate it with ag.jit."
        raise click.ClickException(f"{type(error).__name__}: {error}\n{cure}") from error
    except Exception as error:
        raise click.ClickException(f"{type(error).__name__}: {_told(error)}") from error


def _told(error: Exception) -> str:
    """What an error says, without the line of the command that it may take for the user's."""
    where = getattr(error, "where", None)
    if where is None or Path(where.file).parent != Path(click.__file__).parent:
        return str(error)
    parts = (getattr(error, "message", str(error)), getattr(error, "cure", ""))
    return "\n".join(filter(None, parts))
