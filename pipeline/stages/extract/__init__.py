"""Bytes of a file in, its text with marks and an account of every page out; PDFs, images and office formats in a child process."""

from __future__ import annotations

from typing import Final

#: Of all readers together: changes when, and only when, some file would be read otherwise than before.
READER_VERSION: Final = "files-7"
