"""Dense embedding of chunk texts."""
