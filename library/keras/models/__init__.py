"""`Model`, `Sequential`, and models written as chains of calls."""
