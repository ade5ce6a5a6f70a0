"""Any saved model through sentence-transformers: slower to start than the export, but it runs every model, and on a GPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pipeline.stages.embed.batching import distinct, thread_count, unit_rows
from pipeline.stages.embed.identity import ModelFiles, read_model_files
from pipeline.stages.embed.loading import load_sentence_transformer, quiet
from pipeline.stages.embed.tokens import ModelTokenCounter, well_formed
from pipeline.stages.embed.window import check_window

DEFAULT_BATCH_SIZE: Final = 32
# Texts between two calls of ``progress``; sentence-transformers sorts by length within such a slice.
_SLICE_BATCHES: Final = 16


class SentenceTransformerEmbedder:
    """A ``DenseEmbedder`` over a saved sentence-transformers model.

    The model's files are read at once, so that a missing one fails early; the model is loaded at the first text. Rows have unit
    length whether or not the model says so. Texts get the prompts that the model's configuration gives documents and queries.

    Args:
        name_or_path: A packaged model's name, a folder, or a name in the Hugging Face cache. The network is never used.
        batch_size: Texts a batch.
        device: A torch device; ``None``: the best there is.
        threads: torch's threads on a CPU; 0: as many as this process has cores.

    Raises:
        ModelError: The model is not on this machine, or its files are incomplete.
    """

    def __init__(self, name_or_path: str, *, batch_size: int = DEFAULT_BATCH_SIZE, device: str | None = None, threads: int = 0) -> None:
        self._files: ModelFiles = read_model_files(name_or_path)
        self._batch_size = batch_size
        self._device = device
        self._threads = threads
        self._lock = Lock()
        self._counter = ModelTokenCounter(
            self._files.tokenizer_file, window=self._files.identity.window, prompt=self._files.identity.prompts[0]
        )
        self._model: Any = None

    @property
    def fingerprint(self) -> str:
        """Names weights, tokenizer, modules, window and prompts (``ModelIdentity``)."""
        return self._files.identity.fingerprint

    @property
    def dimensions(self) -> int:
        """Length of a vector; loads the model only where its files do not tell."""
        return self._files.dimensions or int(self._loaded().get_embedding_dimension())

    @property
    def window(self) -> int:
        """Most tokens the model reads, special tokens included."""
        return self._files.identity.window

    def embed_documents(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        """Return an array of shape (len(texts), dimensions), rows of unit length, in the order given.

        Args:
            texts: Texts of at most ``window`` tokens each, the document prompt included; equal ones are embedded once.
            progress: Called after every few batches with the number of ``texts`` they settled.

        Raises:
            ModelError: The model cannot be loaded, or a text exceeds its window. Nothing was embedded.
        """
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        unique, inverse = distinct(texts)
        lengths = self._counter.count_many(unique)
        check_window(lengths, window=self.window)
        order = np.argsort(lengths, kind="stable")
        repeats = np.bincount(inverse, minlength=len(unique))
        vectors = np.empty((len(unique), self.dimensions), dtype=np.float32)
        step = self._batch_size * _SLICE_BATCHES
        for start in range(0, len(unique), step):
            places = order[start : start + step]
            vectors[places] = self._encode([unique[place] for place in places], prompt=self._files.identity.prompts[0])
            if progress:
                progress(int(repeats[places].sum()))
        return unit_rows(vectors)[inverse]

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return a vector of shape (dimensions,). A query longer than the window is cut."""
        row: NDArray[np.float32] = unit_rows(self._encode([text], prompt=self._files.identity.prompts[1]))[0]
        return row

    def _encode(self, texts: list[str], *, prompt: str) -> NDArray[np.float32]:
        model = self._loaded()
        with quiet():
            vectors = model.encode(
                [well_formed(text) for text in texts],
                prompt=prompt,
                batch_size=self._batch_size,
                show_progress_bar=False,
                convert_to_numpy=True,
            )
        return np.asarray(vectors, dtype=np.float32)

    def _loaded(self) -> Any:
        with self._lock:
            if self._model is None:
                self._files.check_packaged_weights()
                model = load_sentence_transformer(self._files.folder, device=self._device)
                model.max_seq_length = self.window
                if model.device.type == "cpu":
                    import torch

                    torch.set_num_threads(thread_count(self._threads))
                self._model = model
            return self._model
