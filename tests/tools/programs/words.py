"""A program of two files: `words`."""

from words_model import counted

text = "The quick brown fox jumps over the lazy dog. The dog sleeps; the fox does not! " * 300
counts = counted(text)
for word in sorted(counts, key=lambda one: (-counts[one], one))[:5]:
    print(word, counts[word])
