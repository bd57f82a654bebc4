"""The settings that `docs/ide.md` gives for editors work."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from allograph.tools.commands import allograph
from allograph.tools.findings import CODES

PAGE = (Path(__file__).parents[2] / "docs" / "ide.md").read_text(encoding="utf-8")
BLOCKS = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]
(TASKS,) = (block for block in BLOCKS if "tasks" in block)
(LAUNCH,) = (block for block in BLOCKS if "configurations" in block)

SCRIPT = """
import allograph as ag

# check: int32[]
@ag.function
def halve(n):
    while n > 1:
        n = n // 2
    return n

print(int(halve(ag.constant(9))))
"""
LINE = SCRIPT.splitlines().index("        n = n // 2") + 1


@pytest.fixture
def finding(tmp_path):
    """A line that `allograph check` prints, and the file."""
    file = tmp_path / "model.py"
    file.write_text("import allograph as ag\n\n@ag.function\ndef f(x):\n    yield x\n", "utf-8")
    return CliRunner().invoke(allograph, ["check", str(file)]).stdout.strip(), str(file)


def test_the_matcher_of_the_task_reads_what_the_command_prints(finding):
    line, file = finding
    (task,) = TASKS["tasks"]
    pattern = task["problemMatcher"]["pattern"]
    match = re.match(pattern["regexp"], line)
    parts = {name: match[pattern[name]] for name in ("file", "line", "column", "code")}
    assert parts == {"file": file, "line": "3", "column": "1", "code": "AG101"}


def test_the_output_filter_of_the_external_tool_reads_what_the_command_prints(finding):
    line, file = finding
    (wanted,) = re.findall(r"\| Output filters \| `(.*)` \|", PAGE)
    for name, pattern in (("FILE_PATH", r"(.+?)"), ("LINE", r"(\d+)"), ("COLUMN", r"(\d+)")):
        wanted = wanted.replace(f"${name}$", pattern)
    assert re.fullmatch(wanted, line).groups() == (file, "3", "1")


def test_the_page_has_every_code():
    assert re.findall(r"^\| `(AG\d+)` \|", PAGE, re.MULTILINE) == list(CODES)


@pytest.mark.slow
@pytest.mark.parametrize(
    "configuration", LAUNCH["configurations"], ids=lambda configuration: configuration["name"]
)
def test_a_configuration_stops_where_the_page_says(configuration, tmp_path):
    pytest.importorskip("debugpy")
    from debug_adapter import Debugger

    script = tmp_path / "model.py"
    script.write_text(SCRIPT, encoding="utf-8")
    environment = {
        name: value.replace("${workspaceFolder}", str(tmp_path))
        for name, value in configuration.get("env", {}).items()
    }
    name = configuration["name"]
    with Debugger(script, environment, just_my_code=configuration["justMyCode"]) as session:
        session.break_at(script, LINE)
        session.run()
        # While tracing, which is once; in every iteration; never, since other files run.
        stops = {"my code": 1, "every iteration": 3, "generated code": 0}[name]
        for _ in range(stops):
            function, file, line = session.stopped()[0]
            assert (function, Path(file).name, line) == ("halve", "model.py", LINE)
            session.go()
        assert session.output().strip() == "1"
    written = list((tmp_path / ".allograph").rglob("halve*.py"))
    assert bool(written) == (name == "generated code")
