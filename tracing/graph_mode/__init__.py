"""Programs from before eager execution: sessions, placeholders, devices."""
