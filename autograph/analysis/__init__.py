"""Facts about code: which names it binds and reads, which are live."""
