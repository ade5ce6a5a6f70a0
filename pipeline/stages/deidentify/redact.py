"""An identified document comes in, a de-identified one goes out: the wall between two unrelated types."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from pipeline.domain.documents import DeidentifiedDocument, DeidentifiedPart, Document, Part, Redaction
from pipeline.domain.errors import RecordError
from pipeline.domain.vocabulary import DocumentKind, FailureCategory
from pipeline.stages.deidentify.patterns import FINDERS


@dataclass(frozen=True, slots=True)
class Policy:
    """What is removed from one kind of document."""

    version: str
    redact: tuple[str, ...]  # classes, in order of precedence


@cache
def _policies() -> dict[str, Policy]:
    raw = tomllib.loads(resources.files(__package__).joinpath("policy.toml").read_text("utf-8"))
    return {kind: Policy(table["version"], tuple(table["redact"])) for kind, table in raw.items()}


def _policy(kind: DocumentKind) -> Policy:
    policy = _policies().get(kind)
    if policy is None:
        raise RecordError(FailureCategory.NO_POLICY, "no de-identification policy for this kind of document")
    return policy


def policy_version(kind: DocumentKind) -> str:
    """Return the version of the policy for ``kind``; it is part of a document's recipe.

    Raises:
        RecordError: No policy names this kind.
    """
    return _policy(kind).version


def deidentify(document: Document) -> DeidentifiedDocument:
    """Replace every identifier that the policy for the document's kind names by ``[CLASS]``.

    Raises:
        RecordError: No policy names this kind: nothing passes by default.
    """
    policy = _policy(document.kind)
    return DeidentifiedDocument(
        document_id=document.document_id,
        source=document.source,
        source_key=document.source_key,
        kind=document.kind,
        title=_redact(document.title, policy)[0],
        parts=tuple(_part(part, policy) for part in document.parts),
        facets=document.facets,
        content_hash=document.content_hash,
        facets_hash=document.facets_hash,
        policy=policy.version,
    )


def _part(part: Part, policy: Policy) -> DeidentifiedPart:
    text, redactions = _redact(part.text, policy)
    return DeidentifiedPart(part.name, text, part.page, part.reading, part.confidence, redactions)


def _redact(text: str, policy: Policy) -> tuple[str, tuple[Redaction, ...]]:
    pieces: list[str] = []
    redactions: list[Redaction] = []
    length = done = 0
    for start, end, category in _found(text, policy):
        placeholder = f"[{category}]"
        pieces += (text[done:start], placeholder)
        length += start - done
        redactions.append(Redaction(length, length + len(placeholder), category))
        length += len(placeholder)
        done = end
    pieces.append(text[done:])
    return "".join(pieces), tuple(redactions)


def _found(text: str, policy: Policy) -> list[tuple[int, int, str]]:
    """Return spans with their class, in order and apart; where two overlap, the class named first in the policy wins."""
    taken: list[tuple[int, int, str]] = []
    for category in policy.redact:
        for start, end in FINDERS[category](text):
            if all(end <= other_start or start >= other_end for other_start, other_end, _ in taken):
                taken.append((start, end, category))
    return sorted(taken)
