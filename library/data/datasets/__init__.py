"""`Dataset` and its iterators."""
