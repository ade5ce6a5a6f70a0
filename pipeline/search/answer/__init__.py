"""Answers: sentences of the hits with their citations, or, where an endpoint is set, words of a model that were checked against them."""
