"""Control flow, recursion, assertions, and what loops need beside `While`."""
