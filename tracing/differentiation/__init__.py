"""Gradient tapes, forward derivatives, and gradients that the user states."""
