"""What tests of ports and stages share: contract classes, factories with invented identifiers, a registry server."""
