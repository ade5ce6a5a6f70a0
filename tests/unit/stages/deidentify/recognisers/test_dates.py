"""Dates in all their forms, and what looks like one and is none."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis.strategies import dates, sampled_from

from pipeline.stages.deidentify.recognisers.dates import Dates, oldest_year


def marked(text: str) -> str:
    """The text with brackets around what is found."""
    pieces, done = [], 0
    for place in sorted(Dates(this_year=2026).find(text, None), key=lambda each: each.start):
        pieces.append(f"{text[done : place.start]}[{text[place.start : place.end]}]")
        done = place.end
    return "".join(pieces) + text[done:]


@pytest.mark.parametrize(
    "text",
    [
        # digits
        "[4/9/23]",
        "S. Quayle RN [9/21] 0705",
        "R IJ TLC ([6/14])",
        "Aspirin,81 mg,PO,daily,[10/1]",
        "D0B: [O4/l7/l958]",
        "seen [1O/3/2O21]",
        "DOI: [05/05/22]",
        "ran out on [Sunday the 14th] and called",
        "[04-09-2023]",
        "[2023.04.09]",
        "[2023-04-09]",
        "[2023-04-09T07:05:00Z] sampled",
        "[2023-04-09 07:05:33] sampled",
        "[04/09/2023] 07:05",
        "[20230409]",
        "[202304090705]",
        "scan_[20230409].pdf",
        "scan_[2023_04_09].pdf",
        "[20230409T070500Z]",
        "[09.04.2023]",
        "[09.04.23]",
        "[04 / 09 / 2023]",
        "[04/09/\n2023]",
        "[2023-04-\n09]",
        "DOB[04/09/1961]",
        "[4/2023]",
        "[04-2023]",
        "[2023-04]",
        "[4/2023] - [6/2023]",
        "[2023年4月9日]",
        "[9 ऑक्टोबर 1979]",
        # digits without a year
        "on [4/9] she fell",
        "admitted [4/9]",
        "d/c [4-9]",
        "d/c'd [4/9] home",
        "seen [4-9]; well",
        "[Thurs 4/9]",
        "[4/9] @ 07:05",
        "f/u on [5/5]",
        "LMP [4/9]",
        "labs [4/9]: Na 140. [4/11]: Na 138",
        "CT head ([4/9]) negative",
        "chemo held [4/9]",
        "[4/9] labs",
        "seen in clinic [4/9]",
        "yesterday, [4/9]",
        "CXR on [4/9] shows",
        "between [4/7] and [4/9]",
        "[4/7]-[4/9]",
        "Na  [4/7]   [4/8]   [4/9]",
        "07:05 [4/9]",
        "admitted [March]",
        "seen in [Oct]",
        "seen [4/9/23]at home",
        "on[4/9/23]",
        "stent in [09/07]",
        "stent in [11/07]",
        "well until [11/91]",
        "to the pre-[July] level",
        "[4/9]: afebrile",
        # lists and ranges
        "[4/9]-[4/12/2023]",
        "[4/9], [4/11] and [4/12/23]",
        "on [4/9], [4/11] and [4/12]",
        "[9-12/04/2023]",
        "[April 9-12, 2023]",
        "[9-12 April] on the ward",
        "[May] to [July 2023]",
        "[4/9/23]-[4/12/23]",
        # names of months
        "[9-Apr-2023]",
        "[09APR2023]",
        "[09APR23]",
        "[Apr 9th, 2023]",
        "[9 April]",
        "the [5th of November]",
        "[Nov. 5]",
        "[Nov '22]",
        "[Apr-23]",
        "[APR-09-2023]",
        "[April 2023]",
        "[April, 2023]",
        "[April of 2023]",
        "[2023 April 9]",
        "[UNK-APR-2023]",
        "[Wednesday, April 9]",
        "[Wed 9 April 2023]",
        "[April\n9, 2023]",
        "[april 9, 2023]",
        "[April 9,2023]",
        "[Apr24] and [APR24]",
        "[April 4th, 5th and 6th]",
        "[April 4, 6, and 9]",
        "from the [4th to the 9th of April]",
        "[Monday the 4th]",
        "on [2 may]",
        "im [Mai 2020]",
        "on [may 9]",
        "since [October]",
        "last [March]",
        "in [May] she fell",
        "in mid-[April]",
        "[Febuary 9]",
        "[9. März 2023]",
        "[9 de mayo de 2023]",
        "le [1er août 2023]",
        "[9 gennaio 2023]",
        "[9 kwietnia 2023]",
        "[9 Nisan 2023]",
        "[9. maj 2023]",
        "em [9 de março]",
        # words
        "[April ninth twenty twenty-three]",
        "[april nine twenty twenty-three]",
        "the [ninth of April]",
        "the [twenty-first of April, nineteen ninety-eight]",
        "on the [9th].",
        # days and seasons with names
        "[Christmas 2022]",
        "on [New Year's Day]",
        "since [Thanksgiving]",
        "[Fourth of July] picnic",
        "[Labor Day]",
        "[fall of 2022]",
        "[Q2 2023]",
        # birth
        "DOB: [040961]",
        "DOB: [4 9 61]",
        "DOB [4/61]",
        "date of birth [04091961]",
        "born in [1929]",
        "born in Ohio in [1929]",
        "b. [1929]",
        "YOB: [1929]",
        "born in the [1920s]",
        "emigrated in [1935]",
        "geboren [1929]",
    ],
)
def test_finds(text: str) -> None:
    assert marked(text.replace("[", "").replace("]", "")) == text


@pytest.mark.parametrize(
    "text",
    [
        # scores, fractions, pressures
        "pain 6/10",
        "Novolin 70/30,22 u,SC",
        "Norco,5/325,PO,prn",
        "foley 2/2 retention",
        "l/O",
        "I/O 1200/800",
        "Return 6/52",
        "review in 3/52",
        "pain went from 9/10 to 2/10",
        "pain on 4/10",
        "visual acuity 20/20",
        "3/5 strength",
        "strength 4/5 on the left",
        "motor 5/5 throughout",
        "a 2/6 systolic murmur",
        "BP 120/80",
        "BP on arrival 12/8",
        "1/2 tablet",
        "due 1/2 tablet",
        "2/3 of the lobe",
        "4/5 5/5 4/5 5/5",
        "strength 4/4 4/5",
        "T3/4/12",
        "5/10/20mg",
        "on 2/3 of days",
        "4/12 nodes positive",
        "seen 2/3 times",
        "12/20 patients",
        "found in 11/91 (12%)",
        "in 3/40 eyes",
        "seen in 7/19 nodes",
        "2-3 PVCs on 3-4 leads",
        "day 4/7 of antibiotics",
        "the first March",
        "Q 4/9 hours",
        "2010/11",
        "pupils 4/2 decreasing to 3/1",
        "pulses 2/4",
        # ranges, doses, durations, schedules
        "3-7 days",
        "in 3-7 days",
        "on 1-2 tablets daily",
        "takes 1-2 tablets",
        "2-3 times",
        "5-10 mg",
        "5/10/20 mg",
        "cycle 3 day 15",
        "POD 3",
        "day 15",
        "C1D15",
        "every 3 weeks",
        "within 14 days",
        "for 6 months",
        "twice daily",
        "TID for 10 days",
        "1-0-1",
        "G3P1-0-2-1",
        "32 5/7 weeks",
        "at 32-6/7 weeks",
        # numbers
        "2020-001234-12",
        "NCT91234567",
        "NCT92040312",
        "version 3.8.18",
        "section 5.1.12",
        "study 20120104",
        "protocol no. 20120104",
        "301-555-0142",
        "1-800-555-0142",
        "412-55-8093",
        "1/2000 live births",
        "1/2000 dilution",
        "5-2000 units",
        "the 2010-11 season",
        "platelets 250-400",
        "10.5.3",
        "192.168.10.12",
        "code 20241345",
        "45/13/2023",
        # months that are words
        "she may be discharged",
        "patients 1 to 12 may receive it",
        "dose level 2. May be repeated",
        "cohort 2 May receive it",
        "they march 5 miles",
        "a march fracture",
        "dec 20 mg",
        "sat 95",
        "sun exposure",
        "Oct-4 positive",
        "OCT showed oedema",
        "the MAR was signed",
        "5 days ago 2024 was named",
        "an 8 out of 10",
        "set 12 of 20",
        "a Mayo stand",
        "May-Hegglin anomaly",
        "elevation in aVR",
        "since AVR",
        "FEV 1 was low",
        "FEV 15 litres",
        "treated for MAI",
        "c-Jun",
        "seen by Augusta",
        # anatomy
        "L4-5",
        "T12-L1",
        "C3/4",
        "C3-4 disc",
        # days and times alone
        "Tuesday",
        "last Friday",
        "at 10:30",
        "07:05 AM",
        "yesterday",
        "on the 3rd toe",
        "on the 4th day",
        "the 12th rib",
        # years that may stay
        "born in 1936",
        "born in 1950",
        "DOB: 1950",
        "since 2019",
        "in 2023",
        "in 1929 Fleming wrote",
        "1929 cells",
        # named after a day
        "Christmas disease",
        "Christmas tree pattern",
        "Easter Seals",
    ],
)
def test_keeps(text: str) -> None:
    assert marked(text) == text


def test_the_oldest_year_that_stays_is_the_one_whose_people_may_still_be_89() -> None:
    assert oldest_year(2026) == 1936
    assert [place.start for place in Dates(this_year=2026).find("born in 1935", None)] == [8]
    assert list(Dates(this_year=2025).find("born in 1935", None)) == []


FORMS = [
    "%m/%d/%Y",
    "%m/%d/%y",
    "%m-%d-%Y",
    "%Y-%m-%d",
    "%Y.%m.%d",
    "%Y%m%d",
    "%d%b%Y",
    "%d-%b-%y",
    "%d %B %Y",
    "%B %d, %Y",
    "%b. %d, %Y",
    "%A, %B %d, %Y",
    "%d.%m.%Y",
]


@given(
    day=dates(date(1940, 1, 1), date(2060, 12, 31)),
    form=sampled_from(FORMS),
    around=sampled_from([("", ""), ("Seen ", "."), ("(", ")"), ("x\n", "\ny"), ("BP 120/80, ", ", strength 5/5")]),
)
def test_any_day_is_found_whole_in_any_form_and_nothing_else(day: date, form: str, around: tuple[str, str]) -> None:
    before, after = around
    written = day.strftime(form)
    assert marked(f"{before}{written}{after}") == f"{before}[{written}]{after}"


def test_a_long_text_without_blanks_is_read() -> None:
    assert list(Dates(this_year=2026).find("1" * 60_000, None)) == []
    assert list(Dates(this_year=2026).find("may" * 20_000, None)) == []
