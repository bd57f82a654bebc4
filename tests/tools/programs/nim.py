"""A program of two files: `nim`."""

from nim_model import grundy

values = grundy(20_000, (1, 3, 4, 9))
print(values[:20], sum(values), max(values))
