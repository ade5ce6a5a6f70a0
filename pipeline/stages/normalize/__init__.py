"""Turns one fetched record into the typed thing that truth stores."""
