"""From a question to cited, hydrated hits."""
