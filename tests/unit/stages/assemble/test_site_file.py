"""A file becomes a document whose title, facets and hashes name nobody."""

from __future__ import annotations

from dataclasses import asdict, replace
from uuid import UUID

import pytest

from pipeline.domain.documents import Document
from pipeline.domain.errors import RecordError
from pipeline.domain.identifiers import sha256_hex
from pipeline.domain.marks import Mark, MarkKind
from pipeline.domain.reading import PageOutcome, ReadFile, ReadPage
from pipeline.domain.site_files import LandedFile, Sidecar
from pipeline.domain.vocabulary import DocumentKind, Reading
from pipeline.stages.assemble import FileFacts, FoundFacts, assemble_file

SECRET = b"a secret of sixteen or more"
NAME = "Zebulon Quartermain"
LANDED = LandedFile("k" * 32, "r" * 32, f"ward/{NAME}.txt", "text/plain", "c" * 64, None, None, None)
TEXT = f"{NAME}\nNo fever."


def facts(sidecar: Sidecar = Sidecar(), landed: LandedFile = LANDED) -> FileFacts:  # noqa: B008 - frozen
    return FileFacts.of(landed, sidecar, secret=SECRET, departments=("cardiology",), access_labels=("internal",))


def document(
    sidecar: Sidecar = Sidecar(),  # noqa: B008
    *,
    text: str = TEXT,
    landed: LandedFile = LANDED,
    secret: bytes = SECRET,
    found: FoundFacts = FoundFacts(),  # noqa: B008
) -> Document:
    said = facts(sidecar, landed)
    landed = replace(landed, content=sha256_hex(text.encode()))
    kind = said.kind_or(DocumentKind.UNKNOWN)
    return assemble_file(landed, ReadFile(text), kind, said, found, UUID(int=1), secret=secret)


@pytest.mark.parametrize(
    ("sidecar", "title"),
    [
        (Sidecar(DocumentKind.DISCHARGE_SUMMARY, date="2031-05-02"), "Discharge summary, 2031"),
        (Sidecar(DocumentKind.DISCHARGE_SUMMARY, title=f"Summary of {NAME}"), "Discharge summary"),
        (Sidecar(DocumentKind.LAB_REPORT, date="2031"), "Lab report, 2031"),
        (Sidecar(title=NAME), "Document"),
        (Sidecar(), "Document"),
        (Sidecar(DocumentKind.GUIDELINE, title="Care of sepsis"), "Care of sepsis"),
        (Sidecar(DocumentKind.GUIDELINE, date="2031-05"), "Guideline, 2031"),
    ],
)
def test_a_clinical_title_is_kind_and_year_and_never_anybodys_words(sidecar: Sidecar, title: str):
    assert document(sidecar).title == title


def test_what_is_shown_of_a_document_names_nobody():
    made = document(Sidecar(DocumentKind.NOTE, NAME, "2031-05-02", NAME, NAME, NAME, "internal"))
    shown = repr(made) + str(asdict(made.facets)) + made.content_hash + made.facets_hash + made.title + made.source_key
    assert NAME not in shown
    assert made.facets.patient is not None
    assert made.facets.department is None


@pytest.mark.parametrize(
    ("given", "kept"), [("Cardiology", "cardiology"), (" CARDIOLOGY ", "cardiology"), ("Dr. Quartermain's ward", None)]
)
def test_a_department_is_kept_only_where_the_sites_list_has_it(given: str, kept: str | None):
    found = facts(Sidecar(department=given))
    assert (found.department, found.department_unlisted) == (kept, kept is None)


def test_kind_and_label_are_the_sidecars_before_the_commands():
    landed = replace(LANDED, kind="note", access="internal")
    assert facts(landed=landed).kind is DocumentKind.NOTE
    assert facts(Sidecar(kind=DocumentKind.LAB_REPORT), landed).kind is DocumentKind.LAB_REPORT
    assert facts(landed=landed).access == "internal"
    assert facts().kind is None


@pytest.mark.parametrize(
    "sidecar",
    [
        Sidecar(DocumentKind.GUIDELINE, patient="771"),
        Sidecar(DocumentKind.PROTOCOL, known_identifiers={"version": 1, "values": {}}),
        Sidecar(access=NAME),
    ],
)
def test_a_public_kind_with_a_patient_and_a_foreign_label_are_refused(sidecar: Sidecar):
    with pytest.raises(RecordError) as refused:
        facts(sidecar)
    assert refused.value.category == "bad_sidecar"
    assert NAME not in str(refused.value)


def test_the_pseudonym_is_the_same_in_all_of_a_patients_documents_and_another_under_another_secret():
    one, two = facts(Sidecar(patient="771")), facts(Sidecar(DocumentKind.NOTE, patient="771"))
    other = FileFacts.of(LANDED, Sidecar(patient="771"), secret=b"another secret of the site", departments=(), access_labels=())
    assert one.patient == two.patient != other.patient


@pytest.mark.parametrize(
    "sidecar",
    [Sidecar(patient="771"), Sidecar(author=NAME), Sidecar(known_identifiers={"version": 1, "values": {"NAME": [NAME]}})],
)
def test_what_is_known_of_the_patient_is_part_of_the_content(sidecar: Sidecar):
    assert document(sidecar).content_hash != document().content_hash


def test_the_content_hash_is_keyed_and_changes_with_the_bytes_alone():
    assert document().content_hash == document(Sidecar(access="internal", department="cardiology")).content_hash
    assert document().content_hash != document(text=TEXT + "!").content_hash
    assert document().content_hash != document(secret=b"another secret of the site").content_hash


FOUND = FoundFacts("A study of sleep", "2031-02", "QLD-77", "3", None, ("NCT99000901",))


def test_a_public_document_says_of_itself_what_its_sidecar_leaves_out():
    made = document(Sidecar(DocumentKind.PROTOCOL, amendment="4", agency="A county", state="OR"), found=FOUND)
    facets = made.facets
    assert (made.title, facets.protocol_number, facets.amendment, facets.document_date) == ("A study of sleep", "QLD-77", "4", "2031-02")
    assert (facets.nct_id, facets.nct_ids, facets.agency, facets.state) == ("NCT99000901", ("NCT99000901",), "A county", "OR")


def test_a_clinical_document_keeps_the_year_and_no_number_of_an_institution():
    made = document(Sidecar(DocumentKind.NOTE, date="2031-05-02", agency="A county", state="OR", protocol_number="771-4"), found=FOUND)
    assert made.facets.document_date == "2031"
    assert (made.facets.agency, made.facets.state, made.facets.protocol_number, made.facets.nct_ids) == (None, None, None, ())


@pytest.mark.parametrize(
    ("sidecar", "guessed", "kind"),
    [
        (Sidecar(), DocumentKind.PROTOCOL, DocumentKind.PROTOCOL),
        (Sidecar(DocumentKind.NOTE), DocumentKind.PROTOCOL, DocumentKind.NOTE),
        (Sidecar(patient="771"), DocumentKind.PROTOCOL, DocumentKind.UNKNOWN),
        (Sidecar(known_identifiers={"version": 1, "values": {}}), DocumentKind.PAPER, DocumentKind.UNKNOWN),
        (Sidecar(patient="771"), DocumentKind.LAB_REPORT, DocumentKind.LAB_REPORT),
    ],
)
def test_a_patients_document_is_never_guessed_to_be_public(sidecar: Sidecar, guessed: DocumentKind, kind: DocumentKind):
    assert facts(sidecar).kind_or(guessed) is kind


def test_headers_and_footers_are_a_part_of_their_own_and_a_scan_is_as_sure_as_its_worst_page():
    pages = tuple(ReadPage(number, PageOutcome.OCR, confidence=sure) for number, sure in ((1, 0.9), (2, 0.6)))
    read = ReadFile("one\n\ntwo", (Mark(0, 4, MarkKind.PAGE, 1),), "header", (Mark(0, 6, MarkKind.PAGE, 1),), pages)
    text, furniture = assemble_file(LANDED, read, DocumentKind.NOTE, facts(), FoundFacts(), UUID(int=1), secret=SECRET).parts
    assert (text.name, text.reading, text.confidence, text.marks) == ("text", Reading.OCR, 0.6, read.marks)
    assert (furniture.name, furniture.text, furniture.marks) == ("furniture", "header", read.furniture_marks)
