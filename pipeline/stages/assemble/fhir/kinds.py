"""The type of a document in, the kind that its attachments are read as out."""

from __future__ import annotations

from typing import Final

from pipeline.domain.vocabulary import DocumentKind
from pipeline.stages.assemble.fhir.codes import codings, vocabulary
from pipeline.stages.assemble.fhir.values import items, text_of

# LOINC document types (https://loinc.org/document-ontology; the types of US Core Clinical Notes and C-CDA). Others are notes.
_KINDS: Final = {
    "18842-5": DocumentKind.DISCHARGE_SUMMARY,
    "11490-0": DocumentKind.DISCHARGE_SUMMARY,  # by a physician
    "34745-0": DocumentKind.DISCHARGE_SUMMARY,  # by a nurse
    "11506-3": DocumentKind.PROGRESS_NOTE,
    "18733-6": DocumentKind.PROGRESS_NOTE,  # by an attending physician
    "34126-3": DocumentKind.PROGRESS_NOTE,  # critical care
    "11502-2": DocumentKind.LAB_REPORT,
    "26436-6": DocumentKind.LAB_REPORT,
    "18748-4": DocumentKind.RADIOLOGY_REPORT,
    "18726-0": DocumentKind.RADIOLOGY_REPORT,
    "68604-8": DocumentKind.RADIOLOGY_REPORT,
    "11526-1": DocumentKind.PATHOLOGY_REPORT,
    "27898-6": DocumentKind.PATHOLOGY_REPORT,
    "60567-5": DocumentKind.PATHOLOGY_REPORT,
}


def kind_of(concepts: object) -> DocumentKind:
    """Return the kind of the first type that is known, else a note."""
    codes = (coding for one in items(concepts) for coding in codings(one) if vocabulary(coding.get("system")) == "LOINC")
    return next((_KINDS[code] for one in codes if (code := text_of(one.get("code"))) in _KINDS), DocumentKind.NOTE)
