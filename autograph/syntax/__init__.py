"""Source recovery, parsing, and fragments of syntax trees written as source."""
