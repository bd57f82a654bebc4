"""The protocol of autograph, implemented with graphs."""
