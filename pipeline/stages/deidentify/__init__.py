"""Turns documents into de-identified documents, by policy."""
