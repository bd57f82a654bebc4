"""Nested structures: their leaves, and structures of other leaves."""

from ..loading import members

MEMBERS = """
tracing.structures.nest assert_same_structure container_type flatten is_nested map_structure
tracing.structures.nest pack_sequence_as same_structure user_container_type
"""
__getattr__, __dir__ = members(__name__, MEMBERS)
