from __future__ import annotations

import pytest

from pipeline.domain.errors import RecordError
from pipeline.domain.fhir import Printed, RawResource
from pipeline.domain.vocabulary import FhirVersion, ResourceOutcome
from pipeline.fhir.xml import read_xml
from pipeline.stages.normalize.fhir import check

OPEN = '<Observation xmlns="http://hl7.org/fhir">'
RESULT = f"""{OPEN}<id value="o7"/><status value="final"/><code><coding><code value="2276-4"/></coding><text value="Ferritin"/></code>
<valueQuantity><value value="41.0"/><unit value="ug/L"/></valueQuantity><note><text value="1.00"/></note></Observation>"""


def test_elements_take_the_shape_of_json() -> None:
    value = read_xml(RESULT.encode(), FhirVersion.R4)
    assert value["code"] == {"coding": [{"code": "2276-4"}], "text": "Ferritin"}
    assert value["note"] == [{"text": "1.00"}]
    assert check(RawResource(value, "file 1")).outcome is ResourceOutcome.DOCUMENT


def test_decimals_keep_their_digits_and_texts_stay_texts() -> None:
    value = read_xml(RESULT.encode(), FhirVersion.R4)
    assert (value["valueQuantity"]["value"], type(value["valueQuantity"]["value"])) == ("41.0", Printed)
    assert type(value["note"][0]["text"]) is str


def test_utf_16_is_read() -> None:
    declared = f'<?xml version="1.0" encoding="UTF-16"?>{RESULT}'
    assert read_xml(declared.encode("utf-16"), FhirVersion.R4)["id"] == "o7"


def test_extensions_of_a_primitive_stand_beside_it() -> None:
    inner = '<extension url="http://example.org/b"><valueString value="y"/></extension>'
    given = (
        f'<Patient xmlns="http://hl7.org/fhir"><birthDate><extension url="http://example.org/a">{inner}</extension></birthDate></Patient>'
    )
    value = read_xml(given.encode(), FhirVersion.R4)
    assert "birthDate" not in value
    nested = [{"url": "http://example.org/b", "valueString": "y"}]
    assert value["_birthDate"] == {"extension": [{"url": "http://example.org/a", "extension": nested}]}


def test_contained_resources_and_bundles_keep_their_types() -> None:
    given = f'<Bundle xmlns="http://hl7.org/fhir"><type value="collection"/><entry><resource>{RESULT}</resource></entry></Bundle>'
    assert read_xml(given.encode(), FhirVersion.R4)["entry"][0]["resource"]["resourceType"] == "Observation"


def test_an_element_that_fhir_does_not_have_is_quarantined_and_not_named() -> None:
    given = RESULT.replace("<note>", '<WandaExample value="x"/><note>')
    found = check(RawResource(read_xml(given.encode(), FhirVersion.R4), "file 1"))
    assert (found.outcome, found.path) == (ResourceOutcome.QUARANTINED, "?")


@pytest.mark.parametrize(
    ("given", "category"),
    [
        (f'<!DOCTYPE Observation [<!ENTITY e SYSTEM "file:///etc/hostname">]>{OPEN}<id value="&e;"/></Observation>', "unsupported_format"),
        (f'<!DOCTYPE Observation [<!ENTITY e "x">]>{OPEN}<status value="&e;"/></Observation>', "unsupported_format"),
        (f"<!DOCTYPE Observation>{RESULT}", "unsupported_format"),
        (f'{OPEN}<status value="final">', "unsupported_format"),
        (f"{OPEN}{'<code>' * 150}{'</code>' * 150}</Observation>", "unsupported_format"),
        ("<ClinicalDocument/>", "not_a_resource"),
    ],
)
def test_document_types_entities_and_other_xml_are_refused(given: str, category: str) -> None:
    with pytest.raises(RecordError) as caught:
        read_xml(given.encode(), FhirVersion.R4)
    assert caught.value.category == category
