"""Functions of numbers: special functions, statistics, segments, counts, conversions."""
