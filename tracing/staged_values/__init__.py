"""Python values whose content exists only while the graph runs (lists, rows, iterables), and what
stands for arrays and containers of globals and closures.
"""
