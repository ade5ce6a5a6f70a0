"""What a collection is made of: names of its vectors, its payload indexes, its metadata, and the contract other tools may rely on."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from pipeline.domain.points import (
    BOOLEAN_FIELDS,
    DENSE,
    INTEGER_FIELDS,
    KEYWORD_FIELDS,
    PAYLOAD_VERSION,
    CollectionSpec,
    DenseModel,
)

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
    dimensions, further = entry.get("dimensions"), further_from(entry.get("further", []))
    if not all(isinstance(text, str) for text in texts.values()) or type(dimensions) is not int or further is None:
        return None
    return CollectionSpec(
        name=str(texts["name"]),
        model=str(texts["model"]),
        dimensions=dimensions,
        sparse=str(texts["sparse"]),
        distance=str(texts["distance"]),
        payload_version=str(texts["payload_version"]),
        further=further,
    )


def further_from(value: object) -> tuple[DenseModel, ...] | None:
    """Return the models that a list from JSON names, or ``None`` where it is no list of models."""
    found = []
    for one in value if isinstance(value, list | tuple) else [None]:
        if not isinstance(one, dict) or type(one.get("dimensions")) is not int or not isinstance(one.get("kinds"), list | tuple):
            return None
        found.append(DenseModel(str(one.get("vector")), str(one.get("model")), one["dimensions"], tuple(map(str, one["kinds"]))))
    return tuple(found)


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
                    "further": {
                        "type": "array",
                        "description": "models of some kinds of documents, each with vectors of its own name",
                        "items": {
                            "type": "object",
                            "required": ["vector", "model", "dimensions", "kinds"],
                            "properties": {
                                "vector": text,
                                "model": text,
                                "dimensions": {"type": "integer", "minimum": 1},
                                "kinds": {"type": "array", "items": text, "minItems": 1},
                            },
                        },
                    },
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
