"""Python values whose content exists only while the graph runs: lists, rows, iterables."""
