"""The page `docs/coverage.md`: which names of TensorFlow there are, by namespace.

python tests/helpers/coverage_page.py     # rewrites it
"""

from pathlib import Path

import allograph as ag
from allograph.runtime.core.public_names import lookup, reference_names

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
HEAD = """# Names of TensorFlow

Which of TensorFlow's public names this package has, by namespace. The error of a missing name says
the same. `python tests/helpers/coverage_page.py` writes this page.

| namespace | has | of | has not |
|---|---|---|---|
"""
OUT_OF_SCOPE = """
## Out of scope

| namespace or name | what it is for |
|---|---|
"""


def is_there(namespace: str, name: str) -> bool:
    full = name if namespace == "root" else f"{namespace}.{name}"
    if name == "bfloat16" or lookup(full) is not None:
        return True
    return namespace == "autograph" and hasattr(ag.autograph, name)


def page() -> str:
    names, excluded, _ = reference_names()
    rows = []
    for namespace, members in names.items():
        missing = [name for name in members if not is_there(namespace, name)]
        label = "`tf`" if namespace == "root" else f"`tf.{namespace}`"
        listed = ", ".join(f"`{name}`" for name in missing)
        rows.append(f"| {label} | {len(members) - len(missing)} | {len(members)} | {listed} |")
    others = [f"| `tf.{name}` | {purpose} |" for name, purpose in excluded.items()]
    return HEAD + "\n".join(rows) + "\n" + OUT_OF_SCOPE + "\n".join(others) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
