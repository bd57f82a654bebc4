"""The stager protocol of autograph, implemented with graphs."""
