"""Lists, rows and iterables whose content exists only while the graph runs; arrays and containers
of globals and closures."""
