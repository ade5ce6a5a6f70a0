"""Dense embedding of chunk texts: one model, two ways to run it (decision 0004).

The packaged model runs on onnxruntime from an export that ``prepare_model`` makes and checks; any other model, or a GPU, runs
through sentence-transformers. Importing this package imports neither torch nor onnxruntime.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.domain.errors import ConfigurationError
from pipeline.stages.embed.catalog import PackagedModel, packaged

if TYPE_CHECKING:
    from pipeline.domain.ports import DenseEmbedder, PairScorer
    from pipeline.settings import Settings
    from pipeline.stages.embed.export import ExportReport
    from pipeline.stages.embed.tokens import ModelTokenCounter


def exported_model_folder(settings: Settings, model: PackagedModel) -> Path:
    """Return where the home keeps this model's export."""
    return settings.models_folder / model.name


def prepare_model(settings: Settings) -> ExportReport | None:
    """Make what ``open_embedder`` needs: export and check the packaged model (15 s), or keep the export that is there.

    Returns:
        What was exported, or ``None`` where the model runs through sentence-transformers, which needs no preparation.

    Raises:
        ModelError: The packaged weights fail their checksum, or the export does not agree with the original.
    """
    model = _exported_model(settings)
    if model is None:
        return None
    from pipeline.stages.embed.export import export_packaged_model

    return export_packaged_model(exported_model_folder(settings, model), model=model)


def open_embedder(settings: Settings) -> DenseEmbedder:
    """Return the embedder that the settings ask for. Weights are verified and loaded at the first text, not before.

    Raises:
        ModelError: The export is missing (``clindex init`` makes it), or the model is not on this machine.
        ConfigurationError: The ONNX backend was asked for, and the model is not a packaged one.
    """
    model = _exported_model(settings)
    if model is not None:
        from pipeline.stages.embed.onnx_backend import OnnxEmbedder

        return OnnxEmbedder(
            exported_model_folder(settings, model),
            batch_tokens=settings.embedding_batch_tokens,
            threads=settings.embedding_threads,
        )
    from pipeline.stages.embed.sentence_transformer_backend import SentenceTransformerEmbedder

    return SentenceTransformerEmbedder(
        settings.model, batch_size=settings.embedding_batch_size, device=settings.embedding_device, threads=settings.embedding_threads
    )


def open_cross_encoder(settings: Settings) -> PairScorer | None:
    """Return the cross-encoder that the settings name; ``None``: they name none. It is loaded at the first pair.

    Raises:
        ModelError: The model is not on this machine.
    """
    if settings.cross_encoder is None:
        return None
    from pipeline.stages.embed.cross_encoder import SentenceTransformerCrossEncoder

    return SentenceTransformerCrossEncoder(settings.cross_encoder, device=settings.embedding_device)


def open_token_counter(settings: Settings) -> ModelTokenCounter:
    """Return the model's token counter; it needs no weights and no export.

    Raises:
        ModelError: The model, or its ``tokenizer.json``, is not on this machine.
    """
    from pipeline.stages.embed.tokens import ModelTokenCounter

    model = packaged(settings.model)
    if model is not None:
        return ModelTokenCounter(model.folder / "tokenizer.json", window=model.identity.window)
    from pipeline.stages.embed.identity import read_model_files

    files = read_model_files(settings.model)
    return ModelTokenCounter(files.tokenizer_file, window=files.identity.window, prompt=files.identity.prompts[0])


def embedder_fingerprint(settings: Settings) -> str:
    """Return ``open_embedder(settings).fingerprint`` without loading a model.

    A constant for a packaged model; for another one, its files are hashed once a process.

    Raises:
        ModelError: The model is not on this machine.
    """
    model = packaged(settings.model)
    if model is not None:
        return model.identity.fingerprint
    from pipeline.stages.embed.identity import read_model_files

    return read_model_files(settings.model).identity.fingerprint


def _exported_model(settings: Settings) -> PackagedModel | None:
    """Return the packaged model where it is to run from its export, ``None`` for sentence-transformers."""
    model = packaged(settings.model)
    if settings.embedding_backend == "sentence-transformers":
        return None
    if model is None and settings.embedding_backend == "onnx":
        raise ConfigurationError(
            "The ONNX backend runs packaged models only", remedy="Set CLINDEX_EMBEDDING_BACKEND=auto, or CLINDEX_MODEL to a packaged model."
        )
    return model
