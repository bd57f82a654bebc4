"""`allograph run`: a whole program, whose hot loops become native code by themselves."""

from __future__ import annotations

import os
import sys
import time
import traceback
from pathlib import Path

import click

from .own_modules import OwnModules, run_module, run_script, table


@click.command("run", context_settings={"allow_interspersed_args": False})
@click.option("--module", "as_module", is_flag=True, help="PROGRAM is a module, as for python -m.")
@click.option("--only", multiple=True, metavar="FUNCTION", help="Accelerate these functions alone.")
@click.option("--report", type=click.Path(path_type=Path), help="Write the table to this file.")
@click.option("--quiet", is_flag=True, help="Print no table.")
@click.argument("program")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[ARGUMENT]...")
def run_command(
    as_module: bool, only: tuple[str, ...], report: Path | None, quiet: bool, program: str,
    arguments: tuple[str, ...],
) -> None:  # fmt: skip
    """Run PROGRAM, a file, with its hot loops as native code.

    Loops of the program's own modules that take long are compiled as `ag.jit` compiles functions,
    while they run; all others are left alone. The error stream then gets a table of what was
    accelerated and what not, with the reason and the decorator to write. Options stand before
    PROGRAM.
    """
    if not as_module and not os.path.isfile(program):
        raise click.UsageError(f"there is no file '{program}'")
    folder = os.getcwd() if as_module else os.path.dirname(os.path.abspath(program))
    sys.argv = [program, *arguments]
    sys.path.insert(0, folder)
    modules = OwnModules(folder, only)
    sys.meta_path.insert(0, modules)
    start = time.perf_counter()
    status: int | str | None = 0
    try:
        (run_module if as_module else run_script)(program, modules)
    except SystemExit as ending:
        status = ending.code  # type: ignore[assignment]
    except BaseException as error:
        traceback.print_exception(_of_program(error))
        status = 1
    sys.stdout.flush()
    lines = [f"allograph run: {time.perf_counter() - start:.2f} s", *table(modules.records, folder)]
    if report is not None:
        report.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if not quiet:
        click.echo("\n".join(lines), err=True)
    sys.exit(status)


def _of_program(error: BaseException) -> BaseException:
    """The error, its traceback without the frames of this command."""
    own = os.path.dirname(__file__) + os.sep
    entry = error.__traceback__
    while entry is not None and (
        entry.tb_frame.f_code.co_filename.startswith(own)
        or entry.tb_frame.f_code.co_filename.startswith(os.path.dirname(click.__file__))
    ):
        entry = entry.tb_next
    return error.with_traceback(entry)
