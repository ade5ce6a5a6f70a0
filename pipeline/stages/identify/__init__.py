"""What a document is and which trial or protocol it belongs to, read from its own words, with where they stand."""

from __future__ import annotations

from pipeline.domain.reading import ReadFile
from pipeline.domain.vocabulary import PUBLIC_KINDS, DocumentKind, Provenance
from pipeline.stages.identify.classify import classify
from pipeline.stages.identify.ems_facts import ems_facts
from pipeline.stages.identify.evidence import Evidence, gather
from pipeline.stages.identify.facts import Fact, FactScheme, Identity
from pipeline.stages.identify.folder import folder_facts
from pipeline.stages.identify.registrations import registrations
from pipeline.stages.identify.shapes import has_shape
from pipeline.stages.identify.title import find_title
from pipeline.stages.identify.trial_facts import trial_facts

__all__ = ["Fact", "FactScheme", "Identity", "identify"]

_TRIAL_KINDS = (DocumentKind.PROTOCOL, DocumentKind.STATISTICAL_ANALYSIS_PLAN)


def identify(read: ReadFile, kind: DocumentKind | None, folder: str = "") -> Identity:
    """Return kind, title and facts of a file.

    Args:
        read: The reading, identified. Facts leave it only in closed shapes, and none leaves a clinical document.
        kind: As the sidecar states it, or None: then rules decide, and ``UNKNOWN`` is what they are not sure of.
        folder: The folder that the file lies in. Its own name is the fallback for protocol number and NCT id.
    """
    evidence = gather(read)
    if kind is None:
        decided, score = classify(evidence, f"{read.text}\n{read.furniture}")
        by = Provenance.EXTRACTED
    else:
        decided, score, by = kind, 1.0, Provenance.RECORD
    if decided not in PUBLIC_KINDS:
        return Identity(decided, score, by)
    found = tuple(fact for fact in _facts(evidence, decided) if has_shape(fact.scheme, fact.value))
    return Identity(decided, score, by, find_title(evidence, decided), found + folder_facts(folder, decided, found))


def _facts(evidence: Evidence, kind: DocumentKind) -> tuple[Fact, ...]:
    if kind is DocumentKind.PAPER:
        return tuple(fact for fact in registrations(evidence.stretches()) if fact.scheme is FactScheme.NCT_ID)
    return trial_facts(evidence) if kind in _TRIAL_KINDS else ems_facts(evidence)
