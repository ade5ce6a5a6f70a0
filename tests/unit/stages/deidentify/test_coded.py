"""Words and codes of vocabularies stay; what is known or sure is replaced there, too."""

from __future__ import annotations

from uuid import UUID

import pytest

from pipeline.domain.documents import DeidentifiedDocument, Document, Facets
from pipeline.domain.phi import IdentifierClass
from pipeline.domain.vocabulary import DocumentKind
from pipeline.jobs.gating import written_values
from pipeline.stages.assemble.fhir import render
from pipeline.stages.deidentify import KnownIdentifiers, Scrubber, deidentify, policy_for
from pipeline.stages.deidentify.coded import Coded
from pipeline.stages.deidentify.gate import suspects

POLICY = policy_for("fhir_resource", "fhir")


@pytest.fixture(scope="module")
def scrubber() -> Scrubber:
    return Scrubber()


def scrubbed(scrubber: Scrubber, resource: dict, known: KnownIdentifiers | None = None) -> DeidentifiedDocument:
    found = render(resource, {})
    kind = DocumentKind.FHIR_RESOURCE
    document = Document(UUID(int=1), "fhir", "k", kind, found.title, found.parts, Facets(), "h", "f")
    return deidentify(document, scrubber, POLICY, known=known)


def observation(display: str, system: str = "http://loinc.org", text: str | None = None) -> dict:
    code = {"coding": [{"system": system, "code": "789-8", "display": display}], **({"text": text} if text else {})}
    return {"resourceType": "Observation", "status": "final", "code": code, "valueQuantity": {"value": "4.10", "unit": "10*6/uL"}}


def test_what_a_vocabulary_calls_a_code_stays_in_text_and_title(scrubber: Scrubber):
    name = "Erythrocytes [#/volume] in Blood by Automated count"
    done = scrubbed(scrubber, observation(name))
    assert done.parts[0].text == f"{name} 4.10 10*6/uL (final)\nCode: LOINC 789-8"
    assert done.title == f"Observation: {name}"


def test_the_same_words_of_nobodys_vocabulary_are_judged_like_any_others(scrubber: Scrubber):
    name = "Erythrocytes [#/volume] in Blood by Automated count"
    assert "[ADDRESS]" in scrubbed(scrubber, observation(name, system="urn:local")).parts[0].text


def test_a_known_name_in_a_display_is_replaced(scrubber: Scrubber):
    known = KnownIdentifiers({IdentifierClass.NAME: ("Quillfeather, Ludmila",)})
    done = scrubbed(scrubber, observation("Panel for Ludmila Quillfeather"), known)
    assert "Quillfeather" not in done.parts[0].text + done.title


def test_a_sure_name_in_a_display_is_replaced(scrubber: Scrubber):
    assert "Vane" not in scrubbed(scrubber, observation("Seen by Dr. Osric Vane")).parts[0].text


def test_a_code_with_its_vocabularys_name_is_no_number_of_a_person(scrubber: Scrubber):
    text = "Reason: Contact dermatitis (SNOMED 40275004); Office visit (CPT 99211)"
    assert suspects(text, POLICY.classes) == []
    assert scrubber.scrub_all([text], POLICY, coded=Coded())[0].text == text


@pytest.mark.parametrize("text", ["Contact: SNOMED 5551234567", "MRN 40275004", "Phone 555-0142-733"])
def test_another_number_still_is(text: str):
    assert suspects(text, POLICY.classes)


def test_an_amount_of_many_digits_is_no_number_of_a_person(scrubber: Scrubber):
    load = {"resourceType": "Observation", "code": {"text": "HIV RNA"}, "valueQuantity": {"value": "50439389", "unit": "copies/mL"}}
    said = {**load, "note": [{"text": "MRN 50439388"}]}
    done = scrubbed(scrubber, said)
    assert done.parts[0].text == "HIV RNA 50439389 copies/mL\nNote: MRN [ID]"
    assert suspects(done.parts[0].text, POLICY.classes, written=written_values(done)) == []
