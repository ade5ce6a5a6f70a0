"""Exporting the packaged model to ONNX, checked against the original before anybody may use it."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pipeline.domain.errors import ModelError
from pipeline.observability import timed
from pipeline.stages.embed.catalog import MINILM, PACKAGE_REMEDY, PackagedModel
from pipeline.stages.embed.check_texts import CHECK_TEXTS
from pipeline.stages.embed.files import sha256_of_file, verify
from pipeline.stages.embed.loading import load_sentence_transformer, quiet
from pipeline.stages.embed.manifest import EXPORT_VERSION, ONNX_FILE, TOKENIZER_FILE, ExportManifest, verify_export
from pipeline.stages.embed.onnx_backend import OnnxEmbedder

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Measured over CHECK_TEXTS: 0.9999998. One wrong mask or one missing layer gives less than 0.99.
MIN_COSINE: Final = 0.9999
# 17 has LayerNormalization as one operator; what the TorchScript exporter writes at 17 onnxruntime fuses into attention kernels.
OPSET: Final = 17


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export did.

    Attributes:
        created: False where a verified export was there already.
        min_cosine: Lowest cosine to the original over ``checked_texts`` texts.
    """

    model: str
    folder: Path
    created: bool
    min_cosine: float
    checked_texts: int
    onnx_sha256: str


def export_packaged_model(target_folder: Path, *, model: PackagedModel = MINILM) -> ExportReport:
    """Make ``target_folder`` an export of the packaged model that is proven to give the original's vectors.

    A verified export that is there is kept. A new one is made beside it and renamed, so that a reader never sees half of one.

    Raises:
        ModelError: The package's weights fail their checksum, or the export does not agree with the original.
    """
    kept = _kept(target_folder, model)
    if kept is not None:
        return _report(kept, target_folder, created=False)
    verify(model.folder / model.weights_file, model.identity.weights, remedy=PACKAGE_REMEDY)
    verify(model.folder / TOKENIZER_FILE, model.identity.tokenizer, remedy=PACKAGE_REMEDY)
    target_folder.parent.mkdir(parents=True, exist_ok=True)
    with (
        timed("model_exported", model=model.name),
        tempfile.TemporaryDirectory(prefix=f".{target_folder.name}-", dir=target_folder.parent) as temporary,
    ):
        made = Path(temporary) / "export"
        made.mkdir()
        manifest = _export(made, model)
        _put_in_place(made, target_folder, aside=Path(temporary) / "old")
    return _report(manifest, target_folder, created=True)


def _kept(folder: Path, model: PackagedModel) -> ExportManifest | None:
    try:
        manifest = verify_export(folder)
    except ModelError:
        return None
    return manifest if manifest.fingerprint == model.identity.fingerprint else None


def _report(manifest: ExportManifest, folder: Path, *, created: bool) -> ExportReport:
    return ExportReport(
        model=manifest.model,
        folder=folder,
        created=created,
        min_cosine=manifest.min_cosine,
        checked_texts=manifest.checked_texts,
        onnx_sha256=manifest.onnx_sha256,
    )


def _put_in_place(made: Path, target: Path, *, aside: Path) -> None:
    """Rename ``made`` to ``target``; what stood there goes ``aside``, where the caller deletes it."""
    if target.exists():
        target.rename(aside)
    made.rename(target)


def _export(folder: Path, model: PackagedModel) -> ExportManifest:
    # Eager attention: its plain MatMul and Softmax are what onnxruntime knows how to fuse.
    original = load_sentence_transformer(model.folder, device="cpu", attention="eager")
    _write_onnx(original, folder / ONNX_FILE)
    shutil.copyfile(model.folder / TOKENIZER_FILE, folder / TOKENIZER_FILE)
    manifest = ExportManifest(
        version=EXPORT_VERSION,
        model=model.name,
        licence=model.licence,
        source=model.source,
        fingerprint=model.identity.fingerprint,
        weights_sha256=model.identity.weights,
        onnx_sha256=sha256_of_file(folder / ONNX_FILE),
        tokenizer_sha256=model.identity.tokenizer,
        dimensions=model.dimensions,
        window=model.identity.window,
        opset=OPSET,
        min_cosine=0.0,
        checked_texts=len(CHECK_TEXTS),
        exporter={name: version(name) for name in ("torch", "transformers", "sentence-transformers", "onnxruntime")},
    )
    manifest.write(folder)
    with quiet():
        expected = original.encode(list(CHECK_TEXTS), normalize_embeddings=True, show_progress_bar=False)
    manifest = manifest.model_copy(update={"min_cosine": _min_cosine(OnnxEmbedder(folder), expected)})
    manifest.write(folder)
    return manifest


def _min_cosine(exported: OnnxEmbedder, expected: NDArray[np.float32]) -> float:
    """Return the lowest cosine between the export's vectors and the original's, in batches and one by one."""
    together = exported.embed_documents(CHECK_TEXTS)
    alone = np.stack([exported.embed_query(text) for text in CHECK_TEXTS])
    lowest = min(float(np.min(np.sum(vectors * expected, axis=1))) for vectors in (together, alone))
    if not lowest >= MIN_COSINE:  # also where it is not a number
        raise ModelError(
            f"The exported model does not agree with the original: lowest cosine {lowest:.6f}, {MIN_COSINE} is needed",
            remedy="Set CLINDEX_EMBEDDING_BACKEND=sentence-transformers and report the versions of torch and onnxruntime.",
        )
    return lowest


def _write_onnx(original: Any, path: Path) -> None:
    """Write transformer, mean pooling and scaling to unit length as one graph with free batch size and length."""
    import torch

    class Sentence(torch.nn.Module):  # type: ignore[misc,unused-ignore]
        def __init__(self, transformer: Any) -> None:
            super().__init__()
            self.transformer = transformer

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            types = torch.zeros_like(input_ids)
            states = self.transformer(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=types).last_hidden_state
            weights = attention_mask.unsqueeze(-1).to(states.dtype)
            mean = (states * weights).sum(1) / weights.sum(1).clamp(min=1e-9)
            return torch.nn.functional.normalize(mean, p=2.0, dim=1)

    ids = torch.arange(1000, 1032).reshape(2, 16)  # any ids do; two rows of unlike length, so that masking is traced
    mask = torch.ones_like(ids)
    mask[1, 9:] = 0
    both = {0: "batch", 1: "length"}
    with quiet(), torch.no_grad():
        torch.onnx.export(
            Sentence(original[0].auto_model).eval(),
            (ids, mask),
            str(path),
            input_names=["input_ids", "attention_mask"],
            output_names=["embedding"],
            dynamic_axes={"input_ids": both, "attention_mask": both, "embedding": {0: "batch"}},
            opset_version=OPSET,
            dynamo=False,  # the newer exporter needs onnxscript, and its graph is fused less
        )
