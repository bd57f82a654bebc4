"""The commands of `allograph`, a function each."""

from __future__ import annotations

import contextlib
import inspect
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from .. import autograph, function
from .dot import as_dot
from .listing import beside, show_code
from .targets import TargetError, load_function, parse_arguments


class UsageError(click.ClickException):
    """One line on the error stream, exit code 2."""

    exit_code = 2


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="allograph")
def allograph() -> None:
    """Look at what allograph makes of a Python function.

    TARGET is FILE.py:function, package.module:function or ...:Class.method.
    """


@allograph.command("to-code")
@click.argument("target")
@click.option("--original", is_flag=True, help="Show the original beside the generated source.")
@click.option("--output", type=click.Path(path_type=Path), help="Write to this file instead.")
def to_code(target: str, original: bool, output: Path | None) -> None:
    """Print the source that is generated for TARGET."""
    chosen = _load(target)
    plain = getattr(chosen, "python_function", chosen)
    code = _told(lambda: autograph.to_code(plain))
    before = _told(lambda: _source(plain)) if original else None
    if output is None:
        show_code(code, before)
    else:
        text = code if before is None else beside(before, code)
        _write(output, text.rstrip("\n") + "\n")


@allograph.command("graph")
@click.argument("target")
@click.argument("arguments", nargs=-1, metavar="[ARGUMENT]...")
@click.option("--format", "form", type=click.Choice(["text", "dot"]), default="text")
@click.option("--optimized", is_flag=True, help="After the passes that simplify it.")
def graph(target: str, arguments: tuple[str, ...], form: str, optimized: bool) -> None:
    """Print the graph of TARGET for the given arguments.

    An ARGUMENT is a tensor such as float32[5], int32[] or float32[None,3], or a Python literal;
    name=ARGUMENT passes it by name. Quote the brackets in most shells.
    """
    chosen = _load(target)
    traced: Any = chosen if hasattr(chosen, "get_concrete_function") else function(chosen)
    with _usage_errors():
        positional, keywords = parse_arguments(arguments)
    _check_arguments(traced.python_function, positional, keywords)
    with contextlib.redirect_stdout(sys.stderr):  # what the function prints while it is traced
        concrete = _told(lambda: traced.get_concrete_function(*positional, **keywords))
    shown = concrete.optimized_graph if optimized else concrete.frozen
    print((as_dot(shown) if form == "dot" else shown.as_text()).rstrip("\n"))


def _load(target: str) -> Callable[..., Any]:
    with _usage_errors(), contextlib.redirect_stdout(sys.stderr):
        return load_function(target)


@contextlib.contextmanager
def _usage_errors() -> Any:
    try:
        yield
    except TargetError as error:
        raise UsageError(str(error)) from None


def _write(output: Path, text: str) -> None:
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write '{output}': {error.strerror}") from None


def _check_arguments(plain: Callable[..., Any], positional: list, keywords: dict) -> None:
    signature = inspect.signature(plain)
    try:
        signature.bind(*positional, **keywords)
    except TypeError as error:
        raise UsageError(f"{plain.__name__}{signature}: {error}") from None


def _told(work: Callable[[], Any]) -> Any:
    """The result of `work`; an error about the user's function is its message, exit code 1."""
    try:
        return work()
    except Exception as error:
        raise click.ClickException(f"{type(error).__name__}: {error}") from error


def _source(plain: Callable[..., Any]) -> str:
    return textwrap.dedent(inspect.getsource(plain))
