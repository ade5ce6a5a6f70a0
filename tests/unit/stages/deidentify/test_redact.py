"""Identifiers go, everything else stays; a kind without policy is refused."""

from __future__ import annotations

from uuid import UUID

import pytest

from pipeline.domain.documents import DeidentifiedDocument, Document, Facets, Part
from pipeline.domain.phi import IdentifierClass
from pipeline.domain.vocabulary import DocumentKind
from pipeline.stages.deidentify import Scrubber, gate, policy_for
from pipeline.stages.deidentify import deidentify as deidentify_by


def trial(text: str, title: str = "A study") -> Document:
    return Document(
        UUID(int=1), "clinicaltrials.gov", "NCT90000001", DocumentKind.TRIAL, title, (Part("brief_summary", text),), Facets(), "c", "f"
    )


def deidentify(document: Document) -> DeidentifiedDocument:
    return deidentify_by(document, Scrubber(), policy_for(document.kind, document.source))


def test_replaces_contacts_and_says_where_they_stood():
    (part,) = deidentify(trial("Mail x@y.example or call 301-555-0142.")).parts
    assert part.text == "Mail [EMAIL] or call [PHONE]."
    assert [(part.text[span.start : span.end], span.category) for span in part.redactions] == [("[EMAIL]", "EMAIL"), ("[PHONE]", "PHONE")]


def test_leaves_text_without_contacts_alone():
    text = "Age ≥ 18, NCT90000001, 5-10 mg, 2020-01-01, EudraCT 2019-001234-56"
    (part,) = deidentify(trial(text)).parts
    assert part.text == text
    assert part.redactions == ()


def test_title_is_read_too_and_hashes_stay():
    result = deidentify(trial("Text", title="Write to x@y.example"))
    assert result.title == "Write to [EMAIL]"
    assert (result.content_hash, result.facets_hash) == ("c", "f")
    assert result.policy == "public-registry-2"


def test_kind_without_policy_is_scrubbed_as_clinical_text():
    assert policy_for("unheard-of", "anywhere").classes == frozenset(IdentifierClass)
    assert policy_for("trial", "another registry").name == "clinical"


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("Mail x@y.example", ("EMAIL",)),
        ("Call (301) 555-0142.", ("PHONE",)),
        ("a platelet count of (100) 250-3000 is no number to call", ()),
        ("Call 301-555-0142 or x@y.example", ("EMAIL", "PHONE")),
        ("fax 030 5550142", ("PHONE",)),
        ("+4930123456789", ("PHONE",)),
        ("[EMAIL] and [PHONE]", ()),
    ],
)
def test_gate_reads_by_its_own_rules(text, classes):
    assert gate(text) == classes


def test_what_the_stage_leaves_passes_the_gate():
    text = "Mail x@y.example, fax 030 5550142, call +49 30 1234 5678 or 1-800-555-0142 x12."
    (part,) = deidentify(trial(text)).parts
    assert gate(part.text) == ()
