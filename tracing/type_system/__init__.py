"""Trace types: which trace serves which arguments."""
