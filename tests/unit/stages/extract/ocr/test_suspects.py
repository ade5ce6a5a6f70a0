from collections.abc import Sequence
from dataclasses import replace

import pytest
from PIL import Image, ImageFilter

from bench.ocr.conditions import Condition
from bench.ocr.make import make
from pipeline.stages.extract.ocr.suspects import suspects_of
from pipeline.stages.extract.ocr.tesseract import Recognised, recognise

SIZE = 300


def flags(text: str, confidence: float = 0.96, *, low_quality: bool = False) -> dict[str, bool]:
    """Flags of words as they were read, on paper without ink: rules of text alone."""
    words = [
        Recognised(word, confidence, left=40 * at, top=10, width=30, height=20, block=1, paragraph=1, line=1)
        for at, word in enumerate(text.split())
    ]
    found = suspects_of(words, Image.new("L", (40 * len(words), 40), 255), low_quality=low_quality)
    return dict(zip(text.split(), found, strict=True))


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Levothyroxine 125 pg daily", "pg"),
        ("Levothyroxine 125 wg daily", "wg"),
        ("Fentanyl 75 ug/h patch", "ug/h"),
        ("Fentanyl 75 yg/h patch", "yg/h"),
        ("dose of 100 11g now", "11g"),
        ("dose of 400 jig now", "jig"),
        ("dose of 400 pig now", "pig"),
        ("creatinine 118 pmol/L", "pmol/L"),
        ("creatinine 118 mol/L", "mol/L"),
        ("infusion 20 g/kg/min", "g/kg/min"),
        ("thickness 4 jam", "jam"),
        ("Take l0 mg daily", "l0"),
        ("Dose O.5 mg", "O.5"),
        ("Dose lO mg", "lO"),
        ("Dose | g", "|"),
        ("Give 5O0 mg TID", "5O0"),
        ("value 7.l %", "7.l"),
        ("Give lmg now", "lmg"),
        ("Give .5 mg now", ".5"),
        ("Give 025 mg now", "025"),
        ("Give 0,01 mg now", "0,01"),
        ("Age 2 18 years", "18"),
        ("Age = 18 years", "="),
        ("Age => 18 years", "18"),
        ("Pressure s 90 mmHg", "90"),
        ("within + 5 % of it", "+"),
        ("rate = 10/min", "10/min"),
        ("platelets 212 x 10*9/L", "10*9/L"),
        ("platelets 212 x 109/L", "109/L"),
        ("platelets 212 x LOD/L", "LOD/L"),
        ("index 25 kg/m2", "kg/m2"),
        ("area 2.37 mm2", "mm2"),
        ("area 2.37 mmz2", "mmz2"),
        ("depth 0.6 em", "em"),
        ("HbAlc 7.1 %", "HbAlc"),
        ("dose of 125 pg daily", "pg"),
        ("heart rate 45 bom", "bom"),
        ("dose of 540 mGy-cm now", "mGy-cm"),
        ("a lesion of 10 mma short", "mma"),
        ("draw 5.5 mLis enough", "mLis"),
        ("every 6 has needed", "has"),
        ("wait L5 min more", "L5"),
        ("below LOO mmHg now", "LOO"),
        ("give &mg now", "&mg"),
        ("a level of 1.04 mmollL now", "mmollL"),
        ("give 15 mLIkg now", "mLIkg"),
        ("below © 85 mmHg now", "85"),
        ("a level of 15 [U/mL now", "[U/mL"),
        ("a fever of 38.3 “C today", "“C"),
        ("a surface of 2.01 m7", "m7"),
    ],
)
def test_flags_what_doses_and_values_are_misread_as(text: str, wrong: str) -> None:
    assert flags(text)[wrong]


@pytest.mark.parametrize(
    "text",
    [
        "Metoprolol 23.75 mg once daily",
        "Furosemide 40 mg and 80 mg",
        "5 mg/kg/min for 10 min",
        "norepinephrine 0.05 mcg/kg/min",
        "Blood pressure 118/72 mmHg",
        "temperature 36.7 °C and 94 % on air",
        "volume of 1,500 mL a day",
        "at 07:40 on 03/14/2024",
        "HbA1c and vitamin B12 and pT1c",
        "respiratory rate 16/min today",
        "range 12.0-15.5 g/dL",
        "weeks 2 - 20 of treatment",
        "3 of 12 patients in section 5.1.2",
        "the 2nd visit of 14 days",
        "no number in this line",
        "15 fractions, 10 cigarettes, 2 studies",
        "at 07:40, received later",
        "score 1+ in the tumor",
        "fracture of L5 and of C2 seen",
        "the patient has 2 children",
        "low-dose scan, twice-daily drug",
        "a level of ≥ 4.0 mmol/L or ≤ 125 µg/L",
    ],
)
def test_leaves_plain_numbers_and_words_alone(text: str) -> None:
    assert not any(flags(text).values())


def test_flags_a_number_that_was_read_unsurely() -> None:
    assert flags("glucose 214 mg/dL", confidence=0.53)["214"]


def test_flags_what_stands_for_a_number_before_a_unit() -> None:
    assert flags("value vxnt %", confidence=0.27)["vxnt"]


def test_flags_a_name_or_a_short_word_beside_numbers_that_was_read_unsurely() -> None:
    assert flags("Thyroxine B27 today", confidence=0.45)["B27"]
    assert not flags("Thyroxine B27 today", confidence=0.9)["B27"]
    assert flags("Homocysteine VA 5.0", confidence=0.3)["VA"]
    assert not flags("Homocysteine VA today", confidence=0.3)["VA"]
    assert not flags("given to 5 persons", confidence=0.3)["to"]


def test_flags_numbers_beside_print_that_belongs_to_no_word() -> None:
    image = make("line", "Give it for ≥ 40 mg", Condition("line", font="serif", dpi=SIZE)).image.crop((0, 0, 2550, 400))
    words = [word for word in recognise(image, dpi=SIZE, segmentation=6, seconds=30) if word.text in {"Give", "it", "for", "40", "mg"}]
    assert [word.text for word in words] == ["Give", "it", "for", "40", "mg"]
    assert suspects_of(words, image, low_quality=False) == [False, False, True, True, False]
    ruled = image.copy()
    box = (words[2].left + words[2].width + 4, 0, words[3].left - 4, image.height)
    ruled.paste(255, box)  # without the sign, and then with a table's rule in its place
    assert not any(suspects_of(words, ruled, low_quality=False))
    ruled.paste(0, ((box[0] + box[2]) // 2, 0, (box[0] + box[2]) // 2 + 4, image.height))
    assert not any(suspects_of(words, ruled, low_quality=False))


@pytest.mark.parametrize("sign", "≥≤")
def test_a_comparison_whose_bar_is_one_pale_line_of_a_fax_is_flagged(sign: str) -> None:
    page = make("line", f"Hold it for {sign} 90 mg at rest", Condition("fax", font="stix", fax=(204, 196), size_pt=11)).image
    image = page.crop((0, 0, page.width, 250)).filter(ImageFilter.GaussianBlur(1))
    words = recognise(image, dpi=204, segmentation=6, seconds=30)
    at = next(at for at, word in enumerate(words) if word.text == "90")
    stated = [replace(word, text={"≥": ">", "≤": "<"}[sign]) if number == at - 1 else word for number, word in enumerate(words)]
    assert suspects_of(stated, image, low_quality=False)[at]


def test_flags_every_number_of_a_page_of_low_quality() -> None:
    found = flags("Digoxin 0.25 mg daily", low_quality=True)
    assert (found["0.25"], found["mg"], found["daily"]) == (True, True, False)


def test_a_unit_on_the_next_line_is_looked_at() -> None:
    words = [
        Recognised("118", 0.96, 0, 10, 30, 20, block=1, paragraph=1, line=1),
        Recognised("pmol/L", 0.96, 0, 50, 30, 20, block=1, paragraph=1, line=2),
    ]
    assert suspects_of(words, Image.new("L", (100, 100), 255), low_quality=False) == [False, True]


def read(text: str, font: str) -> tuple[Sequence[Recognised], list[bool]]:
    image = make("line", text, Condition("line", font=font, dpi=SIZE)).image.crop((0, 0, 2550, 400))
    words = recognise(image, dpi=SIZE, segmentation=6, seconds=30)
    return words, suspects_of(words, image, low_quality=False)


@pytest.mark.parametrize("font", ["sans", "serif", "stix"])
@pytest.mark.parametrize("text", ["Oxygen for a saturation of ≥ 94 % at rest", "Hold it for a pressure of ≤ 90 mmHg at rest"])
def test_a_comparison_is_right_or_flagged(text: str, font: str) -> None:
    words, found = read(text, font)
    sign = text.split()[text.split().index("of") + 1]
    assert sign in {word.text for word in words} or any(found)


@pytest.mark.parametrize("font", ["sans", "serif", "stix", "mono"])
def test_signs_and_numbers_that_are_printed_so_are_not_flagged(font: str) -> None:
    words, found = read("Stop it for a rate of < 55 bpm or a level of > 200 mg/dL or 108.65 kg", font)
    assert [word.text for word in words if word.text in {"<", ">"}] == ["<", ">"]
    assert not any(found)


@pytest.mark.parametrize("font", ["sans", "serif", "stix"])
@pytest.mark.parametrize("dose", ["125 µg", "75 µg/h", "118 µmol/L"])
def test_a_micro_sign_is_right_or_flagged(dose: str, font: str) -> None:
    words, found = read(f"The next dose is {dose} today", font)
    assert dose.split()[1] in {word.text for word in words} or any(found)
