"""The forms that FHIR resources are written in, and the published models of its releases: what sources and stages share."""
