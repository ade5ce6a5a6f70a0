"""Adapters of the vector index: Qdrant Edge in process, Qdrant server over HTTP."""
