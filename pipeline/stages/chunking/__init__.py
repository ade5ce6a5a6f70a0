"""Cuts de-identified documents into citable chunks and accounts for every character."""
