"""What identification gives: a kind, a title, and facts of closed shapes with the page that states each."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from pipeline.domain.vocabulary import DocumentKind, Provenance


class FactScheme(StrEnum):
    """What a fact is. Each has one closed shape (see ``shapes``): free text is no fact."""

    PROTOCOL_NUMBER = "protocol_number"  # the sponsor's
    AMENDMENT = "amendment"  # 3, 3.1, a; an original protocol has none
    VERSION = "version"  # 2, 4.0
    NCT_ID = "nct_id"
    EU_NUMBER = "eu_number"  # EudraCT 2019-001234-56 or EU CT 2023-501234-56-00
    IND_NUMBER = "ind_number"  # US investigational new drug application
    REFERENCE_NUMBER = "reference_number"  # of an EMS protocol or policy
    REVISION_DATE = "revision_date"  # ISO, to the day or month
    EFFECTIVE_DATE = "effective_date"
    DOCUMENT_DATE = "document_date"


@dataclass(frozen=True, slots=True)
class Fact:
    """One value that was read, and where. ``own``: it is this document's, not that of another trial which it mentions."""

    scheme: FactScheme
    value: str
    provenance: Provenance
    page: int | None = None  # 1-based; None: the format has no pages, or the folder says so
    own: bool = True


@dataclass(frozen=True, slots=True)
class Identity:
    """What a document is.

    Attributes:
        kind: Given, or classified; ``UNKNOWN`` where the evidence is below the bound.
        kind_score: 0..1; 1.0 of a kind that was given.
        kind_by: ``RECORD`` of a kind that was given, else ``EXTRACTED``.
        title: Of a public kind, at most 300 characters; empty where none was found. Of clinical kinds always empty.
        facts: Of public kinds only, without repeats: title page before headers before the body before the folder.
    """

    kind: DocumentKind
    kind_score: float
    kind_by: Provenance
    title: str = field(default="", repr=False)
    facts: tuple[Fact, ...] = ()

    def own(self, scheme: FactScheme) -> tuple[str, ...]:
        """Return the document's own values of a scheme."""
        return tuple(fact.value for fact in self.facts if fact.scheme is scheme and fact.own)


def extracted(scheme: FactScheme, value: str, page: int | None, *, own: bool = True) -> Fact:
    """Return a fact that the document itself states."""
    return Fact(scheme=scheme, value=value, provenance=Provenance.EXTRACTED, page=page, own=own)
