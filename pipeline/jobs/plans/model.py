"""A repair plan: what reconciliation would do, as a file that a person can read, approve and that carries its own hash.

A plan is two files: ``plan-RUN.json`` says what, why, how much and for which state of the world; ``plan-RUN.points.jsonl`` has one line a
finding (class, ids, generations, hashes). Neither holds text.
"""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

from pydantic import Field

from pipeline.domain.identifiers import canonical_json, sha256_hex
from pipeline.domain.vocabulary import DriftClass
from pipeline.jobs.summaries import GuardVerdict, Summary
from pipeline.wiring import Services

UNKNOWN: Final = "unknown"  # source or kind of documents that truth never knew

#: What each class means and what repair does about it, for people.
WHY: Final = MappingProxyType(
    {
        DriftClass.ORPHAN_POINT: "the document is live, but the database does not know this point: deleted",
        DriftClass.ORPHAN_DOCUMENT: "the database has deleted the document or never knew it: its points are deleted",
        DriftClass.MISSING_POINT: "some of the document's points are not in the index: the document is indexed anew",
        DriftClass.MISSING_DOCUMENT: "none of the document's points is in the index: the document is indexed anew",
        DriftClass.OLD_GENERATION: "points of a generation that is not the live one: deleted",
        DriftClass.STALE_FINGERPRINT: "made from an older content or recipe: the document is indexed anew",
        DriftClass.PAYLOAD_DRIFT: "filter fields are not what the database says: payloads are written anew, nothing is embedded",
        DriftClass.FOREIGN_MODEL: "vectors of another model: the document is indexed anew, or the point deleted where nobody expects it",
        DriftClass.UNREADABLE: "no payload of ours: the document is indexed anew, or the point deleted where nobody expects it",
        DriftClass.DUPLICATE_POINT: "the index shows one id more than once: the document is indexed anew",
        DriftClass.MISSING_DENSE: "no dense vector: the document is indexed anew",
        DriftClass.MISSING_SPARSE: "no sparse vector: the document is indexed anew",
        DriftClass.WRONG_DIMENSIONS: "a vector of another length: the document is indexed anew",
        DriftClass.ZERO_VECTOR: "a vector of zeros, which no query finds: the document is indexed anew",
        DriftClass.NON_FINITE_VECTOR: "a vector that is no number, counted and never found: the document is indexed anew",
        DriftClass.VECTOR_DRIFT: "a vector that is not the one written: the document is indexed anew",
    }
)


class Blast(Summary):
    """What a plan does to one source and kind of documents."""

    source: str = Field(description="a Source, or unknown: the database never knew the documents")
    kind: str = Field(description="a DocumentKind, or unknown")
    delete_points: int = 0
    index_documents: int = 0
    rewrite_documents: int = 0


class RepairPlan(Summary):
    """The head of a plan."""

    version: Literal[2] = 2
    run_id: str
    created_at: str
    collection: str
    deep: bool = Field(description="whether vectors were compared too")
    world: dict[str, object] = Field(description="what it was made for; it is refused when this differs later")
    points: int = Field(description="points that the index held")
    classes: dict[str, int]
    why: dict[str, str] = Field(description="for each class that was found, what it means and what is done about it")
    delete_points: int
    index_documents: int
    update_payloads: int = Field(description="documents whose points get new payloads")
    delete_share: float = Field(description="of the index's points, 0..1")
    blast: list[Blast] = Field(description="the three numbers by source and kind")
    refused: list[GuardVerdict] = Field(description="guards that refuse it, with their reasons; none: --repair carries it out")
    findings_file: str
    findings_sha256: str
    sha256: str = Field("", description="of all else but the seal, as canonical JSON: the plan's name among people")
    seal: str = Field("", description="HMAC-SHA256 of that by the site's secret: a plan that was edited is refused")

    @property
    def approvable(self) -> bool:
        """Whether an approval would overrule all that refuse it."""
        return all(one.approvable for one in self.refused)

    def sealed(self, secret: bytes) -> RepairPlan:
        """Return the plan with its hash and seal."""
        digest = self.digest()
        return self.model_copy(update={"sha256": digest, "seal": seal_of(digest, secret)})

    def digest(self) -> str:
        """Return what ``sha256`` of a plan must be that nobody has changed."""
        return sha256_hex(canonical_json(self.model_dump(mode="json", exclude={"sha256", "seal"})))

    def is_sealed_by(self, secret: bytes) -> bool:
        """Whether hash and seal are as they were written."""
        return self.sha256 == self.digest() and hmac.compare_digest(self.seal, seal_of(self.sha256, secret))


def seal_of(digest: str, secret: bytes) -> str:
    """Return the seal of a plan's hash."""
    return hmac.new(secret, f"clindex plan\0{digest}".encode(), hashlib.sha256).hexdigest()


def plans_folder(services: Services) -> Path:
    """Return where plans and undo files of a home lie."""
    return services.settings.reports_folder / "plans"
