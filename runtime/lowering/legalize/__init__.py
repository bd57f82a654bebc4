"""Rewrites of what native code has no form for: computed sizes, masks, complex numbers, items of
views."""
