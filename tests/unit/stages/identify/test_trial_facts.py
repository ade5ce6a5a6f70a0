import pytest

from pipeline.domain.vocabulary import DocumentKind, Provenance
from pipeline.stages.identify import Fact, FactScheme, identify
from pipeline.testing.identity import reading


def own(
    text: str, scheme: FactScheme, *, furniture: list[str] | None = None, kind: DocumentKind = DocumentKind.PROTOCOL
) -> tuple[str, ...]:
    return identify(reading([text], furniture), kind).own(scheme)


@pytest.mark.parametrize(
    "line",
    [
        "Protocol Number: NVB-301-07",
        "Protocol No. NVB-301-07",
        "PROTOCOL ID: NVB-301-07",
        "Protocol code NVB-301-07",
        "Sponsor's Protocol Number: NVB-301-07",
        "Study Number: NVB-301-07",
        "Protocol: NVB-301-07",
        "Clinical Study Protocol NVB-301-07",
        "Protocol Number:\nNVB-301-07",
        "Sponsor: Harrowgate Protocol Number: NVB-301-07 Phase: 3",
    ],
)
def test_labels_of_the_protocol_number(line):
    assert own(line, FactScheme.PROTOCOL_NUMBER) == ("NVB-301-07",)


@pytest.mark.parametrize(
    "line",
    [
        "Protocol Number: Not applicable",
        "Protocol Number: TBD",
        "Protocol Number:\nAmendment Number: 3",
        "Telephone: 555-010-7788",
        "Protocol amendment 3",
        "Protocol 2021",
        "Protocol version 4.0",
        "Previous protocol number: OLD-111-22",
        "Compound: NV-20417",
    ],
)
def test_what_gives_no_protocol_number(line):
    assert own(line, FactScheme.PROTOCOL_NUMBER) == ()


def test_a_full_label_wins_over_a_number_that_only_stands_in_headers():
    assert own("Protocol Number: NVB-301-07", FactScheme.PROTOCOL_NUMBER, furniture=["DOC-4471-A\nPage 1", "DOC-4471-A\nPage 2"]) == (
        "NVB-301-07",
    )


def test_a_number_in_the_body_needs_its_label_at_the_beginning_of_a_line():
    body = "As in protocol number XYZ-999-01, visits are weekly.\nProtocol Number: NVB-301-07"
    identity = identify(reading(["Title", "Contents", body]), DocumentKind.PROTOCOL)
    assert identity.facts == (Fact(FactScheme.PROTOCOL_NUMBER, "NVB-301-07", Provenance.EXTRACTED, page=3),)


@pytest.mark.parametrize(
    ("line", "amendment"),
    [
        ("Amendment 3", "3"),
        ("Protocol Amendment No. 2", "2"),
        ("Amendment Number: 3.1 (US)", "3.1"),
        ("Global Amendment 1", "1"),
        ("Amendment No. IV", "4"),
        ("Amendment 1 12 May 2018\nAmendment 2 19 March 2019", "2"),
        ("PROTOCOL/AMENDMENT NO.: 189-04", "4"),
    ],
)
def test_amendments(line, amendment):
    assert own(line, FactScheme.AMENDMENT) == (amendment,)


@pytest.mark.parametrize(
    "line",
    [
        "Original Protocol",
        "Amendment Number: Not applicable",
        "Amendment Number: Original",
        "Version 4.0",
        "PROTOCOL/AMENDMENT NO.: 189-00",
        "Summary of amendments",
    ],
)
def test_what_gives_no_amendment(line):
    assert own(line, FactScheme.AMENDMENT) == ()


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("Version 4.0", ("4.0",)),
        ("Version Number: 2", ("2",)),
        ("v3.0, 8 March 2022", ("3.0",)),
        ("CTCAE version 5.0", ()),
        ("Template version 6.0\nVersion: 1.1", ("1.1",)),
    ],
)
def test_versions(line, version):
    assert own(line, FactScheme.VERSION) == version


@pytest.mark.parametrize(
    "line",
    [
        "NCT Number: NCT99000011",
        "ClinicalTrials.gov Identifier: NCT99000011",
        "NCT #: NCT99000011",
        "NCT99000011",
        "Trial registration: NCT 99000011",
        "NCT: NCT99000011",
    ],
)
def test_own_registrations(line):
    assert own(f"Study Protocol\n\n{line}", FactScheme.NCT_ID) == ("NCT99000011",)


@pytest.mark.parametrize(
    "line",
    [
        "NCT Number: Not yet available",
        "Parent study NCT Number: NCT99000011",
        "In an earlier trial (NCT99000011) the drug was tolerated.",
        "Related study: NCT99000011",
        "NCT Number: NCT9900001",
        "NCT990000112",
    ],
)
def test_what_gives_no_own_registration(line):
    assert own(line, FactScheme.NCT_ID) == ()


def test_a_registration_in_running_headers_is_own_even_beside_others_in_the_text():
    text = "Study NCT99000022 found nothing."
    assert own(text, FactScheme.NCT_ID, furniture=["NCT99000011 Page 1", "NCT99000011 Page 2"]) == ("NCT99000011",)


def test_in_the_body_a_row_is_own_and_a_sentence_or_a_reference_is_not():
    rows = "ClinicalTrials.gov Identifier: NCT99000011\nThe drug was tolerated; see ClinicalTrials.gov NCT99000022."
    references = "References\nClinicalTrials.gov Identifier: NCT99000033"
    facts = identify(reading(["Title", "Contents", rows, references]), DocumentKind.PROTOCOL).facts
    assert [(fact.value, fact.own, fact.page) for fact in facts] == [
        ("NCT99000011", True, 3),
        ("NCT99000022", False, 3),
        ("NCT99000033", False, 4),
    ]


def test_of_other_trials_no_more_than_twenty_are_told():
    text = " ".join(f"See NCT990001{number:02}." for number in range(50))
    assert len(identify(reading([text]), DocumentKind.PROTOCOL).facts) == 20


def test_of_a_paper_only_registrations_are_told():
    identity = identify(reading(["Abstract\n\nProtocol Number: NVB-301-07\n\nTrial registration: NCT99000011"]), DocumentKind.PAPER)
    assert [fact.scheme for fact in identity.facts] == [FactScheme.NCT_ID]


def test_european_and_american_application_numbers_need_their_labels():
    text = "Document 2019-004417-31\n\nIN 118204"
    assert own(text, FactScheme.EU_NUMBER) == own(text, FactScheme.IND_NUMBER) == ()
    text = "EudraCT Number: 2019-004417-31\n\nIND Number: 118,204"
    assert own(text, FactScheme.EU_NUMBER) == ("2019-004417-31",)
    assert own(text, FactScheme.IND_NUMBER) == ("118204",)


def test_an_empty_label_does_not_take_the_next_labels_value():
    assert own("US IND Number:\n\nEudraCT Number:\n\n2019-004417-31", FactScheme.IND_NUMBER) == ()
