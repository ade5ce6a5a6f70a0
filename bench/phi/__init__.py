"""How well identifiers are found: recall and precision by class, over-redaction, speed and memory, beside two published systems."""
