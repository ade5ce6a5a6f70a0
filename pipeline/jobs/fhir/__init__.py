"""Resources of FHIR from their feeds to truth and the index."""
