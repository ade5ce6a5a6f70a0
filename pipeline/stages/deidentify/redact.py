"""An identified document comes in, a de-identified one goes out: the wall between two unrelated types."""

from __future__ import annotations

from pipeline.domain.documents import DeidentifiedDocument, DeidentifiedPart, Document, Part, Redaction
from pipeline.domain.marks import moved
from pipeline.domain.phi import Scrubbed
from pipeline.domain.vocabulary import Reading
from pipeline.stages.deidentify.coded import coded_in
from pipeline.stages.deidentify.known import KnownIdentifiers
from pipeline.stages.deidentify.policy import Policy
from pipeline.stages.deidentify.scrubber import Scrubber


def deidentify(
    document: Document, scrubber: Scrubber, policy: Policy, *, subject: str | None = None, known: KnownIdentifiers | None = None
) -> DeidentifiedDocument:
    """Replace every identifier that the policy names, in the title and in all parts.

    Args:
        document: What is identified.
        scrubber: Finds and replaces.
        policy: What to replace, and how.
        subject: The patient's pseudonym, which keyed replacement is the same for; ``None``: nobody's.
        known: The patient's known identifiers.
    """
    texts = [document.title, *(part.text for part in document.parts)]
    by_machine = [number for number, part in enumerate(document.parts, start=1) if part.reading is Reading.OCR]
    title, *parts = scrubber.scrub_all(
        texts,
        policy,
        subject=subject,
        known=known or KnownIdentifiers(),
        by_machine=by_machine,
        coded=coded_in(document.parts),
    )
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
    return DeidentifiedPart(
        part.name, scrubbed.text, part.page, part.reading, part.confidence, redactions, moved(part.marks, scrubbed.replacements)
    )
