"""The endpoints, a file a topic."""
