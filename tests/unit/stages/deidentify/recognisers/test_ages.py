"""Ages over 89, and the numbers that are none."""

import pytest

from pipeline.stages.deidentify.recognisers.ages import Ages


def marked(text: str) -> str:
    """The text with brackets around what is found."""
    pieces, done = [], 0
    for place in sorted(Ages().find(text, None), key=lambda each: each.start):
        pieces.append(f"{text[done : place.start]}[{text[place.start : place.end]}]")
        done = place.end
    return "".join(pieces) + text[done:]


@pytest.mark.parametrize(
    "text",
    [
        "A [95]-year-old woman fell.",
        "a [95]-\nyear-old man",
        "[104] y/o M from home",
        "[90]yo F",
        "[92] y.o. male",
        "[91] yrs old",
        "[98] years of age",
        "age: [94]",
        "AGE [97]",
        "aged [91] and frail",
        "at the age of [96]",
        "Age (years): [93]",
        "Age/Sex: [95]/F",
        "[97]F with a cough",
        "[99] M admitted from clinic",
        "[93] female",
        "turned [90] last week",
        "her [100]th birthday",
        "died at [92].",
        "He is [91], and lives alone",
        "Mother is [94] with dementia",
        "in her [nineties]",
        "in his late [90s]",
        "[ninety-three] years old",
        "a [hundred and one] year old lady",
        "aged [ninety-two]",
        "DOB 01/02/1931 ([95])",
        "Edda Quist, [93], was seen",
        "[94] at diagnosis",
        "a [nonagenarian]",
        "in the [tenth] decade of life",
        "aged [90] to [95]",
        "[92]-y-o man",
        "[92]yM",
        "[92]-yr F",
        "a [94] y old man",
        "F/[92]",
        "the patient ([92]) fell",
        "Mr. Quist ([94]) fell",
        "family: mother died [93], father [95] alive",
        "wife, [91], well",
        "Pt [92] M, lives alone",
        "([92]F)",
        "[97] F w/ cough",
        "[93] ans",
        "[95] Jahre alt",
    ],
)
def test_finds_the_number_of_an_age_over_89(text: str) -> None:
    assert marked(text.replace("[", "").replace("]", "")) == text


@pytest.mark.parametrize(
    "text",
    [
        "An 89-year-old man",
        "64 years old",
        "aged 9 and 12",
        "age: 8.94",
        "age 90 days",
        "aged 95 hours",
        "for 90 days",
        "90 mg daily",
        "SpO2 95 %",
        "sat is 95",
        "BP 92/60",
        "BP 92",
        "weight 94",
        "weight 94 kg",
        "HR is 93.",
        "he was 92 on room air",
        "patient is 92% on room air",
        "Temp 97 F",
        "T 98.6 F",
        "spiked to 102F",
        "101 F (38.3 C)",
        "T: 99F",
        "98F; HR 80",
        "warmed to 98 F",
        "100 F orally",
        "VS: 98 F, 80",
        "glucose 95 F",
        "120 male participants",
        "from 18 to 99 years",
        "patient sats (92)",
        "father had 95 units",
        "sats in the 90s",
        "in the nineties",
        "90Y microspheres",
        "yttrium 90",
        "100 M NaCl",
        "110 pack years",
        "over 100 years ago",
        "for 100 years",
        "130-year-old building",
        "1990-year",
        "EF 95, no change",
        "CA 125 was 96",
        "in her seventies",
        "page 94 of 120",
        "hundreds of cells",
        "ninety minutes",
        "the 90th percentile",
        "CD90",
    ],
)
def test_keeps_other_numbers(text: str) -> None:
    assert marked(text) == text
