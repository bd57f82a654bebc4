"""A program of two files: `fractal`."""

from fractal_model import counts

found = counts(60, 90, 60)
for row in found[::12]:
    print("".join(" .:-=+*#%@"[min(n // 6, 9)] for n in row))
print(found.sum())
