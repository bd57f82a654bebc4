"""`function` itself: tracing, the trace cache, dispatch, guards, retrace history."""
