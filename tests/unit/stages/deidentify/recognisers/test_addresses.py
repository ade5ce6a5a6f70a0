"""Street addresses and their like, against measures, doses and headings that look like them."""

from __future__ import annotations

import pytest

from pipeline.domain.phi import IdentifierClass
from pipeline.stages.deidentify.recognisers.addresses import Addresses
from pipeline.stages.deidentify.resolve import resolve


def found(text: str) -> list[str]:
    return [text[each.start : each.end] for each in resolve(Addresses().find(text, None))]


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("Home: 48 Tamarack Street, Quillport, OR 97411", "48 Tamarack Street, Quillport, OR 97411"),
        ("12 Alder St, Apt 4B, Wexley Falls, MA 02139-4307.", "12 Alder St, Apt 4B, Wexley Falls, MA 02139-4307"),
        ("She resides at 310 N. Larkspur Ave #12, Denver, CO.", "310 N. Larkspur Ave #12, Denver, CO"),
        ("pt lives at 78 quince avenue with her son", "78 quince avenue"),
        ("lives at 5 fennel ct", "5 fennel ct"),
        ("lives at 117 old quarry rd, lot 14", "117 old quarry rd, lot 14"),
        ("lives on maple street alone", "maple street"),
        ("Pharmacy on Elm and 3rd", "Elm and 3rd"),
        ("12 Fenn Row\nApt. 004", "12 Fenn Row\nApt. 004"),
        ("Lives at 9041 Mossback Tunnel with aunt", "9041 Mossback Tunnel"),
        ("discharged home to 330 Orrin Heights Suite 710.", "330 Orrin Heights Suite 710"),
        ("12 OSPREY ROAD, TOLEDO, OH 43604", "12 OSPREY ROAD, TOLEDO, OH 43604"),
        ("Mail to P.O. Box 1182, Springfield, IL 62704.", "P.O. Box 1182, Springfield, IL 62704"),
        ("RR 2 Box 152, Salina, KS 67401", "RR 2 Box 152, Salina, KS 67401"),
        ("moved to PSC 1234, Box 5678, APO AE 09012", "PSC 1234, Box 5678, APO AE 09012"),
        ("hit at the corner of 5th and Juniper today", "5th and Juniper"),
        ("fell on Hollin Street & Wren Avenue", "Hollin Street & Wren Avenue"),
        ("the pharmacy on Plumtree Road", "Plumtree Road"),
        ("Flat 2, 14 Rosewood Crescent, Leeds LS2 9JT", "Flat 2, 14 Rosewood Crescent, Leeds LS2 9JT"),
        ("112, Tamarind Road, Kandy, Sri Lanka", "112, Tamarind Road, Kandy, Sri Lanka"),
        ("Address: No. 45/2, Jasmine Mawatha, Colombo 07", "No. 45/2, Jasmine Mawatha, Colombo 07"),
        ("45 MG Road, Bengaluru 560001", "45 MG Road, Bengaluru 560001"),
        ("wohnt Lindenstrasse 12, 10115 Berlin", "Lindenstrasse 12, 10115 Berlin"),
        ("Domicilio Calle Velarde 42.", "Calle Velarde 42"),
        ("habite 12 rue de la Fontaine, Lyon", "12 rue de la Fontaine, Lyon"),
        ("8801 County Road 12", "8801 County Road 12"),
    ],
)
def test_finds_a_whole_address(text: str, address: str) -> None:
    assert found(text) == [address]


@pytest.mark.parametrize(
    "text",
    [
        "Ferritin 20145 ng, platelets 11800",
        "12 Lead ECG and 2 View Chest X-ray",
        "500 MG DR tablet, 20 ML WAY too much",
        "Vitals: HR 72, RR 16, SpO2 97%",
        "RR 18 Temp 97.5",
        "seen by Dr. Osgood in 2 Weeks",
        "Grade 3 Left Ventricular dysfunction",
        "NYHA 3 Point scale",
        "3 Trial arms, 2 Center study",
        "walks 2 blocks; lives on her own",
        "taken to Operating Suite 3",
        "on Monday and 3rd day; on May and 4th",
        "lives on the street; lives on a busy road",
        "Phase 2 Study of 4 Drug regimens",
        "lives at home with 2 cats",
        "lives with a 5 year old st bernard",
        "60 patients in 3 way crossover",
        "In 2019 Way too many falls",
        "Section 8 Course in hospital",
        "100 Million Units daily",
        "aged 4 to 6 years on the road to recovery",
        "stayed 3 Days, then home",
        "at the intersection of medicine and law",
        "T10 Rest pain, 5 Fold increase",
        "Ward 7 West, bed 12",
        "NCT91234567, 150 Subjects",
    ],
)
def test_leaves_clinical_numbers(text: str) -> None:
    assert found(text) == []


def test_unit_before_the_house_belongs_to_it() -> None:
    assert found("Apt 4B, 12 Alder St") == ["Apt 4B, 12 Alder St"]


def test_rules_are_sure() -> None:
    places = list(Addresses().find("48 Tamarack Street; corner of 5th and Juniper", None))
    assert {each.category for each in places} == {IdentifierClass.ADDRESS}
    assert all(each.score >= 0.85 for each in places)
