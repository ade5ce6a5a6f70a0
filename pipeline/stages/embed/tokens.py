"""Counting tokens as the embedding model counts them. Imports ``tokenizers`` only: no torch, no onnxruntime."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tokenizers import Tokenizer

from pipeline.domain.errors import ModelError

_LONE_SURROGATES: Final = re.compile("[\ud800-\udfff]")


def well_formed(text: str) -> str:
    """Return ``text`` with lone surrogates as U+FFFD: they have no UTF-8, and the library's error would quote the text."""
    return text if text.isascii() else _LONE_SURROGATES.sub("\ufffd", text)


class ModelTokenCounter:
    """Word pieces of a model, special tokens included, never truncated.

    Args:
        tokenizer_file: The model's ``tokenizer.json``.
        window: Most tokens the model reads, special tokens included.
        prompt: What the model puts before every document's text; it is counted, as it takes room in the window.

    Raises:
        ModelError: The file is missing or is no tokenizer.
    """

    def __init__(self, tokenizer_file: Path, *, window: int, prompt: str = "") -> None:
        self._tokenizer = load_tokenizer(tokenizer_file)
        self._window = window
        self._prompt = prompt

    @property
    def window(self) -> int:
        """Most tokens the model reads, special tokens included."""
        return self._window

    def count(self, text: str) -> int:
        """Return the number of tokens of ``text``."""
        return len(self.ids([text])[0])

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text; several times faster than one by one."""
        return [len(ids) for ids in self.ids(texts)]

    def ids(self, texts: Sequence[str], *, prompt: str | None = None) -> list[list[int]]:
        """Return each text's token ids with the special tokens around them, of any length.

        ``prompt`` takes the place of the documents' prompt where it is given (for a query).
        """
        lead = self._prompt if prompt is None else prompt
        encodings = self._tokenizer.encode_batch_fast([well_formed(lead + text) for text in texts])
        return [encoding.ids for encoding in encodings]


def load_tokenizer(path: Path) -> Tokenizer:
    """Load a ``tokenizer.json`` with its own truncation and padding switched off.

    Raises:
        ModelError: The file is missing or is no tokenizer.
    """
    if not path.is_file():
        raise ModelError(
            f"The model has no {path.name}", remedy="Save the model once with its fast tokenizer: AutoTokenizer(…).save_pretrained(folder)."
        )
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception:  # noqa: BLE001  # the library raises bare Exception, and nothing else
        raise ModelError(f"The model's {path.name} cannot be read", remedy="Install the model again.") from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
