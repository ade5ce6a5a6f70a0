"""HTTP: search and reports."""
