"""Staged `if`, `while` and `for`, and how names are carried through them."""
