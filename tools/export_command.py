"""The command `allograph export`: functions as models for other runtimes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .. import onnx
from .command_support import reporting_errors, traced


@click.command("export")
@click.argument("target")
@click.argument("arguments", nargs=-1, metavar="[ARGUMENT]...")
@click.option("--output", type=click.Path(path_type=Path), required=True, help="The .onnx file.")
@click.option("--opset", type=int, help="The version of the operators of ONNX.")
@click.option("--unchecked", is_flag=True, help="Leave out asserts, exceptions and printing.")
@click.option("--state", is_flag=True, help="Make assigned variables inputs and results.")
def export_command(
    target: str, arguments: tuple[str, ...], output: Path, opset: int | None, unchecked: bool,
    state: bool,
) -> None:  # fmt: skip
    """Write TARGET as an ONNX model. The ARGUMENTs are those of `allograph graph`."""
    concrete = traced(target, arguments)
    options: dict[str, Any] = {"checks": not unchecked, "state": state}
    if opset is not None:
        options["opset"] = opset
    model = reporting_errors(lambda: onnx.export(concrete, output, **options))
    print(f"{output}: {len(model.graph.node)} nodes, {output.stat().st_size:,} bytes")
