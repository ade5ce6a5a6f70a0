"""What is known of a patient is found in every form, and other words are left alone."""

from __future__ import annotations

import pytest

from pipeline.domain.phi import IdentifierClass
from pipeline.stages.deidentify.known import KnownIdentifiers, find_known

C = IdentifierClass
KNOWN = KnownIdentifiers(
    {
        C.NAME: (
            "Tolliver-Ashgrove, Imogen Rhys",
            "Osei O'Shanahan",
            "Frost, Will",
            "Ng, Bao",
            "Jørgen Müllerström",
            "van der Velden, Pieter",
            "Cornmann, Lio",
        ),
        C.MRN: ("73-0416-8",),
        C.PHONE: ("(614) 555-0138 x7", "+49 40 7654321"),
        C.FAX: ("614-555-0177",),
        C.SSN: ("731-55-2046",),
        C.DATE: ("1948-05-09",),
        C.ADDRESS: ("27 North Larkspur Street, Apt 4C", "Quillan Harbor", "Reading", "Hadleigh"),
        C.ZIP: ("43085-1207",),
        C.EMAIL: ("i.tolliver@mail.example",),
        C.LICENSE: ("RX4471902",),
        C.ACCOUNT: ("5512",),
        C.PHOTO: ("https://files.example.org/faces/p-88213.jpg",),
        C.FACILITY: ("Saint Odile Infirmary",),
    }
)


def found(text: str, known: KnownIdentifiers = KNOWN) -> list[tuple[str, str]]:
    places = find_known(text, known)
    assert all(each.score == 1.0 for each in places)
    return [(text[each.start : each.end], each.category) for each in places]


def covered(text: str, known: KnownIdentifiers = KNOWN) -> str:
    """The text with everything found cut out."""
    places = find_known(text, known)
    return "".join(char for index, char in enumerate(text) if not any(each.start <= index < each.end for each in places))


@pytest.mark.parametrize(
    "form",
    [
        "Imogen Tolliver-Ashgrove",
        "TOLLIVER-ASHGROVE, IMOGEN R.",
        "imogen tolliver ashgrove",
        "Tolliver Ashgrove, I.",
        "Tolliver",
        "ashgrove",
        "imogen",
        "TolliverAshgrove",
        "TOLLI-\n    VER",
        "Tolli ver-Ashgrove",
        "Tolivver",
        "Tollver",
        "Ashgrofe",
        "T0lliver",
        "To11iver",
        "itolliverashgrove",
        "I. Tol.",
        "I.R.T.",
        "I. T.",
        "Osei O'Shanahan",
        "OSHANAHAN",
        "O Shanahan",
        "O’Shanahan",
        "O'Shanahna",
        "Will Frost",
        "will frost",
        "frost, will",
        "Frost",
        "WILL",
        "Ng",
        "bao ng",
        "Jorgen",
        "Joergen Muellerstroem",
        "MULLERSTROM",
        "Mu\u0308llerstro\u0308m",
        "Müllerstorm",
        "Van der Velden",
        "VELDEN, P.",
        "van der Vleden",
        "Commann",
        "Cor-\nnmann",
        "Lio",
    ],
)
def test_finds_a_name_in_every_form(form):
    assert covered(f"Seen today: {form}; stable on room air") == "Seen today: ; stable on room air"


@pytest.mark.parametrize(
    ("text", "value", "category"),
    [
        ("MRN 7304168 seen", "7304168", C.MRN),
        ("MRN 0007304168", "0007304168", C.MRN),
        ("chart 730 41 68", "730 41 68", C.MRN),
        ("MRN7304168", "7304168", C.MRN),
        ("MRN 73O4I68", "73O4I68", C.MRN),
        ("call 614.555.0138", "614.555.0138", C.PHONE),
        ("call +1 (614) 555-0138 ext 7.", "+1 (614) 555-0138 ext 7", C.PHONE),
        ("6145550138", "6145550138", C.PHONE),
        ("555-0138 at home", "555-0138", C.PHONE),
        ("040 7654321", "040 7654321", C.PHONE),
        ("+49407654321", "+49407654321", C.PHONE),
        ("fax 6145550177", "6145550177", C.FAX),
        ("phone ending in 0138", "0138", C.PHONE),
        ("ssn 731 55 2046", "731 55 2046", C.SSN),
        ("731552046", "731552046", C.SSN),
        ("last four of SSN: 2046", "2046", C.SSN),
        ("SSN xxx-xx-2046", "2046", C.SSN),
        ("account 5512", "5512", C.ACCOUNT),
        ("licence rx-447 1902", "rx-447 1902", C.LICENSE),
        ("DOB 5/9/48", "5/9/48", C.DATE),
        ("born 09.05.1948", "09.05.1948", C.DATE),
        ("on May 9th, 1948", "May 9th, 1948", C.DATE),
        ("9 May 1948", "9 May 1948", C.DATE),
        ("09MAY1948", "09MAY1948", C.DATE),
        ("19480509", "19480509", C.DATE),
        ("the 9th of May", "9th of May", C.DATE),
        ("dob: 5/9", "5/9", C.DATE),
        ("since 05/1948", "05/1948", C.DATE),
        ("O5/O9/I948", "O5/O9/I948", C.DATE),
        ("1948-05-09T06:10", "1948-05-09T06", C.DATE),
        ("27 N. Larkspur St", "27 N. Larkspur St", C.ADDRESS),
        ("27 LARKSPUR STREET", "27 LARKSPUR STREET", C.ADDRESS),
        ("on larkspur st.", "larkspur st", C.ADDRESS),
        ("27 Larkspr", "27 Larkspr", C.ADDRESS),
        ("apartment 4C", "apartment 4C", C.ADDRESS),
        ("27 North Larkspur Street, Quillan Harbor, OH 43085", "27 North Larkspur Street, Quillan Harbor, OH 43085", C.ADDRESS),
        ("moved to Reading", "Reading", C.ADDRESS),
        ("from hadleigh", "hadleigh", C.ADDRESS),
        ("ZIP 43085", "43085", C.ZIP),
        ("mail i.tolliver (at) mail.example", "i.tolliver (at) mail.example", C.EMAIL),
        ("see p-88213.jpg", "p-88213.jpg", C.PHOTO),
        ("at saint odile\ninfirmary", "saint odile\ninfirmary", C.FACILITY),
    ],
)
def test_finds_numbers_dates_and_places_in_every_form(text, value, category):
    assert (value, category) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "will follow up; frost on the window; the patient will call",
        "morphine 5 ng/mL, 3 ng",
        "NG tube placed, PT and OT to see",
        "the tolerance of ash grows",
        "platelets 73,041; WBC 7.3; Na 141; 73 kg; 0416",
        "dose of 5512 units",
        "in 2046 patients; 0138 hours",
        "ratio 5/9 of cases; 9.5 mg; 5-9 days",
        "May cause nausea; in 1948 it was described",
        "reading glasses; Reading the note",
        "27 patients; apt to fall; street drugs",
        "43085 /uL and 43085 units",
        "I.V. fluids, b.i.d., T.I.D., M.D.",
        "IT band syndrome",
        "cornea, column, common",
    ],
)
def test_leaves_other_words_alone(text):
    assert found(text) == []


def test_undotted_initials_count_where_they_are_labelled():
    assert found("pt initials IRT") == [("IRT", C.NAME)]
    assert found("IRT was negative") == []


def test_dotted_initials_that_are_an_abbreviation_need_a_label():
    known = KnownIdentifiers({C.NAME: ("Dale, Mary",)})
    assert found("by J. Roe, M.D.", known) == []
    assert found("initials M.D. on the form", known) == [("M.D.", C.NAME)]


def test_typing_error_that_is_a_word_is_left_alone():
    known = KnownIdentifiers({C.NAME: ("Hartley, Elena", "Parker, Marlin", "Coughlin, Bowen")})
    assert found("heartily; melena; marking; coughing; bowel", known) == []


def test_value_in_a_script_without_blanks_is_found_inside_a_line():
    known = KnownIdentifiers({C.NAME: ("高橋, 美咲",)})
    assert covered("本日高橋さんと美咲さん", known) == "本日さんとさん"


def test_nothing_known_finds_nothing():
    assert find_known("Imogen", KnownIdentifiers()) == []
    assert find_known("", KNOWN) == []


def test_values_are_never_shown():
    assert "Tolliver" not in repr(KNOWN)


def test_long_text_without_blanks_is_read():
    assert find_known("a" * 60_000 + "1" * 60_000 + "-" * 60_000, KNOWN) == []


def test_middle_initial_does_not_make_a_name_longer():
    assert found("Johns is a surname", KnownIdentifiers({C.NAME: ("Roper, John A.",)})) == []


def test_people_in_lines_of_their_own_are_found_apart():
    assert [value for value, _ in found("Osei O'Shanahan\nWill Frost")] == ["Osei O'Shanahan", "Will Frost"]


@pytest.mark.parametrize("after", ["MRN: 8812345", "   MRN 88", "ROM full", "CT done", "EKG"])
def test_a_label_after_a_known_name_is_no_misspelt_initial(after: str):
    text = f"Quentin Ashgrove {after}"
    places = find_known(text, KnownIdentifiers({IdentifierClass.NAME: ("Quentin Ashgrove",)}))
    assert [text[each.start : each.end] for each in places] == ["Quentin Ashgrove"]
