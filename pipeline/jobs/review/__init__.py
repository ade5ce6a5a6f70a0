"""The review of findings: what truth has to show a person, what the person decides, and how runs obey it."""
