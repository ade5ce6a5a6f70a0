"""The exported model on onnxruntime: imports in 0.4 s and needs half the memory of torch (decision 0004)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from pipeline.domain.errors import ModelError
from pipeline.stages.embed.batching import batches, distinct, thread_count, unit_rows
from pipeline.stages.embed.manifest import INIT_REMEDY, ONNX_FILE, TOKENIZER_FILE, read_manifest, verify_export
from pipeline.stages.embed.tokens import ModelTokenCounter
from pipeline.stages.embed.window import check_window

if TYPE_CHECKING:
    import onnxruntime

DEFAULT_BATCH_TOKENS: Final = 512


class OnnxEmbedder:
    """A ``DenseEmbedder`` over a folder that ``export_packaged_model`` made.

    The manifest is read at once, so that a missing export fails early; the checksum is verified and the session made at the
    first text, so that a run that embeds nothing pays nothing. One instance may serve several threads.

    Args:
        model_folder: The exported model.
        batch_tokens: Most tokens of one batch, padding included.
        threads: onnxruntime's threads for one operation; 0: as many as this process has cores.

    Raises:
        ModelError: The folder holds no export.
    """

    def __init__(self, model_folder: Path, *, batch_tokens: int = DEFAULT_BATCH_TOKENS, threads: int = 0) -> None:
        self._folder = model_folder
        self._manifest = read_manifest(model_folder)
        self._batch_tokens = batch_tokens
        self._threads = threads
        self._lock = Lock()
        self._loaded: tuple[onnxruntime.InferenceSession, ModelTokenCounter] | None = None

    @property
    def fingerprint(self) -> str:
        """The original model's fingerprint: the export was checked to give its vectors."""
        return self._manifest.fingerprint

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._manifest.dimensions

    @property
    def window(self) -> int:
        """Most tokens the model reads, special tokens included."""
        return self._manifest.window

    def embed_documents(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        """Return an array of shape (len(texts), dimensions), rows of unit length, in the order given.

        Args:
            texts: Texts of at most ``window`` tokens each; equal ones are embedded once.
            progress: Called after every batch with the number of ``texts`` it settled.

        Raises:
            ModelError: The model cannot be loaded, or a text exceeds its window. Nothing was embedded.
        """
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        session, counter = self._load()
        unique, inverse = distinct(texts)
        ids = counter.ids(unique)
        check_window([len(row) for row in ids], window=self.window)
        repeats = np.bincount(inverse, minlength=len(unique))
        vectors = np.empty((len(unique), self.dimensions), dtype=np.float32)
        for batch in batches([len(row) for row in ids], max_tokens=self._batch_tokens):
            vectors[batch] = self._run(session, [ids[index] for index in batch])
            if progress:
                progress(int(repeats[batch].sum()))
        return unit_rows(vectors)[inverse]

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return a vector of shape (dimensions,). A query longer than the window is cut."""
        session, counter = self._load()
        ids = counter.ids([text])[0]
        if len(ids) > self.window:
            ids = [*ids[: self.window - 1], ids[-1]]
        row: NDArray[np.float32] = unit_rows(self._run(session, [ids]))[0]
        return row

    def _run(self, session: onnxruntime.InferenceSession, rows: list[list[int]]) -> NDArray[np.float32]:
        length = max(len(row) for row in rows)
        ids = np.zeros((len(rows), length), dtype=np.int64)
        mask = np.zeros_like(ids)
        for place, row in enumerate(rows):
            ids[place, : len(row)] = row
            mask[place, : len(row)] = 1
        return np.asarray(session.run(None, {"input_ids": ids, "attention_mask": mask})[0], dtype=np.float32)

    def _load(self) -> tuple[onnxruntime.InferenceSession, ModelTokenCounter]:
        with self._lock:
            if self._loaded is None:
                verify_export(self._folder)
                session = open_session(self._folder / ONNX_FILE, threads=thread_count(self._threads))
                self._loaded = session, ModelTokenCounter(self._folder / TOKENIZER_FILE, window=self.window)
            return self._loaded


def open_session(path: Path, *, threads: int) -> Any:
    """Return an onnxruntime session on the CPU.

    Raises:
        ModelError: onnxruntime cannot read the file.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads  # explicit: an unset OMP_NUM_THREADS must not decide it
    options.inter_op_num_threads = 1
    # Waiting threads sleep: spinning gains about 5 % on an idle machine and costs half the CPU on a busy one (decision 0004).
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.log_severity_level = 3  # errors only
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception:  # noqa: BLE001  # its exception classes share no base but Exception
        raise ModelError(f"onnxruntime cannot load {path.name}", remedy=INIT_REMEDY) from None
