"""Facts about source code: the names that it binds and reads, and which of them are live."""
