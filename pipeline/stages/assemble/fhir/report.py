"""A DiagnosticReport as text: its results in order, then what they mean."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pipeline.domain.vocabulary import DocumentKind, Section
from pipeline.stages.assemble.fhir.build import attachments, headline, rendered
from pipeline.stages.assemble.fhir.codes import codings
from pipeline.stages.assemble.fhir.kinds import kind_of
from pipeline.stages.assemble.fhir.lines import Lines
from pipeline.stages.assemble.fhir.model import Rendered
from pipeline.stages.assemble.fhir.observation import result_lines
from pipeline.stages.assemble.fhir.related import Related, Resource
from pipeline.stages.assemble.fhir.values import FORMS, choice, code_line, concepts_text, items, moment, name_of, prose, text_of

# HL7 v2 table 0074, diagnostic service sections, and the LOINC parts that US Core names instead.
_KINDS: Final = {
    **dict.fromkeys(("LAB", "CH", "HM", "MB", "BLB", "IMM", "SR", "TX", "VR", "MCB", "laboratory"), DocumentKind.LAB_REPORT),
    **dict.fromkeys(("RAD", "CT", "NMR", "NMS", "RUS", "OUS", "VUS", "RX", "imaging", "LP29684-5"), DocumentKind.RADIOLOGY_REPORT),
    **dict.fromkeys(("SP", "PAT", "CP", "CG", "LP7839-6"), DocumentKind.PATHOLOGY_REPORT),
}
_SECTIONS: Final = {
    DocumentKind.LAB_REPORT: Section.LABORATORY_RESULTS,
    DocumentKind.RADIOLOGY_REPORT: Section.IMAGING,
    DocumentKind.PATHOLOGY_REPORT: Section.FINDINGS,
}


def render_report(fields: Resource, related: Related) -> Rendered:
    """Return a report's text. Its conclusion is a part of its own."""
    code, kind = fields.get("code"), _kind(fields)
    lines = Lines(headline(name_of(code), text_of(fields.get("status"))))
    lines.add("Code", code_line(code))
    lines.add("Category", concepts_text(fields.get("category")))
    lines.add("Specimen", related.concepts(fields.get("specimen")))
    lines.add("Date", choice(fields, "effective", FORMS) or moment(fields.get("issued")))
    known = len(lines)
    lines.extend(result_lines(fields.get("result"), related))
    lines.notes(fields.get("note"))
    meaning = Lines()
    meaning.add("Conclusion", prose(fields.get("conclusion")))
    coded = (fields.get("conclusionCode"), fields.get("codedDiagnosis"))
    meaning.add("Conclusion, coded", related.concepts(*coded))
    forms = attachments((f"presentedForm[{index}]", one) for index, one in enumerate(items(fields.get("presentedForm"))))
    read = rendered(
        fields,
        related,
        name=name_of(code),
        parts=[(_SECTIONS.get(kind, Section.FINDINGS), lines), (Section.IMPRESSION, meaning)],
        about=[code, *coded],
        date=_date(fields),
        says_little=len(lines) == known and not meaning and not forms,
    )
    return replace(read, attachments=forms, attached_kind=kind)


def _kind(fields: Resource) -> DocumentKind:
    codes = [text_of(coding.get("code")) for one in items(fields.get("category")) for coding in codings(one)]
    return next((_KINDS[code] for code in codes if code in _KINDS), None) or kind_of(fields.get("code"))


def _date(fields: Resource) -> str:
    starts = [text_of(one.get("start")) for one in items(fields.get("effectivePeriod"))]
    return next((one for one in (text_of(fields.get("effectiveDateTime")), *starts, text_of(fields.get("issued"))) if one), "")
