"""Clindex: a vector index of clinical documents that provably agrees with a relational database."""

__version__ = "0.1.0"
