"""The audit of identifiers in what is stored."""
