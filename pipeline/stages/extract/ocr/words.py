"""User words of Tesseract: names of drugs and clinical words of our lexicons as the file that it takes."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Final

from pipeline.lexicons import entries

_LEXICONS: Final = ("drugs", "drug_brands", "clinical_words")
_LEAST_LETTERS: Final = 5  # shorter words are nearer to each other than what a damaged page tells apart
_lock: Final = Lock()


def words_file() -> Path:
    """Return the file, one word a line in small letters and capitalised. It is made once a process and goes with it."""
    with _lock:
        return Path(_file().name)


@cache
def _file() -> tempfile._TemporaryFileWrapper[str]:
    words = {word.lower() for name in _LEXICONS for entry in entries(name) for word in entry.split()}
    known = sorted(word for word in words if len(word) >= _LEAST_LETTERS and word.isascii() and word.isalpha())
    file = tempfile.NamedTemporaryFile("w", encoding="ascii", suffix=".txt")  # noqa: SIM115 - kept open, and with that on disk
    file.write("".join(f"{word}\n{word.capitalize()}\n" for word in known))
    file.flush()
    return file
