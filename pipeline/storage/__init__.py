"""The relational truth, the landing and the embedding cache."""
