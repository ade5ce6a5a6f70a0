"""An identified document comes in, a de-identified one goes out: the wall between two unrelated types."""

from __future__ import annotations

from pipeline.domain.documents import DeidentifiedDocument, DeidentifiedPart, Document, Part, Redaction
from pipeline.domain.phi import Scrubbed
from pipeline.stages.deidentify.policy import Policy
from pipeline.stages.deidentify.scrubber import Scrubber


def deidentify(document: Document, scrubber: Scrubber, policy: Policy) -> DeidentifiedDocument:
    """Replace every identifier that the policy names, in the title and in all parts."""
    title, *parts = scrubber.scrub_all([document.title, *(part.text for part in document.parts)], policy)
    return DeidentifiedDocument(
        document_id=document.document_id,
        source=document.source,
        source_key=document.source_key,
        kind=document.kind,
        title=title.text,
        parts=tuple(_part(part, scrubbed) for part, scrubbed in zip(document.parts, parts, strict=True)),
        facets=document.facets,
        content_hash=document.content_hash,
        facets_hash=document.facets_hash,
        policy=policy.id,
    )


def _part(part: Part, scrubbed: Scrubbed) -> DeidentifiedPart:
    redactions = tuple(Redaction(each.start, each.end, each.category) for each in scrubbed.replacements)
    return DeidentifiedPart(part.name, scrubbed.text, part.page, part.reading, part.confidence, redactions)
