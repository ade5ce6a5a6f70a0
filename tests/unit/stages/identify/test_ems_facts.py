import pytest

from pipeline.domain.marks import Mark, MarkKind
from pipeline.domain.reading import ReadFile
from pipeline.domain.vocabulary import DocumentKind
from pipeline.stages.identify import FactScheme, identify
from pipeline.testing.identity import reading


def ems(text: str, furniture: list[str] | None = None):
    return identify(reading([text], furniture), DocumentKind.EMS_PROTOCOL)


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("SUBJECT: STAIR CHAIRS REFERENCE NO. 718", "718"),
        ("Treatment Protocol: STAIR CHAIRS Ref. No. 1444-P", "1444-P"),
        ("REFERENCE NO.718.2a", "718.2a"),
        ("SUBJECT: STAIR CHAIRS REFERENCE 718.3", "718.3"),
        ("Policy Number: 4001.3", "4001.3"),
        ("Drug: WATER Ref. No. 1444.12 PAGE 1 OF 2", "1444.12"),
    ],
)
def test_reference_numbers(line, number):
    assert ems(line).own(FactScheme.REFERENCE_NUMBER) == (number,)


@pytest.mark.parametrize(
    "line",
    [
        "Treat according to Ref. No. 1202",
        "Treat according to\nRef. No. 1202",
        "Ref. No. 814, Determination of Death",
        "(Ref. No. 510)",
        "see Reference 718.3",
        "Reference No.",
    ],
)
def test_cross_references_are_not_the_documents_number(line):
    assert ems(line).own(FactScheme.REFERENCE_NUMBER) == ()


def test_the_header_wins_over_a_cross_reference_before_it():
    text = "Follow the policy of Ref. No. 1202\n\nSUBJECT: STAIR CHAIRS REFERENCE NO. 718"
    assert ems(text).own(FactScheme.REFERENCE_NUMBER) == ("718",)


@pytest.mark.parametrize(
    ("line", "revised"),
    [
        ("REVISED: 07-01-18", ("2018-07-01",)),
        ("REVISED:07-01-18", ("2018-07-01",)),
        ("Revised 04/25/2018", ("2018-04-25",)),
        ("Last Revised: July 2, 2019", ("2019-07-02",)),
        ("REVISED: 04-01-2022", ("2022-04-01",)),
        ("REVISED: NEW", ()),
        ("REVISED:\nSUPERSEDES: 04-01-15", ()),
        ("SUPERSEDES: 04-01-15", ()),
        ("(Rev. 04/2017)", ()),
    ],
)
def test_revision_dates(line, revised):
    assert ems(line).own(FactScheme.REVISION_DATE) == revised


def test_a_title_goes_on_in_capitals_and_stops_before_a_heading():
    title = ems("SUBJECT: TRANSPORT BY REFERENCE NO. 718\n\nSTAIR CHAIR\n\nDEFINITIONS\n\nCHAIR").title
    assert title == "TRANSPORT BY STAIR CHAIR"


def test_a_title_in_small_letters_takes_no_further_line():
    assert ems("Medical Control Guideline: Care of Wet Feet\n\nAGENCY").title == "Care of Wet Feet"


def test_a_title_stops_where_the_size_of_headings_changes():
    text = "SUBJECT: STAIR CHAIR REFERENCE NO. 718\n\nUSE BY CREWS\n\nORDER OF STEPS"
    marks = [
        Mark(text.index(line), text.index(line) + len(line), MarkKind.HEADING, level=level)
        for line, level in (("USE BY CREWS", 2), ("ORDER OF STEPS", 1))
    ]
    assert identify(ReadFile(text=text, marks=tuple(marks)), DocumentKind.EMS_PROTOCOL).title == "STAIR CHAIR USE BY CREWS"
    assert identify(ReadFile(text=text), DocumentKind.EMS_PROTOCOL).title == "STAIR CHAIR USE BY CREWS ORDER OF STEPS"


def test_a_title_takes_no_row_of_a_table_below_it():
    assert ems("SUBJECT: STAIR CHAIRS REFERENCE NO. 718\n\nCHAIR; PLACE\nCHAIR: A; PLACE: B").title == "STAIR CHAIRS"


def test_a_header_that_is_the_head_of_a_table_gives_number_and_title():
    identity = ems("SUBJECT: LIST OF CHAIRS; REFERENCE NO. 700\nSUBJECT: LIST OF CHAIRS: Stair chair; REFERENCE NO. 700: 718")
    assert (identity.title, identity.own(FactScheme.REFERENCE_NUMBER)) == ("LIST OF CHAIRS", ("700",))


def test_dates_inside_a_sentence_are_not_the_documents():
    identity = ems("The form was revised 04/25/2018 and is effective October 1, 2021.")
    assert identity.facts == ()


def test_no_audience_and_no_note_signs_in_a_title():
    assert ems("SUBJECT: WET FEET\u2776 (EMT, PARAMEDIC, MICN) REFERENCE NO. 718").title == "WET FEET"


def test_a_title_that_ends_in_the_middle_goes_on_in_the_text_below_the_header():
    identity = ems("COLD WATER\n\n1. Warm the patient.", ["SUBJECT: CARE OF PATIENTS IN REFERENCE NO. 718"])
    assert identity.title == "CARE OF PATIENTS IN COLD WATER"
