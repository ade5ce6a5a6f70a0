"""Probes for what was deleted: each looks in one place and counts what it meets. They trust nothing that the deletion said of itself."""
