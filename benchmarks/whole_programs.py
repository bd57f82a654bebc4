"""What `allograph run` costs and gains: programs of two files by `python` and by `allograph run`.

Times are seconds of processor time of the process, its start included, the least of the rounds.
The first row is an empty program: the start alone.

    python benchmarks/whole_programs.py --repeat 10 --rounds 3 ising words
"""

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

PROGRAMS = Path(__file__).parents[1] / "tests" / "tools" / "programs"
COMMANDS = {
    "python": [sys.executable],
    "allograph run": [sys.executable, "-m", "allograph", "run", "--quiet"],
}


def written(name: str, repeat: int, folder: Path) -> Path:
    """The program in a folder, its work done `repeat` times."""
    model = f"{name}_model.py"
    shutil.copy(PROGRAMS / model, folder / model)
    work = (PROGRAMS / f"{name}.py").read_text(encoding="utf-8")
    program = folder / f"{name}.py"
    program.write_text(f"for _ in range({repeat}):\n{textwrap.indent(work, '    ')}", "utf-8")
    return program


def seconds(command: list[str], program: Path) -> tuple[float, str]:
    """The processor time of a process and its children, and what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([*command, str(program)], capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def row(program: Path, rounds: int) -> str:
    least: dict[str, float] = {}
    printed = set()
    for _ in range(rounds):
        for name, command in COMMANDS.items():
            took, output = seconds(command, program)
            least[name] = min(took, least.get(name, took))
            printed.add(output)
    assert len(printed) == 1, f"{program.stem} prints something else"
    python, ours = least.values()
    return f"| {program.stem} | {python:.2f} | {ours:.2f} | {python / ours:.2f} |"


def main() -> None:
    names = sorted(one.stem.removesuffix("_model") for one in PROGRAMS.glob("*_model.py"))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=names, help="some of the programs")
    parser.add_argument("--repeat", type=int, default=10, help="how often each does its work")
    parser.add_argument("--rounds", type=int, default=3, help="the least of so many times counts")
    chosen = parser.parse_args()
    print("| program | python | allograph run | gain |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder, "empty.py")
        empty.write_text("", encoding="utf-8")
        print(row(empty, chosen.rounds), flush=True)
        for name in chosen.names:
            print(row(written(name, chosen.repeat, Path(folder)), chosen.rounds), flush=True)


if __name__ == "__main__":
    main()
