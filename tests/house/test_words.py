"""Identifiers use the field's words: the glossary is docs/glossary.md."""

import collections
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("autograph", "tracing", "runtime", "library", "tools")
# Words that once stood for iteration, chunk, source, dtype, hint, spin-wait, error state...
PRIVATE = re.compile(
    r"(?:^|_)(turns?|pieces?|linger|quieten|quietly|standing|wild|freely|late_start|wide_start"
    r"|by_identity|as_array|kinds?|texts?|marks?|lanes)(?:_|$)",
    re.IGNORECASE,
)
MOST_PRIVATE_WORDS = 60  # only ever lowered
MOST_FOREIGN_PRIVATE_ATTRIBUTES = 58  # only ever lowered
FOREIGN_PRIVATE = re.compile(r"(?<!self)(?<!cls)(?<!sys)\._[a-z]\w*")


def sources():
    return [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]


def private_words():
    """How many files have each identifier with a private word in it."""
    found = collections.Counter()
    for path in sources():
        with path.open("rb") as file:
            tokens = [token.string for token in tokenize.tokenize(file.readline) if token.type == 1]
        found.update({name for name in tokens if PRIVATE.search(name)})
    return found


@pytest.mark.slow
def test_private_words_in_identifiers_only_become_fewer():
    found = private_words()
    assert sum(found.values()) <= MOST_PRIVATE_WORDS, found.most_common(20)


def test_private_attributes_of_other_files_only_become_fewer():
    count = sum(len(FOREIGN_PRIVATE.findall(path.read_text("utf-8"))) for path in sources())
    assert count <= MOST_FOREIGN_PRIVATE_ATTRIBUTES
