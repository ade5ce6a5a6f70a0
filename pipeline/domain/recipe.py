"""What a document's points were made with. Equal fingerprint: nothing to do. Different: re-index."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from pipeline.domain.identifiers import fingerprint


@dataclass(frozen=True, slots=True)
class Recipe:
    """Versions and parameters of every stage between a document's text and its points."""

    reader: str
    deidentification: str
    chunker: str
    embedder: str
    sparse: str
    payload: str

    @property
    def id(self) -> str:
        """32 hex digits that change when any stage's version or parameters change."""
        return fingerprint(asdict(self))

    def fingerprint_of(self, content_hash: str) -> str:
        """Return the fingerprint of a document with this content made by this recipe."""
        return fingerprint_of(content_hash, self.id)


def fingerprint_of(content_hash: str, recipe_id: str) -> str:
    """Return the fingerprint of a document with this content made by the recipe with this id."""
    return fingerprint([content_hash, recipe_id])
