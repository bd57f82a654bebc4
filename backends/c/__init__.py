"""Graphs as functions of C, which other compiled code calls by their address."""
