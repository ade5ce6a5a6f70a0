"""What an exported model says of itself, and the check that its files are the ones that were verified."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from pipeline.domain.errors import ModelError
from pipeline.stages.embed.files import verify

MANIFEST_FILE: Final = "manifest.json"
ONNX_FILE: Final = "model.onnx"
TOKENIZER_FILE: Final = "tokenizer.json"

INIT_REMEDY: Final = "Run clindex init, which exports the model and checks the export against the original."

# Raised whenever the exported graph changes in a way that an older export must not survive.
EXPORT_VERSION: Final = 1


class ExportManifest(BaseModel):
    """Written beside the exported model, after it was checked against the original.

    Attributes:
        fingerprint: Of the original model: the export gives its vectors.
        min_cosine: Lowest cosine between the export's and the original's vectors over ``checked_texts`` texts.
        exporter: Versions of the libraries that made it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    version: int
    model: str
    licence: str
    source: str
    fingerprint: str
    weights_sha256: str
    onnx_sha256: str
    tokenizer_sha256: str
    dimensions: int
    window: int
    opset: int
    min_cosine: float
    checked_texts: int
    exporter: dict[str, str]

    def write(self, folder: Path) -> None:
        """Write the manifest into the export's folder."""
        (folder / MANIFEST_FILE).write_text(self.model_dump_json(indent=2) + "\n", encoding="utf-8")


def read_manifest(folder: Path) -> ExportManifest:
    """Return the manifest of an exported model.

    Raises:
        ModelError: There is none, it cannot be read, or another version of the exporter wrote it.
    """
    try:
        manifest = ExportManifest.model_validate_json((folder / MANIFEST_FILE).read_bytes())
    except OSError:
        raise ModelError(f"No exported model in the folder {folder.name}", remedy=INIT_REMEDY) from None
    except ValidationError:
        raise ModelError(f"The manifest of the exported model {folder.name} cannot be read", remedy=INIT_REMEDY) from None
    if manifest.version != EXPORT_VERSION:
        raise ModelError(f"The exported model {manifest.model} was made by another version of Clindex", remedy=INIT_REMEDY)
    return manifest


def verify_export(folder: Path) -> ExportManifest:
    """Check an exported model's files against its manifest (0.1 s for 90 MB, once a process) and return the manifest.

    Raises:
        ModelError: A file is missing or is not the one that was verified.
    """
    manifest = read_manifest(folder)
    verify(folder / ONNX_FILE, manifest.onnx_sha256, remedy=INIT_REMEDY)
    verify(folder / TOKENIZER_FILE, manifest.tokenizer_sha256, remedy=INIT_REMEDY)
    return manifest
