"""Public names: how an object gets one, and which object has it."""

from ..loading import members

MEMBERS = """
runtime.core.public_names expose lookup public
"""
__getattr__, __dir__ = members(__name__, MEMBERS)
