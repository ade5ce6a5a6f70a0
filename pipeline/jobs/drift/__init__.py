"""What differs between index and truth, found and put into classes."""
