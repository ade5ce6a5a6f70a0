"""Patient-to-trial retrieval on public judgements: the search of this project beside others, on the same studies."""
