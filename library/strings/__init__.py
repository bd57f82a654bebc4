"""Strings: regular expressions, sections, code points, fingerprints, and encodings of values."""
