"""Pairs of a query and a passage into scores, through any cross-encoder that sentence-transformers loads. Imports torch when first used."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from threading import Lock
from typing import Any, Final

from pipeline.domain.errors import ModelError
from pipeline.domain.identifiers import fingerprint
from pipeline.stages.embed.files import sha256_of_file
from pipeline.stages.embed.identity import find_model
from pipeline.stages.embed.loading import quiet
from pipeline.stages.embed.tokens import well_formed

_BATCH: Final = 16  # pairs of some 300 tokens: what a core's cache holds
_WEIGHTS: Final = (".safetensors", ".bin", ".json", ".txt")


class SentenceTransformerCrossEncoder:
    """A ``PairScorer`` over a saved cross-encoder with one output.

    Args:
        name_or_path: A folder, or a name in the Hugging Face cache. The network is never used.
        device: A torch device; ``None``: the best there is.

    Raises:
        ModelError: The model is not on this machine.
    """

    def __init__(self, name_or_path: str, *, device: str | None = None) -> None:
        self._folder = find_model(name_or_path)
        self._device = device
        self._lock = Lock()
        self._model: Any = None

    @cached_property
    def fingerprint(self) -> str:
        """Names the contents of the model's files."""
        files = sorted(path for path in self._folder.iterdir() if path.suffix in _WEIGHTS)
        return "cross-" + fingerprint({path.name: sha256_of_file(path) for path in files})

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        """Return the model's raw output a passage, in their order; a pair beyond its window is cut at the passage's end.

        Raises:
            ModelError: The model cannot be loaded, or has not one output.
        """
        if not passages:
            return []
        pairs = [(well_formed(query), well_formed(passage)) for passage in passages]
        with self._lock, quiet():
            import torch

            found = self._loaded().predict(pairs, batch_size=_BATCH, activation_fn=torch.nn.Identity(), show_progress_bar=False)
        return [float(one) for one in found]

    def _loaded(self) -> Any:
        if self._model is None:
            self._model = _load(self._folder, self._device)
        return self._model


def _load(folder: Any, device: str | None) -> Any:
    from sentence_transformers import CrossEncoder

    try:
        model = CrossEncoder(str(folder), device=device, local_files_only=True)
    except Exception as error:  # noqa: BLE001  # it raises whatever torch, transformers and safetensors raise
        raise ModelError(
            f"sentence-transformers cannot load a cross-encoder from {folder.name} ({type(error).__name__})",
            remedy="Check the CLINDEX_CROSS_ENCODER setting, or save the model again.",
        ) from None
    outputs = int(model.config.num_labels)
    if outputs != 1:
        raise ModelError(
            f"the cross-encoder in {folder.name} has {outputs} outputs instead of 1",
            remedy="Set CLINDEX_CROSS_ENCODER to a model that ranks.",
        )
    return model
