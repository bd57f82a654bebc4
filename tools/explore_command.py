"""`allograph explore`: the page of a function, in a file or from a local server."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import webbrowser
from pathlib import Path

import click

from .. import explore
from ..library.explore.exploration import Exploration
from .command_support import is_jit_function, load, reporting_errors, tracing, usage_errors, write
from .explore_server import ExploreServer
from .targets import arrays_of, file_of, parse_arguments, sample_tensor


@click.command("explore")
@click.argument("target")
@click.argument("arguments", nargs=-1, metavar="[ARGUMENT]...")
@click.option("--output", type=click.Path(path_type=Path), help="Write the page to this file.")
@click.option("--time", "timed", is_flag=True, help="Run it, and show times.")
@click.option("--beside", metavar="TARGET", help="Show another version of it on the right.")
@click.option("--address", is_flag=True, help="Print the address, and open no browser.")
@click.option("--live", default="", hidden=True)
def explore_command(
    target: str,
    arguments: tuple[str, ...],
    output: Path | None,
    timed: bool,
    beside: str | None,
    address: bool,
    live: str,
) -> None:
    """Show TARGET in the browser: its source, linked with all that it becomes.

    The ARGUMENTs are those of `allograph graph`. The page is made again whenever a Python file
    beside TARGET changes. With --output, it is written to a file, which needs no server.
    """
    if output is not None:
        page = _exploration(target, arguments, timed)
        if beside is not None:
            page = page.beside(_exploration(beside, arguments, timed))
        write(output, page.html(live))
        return
    with usage_errors():
        watched = Path(file_of(target)).parent
    command = [sys.executable, "-m", "allograph", "explore", target, *arguments]
    command += ["--time"] * timed
    command += ["--beside", beside] if beside is not None else []
    server = ExploreServer(lambda: _page_of_new_process(command), watched)
    click.echo(f"{server.address}\nCtrl-C ends the server.")
    if not address:
        webbrowser.open(server.address)
    server.serve()


def _exploration(target: str, arguments: tuple[str, ...], timed: bool) -> Exploration:
    chosen = load(target)
    with usage_errors():
        positional, keywords = parse_arguments(arguments)
        if timed:
            positional = [sample_tensor(argument) for argument in positional]
            keywords = {name: sample_tensor(argument) for name, argument in keywords.items()}
            if is_jit_function(chosen):
                positional, keywords = arrays_of(positional, keywords)
    with tracing(chosen):
        return reporting_errors(lambda: explore(chosen, *positional, **keywords))


def _page_of_new_process(command: list[str]) -> tuple[str, str]:
    """The page, and what went wrong; a new process imports the changed files."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        options = ["--output", str(page), "--live", "events"]
        done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
        if done.returncode:
            return "", done.stderr
        return page.read_text(encoding="utf-8"), ""
