"""Types, identifiers, errors and ports: the language every other package speaks. Imports nothing of ours."""
