"""`allograph check`: findings in the formats that editors and services read."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from .command_support import usage_errors
from .findings import CODES, Finding, findings_of


@click.command("check")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
@click.option("--format", "form", type=click.Choice(["text", "json", "sarif"]), default="text")
@click.option("--strict", is_flag=True, help="Exit with status 1 if there are findings.")
def check_command(files: tuple[str, ...], form: str, strict: bool) -> None:
    """List what in FILES is not converted, is unrolled, is traced again, or stays on NumPy.

    The files are imported. Their decorated functions are converted, and traced for the types in
    the comments above them, such as `# check: float32[?,3] int32[]`, or in their input_signature.
    Each finding is a line `path:line:column: code message`. A comment `# noqa: AG401` on a line
    silences it. AG001 says what could not be checked, and is no finding to --strict.
    """
    found: list[Finding] = []
    for file in files:
        with usage_errors():
            found += findings_of(file)
    click.echo(FORMATS[form](found), nl=bool(found) or form != "text")
    if strict and any(not one.is_note for one in found):
        sys.exit(1)


def _as_lines(found: list[Finding]) -> str:
    return "\n".join(map(str, found))


def _as_json(found: list[Finding]) -> str:
    return json.dumps([one._asdict() for one in found], indent=2)


def _as_sarif(found: list[Finding]) -> str:
    """SARIF 2.1.0, which code hosts show beside the lines of a change."""
    rules = [{"id": code, "shortDescription": {"text": words}} for code, words in CODES.items()]
    driver = {"name": "allograph", "rules": rules}
    run = {"tool": {"driver": driver}, "results": [_result(one) for one in found]}
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=2)


def _result(finding: Finding) -> dict[str, Any]:
    region = {"startLine": finding.line, "startColumn": finding.column}
    place = {"artifactLocation": {"uri": Path(finding.path).as_posix()}, "region": region}
    return {
        "ruleId": finding.code,
        "level": "note" if finding.is_note else "warning",
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": place}],
    }


FORMATS: dict[str, Callable[[list[Finding]], str]] = {
    "text": _as_lines,
    "json": _as_json,
    "sarif": _as_sarif,
}
