"""Bytes of a file in, its text with marks and an account of every page out; PDFs, images and office formats in a child process."""
