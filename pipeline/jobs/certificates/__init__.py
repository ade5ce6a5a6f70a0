"""Proof of deletion: a verifier of its own, and the chain of certificates."""
