"""What becomes of every resource of a folder of FHIR files, and how fast they are read and checked."""
