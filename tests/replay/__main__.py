"""Compare what every program becomes in two revisions: `make replay BASE=main~3`.

A refactoring changes none of these texts: generated source, graphs before and after the passes,
programs, NumPy plans, kernels. Ends with status 1 where one differs or is missing. Parts are
`programs` (benchmark problems and generated programs) and files or folders of tests.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from pathlib import Path

from replay.compare import Comparison, Records, rename_rules
from replay.trees import ROOT, FailedRecordingError, Side, record


def options_of(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make replay", description=__doc__)
    parser.add_argument("cases", nargs="*", help="files or folders of tests; default: cases.txt")
    parser.add_argument("--base", default="HEAD", help="the revision to compare with (HEAD)")
    parser.add_argument("--target", help="another revision instead of the working tree")
    parser.add_argument(
        "--bring-recorder", action="store_true", help="record the base by the recorder of this tree"
    )
    parser.add_argument("--no-programs", action="store_true", help="compare only tests")
    parser.add_argument("--show", type=int, default=2, metavar="N", help="differences of a stage")
    parser.add_argument("--rename", type=Path, help="a file of `old new`: words of the base")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    options = options_of(arguments)
    rules = rename_rules(options.rename.read_text(encoding="utf-8")) if options.rename else []
    begun = time.monotonic()
    base = Side.of(options.base, options.bring_recorder)
    here = Side.of(options.target)
    first = [] if options.no_programs else ["programs"]
    chosen = [part_of(case) for case in options.cases]
    try:
        parts = {side: first + (chosen or side.default_parts()) for side in (base, here)}
        found = recorded(parts, options.jobs)
    except FailedRecordingError as error:
        print(error, file=sys.stderr)
        return 2
    comparison = Comparison(found[base].renamed(rules), found[here])
    print(comparison.report(options.show))
    verdict = "no text differs" if comparison.is_equal else "THE TEXTS DIFFER"
    print(f"\n{base.title} and {here.title}: {verdict} ({time.monotonic() - begun:.0f} s)")
    return 0 if comparison.is_equal else 1


def part_of(case: str) -> str:
    """Tests of the repository by their path in it, others by their full path."""
    path = (ROOT / case).resolve()
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)


def recorded(parts: dict[Side, list[str]], jobs: int) -> dict[Side, Records]:
    """The records of each side, of its parts; what is not there yet is recorded now."""
    with contextlib.ExitStack() as stack:
        work = []
        for side, wanted in parts.items():
            missing = side.missing(wanted)
            if missing:
                stack.enter_context(side.checked_out())
            work += [(wanted.index(part), side, part) for part in missing]
        work.sort(key=lambda row: row[0])  # the longest of both sides come first
        record([row[1:] for row in work], jobs)
    return {side: Records.read(map(side.output, wanted)) for side, wanted in parts.items()}


if __name__ == "__main__":
    sys.exit(main())
