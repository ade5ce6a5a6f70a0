"""What a document is and which trial or protocol it belongs to, read from its own words, with where they stand."""
