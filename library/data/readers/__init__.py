"""Datasets that read files: records, lines, CSV tables."""
