"""Sources fetch records and say what they are."""
