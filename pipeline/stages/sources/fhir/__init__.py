"""Feeds of FHIR resources, and the two forms that resources are written in: JSON and XML."""
