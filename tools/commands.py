"""The commands of `allograph`, a function each."""

from __future__ import annotations

import contextlib
import inspect
import runpy
import sys
import textwrap
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from .. import annotate, autograph, kernel_cache, profiler
from .check_command import check_command
from .command_support import (
    is_jit_function,
    load,
    reporting_errors,
    traced,
    tracing,
    usage_errors,
    without_self,
    write,
)
from .dot import as_dot
from .explore_command import explore_command
from .export_command import export_command
from .listing import aligned, beside, mapped, show_code
from .run_command import run_command
from .targets import arrays_of, parse_arguments, sample_tensor


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="allograph")
def allograph() -> None:
    """Show what allograph turns a Python function into.

    TARGET is FILE.py:function, package.module:function or ...:Class.method.
    """


allograph.add_command(explore_command)
allograph.add_command(check_command)
allograph.add_command(export_command)
allograph.add_command(run_command)


@allograph.command("to-code")
@click.argument("target")
@click.option("--original", is_flag=True, help="Show the original beside the generated source.")
@click.option(
    "--map", "numbered", is_flag=True, help="Number the lines, with the original line of each."
)
@click.option("--diff", is_flag=True, help="Show each original line beside its generated lines.")
@click.option("--output", type=click.Path(path_type=Path), help="Write to this file instead.")
def to_code(target: str, original: bool, numbered: bool, diff: bool, output: Path | None) -> None:
    """Print the source that is generated for TARGET."""
    chosen = load(target)
    plain = getattr(chosen, "python_function", chosen)
    plain = getattr(plain, "__func__", plain)  # of a method
    code = reporting_errors(lambda: autograph.to_code(plain, laid_out=True))
    if numbered or diff:
        lines = reporting_errors(lambda: autograph.line_map(plain, laid_out=True))
        page = reporting_errors(lambda: _diff(plain, code, lines)) if diff else mapped(code, lines)
        _show_page(page, output)
        return
    before = reporting_errors(lambda: _source(plain)) if original else None
    if output is None:
        show_code(code, before)
    else:
        page = code if before is None else beside(before, code)
        write(output, page.rstrip("\n") + "\n")


@allograph.command("graph")
@click.argument("target")
@click.argument("arguments", nargs=-1, metavar="[ARGUMENT]...")
@click.option("--format", "form", type=click.Choice(["text", "dot"]), default="text")
@click.option("--optimized", is_flag=True, help="After the passes that simplify it.")
def graph(target: str, arguments: tuple[str, ...], form: str, optimized: bool) -> None:
    """Print the graph of TARGET for the given arguments.

    An ARGUMENT is a tensor such as float32[5], int32[] or float32[None,3], or a Python literal;
    name=ARGUMENT passes it by name; int32[]=20 is a tensor with that value. Quote the brackets in
    most shells.
    """
    concrete = traced(target, arguments)
    chosen = concrete.optimized_graph if optimized else concrete.frozen
    print((as_dot(chosen) if form == "dot" else chosen.as_text()).rstrip("\n"))


@allograph.command("explain")
@click.argument("target")
@click.argument("arguments", nargs=-1, metavar="[ARGUMENT]...")
@click.option(
    "--time", "timed", is_flag=True, help="Run it, and show times beside the machine's limits."
)
@click.option("--passes", is_flag=True, help="Show what each pass over graphs changes instead.")
@click.option("--listing", is_flag=True, help="Mark each line of the source instead.")
@click.option("--output", type=click.Path(path_type=Path), help="Write the listing as HTML.")
def explain(
    target: str, arguments: tuple[str, ...], timed: bool, passes: bool, listing: bool,
    output: Path | None,
) -> None:  # fmt: skip
    """Show for each operation of TARGET whether it runs as native code, and what it costs.

    The ARGUMENTs are those of `allograph graph`. With --time, each step is compiled and run by
    itself; the output shows its time, and the factor to this machine's limit for memory or
    arithmetic. Tensors get random numbers from 0 to 1, unless a value is given: int32[]=20.

    A function of NumPy arrays, by ag.jit, is called with such arrays.
    """
    chosen = load(target)
    if listing or output is not None:
        _show_listing(chosen, arguments, output)
        return
    if is_jit_function(chosen) and not passes:
        print(_inspected(chosen, arguments, timed))
        return
    concrete = traced(chosen, arguments)
    if passes:
        print(concrete.explain_passes())
        return
    if not timed:
        print(concrete.explain())
        _tell_problem()
        return
    with usage_errors():
        positional, keywords = parse_arguments(arguments)
        positional = [sample_tensor(argument) for argument in positional]
        keywords = {name: sample_tensor(argument) for name, argument in keywords.items()}
    print(reporting_errors(lambda: concrete.measure(*positional, **keywords)))
    _tell_problem()


def _show_listing(chosen: Any, arguments: tuple[str, ...], output: Path | None) -> None:
    with usage_errors():
        positional, keywords = parse_arguments(arguments)
        if is_jit_function(chosen):
            positional, keywords = arrays_of(positional, keywords)
    with tracing(chosen):
        shown = reporting_errors(lambda: annotate(chosen, *positional, **keywords))
    if output is not None:
        shown.save(output)
    else:
        print(shown)


def _inspected(jitted: Any, arguments: tuple[str, ...], timed: bool) -> str:
    """What a function of NumPy arrays becomes, which is called with arrays of these types, and the
    times of its steps.
    """
    with usage_errors():
        positional, keywords = arrays_of(*parse_arguments(arguments))
    with contextlib.redirect_stdout(sys.stderr):  # what the function prints
        reporting_errors(lambda: jitted(*positional, **keywords))
        told = jitted.inspect()
        if not timed:
            return told
        plain, own = without_self(jitted)
        positional, keywords = arrays_of(*parse_arguments(arguments))  # a call may change them
        concrete = reporting_errors(
            lambda: plain.get_concrete_function(*own, *positional, **keywords)
        )
        measured = reporting_errors(lambda: concrete.measure(*own, *positional, **keywords))
    return f"{told}\n\n{measured}"


@allograph.command("profile", context_settings={"ignore_unknown_options": True})
@click.argument("script", type=click.Path(exists=True, dir_okay=False))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[ARGUMENT]...")
@click.option("--most", default=20, help="How many lines to show.")
@click.option("--output", type=click.Path(), help="Write a trace for viewers below this folder.")
def profile(script: str, arguments: tuple[str, ...], most: int, output: str | None) -> None:
    """Run SCRIPT, then print its lines whose operations took longest.

    Functions run on NumPy meanwhile. Options stand before SCRIPT.
    """
    sys.argv = [script, *arguments]
    sys.path.insert(0, str(Path(script).resolve().parent))
    profiler.experimental.start(output or "")
    failure: Exception | None = None
    try:
        runpy.run_path(script, run_name="__main__")
    except Exception as error:
        failure = error
    finally:
        recording = profiler.experimental.stop(save=output is not None)
        if not isinstance(failure, SyntaxError):
            click.echo(recording.table(most))
    if failure is not None:
        traceback.print_exception(_from_script(failure, script))
        sys.exit(1)


def _from_script(error: Exception, script: str) -> Exception:
    """The error, its traceback from the script on."""
    entry = error.__traceback__
    while entry is not None and entry.tb_frame.f_code.co_filename != script:
        entry = entry.tb_next
    return error.with_traceback(entry)  # none if the script does not even compile


@allograph.group("cache", invoke_without_command=True)
@click.pass_context
def cache(context: click.Context) -> None:
    """Look at the compiled kernels on disk, or remove them."""
    if context.invoked_subcommand is None:
        stored = kernel_cache.kernels()
        print(f"{kernel_cache.folder()}: {_count(stored)}, {_bytes(sum(k.size for k in stored))}")
        _tell_problem()


@cache.command("list")
def cache_list() -> None:
    """A line for each kernel: its name, size, age, the versions it was made with, and the function
    that was compiled.
    """
    for kernel in kernel_cache.kernels():
        age = time.strftime("%Y-%m-%d %H:%M", time.localtime(kernel.made))
        words = kernel.name, f"{_bytes(kernel.size):>9}", age, kernel.versions, kernel.origin
        print("  ".join(words).rstrip())
    _tell_problem()


@cache.command("warm")
@click.argument("target")
@click.argument("arguments", nargs=-1, metavar="[ARGUMENT]...")
def cache_warm(target: str, arguments: tuple[str, ...]) -> None:
    """Compile TARGET for the given arguments, so that programs find its kernels on disk.

    The ARGUMENTs are those of `allograph graph`.
    """
    concrete = traced(target, arguments)
    reporting_errors(concrete.executable.precompile)
    reason = concrete.executable.why_not_native
    if reason:
        raise click.ClickException(f"no native code: {reason}")
    print(f"{target}: {_count(concrete.kernels())} in {kernel_cache.folder()}")
    _tell_problem()


@cache.command("clear")
def cache_clear() -> None:
    """Remove all kernels; programs compile again what they need."""
    stored = kernel_cache.kernels()
    print(f"removed {_count(stored)}, {_bytes(kernel_cache.clear())}")


def _tell_problem() -> None:
    """A line where kernels are not kept on disk, because others control the folder."""
    problem = kernel_cache.problem()
    if problem:
        print(problem)


def _count(stored: list) -> str:
    return f"{len(stored)} kernel{'' if len(stored) == 1 else 's'}"


def _bytes(size: int) -> str:
    """A size for people, in steps of 1000.

    >>> _bytes(999), _bytes(12_345)
    ('999 B', '12.3 kB')
    """
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= scale:
            return f"{size / scale:.1f} {unit}"
    return f"{size} B"


def _diff(plain: Callable[..., Any], code: str, lines: dict[int, int]) -> str:
    block, first = inspect.getsourcelines(plain)
    return aligned(textwrap.dedent("".join(block)).splitlines(), first, code, lines)


def _show_page(page: str, output: Path | None) -> None:
    if output is None:
        print(page)
    else:
        write(output, page + "\n")


def _source(plain: Callable[..., Any]) -> str:
    return textwrap.dedent(inspect.getsource(plain))
