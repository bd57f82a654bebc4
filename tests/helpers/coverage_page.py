"""The page `docs/coverage.md`: which names of TensorFlow there are, by namespace.

python tests/helpers/coverage_page.py     # rewrites it
"""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import allograph as ag
from allograph.runtime.core.public_names import lookup, reference_names

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
HEAD = """# Names of TensorFlow

Which of TensorFlow's public names this package has, by namespace. The error of a missing name says
the same. `python tests/helpers/coverage_page.py` writes this page.

| namespace | has | of |
|---|---|---|
"""
MISSING = """
## Missing names

"""
OUT_OF_SCOPE = """
## Out of scope

These namespaces and names are left out on purpose.

"""


def is_there(namespace: str, name: str) -> bool:
    full = name if namespace == "root" else f"{namespace}.{name}"
    if name == "bfloat16" or lookup(full) is not None:
        return True
    return namespace == "autograph" and hasattr(ag.autograph, name)


def in_code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def page() -> str:
    names, excluded, _ = reference_names()
    counts, missing, by_purpose = [], [], defaultdict(list)
    for namespace, members in names.items():
        label = "`tf`" if namespace == "root" else f"`tf.{namespace}`"
        absent = [name for name in members if not is_there(namespace, name)]
        counts.append(f"| {label} | {len(members) - len(absent)} | {len(members)} |\n")
        if absent:
            missing.append(f"- {label}: {in_code(absent)}\n")
    for name, purpose in excluded.items():
        by_purpose[purpose].append(f"tf.{name}")
    others = [
        f"- {in_brackets(purpose)}: {in_code(names)}\n" for purpose, names in by_purpose.items()
    ]
    return "".join([HEAD, *counts, MISSING, *missing, OUT_OF_SCOPE, *others])


def in_brackets(purpose: str) -> str:
    """What a name is for, and in brackets what to use instead."""
    what, _, cure = purpose.partition(": ")
    return f"{what[0].upper()}{what[1:]}" + (f" ({cure})" if cure else "")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
