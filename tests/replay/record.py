"""Write the records of one part of one tree: `python -m replay.record OUTPUT PART`.

The part is `programs`, or a file or folder of tests. The tree is the working directory, and has to
be the one that `import allograph` finds.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import allograph

PROGRAMS = "programs"


def main(output: str, part: str) -> int:
    tree = Path.cwd()
    found = Path(allograph.__file__).parent
    if found.resolve() != tree.resolve():
        print(f"allograph is found in {found}, not in {tree}", file=sys.stderr)
        return 2
    sys.path[:0] = [str(tree / "tests"), str(tree / "tests" / "helpers")]
    sys.path.append(str(tree / "benchmarks"))
    from replay.recorder import Recorder

    begun = time.process_time()
    partial = Path(f"{output}.partial")
    trees = tuple(dict.fromkeys(map(str, (tree, tree.resolve()))))
    with (
        tempfile.TemporaryDirectory() as cache,
        partial.open("w", encoding="utf-8") as file,
        Recorder(file, trees, thorough=part == PROGRAMS).installed() as recorder,
    ):
        os.environ["ALLOGRAPH_CACHE_DIR"] = cache
        summary = _record(recorder, part)
    partial.replace(output)
    print(f"{part}: {summary}, {time.process_time() - begun:.0f} s of processor time")
    return 0


def _record(recorder, part: str) -> str:
    if part == PROGRAMS:
        from replay.programs import record_programs

        record_programs(recorder)
        return "done"
    if not Path(part).exists():
        return "not in this tree"
    from replay.plugin import record_tests

    return record_tests(recorder, part)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
