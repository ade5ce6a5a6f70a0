"""What a collection is made of: names of its vectors, its payload indexes, its metadata, and the contract other tools may rely on."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from pipeline.domain.points import (
    BOOLEAN_FIELDS,
    INTEGER_FIELDS,
    KEYWORD_FIELDS,
    PAYLOAD_VERSION,
    CollectionSpec,
)

DENSE: Final = "dense"
SPARSE: Final = "bm25"

# Under this key of a collection's metadata stands our spec; other keys belong to others.
METADATA_KEY: Final = "clindex"

UNIT_LENGTH_TOLERANCE: Final = 1e-3  # a float32 model output that was normalised is within 1e-6; a forgotten normalisation is far off

DISTANCES: Final = ("Cosine",)


def spec_to_metadata(spec: CollectionSpec) -> dict[str, Any]:
    """Return the JSON that is stored with the collection."""
    return {METADATA_KEY: asdict(spec)}


def spec_from_metadata(metadata: object) -> CollectionSpec | None:
    """Return the spec that metadata hold, or ``None`` where they are not ours (missing, other keys, other types)."""
    entry = metadata.get(METADATA_KEY) if isinstance(metadata, dict) else None
    if not isinstance(entry, dict):
        return None
    texts = {key: entry.get(key) for key in ("name", "model", "sparse", "distance", "payload_version")}
    dimensions = entry.get("dimensions")
    if not all(isinstance(text, str) for text in texts.values()) or type(dimensions) is not int:
        return None
    return CollectionSpec(
        name=str(texts["name"]),
        model=str(texts["model"]),
        dimensions=dimensions,
        sparse=str(texts["sparse"]),
        distance=str(texts["distance"]),
        payload_version=str(texts["payload_version"]),
    )


def differences(found: CollectionSpec, wanted: CollectionSpec) -> list[str]:
    """Return the names of the fields in which two specs differ (their values are fingerprints and say nothing to people)."""
    return [key for key, value in asdict(wanted).items() if asdict(found)[key] != value]


def collection_contract() -> dict[str, Any]:
    """Return the contract of a collection, as ``schemas/collection.json`` holds it."""
    text = {"type": "string", "minLength": 1}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Clindex collection",
        "description": "Metadata of a collection, and the vectors and payload indexes it is made with.",
        "type": "object",
        "required": [METADATA_KEY],
        "properties": {
            METADATA_KEY: {
                "type": "object",
                "required": ["name", "model", "dimensions", "sparse", "distance", "payload_version"],
                "properties": {
                    "name": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"},
                    "model": {**text, "description": "fingerprint of the dense embedder"},
                    "dimensions": {"type": "integer", "minimum": 1},
                    "sparse": {**text, "description": "fingerprint of the sparse encoder"},
                    "distance": {"enum": list(DISTANCES)},
                    "payload_version": {"const": PAYLOAD_VERSION},
                },
            }
        },
        "x-vectors": {
            DENSE: {"distance": "Cosine", "unit_length_within": UNIT_LENGTH_TOLERANCE},
            SPARSE: {"sparse": True, "modifier": "idf", "absent_where_empty": True},
        },
        "x-payload-indexes": {
            **dict.fromkeys(KEYWORD_FIELDS, "keyword"),
            **dict.fromkeys(INTEGER_FIELDS, "integer"),
            **dict.fromkeys(BOOLEAN_FIELDS, "bool"),
        },
    }
