"""What stands in the place of identifiers, where it stands, and that nothing else changes."""

from __future__ import annotations

from dataclasses import replace as changed

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from pipeline.domain.errors import ConfigurationError
from pipeline.domain.phi import Found, IdentifierClass, Scrubbed
from pipeline.stages.deidentify import KnownIdentifiers, ReplaceBy, Scrubber, policy_for
from pipeline.stages.deidentify.date_shift import days_for, shift
from pipeline.stages.deidentify.known import find_known
from pipeline.stages.deidentify.replace import Replacer, replace

C = IdentifierClass
SECRET = b"a secret of thirty-two bytes ...".ljust(32)
PLACEHOLDERS = policy_for("note", "site")
KEYED = changed(PLACEHOLDERS, names=ReplaceBy.SURROGATE, dates=ReplaceBy.SHIFT)
KNOWN = KnownIdentifiers({C.NAME: ("Tolliver-Ashgrove, Imogen", "Frost, Will"), C.MRN: ("7304168",), C.DATE: ("1948-05-09",)})


def replacer(policy=PLACEHOLDERS, *, secret=SECRET, subject="patient-1", known=KNOWN, texts=()) -> Replacer:
    return Replacer(policy, secret=secret, subject=subject, known=known, texts=texts)


def value(text: str, category: IdentifierClass, policy=PLACEHOLDERS) -> str:
    return replacer(policy).value(text, Found(0, len(text), category, 1.0, "test"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("90", "90+"),
        ("104", "90+"),
        ("ninety", "90+"),
        ("ninety-three", "90+"),
        ("Ninety three", "90+"),
        ("one hundred and two", "90+"),
        ("a hundred", "90+"),
        ("nineties", "[AGE 90+]"),
        ("her tenth decade", "[AGE 90+]"),
        ("93 years", "[AGE 90+]"),
    ],
)
def test_age_that_is_a_number_stays_one(text, expected):
    assert value(text, C.AGE) == expected


@pytest.mark.parametrize("category", [each for each in C if each is not C.AGE])
def test_placeholder_of_the_policy_stands_for_any_value(category):
    assert value("anything", category) == PLACEHOLDERS.placeholders[category]


def test_all_forms_of_a_person_have_one_placeholder():
    text = "Imogen Tolliver-Ashgrove; TOLLIVER; imogen; Ashgrove, I."
    scrubbed = Scrubber().scrub(text, PLACEHOLDERS, known=KNOWN).text
    assert scrubbed.replace(".", "") == "[NAME]; [NAME]; [NAME]; [NAME]"


def test_placeholders_need_neither_secret_nor_patient():
    assert replacer(secret=None, subject=None).value("x", Found(0, 1, C.NAME, 1.0, "test")) == "[NAME]"


@pytest.mark.parametrize(
    "policy", [changed(PLACEHOLDERS, names=ReplaceBy.SURROGATE), changed(PLACEHOLDERS, dates=ReplaceBy.SHIFT)], ids=["surrogate", "shift"]
)
@pytest.mark.parametrize(("secret", "subject"), [(None, "patient-1"), (b"", "patient-1"), (SECRET, None), (SECRET, "")])
def test_keyed_replacement_without_secret_or_patient_is_refused_with_a_remedy(policy, secret, subject):
    with pytest.raises(ConfigurationError) as raised:
        replacer(policy, secret=secret, subject=subject)
    assert raised.value.remedy


@pytest.mark.parametrize("policy", [changed(PLACEHOLDERS, names=ReplaceBy.SHIFT), changed(PLACEHOLDERS, dates=ReplaceBy.SURROGATE)])
def test_what_there_is_not_is_refused(policy):
    with pytest.raises(ConfigurationError, match="Names: placeholder or surrogate"):
        replacer(policy)


def test_dates_move_by_the_patients_days_and_doubtful_ones_become_placeholders():
    days = days_for(SECRET, "patient-1")
    assert value("2024-03-07", C.DATE, KEYED) == shift("2024-03-07", days)
    assert value("2024-03-07", C.DATE, KEYED) != "2024-03-07"
    assert value("some day", C.DATE, KEYED) == "[DATE]"


def test_photographs_have_a_placeholder_in_every_mode():
    assert value("face-1.jpg", C.PHOTO, KEYED) == "[PHOTO]"


def test_surrogates_are_the_same_in_all_documents_of_a_patient():
    scrubber = Scrubber(secret=SECRET)
    first = scrubber.scrub("Imogen Tolliver-Ashgrove was seen.", KEYED, subject="patient-1", known=KNOWN).text
    second = scrubber.scrub("Called by Imogen Tolliver-Ashgrove.", KEYED, subject="patient-1", known=KNOWN).text
    assert first.removesuffix(" was seen.") == second.removeprefix("Called by ").removesuffix(".")
    assert "Imogen" not in first + second


def source_of(scrubbed: Scrubbed, source: str) -> str:
    """The source, put together of the untouched stretches of the outcome and the replaced stretches of the source."""
    pieces, done, source_done = [], 0, 0
    for each in scrubbed.replacements:
        assert scrubbed.text[done : each.start] == source[source_done : each.source_start]
        pieces += (scrubbed.text[done : each.start], source[each.source_start : each.source_end])
        done, source_done = each.end, each.source_end
    assert scrubbed.text[done:] == source[source_done:]
    return "".join((*pieces, scrubbed.text[done:]))


@st.composite
def texts_with_places(draw):
    text = draw(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=80))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12, unique=True)))
    found = [Found(start, end, draw(st.sampled_from(list(C))), 1.0, "test") for start, end in zip(cuts[::2], cuts[1::2], strict=False)]
    return text, found


@seed(20_260_301)
@settings(max_examples=500, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts_with_places(), st.sampled_from([PLACEHOLDERS, KEYED]))
def test_every_replacement_leads_back_to_its_source_and_the_rest_is_untouched(case, policy):
    text, found = case
    scrubbed = replace(text, found, replacer(policy, texts=(text,)))
    assert [(each.source_start, each.source_end, each.category) for each in scrubbed.replacements] == [
        (each.start, each.end, each.category) for each in found
    ]
    assert source_of(scrubbed, text) == text


STATEMENTS = [
    "{} was seen on 3/14/2024 for a cough.",
    "MRN 7304168, DOB 05/09/1948, phone (614) 555-0138.",
    "Dr. Solveig Aune of Saint Odile Hospital called {}.",
    "Lives at 27 Larkspur Street, Quillan Harbor, OH 43085 with her husband Kwaku.",
    "She is a 93-year-old woman; mail imogen@mail.example, SSN 731-55-2046.",
    "Pacemaker SN: PKW118203H, licence D4471902, plate 7KLM220, http://mail.example/i?p=1",
    "Metformin 500 mg bid, BP 128/76, EF 55 %, day 3 of 10, K 4.1, NCT90000001.",
    "Dictated by S. Aune, MD; signed {} on March 14th, 2024 at 10:42.",
    "PATIENT: {}\nADMITTED: 12-Mar-2024\nACCT 5512-883",
    "In her nineties; fax 614-555-0177; ID badge 33-A-7712; IP 10.20.30.40.",
]
NOTES = st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=5).map(" ".join)
NAMES = st.sampled_from(["Imogen Tolliver-Ashgrove", "TOLLIVER-ASHGROVE, IMOGEN", "Ms. Ashgrove", "Will Frost", "imogen tolliver-ashgrove"])


@pytest.mark.slow
@seed(20_260_302)
@settings(max_examples=80, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
@given(NOTES, NAMES)
def test_scrubbing_scrubbed_text_changes_nothing(note, who):
    scrubber = Scrubber()
    once = scrubber.scrub(note.replace("{}", who), PLACEHOLDERS, known=KNOWN)
    assert source_of(once, note.replace("{}", who)) == note.replace("{}", who)
    twice = scrubber.scrub(once.text, PLACEHOLDERS, known=KNOWN)
    assert twice.text == once.text
    assert twice.replacements == ()


@pytest.mark.slow
@seed(20_260_303)
@settings(max_examples=60, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
@given(NOTES, NAMES, st.sampled_from(["patient-1", "patient-2", "p3"]))
def test_nothing_known_stands_in_text_with_surrogates_and_shifted_dates(note, who, subject):
    text = note.replace("{}", who)
    scrubbed = Scrubber(secret=SECRET).scrub(text, KEYED, subject=subject, known=KNOWN)
    assert source_of(scrubbed, text) == text
    assert [scrubbed.text[each.start : each.end] for each in find_known(scrubbed.text, KNOWN)] == []


@pytest.mark.parametrize("placeholder", sorted({*PLACEHOLDERS.placeholders.values(), "90+"}))
@pytest.mark.parametrize(
    "frame", ["{}", "Seen: {}.", "MRN: {}", "Dr. {}", "born {}, lives at {}", "a {}-year-old; {} y/o; aged {}", "{}, {} of {}"]
)
def test_placeholders_are_not_found_again(placeholder, frame):
    text = frame.replace("{}", placeholder)
    assert Scrubber().scrub(text, PLACEHOLDERS, known=KNOWN).text == text
