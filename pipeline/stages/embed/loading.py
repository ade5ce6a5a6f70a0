"""Loading through sentence-transformers without network, progress bars or warnings."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pipeline.domain.errors import ModelError
from pipeline.observability import quiet_libraries


@contextmanager
def quiet() -> Iterator[None]:
    """Keep the model libraries off the network, off the terminal and out of the warnings while the block runs.

    The variables are read when the libraries are first imported, so they are set before that and stay set.
    """
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["TRANSFORMERS_OFFLINE"] = "1"
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    from transformers.utils import logging as transformers_logging

    quiet_libraries()
    transformers_logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def load_sentence_transformer(folder: Path, *, device: str | None = None, attention: str | None = None) -> Any:
    """Return a ``SentenceTransformer`` from local files only; takes seconds to import.

    Args:
        folder: A saved model.
        device: A torch device; ``None``: the best there is.
        attention: transformers' attention implementation; ``None``: its own choice.

    Raises:
        ModelError: The folder holds no model that sentence-transformers can load.
    """
    with quiet():
        from sentence_transformers import SentenceTransformer

        options = {"attn_implementation": attention} if attention else {}
        try:
            return SentenceTransformer(str(folder), device=device, local_files_only=True, model_kwargs=options)
        except Exception as error:  # noqa: BLE001  # it raises whatever torch, transformers and safetensors raise
            raise ModelError(
                f"sentence-transformers cannot load the model in {folder.name} ({type(error).__name__})",
                remedy="Check the CLINDEX_MODEL setting, or save the model again.",
            ) from None
